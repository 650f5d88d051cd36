/* SPDX-License-Identifier: MIT */
/* NvSciBufObj for CUDA, cuDLA and NvMedia: the driver core asks here what a handle is. */
#include <errno.h>
#include <string.h>

#include "runtime/api/nvsci/buf.h"

static bool gpu_flag(const struct sci_list *list, uint32_t key, const uint8_t uuid[16])
{
    const struct sci_value *value = sci_list_get(list, key);
    const NvSciBufAttrValGpuCache *entry = value ? value->data : NULL;

    for (uint32_t i = 0; value && i < value->count; i++) {
        if (!memcmp(entry[i].gpuId.bytes, uuid, 16)) {
            return entry[i].cacheability;
        }
    }
    return false;
}

static bool gpu_listed(const struct sci_list *list, const uint8_t uuid[16])
{
    const struct sci_value *value = sci_list_get(list, NvSciBufGeneralAttrKey_GpuId);
    const NvSciRmGpuId *id = value ? value->data : NULL;

    for (uint32_t i = 0; value && i < value->count; i++) {
        if (!memcmp(id[i].bytes, uuid, 16)) {
            return true;
        }
    }
    return false;
}

static uint32_t u32_of(const struct sci_list *list, uint32_t key, uint32_t i, uint32_t otherwise)
{
    return (uint32_t)sci_list_u64(list, key, i, otherwise);
}

static void planes_of(const struct sci_list *list, struct rt_sci_buf *out)
{
    if (sci_buf_has_type(list, NvSciBufType_Image)) {
        out->planes = (unsigned)sci_list_u64(list, NvSciBufImageAttrKey_PlaneCount, 0, 0);
    }
    out->pitch_linear =
        sci_list_u64(list, NvSciBufImageAttrKey_Layout, 0, 0) == NvSciBufImage_PitchLinearType;
    out->progressive =
        sci_list_u64(list, NvSciBufImageAttrKey_ScanType, 0, 0) == NvSciBufScan_ProgressiveType;
    for (uint32_t i = 0; i < MIN(out->planes, RT_SCI_PLANES); i++) {
        out->plane[i] = (struct rt_sci_plane){
            .offset = sci_list_u64(list, NvSciBufImageAttrKey_PlaneOffset, i, 0),
            .pitch = u32_of(list, NvSciBufImageAttrKey_PlanePitch, i, 0),
            .width = u32_of(list, NvSciBufImageAttrKey_PlaneWidth, i, 0),
            .height = u32_of(list, NvSciBufImageAttrKey_PlaneHeight, i, 0),
            .format = u32_of(list, NvSciBufImageAttrKey_PlaneColorFormat, i, 0),
            .standard =
                u32_of(list, NvSciBufImageAttrKey_PlaneColorStd, i,
                       u32_of(list, NvSciBufImageAttrKey_SurfColorStd, 0, RT_SCI_NO_STANDARD)),
        };
    }
}

static bool buf_provide_describe(const void *handle, const uint8_t uuid[16], struct rt_sci_buf *out)
{
    struct buf_object *o = sci_handle_get(handle, SCI_BUF_OBJECT);

    if (!o) {
        return false;
    }
    *out = (struct rt_sci_buf){
        .memory = o->memory->shared,
        .size = o->memory->size,
        .writable = o->perm == NvSciBufAccessPerm_ReadWrite,
        .gpu_listed = uuid && gpu_listed(o->list, uuid),
        .gpu_cached = uuid && gpu_flag(o->list, NvSciBufGeneralAttrKey_EnableGpuCache, uuid),
        .gpu_sw_coherency =
            uuid && gpu_flag(o->list, NvSciBufGeneralAttrKey_GpuSwNeedCacheCoherency, uuid),
        .cpu_sw_coherency =
            sci_list_u64(o->list, NvSciBufGeneralAttrKey_CpuNeedSwCacheCoherency, 0, 0),
    };
    planes_of(o->list, out);
    sci_unref_later(o); /* the core's lock is held */
    return true;
}

static int fill_list(void *handle, uint32_t engine)
{
    struct attr_list *l = sci_handle_get(handle, SCI_BUF_LIST);
    const NvSciBufPeerHwEngine peer = { .engName = engine };
    const struct sci_pair pair = { NvSciBufGeneralAttrKey_PeerHwEngineArray, &peer, sizeof(peer) };
    int result;

    if (!l) {
        return -EBADF;
    }
    result = sci_list_set(l->list, (struct sci_pair *)&pair, 1) == NvSciError_Success ? 0 : -EINVAL;
    sci_unref_later(l);
    return result;
}

__attribute__((constructor)) static void buf_loaded(void)
{
    static const struct rt_sci_ops ops = { .buf = buf_provide_describe, .buf_list = fill_list };

    rt_sci_provide(&ops);
}
