/* SPDX-License-Identifier: MIT */
/* Attribute lists of NvSciBuf as programs see them: handles, arguments in documented order, then
 * attr/. */
#include <string.h>

#include "runtime/api/nvsci/buf.h"

_Static_assert(sizeof(struct sci_pair) == sizeof(NvSciBufAttrKeyValuePair) &&
                   offsetof(struct sci_pair, value) == offsetof(NvSciBufAttrKeyValuePair, value) &&
                   offsetof(struct sci_pair, len) == offsetof(NvSciBufAttrKeyValuePair, len),
               "a pair is the program's");

static void list_free(void *opaque)
{
    struct buf_list *l = opaque;

    sci_list_free(l->list);
    sci_unref(l->module);
    g_free(l);
}

NvSciBufAttrList buf_list_new(struct buf_module *module, struct sci_list *list)
{
    struct buf_list *l = g_new0(struct buf_list, 1);

    sci_object_init(&l->object, SCI_BUF_LIST, list_free);
    sci_ref(module);
    l->module = module;
    l->list = list;
    return sci_handle_new(&l->object);
}

struct buf_list *buf_list_get(NvSciBufAttrList handle)
{
    return sci_handle_get(handle, SCI_BUF_LIST);
}

void buf_lists_put(GPtrArray *lists)
{
    for (guint i = 0; lists && i < lists->len; i++) {
        sci_unref(lists->pdata[i]);
    }
    if (lists) {
        g_ptr_array_unref(lists);
    }
}

GPtrArray *buf_lists_get(const NvSciBufAttrList *handles, size_t count)
{
    GPtrArray *lists = g_ptr_array_new();
    bool good = handles && count && count <= SCI_MAX_SLOTS;

    for (size_t i = 0; good && i < count; i++) {
        struct buf_list *l = buf_list_get(handles[i]);

        if (l) {
            g_ptr_array_add(lists, l);
        }
        good =
            l && !l->list->reconciled && l->module == ((struct buf_list *)lists->pdata[0])->module;
        for (size_t j = 0; good && j < i; j++) {
            good = handles[j] != handles[i];
        }
    }
    if (!good) {
        buf_lists_put(lists);
        return NULL;
    }
    return lists;
}

GPtrArray *buf_lists_inner(const GPtrArray *lists)
{
    GPtrArray *inner = g_ptr_array_new();

    for (guint i = 0; i < lists->len; i++) {
        g_ptr_array_add(inner, ((struct buf_list *)lists->pdata[i])->list);
    }
    return inner;
}

/* --- entries --- */

static const char no_list[] = "not a list";
static const char no_lists[] =
    "one of the lists is none, is reconciled, of another module, or there twice";

NvSciError NvSciBufAttrListCreate(NvSciBufModule module, NvSciBufAttrList *newAttrList)
{
    struct buf_module *m = sci_handle_get(module, SCI_BUF_MODULE);

    if (!m || !newAttrList) {
        sci_unref(m);
        return BAD(NULL);
    }
    if (sci_init_over(__func__)) {
        sci_unref(m);
        return NvSciError_InvalidState;
    }
    *newAttrList = buf_list_new(m, sci_list_new(&sci_buf_schema));
    sci_unref(m);
    return NvSciError_Success;
}

void NvSciBufAttrListFree(NvSciBufAttrList attrList)
{
    if (attrList && !sci_handle_free(attrList, SCI_BUF_LIST)) {
        BAD(no_list);
    }
}

NvSciError NvSciBufAttrListSetAttrs(NvSciBufAttrList attrList, NvSciBufAttrKeyValuePair *pairArray,
                                    size_t pairCount)
{
    struct buf_list *l = buf_list_get(attrList);
    NvSciError error;

    if (!l) {
        return BAD(no_list);
    }
    error = sci_list_set(l->list, (const struct sci_pair *)pairArray, pairCount);
    sci_unref(l);
    return error ? sci_error(__func__, error,
                             "the list is not to be written, or a key is unknown, computed, set "
                             "already, there twice, "
                             "or has no type or no such value; nothing was set")
                 : error;
}

