/* SPDX-License-Identifier: MIT */
/* Fences: a value of a counter in 48 bytes of the program's. Source: DRIVE OS API reference 6.0.10,
 * NvSciSyncFence. */
#include <errno.h>
#include <string.h>

#include "runtime/api/nvsci/sync.h"
#include "runtime/driver/interop/sci/rt_sci.h"

_Static_assert(sizeof(struct fence) == sizeof(NvSciSyncFence), "a fence is the program's");

static int fences; /* not cleared */

static struct fence sync_fence_load(const NvSciSyncFence *fence)
{
    struct fence f;

    memcpy(&f, fence, sizeof(f));
    return f;
}

bool fence_cleared(const NvSciSyncFence *fence)
{
    return !sync_fence_load(fence).core;
}

unsigned fence_count(void)
{
    return (unsigned)g_atomic_int_get(&fences);
}

struct sync_core *fence_core(const NvSciSyncFence *fence)
{
    return sci_handle_get((const void *)(uintptr_t)sync_fence_load(fence).core, SCI_SYNC_CORE);
}

static void free_now(const void *handle, enum sci_object_kind kind)
{
    sci_handle_free(handle, kind);
}

/* The last fence of an object that was freed takes the counter with it. */
static void sync_fence_release(struct fence f, bool later)
{
    struct sync_core *core = sci_handle_get((const void *)(uintptr_t)f.core, SCI_SYNC_CORE);

    if (!core) {
        return;
    }
    g_atomic_int_add(&fences, -1);
    if (g_atomic_int_dec_and_test(&core->fences) && !g_atomic_int_get(&core->objects)) {
        (later ? sci_handle_free_later : free_now)(core->handle, SCI_SYNC_CORE);
    }
    if (later) {
        sci_unref_later(core);
    } else {
        sci_unref(core);
    }
}

static void sync_fence_store(NvSciSyncFence *fence, struct sync_core *core, const struct fence *f,
                             bool later)
{
    struct fence old = sync_fence_load(fence);

    g_atomic_int_inc(&core->fences);
    g_atomic_int_inc(&fences);
    memcpy(fence, f, sizeof(*f));
    sync_fence_release(old, later);
}

void fence_make(NvSciSyncFence *fence, struct sync_object *o, uint64_t value, bool later)
{
    struct fence f = { .core = (uint64_t)(uintptr_t)o->core->handle,
                       .value = value,
                       .perm = o->perm };

    f.time_slot = sync_flag(o->list, NvSciSyncAttrKey_WaiterRequireTimestamps);
    sync_fence_store(fence, o->core, &f, later);
}

void NvSciSyncFenceClear(NvSciSyncFence *syncFence)
{
    if (!syncFence) {
        BAD(NULL);
        return;
    }
    sync_fence_release(sync_fence_load(syncFence), false);
    memset(syncFence, 0, sizeof(*syncFence));
}

static const char no_fence[] = "the bytes are no fence";

NvSciError NvSciSyncFenceDup(const NvSciSyncFence *srcSyncFence, NvSciSyncFence *dstSyncFence)
{
    struct sync_core *core;
    struct fence f;

    if (!srcSyncFence || !dstSyncFence || srcSyncFence == dstSyncFence) {
        return BAD(NULL);
    }
    if (fence_cleared(srcSyncFence)) {
        NvSciSyncFenceClear(dstSyncFence);
        return NvSciError_Success;
    }
    core = fence_core(srcSyncFence);
    if (!core) {
        return BAD(no_fence);
    }
    f = sync_fence_load(srcSyncFence);
    sync_fence_store(dstSyncFence, core, &f, false);
    sci_unref(core);
    return NvSciError_Success;
}

NvSciError NvSciSyncFenceExtractFence(const NvSciSyncFence *syncFence, uint64_t *id,
                                      uint64_t *value)
{
    struct sync_core *core;

    if (!syncFence || !id || !value) {
        return BAD(NULL);
    }
    if (fence_cleared(syncFence)) {
        return sci_error(__func__, NvSciError_ClearedFence, NULL);
    }
    core = fence_core(syncFence);
    if (!core) {
        return BAD(no_fence);
    }
    *id = 0; /* an object has one instance of its primitive */
    *value = sync_fence_load(syncFence).value;
    sci_unref(core);
    return NvSciError_Success;
}

