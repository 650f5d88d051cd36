/* SPDX-License-Identifier: MIT */
/* Sync objects: a counter of the SoC, and objects with a permission each. */
#include <string.h>

#include "runtime/api/nvsci/sync.h"

static const char no_object[] = "not a sync object";

static void core_free(void *opaque)
{
    struct sync_core *core = opaque;

    rt_sync_unref(core->sync);
    sci_unref(core->module);
    g_free(core);
}

static void object_free(void *opaque)
{
    struct sync_object *o = opaque;

    if (o->shown) {
        sci_handle_free(o->shown, SCI_SYNC_LIST);
    }
    if (g_atomic_int_dec_and_test(&o->core->objects)) {
        rt_sync_freed(o->core->sync);
        /* Fences that are not cleared hold references: their name of it stays valid. */
        if (!g_atomic_int_get(&o->core->fences)) {
            sci_handle_free(o->core->handle, SCI_SYNC_CORE);
        }
    }
    sci_unref(o->core);
    sci_list_free(o->list);
    g_free(o);
}

bool sync_flag(const struct sci_list *list, uint32_t key)
{
    return sci_list_u64(list, key, 0, 0);
}

bool sync_cpu(const struct sync_object *o)
{
    return sync_flag(o->list, NvSciSyncAttrKey_NeedCpuAccess);
}

NvSciSyncObj sync_object_new(const struct sci_list *list, struct sync_core *core, uint64_t perm)
{
    struct sync_object *o = g_new0(struct sync_object, 1);
    int index = sci_key_index(&sci_sync_schema, NvSciSyncAttrKey_ActualPerm);

    sci_object_init(&o->object, SCI_SYNC_OBJECT, object_free);
    sci_ref(core);
    g_atomic_int_inc(&core->objects);
    o->core = core;
    o->list = sci_list_clone(list);
    o->perm = perm;
    sci_slot_put(sci_list_slot(o->list, 0), index, sizeof(perm), &perm, 1);
    return sci_handle_new(&o->object);
}

struct sync_object *sync_object_get(NvSciSyncObj handle)
{
    return sci_handle_get(handle, SCI_SYNC_OBJECT);
}

struct sync_core *sync_core_new(struct sci_module *module, struct rt_sync *sync)
{
    struct sync_core *core = g_new0(struct sync_core, 1);

    sci_object_init(&core->object, SCI_SYNC_CORE, core_free);
    core->sync = sync;
    core->module = module;
    sci_ref(module);
    for (unsigned i = 0; i < G_N_ELEMENTS(core->status); i++) {
        core->status[i].status = NvSciSyncTaskStatus_Invalid;
    }
    core->handle = sci_handle_new(&core->object);
    sci_ref(core);
    return core;
}

static NvSciError core_new(const char *api, const struct attr_list *l, struct sync_core **out)
{
    uint64_t primitive = sci_list_u64(l->list, NvSciSyncAttrKey_PrimitiveInfo, 0, 0);
    enum rt_sync_kind kind = RT_SYNC_SYNCPT;
    struct rt_sync *sync;

    switch (primitive) {
    case NvSciSyncAttrValPrimitiveType_SysmemSemaphore:
        kind = RT_SYNC_SEMAPHORE;
        break;
    case NvSciSyncAttrValPrimitiveType_SysmemSemaphorePayload64b:
        kind = RT_SYNC_SEMAPHORE64;
        break;
    case NvSciSyncAttrValPrimitiveType_Syncpoint:
        break;
    default:
        return sci_error(api, NvSciError_NotSupported,
                         "no GPU of this SoC has memory of its own for a semaphore");
    }
    if (rt_sync_new(kind, &sync) != CUDA_SUCCESS) {
        return sci_error(api, NvSciError_ResourceError, "no syncpoint is left");
    }
    *out = sync_core_new(l->module, sync);
    return NvSciError_Success;
}

NvSciError NvSciSyncObjAlloc(NvSciSyncAttrList reconciledList, NvSciSyncObj *syncObj)
{
    struct attr_list *l = attr_list_get(&sync_lists, reconciledList);
    struct sync_core *core = NULL;
    NvSciError error;

    if (!l || !l->list->reconciled || !syncObj) {
        error = BAD("not a reconciled list");
    } else if (sci_init_over(__func__)) {
        error = NvSciError_InvalidState;
    } else {
        error = core_new(__func__, l, &core);
        if (error == NvSciError_Success) {
            *syncObj = sync_object_new(l->list, core, NvSciSyncAccessPerm_WaitSignal);
            sci_unref(core);
        }
    }
    sci_unref(l);
    return error;
}