size_t NvSciBufAttrListGetSlotCount(NvSciBufAttrList attrList)
{
    struct buf_list *l = buf_list_get(attrList);
    size_t count = l ? l->list->slots->len : 0;

    if (!l) {
        BAD(no_list);
    }
    sci_unref(l);
    return count;
}

NvSciError NvSciBufAttrListSlotGetAttrs(NvSciBufAttrList attrList, size_t slotIndex,
                                        NvSciBufAttrKeyValuePair *pairArray, size_t pairCount)
{
    struct buf_list *l = buf_list_get(attrList);
    NvSciError error;

    if (!l) {
        return BAD(no_list);
    }
    error = sci_list_get_pairs(l->list, slotIndex, (struct sci_pair *)pairArray, pairCount);
    sci_unref(l);
    return error ? sci_error(__func__, error,
                             "no such slot, or a key that a list of this kind does not have")
                 : error;
}

NvSciError NvSciBufAttrListGetAttrs(NvSciBufAttrList attrList, NvSciBufAttrKeyValuePair *pairArray,
                                    size_t pairCount)
{
    return NvSciBufAttrListSlotGetAttrs(attrList, 0, pairArray, pairCount);
}

/* Text for people; the caller free()s it. */
NvSciError NvSciBufAttrListDebugDump(NvSciBufAttrList attrList, void **buf, size_t *len)
{
    struct buf_list *l = buf_list_get(attrList);
    char *text;

    if (!l || !buf || !len) {
        sci_unref(l);
        return BAD(NULL);
    }
    text = sci_list_dump(l->list);
    *len = strlen(text) + 1;
    *buf = strdup(text);
    g_free(text);
    sci_unref(l);
    return *buf ? NvSciError_Success : NvSciError_InsufficientMemory;
}

/* @out, @conflict: handles; on success one, on failure the other is set. */
static NvSciError buf_list_reconcile(const char *api, const NvSciBufAttrList *inputArray,
                                     size_t inputCount, struct sci_list **out,
                                     struct buf_module **module, NvSciBufAttrList *conflict)
{
    GPtrArray *lists = buf_lists_get(inputArray, inputCount), *inner;
    struct sci_list *conflicts;
    struct sci_chip chip;
    NvSciError error;
    char *why;

    if (!lists || !conflict) {
        buf_lists_put(lists);
        return sci_error(api, NvSciError_BadParameter,
                         lists ? "no place for the conflict list" : no_lists);
    }
    if (sci_init_over(api)) {
        buf_lists_put(lists);
        return NvSciError_InvalidState;
    }
    inner = buf_lists_inner(lists);
    buf_chip(&chip);
    error = sci_buf_reconcile((const struct sci_list *const *)inner->pdata, inner->len, &chip, out,
                              &conflicts, &why);
    *module = ((struct buf_list *)lists->pdata[0])->module;
    sci_ref(*module);
    if (error) {
        *conflict = buf_list_new(*module, conflicts);
        sci_error(api, error, why);
        g_free(why);
        sci_unref(*module);
    }
    g_ptr_array_unref(inner);
    buf_lists_put(lists);
    return error;
}

NvSciError NvSciBufAttrListReconcile(const NvSciBufAttrList *inputArray, size_t inputCount,
                                     NvSciBufAttrList *newReconciledAttrList,
                                     NvSciBufAttrList *newConflictList)
{
    struct buf_module *module = NULL;
    struct sci_list *out = NULL;
    NvSciError error;

    if (!newReconciledAttrList) {
        return BAD("no place for the reconciled list");
    }
    error = buf_list_reconcile(__func__, inputArray, inputCount, &out, &module, newConflictList);
    if (!error) {
        *newReconciledAttrList = buf_list_new(module, out);
        *newConflictList = NULL;
        sci_unref(module);
    }
    return error;
}

