/* SPDX-License-Identifier: MIT */
/* Buffers: memory of the SoC, objects with a permission each, and what the CPU does with them. */
#include <string.h>

#include "runtime/api/nvsci/buf.h"
#include "runtime/driver/device/rt_device.h"

struct buf_memory *buf_memory_ref(struct buf_memory *memory)
{
    g_atomic_int_inc(&memory->refs);
    return memory;
}

void buf_memory_unref(struct buf_memory *memory)
{
    if (g_atomic_int_dec_and_test(&memory->refs)) {
        rt_shared_freed(memory->shared);
        rt_shared_unref(memory->shared);
        g_free(memory);
    }
}

static void object_free(void *opaque)
{
    struct buf_object *o = opaque;

    if (o->shown) {
        sci_handle_free(o->shown, SCI_BUF_LIST);
    }
    buf_memory_unref(o->memory);
    sci_list_free(o->list);
    sci_unref(o->module);
    g_free(o);
}

static void put_perm(struct sci_list *list, uint32_t perm)
{
    int index = sci_key_index(&sci_buf_schema, NvSciBufGeneralAttrKey_ActualPerm);

    sci_slot_put(sci_list_slot(list, 0), index, sizeof(perm), &perm, 1);
}

NvSciBufObj buf_object_new(struct sci_module *module, const struct sci_list *list,
                           struct buf_memory *memory, uint32_t perm)
{
    struct buf_object *o = g_new0(struct buf_object, 1);

    sci_object_init(&o->object, SCI_BUF_OBJECT, object_free);
    sci_ref(module);
    o->module = module;
    o->list = sci_list_clone(list);
    o->memory = buf_memory_ref(memory);
    o->perm = perm;
    put_perm(o->list, perm);
    return sci_handle_new(&o->object);
}

struct buf_object *buf_object_get(NvSciBufObj handle)
{
    return sci_handle_get(handle, SCI_BUF_OBJECT);
}

bool buf_cpu(const struct buf_object *o)
{
    return sci_list_u64(o->list, NvSciBufGeneralAttrKey_NeedCpuAccess, 0, 0);
}

static const char no_object[] = "not a buffer";

static NvSciError memory_error(const char *api, CUresult result)
{
    switch (result) {
    case CUDA_ERROR_OUT_OF_MEMORY:
        return sci_error(api, NvSciError_InsufficientMemory,
                         "the SoC has no memory of this size left");
    case CUDA_ERROR_NOT_SUPPORTED:
        return sci_error(api, NvSciError_NotSupported,
                         "this board cannot have memory that its CPU does not cache");
    default:
        return sci_error(api, NvSciError_ResourceError, "the SoC gave no such memory");
    }
}

static NvSciError memory_new(const char *api, const struct sci_list *list, struct buf_memory **out)
{
    bool cached = sci_list_u64(list, NvSciBufGeneralAttrKey_EnableCpuCache, 0, 0);
    struct rt_shared *shared;
    uint64_t align, size = sci_buf_size(list, &align);
    bool vidmem = sci_list_get(list, NvSciBufGeneralAttrKey_VidMem_GpuId) != NULL;
    CUresult result = !size    ? CUDA_ERROR_INVALID_VALUE
                      : vidmem ? rt_shared_new_vidmem(size, align, "NvSciBufObjAlloc", &shared)
                               : rt_shared_new(size, align, cached, "NvSciBufObjAlloc", &shared);

    if (result != CUDA_SUCCESS) {
        return memory_error(api, result);
    }
    *out = g_new0(struct buf_memory, 1);
    (*out)->refs = 1;
    (*out)->shared = shared;
    (*out)->size = size;
    if (sci_list_u64(list, NvSciBufGeneralAttrKey_CpuNeedSwCacheCoherency, 0, 0)) {
        rt_shared_needs_flush(shared);
    }
    return NvSciError_Success;
}

NvSciError NvSciBufObjAlloc(NvSciBufAttrList reconciledAttrList, NvSciBufObj *bufObj)
{
    struct attr_list *l = attr_list_get(&buf_lists, reconciledAttrList);
    struct buf_memory *memory = NULL;
    NvSciError error = NvSciError_Success;

    if (!l || !l->list->reconciled || !bufObj) {
        error = BAD("not a reconciled list");
    } else if (sci_init_over(__func__)) {
        error = NvSciError_InvalidState;
    } else if (sci_list_get(l->list, NvSciBufGeneralAttrKey_VidMem_GpuId) && rt_gpus() < 2) {
        error =
            sci_error(__func__, NvSciError_NotSupported,
                      rt_gpu_integrated() ? "VidMem_GpuId: no GPU of this SoC has memory of its own"
                                          : "VidMem_GpuId: vtegra keeps buffers in system memory");
    } else {
        error = memory_new(__func__, l->list, &memory);
    }
    if (error == NvSciError_Success) {
        *bufObj = buf_object_new(l->module, l->list, memory, NvSciBufAccessPerm_ReadWrite);
        buf_memory_unref(memory);
    }
    sci_unref(l);
    return error;
}

void NvSciBufObjFree(NvSciBufObj bufObj)
{
    if (bufObj && !sci_handle_free(bufObj, SCI_BUF_OBJECT)) {
        BAD(no_object);
    }
}