void NvSciSyncObjFree(NvSciSyncObj syncObj)
{
    if (syncObj && !sci_handle_free(syncObj, SCI_SYNC_OBJECT)) {
        BAD(no_object);
    }
}

NvSciError NvSciSyncObjDup(NvSciSyncObj syncObj, NvSciSyncObj *dupObj)
{
    struct sync_object *o = sync_object_get(syncObj);

    if (!o || !dupObj) {
        sci_unref(o);
        return BAD(NULL);
    }
    *dupObj = sci_handle_new(&o->object);
    sci_unref(o);
    return NvSciError_Success;
}

NvSciError NvSciSyncObjGetAttrList(NvSciSyncObj syncObj, NvSciSyncAttrList *syncAttrList)
{
    struct sync_object *o = sync_object_get(syncObj);
    struct attr_list *shown;

    if (!o || !syncAttrList) {
        sci_unref(o);
        return BAD(NULL);
    }
    shown = o->shown ? attr_list_get(&sync_lists, o->shown) : NULL;
    if (!shown) { /* the first call, or the program has freed it */
        o->shown = attr_list_new(&sync_lists, o->core->module, sci_list_clone(o->list));
    }
    *syncAttrList = o->shown;
    sci_unref(shown);
    sci_unref(o);
    return NvSciError_Success;
}

NvSciError NvSciSyncObjValidate(NvSciSyncObj syncObj)
{
    struct sync_object *o = sync_object_get(syncObj);

    sci_unref(o);
    return o ? NvSciError_Success : BAD(no_object);
}

/* There is one SoC: no peer has to be attached. */
NvSciError NvSciSyncObjAttachPeer(NvSciSyncObj syncObj, const NvSciSyncAttrList *inputArray,
                                  size_t inputCount)
{
    struct sync_object *o = sync_object_get(syncObj);
    GPtrArray *lists = attr_lists_get(&sync_lists, inputArray, inputCount);
    bool good = o && lists;

    attr_lists_put(lists);
    sci_unref(o);
    return good ? sci_error(__func__, NvSciError_NotSupported, "peers on other SoCs (C2C)")
                : BAD(NULL);
}

NvSciError NvSciSyncFillC2cAttrs(NvSciSyncAttrList unrecAttrList, NvSciSyncAccessPerm permissions)
{
    struct attr_list *l = attr_list_get(&sync_lists, unrecAttrList);
    bool good = l && !l->list->reconciled && permissions;

    sci_unref(l);
    return good ? sci_error(__func__, NvSciError_NotSupported, "peers on other SoCs (C2C)")
                : BAD(NULL);
}

/* A CPU signaler: with permission to signal, and NeedCpuAccess. */
static NvSciError sync_object_signaler(const char *api, NvSciSyncObj syncObj,
                                       struct sync_object **out)
{
    struct sync_object *o = sync_object_get(syncObj);

    if (!o || !(o->perm & NvSciSyncAccessPerm_SignalOnly) || !sync_cpu(o)) {
        sci_unref(o);
        return sci_error(api, NvSciError_BadParameter,
                         o ? "the CPU is no signaler of the object: no list of this process has "
                             "NeedCpuAccess and permission "
                             "to signal"
                           : no_object);
    }
    *out = o;
    return NvSciError_Success;
}

NvSciError NvSciSyncObjGenerateFence(NvSciSyncObj syncObj, NvSciSyncFence *syncFence)
{
    struct sync_object *o = NULL;
    NvSciError error = syncFence ? sync_object_signaler(__func__, syncObj, &o) : BAD(NULL);

    if (error == NvSciError_Success) {
        sci_runtime_begins();
        fence_make(syncFence, o, rt_sync_next(o->core->sync), false);
        sci_unref(o);
    }
    return error;
}

NvSciError NvSciSyncObjSignal(NvSciSyncObj syncObj)
{
    struct sync_object *o = NULL;
    NvSciError error = sync_object_signaler(__func__, syncObj, &o);

    if (error == NvSciError_Success) {
        sci_runtime_begins();
        if (rt_sync_signal(o->core->sync) != CUDA_SUCCESS) {
            error = sci_error(__func__, NvSciError_ResourceError, "the board is gone");
        }
        sci_unref(o);
    }
    return error;
}