NvSciError NvSciSyncFenceUpdateFence(NvSciSyncObj syncObj, uint64_t id, uint64_t value,
                                     NvSciSyncFence *syncFence)
{
    struct sync_object *o = sync_object_get(syncObj);
    NvSciError error = NvSciError_Success;

    if (!o || !syncFence) {
        error = BAD(NULL);
    } else if (id != 0 ||
               value > sci_list_u64(o->list, NvSciSyncAttrKey_MaxPrimitiveValue, 0, UINT32_MAX)) {
        error = BAD("the object has instance 0 alone, and values up to MaxPrimitiveValue");
    } else {
        fence_make(syncFence, o, value, false);
    }
    sci_unref(o);
    return error;
}

/* --- slots --- */

/* A fence that is not cleared, and what it names; @write: what becomes of it is to be stored. */
static NvSciError open_fence(const char *api, const NvSciSyncFence *fence, struct fence *f,
                             struct sync_core **core)
{
    if (fence_cleared(fence)) {
        return sci_error(api, NvSciError_ClearedFence, NULL);
    }
    *core = fence_core(fence);
    *f = sync_fence_load(fence);
    return *core ? NvSciError_Success : sci_error(api, NvSciError_BadParameter, no_fence);
}

NvSciError NvSciSyncFenceAddTimestampSlot(NvSciSyncFence *syncFence, uint32_t timestampSlot)
{
    struct sync_core *core;
    struct fence f;
    NvSciError error;

    if (!syncFence || timestampSlot == UINT32_MAX) {
        return BAD(NULL);
    }
    error = open_fence(__func__, syncFence, &f, &core);
    if (error == NvSciError_Success) {
        f.time_slot = timestampSlot + 1;
        memcpy(syncFence, &f, sizeof(f));
        sci_unref(core);
    }
    return error;
}

NvSciError NvSciSyncFenceAddTaskStatusSlot(NvSciSyncFence *syncFence, uint32_t taskStatusSlot)
{
    struct sync_core *core;
    struct fence f;
    NvSciError error;

    if (!syncFence || taskStatusSlot >= G_N_ELEMENTS(core->status)) {
        return BAD("an object has 1024 slots for the status of a task");
    }
    error = open_fence(__func__, syncFence, &f, &core);
    if (error == NvSciError_Success) {
        f.status_slot = taskStatusSlot + 1;
        memcpy(syncFence, &f, sizeof(f));
        sci_unref(core);
    }
    return error;
}

NvSciError NvSciSyncFenceExtractTimestampSlot(NvSciSyncFence *syncFence, uint32_t *timeStampSlot)
{
    struct sync_core *core;
    struct fence f;
    NvSciError error;

    if (!syncFence || !timeStampSlot) {
        return BAD(NULL);
    }
    error = open_fence(__func__, syncFence, &f, &core);
    if (error == NvSciError_Success) {
        if (f.time_slot) {
            *timeStampSlot = f.time_slot - 1;
        } else {
            error = BAD("no list asked for time stamps (WaiterRequireTimestamps)");
        }
        sci_unref(core);
    }
    return error;
}

NvSciError NvSciSyncFenceGetTimestamp(const NvSciSyncFence *syncFence, uint64_t *timestampUS)
{
    struct sync_core *core;
    struct fence f;
    NvSciError error;

    if (!syncFence || !timestampUS) {
        return BAD(NULL);
    }
    error = open_fence(__func__, syncFence, &f, &core);
    if (error != NvSciError_Success) {
        return error;
    }
    if (!f.time_slot) {
        error = BAD("no list asked for time stamps (WaiterRequireTimestamps)");
    } else {
        *timestampUS = rt_sync_time_us(core->sync, f.value);
        if (!*timestampUS && rt_sync_value(core->sync) < f.value) {
            rt_sci_finding(
                RT_SCI_TIMESTAMP,
                "the time stamp of a fence was read before the fence was reached: it is 0");
        }
    }
    sci_unref(core);
    return error;
}

/* Engines of this board write no status: NvSciSyncTaskStatus_Invalid, the signaler reported none.
 */
NvSciError NvSciSyncFenceGetTaskStatus(const NvSciSyncFence *syncFence,
                                       NvSciSyncTaskStatus *taskStatus)
{
    struct sync_core *core;
    struct fence f;
    NvSciError error;

    if (!syncFence || !taskStatus) {
        return BAD(NULL);
    }
    error = open_fence(__func__, syncFence, &f, &core);
    if (error != NvSciError_Success) {
        return error;
    }
    if (!f.status_slot) {
        error = BAD("the fence has no slot for the status of a task");
    } else {
        *taskStatus = core->status[f.status_slot - 1];
    }
    sci_unref(core);
    return error;
}