NvSciError NvSciBufObjDup(NvSciBufObj bufObj, NvSciBufObj *dupObj)
{
    struct buf_object *o = buf_object_get(bufObj);

    if (!o || !dupObj) {
        sci_unref(o);
        return BAD(NULL);
    }
    *dupObj = sci_handle_new(&o->object);
    sci_unref(o);
    return NvSciError_Success;
}

NvSciError NvSciBufObjDupWithReducePerm(NvSciBufObj bufObj, NvSciBufAttrValAccessPerm reducedPerm,
                                        NvSciBufObj *newBufObj)
{
    struct buf_object *o = buf_object_get(bufObj);
    NvSciError error = NvSciError_Success;

    if (!o || !newBufObj ||
        (reducedPerm != NvSciBufAccessPerm_Readonly &&
         reducedPerm != NvSciBufAccessPerm_ReadWrite)) {
        error = BAD(NULL);
    } else if (sci_init_over(__func__)) {
        error = NvSciError_InvalidState;
    } else if ((uint32_t)reducedPerm > o->perm) {
        error = BAD("the new permission is greater than the buffer's");
    } else {
        *newBufObj = buf_object_new(o->module, o->list, o->memory, reducedPerm);
    }
    sci_unref(o);
    return error;
}

NvSciError NvSciBufObjGetAttrList(NvSciBufObj bufObj, NvSciBufAttrList *bufAttrList)
{
    struct buf_object *o = buf_object_get(bufObj);
    struct attr_list *shown;

    if (!o || !bufAttrList) {
        sci_unref(o);
        return BAD(NULL);
    }
    shown = o->shown ? attr_list_get(&buf_lists, o->shown) : NULL;
    if (!shown) { /* the first call, or the program has freed it */
        o->shown = attr_list_new(&buf_lists, o->module, sci_list_clone(o->list));
    }
    *bufAttrList = o->shown;
    sci_unref(shown);
    sci_unref(o);
    return NvSciError_Success;
}

NvSciError NvSciBufObjValidate(NvSciBufObj bufObj)
{
    struct buf_object *o = buf_object_get(bufObj);

    sci_unref(o);
    return o ? NvSciError_Success : BAD(no_object);
}

/* There is one SoC: no peer has to be attached. */
NvSciError NvSciBufObjAttachPeer(NvSciBufObj bufObj, const NvSciBufAttrList *inputArray,
                                 size_t inputCount)
{
    struct buf_object *o = buf_object_get(bufObj);
    GPtrArray *lists = attr_lists_get(&buf_lists, inputArray, inputCount);
    bool good = o && lists;

    attr_lists_put(lists);
    sci_unref(o);
    return good ? sci_error(__func__, NvSciError_NotSupported, "peers on other SoCs (C2C)")
                : BAD(NULL);
}

/* --- the CPU --- */

static NvSciError cpu_pointer(const char *api, NvSciBufObj bufObj, bool write, void **ptr)
{
    struct buf_object *o = buf_object_get(bufObj);
    NvSciError error = NvSciError_Success;

    if (!o || !ptr) {
        error = sci_error(api, NvSciError_BadParameter, no_object);
    } else if (!buf_cpu(o)) {
        error =
            sci_error(api, NvSciError_BadParameter, "no list of this process has NeedCpuAccess");
    } else if (write && o->perm != NvSciBufAccessPerm_ReadWrite) {
        error = sci_error(api, NvSciError_BadParameter,
                          "the buffer is read-only: NvSciBufObjGetConstCpuPtr() gives a pointer");
    } else {
        *ptr = rt_shared_cpu(o->memory->shared);
    }
    sci_unref(o);
    return error;
}

NvSciError NvSciBufObjGetCpuPtr(NvSciBufObj bufObj, void **ptr)
{
    return cpu_pointer(__func__, bufObj, true, ptr);
}

NvSciError NvSciBufObjGetConstCpuPtr(NvSciBufObj bufObj, const void **ptr)
{
    void *p;
    NvSciError error = ptr ? cpu_pointer(__func__, bufObj, false, &p) : BAD(NULL);

    if (error == NvSciError_Success) {
        *ptr = p;
    }
    return error;
}

NvSciError NvSciBufObjFlushCpuCacheRange(NvSciBufObj bufObj, uint64_t offset, uint64_t len)
{
    struct buf_object *o = buf_object_get(bufObj);
    NvSciError error = NvSciError_Success;
    uint64_t end;

    if (!o || !len) {
        error = BAD(o ? "0 bytes" : no_object);
    } else if (__builtin_add_overflow(offset, len, &end)) {
        error = sci_error(__func__, NvSciError_Overflow, NULL);
    } else if (end > o->memory->size) {
        error = BAD("the range leaves the buffer");
    } else if (!buf_cpu(o)) {
        error = sci_error(__func__, NvSciError_NotPermitted,
                          "no list of this process has NeedCpuAccess");
    } else if (sci_list_u64(o->list, NvSciBufGeneralAttrKey_CpuNeedSwCacheCoherency, 0, 0) &&
               rt_shared_flush(o->memory->shared, offset, len) != CUDA_SUCCESS) {
        error = sci_error(__func__, NvSciError_ResourceError, NULL);
    }
    sci_unref(o);
    return error;
}
