/* SPDX-License-Identifier: MIT */
/* NvSciBufObj for CUDA and cuDLA: the driver core asks here what a handle is. */
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

static void planes_of(const struct sci_list *list, struct rt_sci_buf *out)
{
    if (sci_buf_has_type(list, NvSciBufType_Image)) {
        out->planes = (unsigned)sci_list_u64(list, NvSciBufImageAttrKey_PlaneCount, 0, 0);
    }
    for (uint32_t i = 0; i < MIN(out->planes, RT_SCI_PLANES); i++) {
        out->offset[i] = sci_list_u64(list, NvSciBufImageAttrKey_PlaneOffset, i, 0);
        out->pitch[i] = (uint32_t)sci_list_u64(list, NvSciBufImageAttrKey_PlanePitch, i, 0);
    }
}

static bool describe(const void *handle, const uint8_t uuid[16], struct rt_sci_buf *out)
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

__attribute__((constructor)) static void buf_loaded(void)
{
    static const struct rt_sci_ops ops = { .buf = describe };

    rt_sci_provide(&ops);
}
