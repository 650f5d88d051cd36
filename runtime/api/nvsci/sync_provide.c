/* SPDX-License-Identifier: MIT */
/* NvSciSync for CUDA and cuDLA: the driver core asks here what handles are, with its lock held. */
#include <errno.h>
#include <string.h>

#include "runtime/api/nvsci/sync.h"

/* What this process's lists asked for CUDA (cuDeviceGetNvSciSyncAttributes), of what the object
 * permits. */
static uint64_t cuda_perm(const struct sync_object *o)
{
    uint64_t asked = 0;

    for (guint i = 0; i < o->list->peers->len; i++) {
        const struct sci_peer *peer = o->list->peers->pdata[i];

        asked |= peer->gpu && !peer->path->len ? peer->perm : 0;
    }
    return asked & o->perm;
}

static bool sync_provide_describe(const void *handle, struct rt_sci_sync *out)
{
    struct sync_object *o = sci_handle_get(handle, SCI_SYNC_OBJECT);

    if (!o) {
        return false;
    }
    *out = (struct rt_sci_sync){
        .sync = o->core->sync,
        .may_wait = o->perm & NvSciSyncAccessPerm_WaitOnly,
        .may_signal = o->perm & NvSciSyncAccessPerm_SignalOnly,
        .cuda_may_wait = cuda_perm(o) & NvSciSyncAccessPerm_WaitOnly,
        .cuda_may_signal = cuda_perm(o) & NvSciSyncAccessPerm_SignalOnly,
        .deterministic = sync_flag(o->list, NvSciSyncAttrKey_RequireDeterministicFences),
        .timestamps = sync_flag(o->list, NvSciSyncAttrKey_WaiterRequireTimestamps),
    };
    sci_unref_later(o);
    return true;
}

static bool set_fence(const void *handle, uint64_t value, void *fence)
{
    struct sync_object *o = sci_handle_get(handle, SCI_SYNC_OBJECT);

    if (!o) {
        return false;
    }
    fence_make(fence, o, value, true);
    sci_unref_later(o);
    return true;
}

static bool get_fence(const void *fence, struct rt_sci_fence *out)
{
    struct sync_core *core;
    struct fence f;

    *out = (struct rt_sci_fence){ .cleared = fence_cleared(fence) };
    if (out->cleared) {
        return true;
    }
    core = fence_core(fence);
    if (!core) {
        return false;
    }
    memcpy(&f, fence, sizeof(f));
    out->sync = core->sync;
    out->value = f.value;
    sci_unref_later(core);
    return true;
}

static int fill_list(void *handle, bool signal, bool wait, const uint32_t *primitives,
                     unsigned count, const uint8_t uuid[16])
{
    struct attr_list *l = sci_handle_get(handle, SCI_SYNC_LIST);
    uint64_t perm =
        (signal ? NvSciSyncAccessPerm_SignalOnly : 0) | (wait ? NvSciSyncAccessPerm_WaitOnly : 0);
    struct sci_pair pair[] = {
        { NvSciSyncAttrKey_RequiredPerm, &perm, sizeof(perm) },
        { NvSciSyncAttrKey_PrimitiveInfo, primitives, count * sizeof(*primitives) },
        { NvSciSyncAttrKey_GpuId, uuid, sizeof(NvSciRmGpuId) },
    };
    int result;

    if (!l) {
        return -EBADF;
    }
    result = sci_list_set(l->list, pair, uuid ? 3 : 2) == NvSciError_Success ? 0 : -EINVAL;
    sci_unref_later(l);
    return result;
}

__attribute__((constructor)) static void sync_loaded(void)
{
    static const struct rt_sci_ops ops = { .sync = sync_provide_describe,
                                           .fence_set = set_fence,
                                           .fence_get = get_fence,
                                           .sync_list = fill_list };

    rt_sci_provide(&ops);
}