NvSciError NvSciBufAttrListReconcileAndObjAlloc(const NvSciBufAttrList *attrListArray,
                                                size_t attrListCount, NvSciBufObj *bufObj,
                                                NvSciBufAttrList *newConflictList)
{
    NvSciBufAttrList reconciled;
    NvSciError error;

    if (!bufObj) {
        return BAD("no place for the object");
    }
    error = NvSciBufAttrListReconcile(attrListArray, attrListCount, &reconciled, newConflictList);
    if (error) {
        return error;
    }
    error = NvSciBufObjAlloc(reconciled, bufObj);
    NvSciBufAttrListFree(reconciled);
    return error;
}

NvSciError NvSciBufAttrListClone(NvSciBufAttrList origAttrList, NvSciBufAttrList *newAttrList)
{
    struct buf_list *l = buf_list_get(origAttrList);

    if (!l || !newAttrList) {
        sci_unref(l);
        return BAD(NULL);
    }
    *newAttrList = buf_list_new(l->module, sci_list_clone(l->list));
    sci_unref(l);
    return NvSciError_Success;
}

NvSciError
NvSciBufAttrListAppendUnreconciled(const NvSciBufAttrList *inputUnreconciledAttrListArray,
                                   size_t inputUnreconciledAttrListCount,
                                   NvSciBufAttrList *newUnreconciledAttrList)
{
    GPtrArray *lists =
                  buf_lists_get(inputUnreconciledAttrListArray, inputUnreconciledAttrListCount),
              *inner;

    if (!lists || !newUnreconciledAttrList) {
        buf_lists_put(lists);
        return BAD(no_lists);
    }
    inner = buf_lists_inner(lists);
    *newUnreconciledAttrList =
        buf_list_new(((struct buf_list *)lists->pdata[0])->module,
                     sci_list_append((const struct sci_list *const *)inner->pdata, inner->len));
    g_ptr_array_unref(inner);
    buf_lists_put(lists);
    return NvSciError_Success;
}

NvSciError NvSciBufAttrListIsReconciled(NvSciBufAttrList attrList, bool *isReconciled)
{
    struct buf_list *l = buf_list_get(attrList);

    if (!l || !isReconciled) {
        sci_unref(l);
        return BAD(NULL);
    }
    *isReconciled = l->list->reconciled;
    sci_unref(l);
    return NvSciError_Success;
}

NvSciError NvSciBufAttrListValidateReconciled(NvSciBufAttrList reconciledAttrList,
                                              const NvSciBufAttrList *unreconciledAttrListArray,
                                              size_t unreconciledAttrListCount,
                                              bool *isReconcileListValid)
{
    struct buf_list *l = buf_list_get(reconciledAttrList);
    GPtrArray *lists = buf_lists_get(unreconciledAttrListArray, unreconciledAttrListCount), *inner;
    NvSciError error = NvSciError_Success;
    const char *key;

    if (!l || !l->list->reconciled || !lists || !isReconcileListValid) {
        error = BAD(NULL);
    } else {
        inner = buf_lists_inner(lists);
        *isReconcileListValid = sci_list_satisfies(
            l->list, (const struct sci_list *const *)inner->pdata, inner->len, &key);
        if (!*isReconcileListValid) {
            error = sci_error(__func__, NvSciError_AttrListValidationFailed, key);
        }
        g_ptr_array_unref(inner);
    }
    buf_lists_put(lists);
    sci_unref(l);
    return error;
}

NvSciError NvSciBufAttrListValidateReconciledAgainstAttrs(const NvSciBufAttrList reconciledAttrList,
                                                          const NvSciBufAttrKeyValuePair *pairArray,
                                                          const size_t pairCount)
{
    struct buf_list *l = buf_list_get(reconciledAttrList);
    NvSciError error = NvSciError_Success;

    if (!l || !l->list->reconciled || !pairArray || !pairCount ||
        pairCount > sci_buf_schema.count) {
        error = BAD(NULL);
    } else if (!sci_list_satisfies_pairs(l->list, (const struct sci_pair *)pairArray, pairCount)) {
        error = sci_error(__func__, NvSciError_AttrListValidationFailed, NULL);
    }
    sci_unref(l);
    return error;
}
