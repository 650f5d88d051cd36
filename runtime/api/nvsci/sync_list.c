/* SPDX-License-Identifier: MIT */
/* Attribute lists of NvSciSync as programs see them: handles, arguments in documented order, then
 * attr/. */
#include <string.h>

#include "runtime/api/nvsci/sync.h"

_Static_assert(sizeof(struct sci_pair) == sizeof(NvSciSyncAttrKeyValuePair) &&
                   offsetof(struct sci_pair, value) == offsetof(NvSciSyncAttrKeyValuePair, value) &&
                   offsetof(struct sci_pair, len) == offsetof(NvSciSyncAttrKeyValuePair, len),
               "a pair is the program's");

static void list_free(void *opaque)
{
    struct sync_list *l = opaque;

    sci_list_free(l->list);
    sci_unref(l->module);
    g_free(l);
}

NvSciSyncAttrList sync_list_new(struct sync_module *module, struct sci_list *list)
{
    struct sync_list *l = g_new0(struct sync_list, 1);

    sci_object_init(&l->object, SCI_SYNC_LIST, list_free);
    sci_ref(module);
    l->module = module;
    l->list = list;
    return sci_handle_new(&l->object);
}

struct sync_list *sync_list_get(NvSciSyncAttrList handle)
{
    return sci_handle_get(handle, SCI_SYNC_LIST);
}

void sync_lists_put(GPtrArray *lists)
{
    for (guint i = 0; lists && i < lists->len; i++) {
        sci_unref(lists->pdata[i]);
    }
    if (lists) {
        g_ptr_array_unref(lists);
    }
}

GPtrArray *sync_lists_get(const NvSciSyncAttrList *handles, size_t count)
{
    GPtrArray *lists = g_ptr_array_new();
    bool good = handles && count && count <= SCI_MAX_SLOTS;

    for (size_t i = 0; good && i < count; i++) {
        struct sync_list *l = sync_list_get(handles[i]);

        if (l) {
            g_ptr_array_add(lists, l);
        }
        good =
            l && !l->list->reconciled && l->module == ((struct sync_list *)lists->pdata[0])->module;
        for (size_t j = 0; good && j < i; j++) {
            good = handles[j] != handles[i];
        }
    }
    if (!good) {
        sync_lists_put(lists);
        return NULL;
    }
    return lists;
}

GPtrArray *sync_lists_inner(const GPtrArray *lists)
{
    GPtrArray *inner = g_ptr_array_new();

    for (guint i = 0; i < lists->len; i++) {
        g_ptr_array_add(inner, ((struct sync_list *)lists->pdata[i])->list);
    }
    return inner;
}

/* --- entries --- */

static const char no_list[] = "not a list";
static const char no_lists[] =
    "one of the lists is none, is reconciled, of another module, or there twice";

NvSciError NvSciSyncAttrListCreate(NvSciSyncModule module, NvSciSyncAttrList *newAttrList)
{
    struct sync_module *m = sci_handle_get(module, SCI_SYNC_MODULE);

    if (!m || !newAttrList) {
        sci_unref(m);
        return BAD(NULL);
    }
    if (sci_init_over(__func__)) {
        sci_unref(m);
        return NvSciError_InvalidState;
    }
    *newAttrList = sync_list_new(m, sci_list_new(&sci_sync_schema));
    sci_unref(m);
    return NvSciError_Success;
}

void NvSciSyncAttrListFree(NvSciSyncAttrList attrList)
{
    if (attrList && !sci_handle_free(attrList, SCI_SYNC_LIST)) {
        BAD(no_list);
    }
}

NvSciError NvSciSyncAttrListSetAttrs(NvSciSyncAttrList attrList,
                                     const NvSciSyncAttrKeyValuePair *pairArray, size_t pairCount)
{
    struct sync_list *l = sync_list_get(attrList);
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

size_t NvSciSyncAttrListGetSlotCount(NvSciSyncAttrList attrList)
{
    struct sync_list *l = sync_list_get(attrList);
    size_t count = l ? l->list->slots->len : 0;

    if (!l) {
        BAD(no_list);
    }
    sci_unref(l);
    return count;
}

NvSciError NvSciSyncAttrListSlotGetAttrs(NvSciSyncAttrList attrList, size_t slotIndex,
                                         NvSciSyncAttrKeyValuePair *pairArray, size_t pairCount)
{
    struct sync_list *l = sync_list_get(attrList);
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

NvSciError NvSciSyncAttrListGetAttrs(NvSciSyncAttrList attrList,
                                     NvSciSyncAttrKeyValuePair *pairArray, size_t pairCount)
{
    return NvSciSyncAttrListSlotGetAttrs(attrList, 0, pairArray, pairCount);
}

/* Text for people; the caller free()s it. */
NvSciError NvSciSyncAttrListDebugDump(NvSciSyncAttrList attrList, void **buf, size_t *len)
{
    struct sync_list *l = sync_list_get(attrList);
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
static NvSciError sync_list_reconcile(const char *api, const NvSciSyncAttrList *inputArray,
                                      size_t inputCount, struct sci_list **out,
                                      struct sync_module **module, NvSciSyncAttrList *conflict)
{
    GPtrArray *lists = sync_lists_get(inputArray, inputCount), *inner;
    struct sci_list *conflicts;
    NvSciError error;
    char *why;

    if (!lists || !conflict) {
        sync_lists_put(lists);
        return sci_error(api, NvSciError_BadParameter,
                         lists ? "no place for the conflict list" : no_lists);
    }
    if (sci_init_over(api)) {
        sync_lists_put(lists);
        return NvSciError_InvalidState;
    }
    inner = sync_lists_inner(lists);
    error = sci_sync_reconcile((const struct sci_list *const *)inner->pdata, inner->len, out,
                               &conflicts, &why);
    *module = ((struct sync_list *)lists->pdata[0])->module;
    sci_ref(*module);
    if (error) {
        *conflict = sync_list_new(*module, conflicts);
        sci_error(api, error, why);
        g_free(why);
        sci_unref(*module);
    }
    g_ptr_array_unref(inner);
    sync_lists_put(lists);
    return error;
}

NvSciError NvSciSyncAttrListReconcile(const NvSciSyncAttrList *inputArray, size_t inputCount,
                                      NvSciSyncAttrList *newReconciledAttrList,
                                      NvSciSyncAttrList *newConflictList)
{
    struct sync_module *module = NULL;
    struct sci_list *out = NULL;
    NvSciError error;

    if (!newReconciledAttrList) {
        return BAD("no place for the reconciled list");
    }
    error = sync_list_reconcile(__func__, inputArray, inputCount, &out, &module, newConflictList);
    if (!error) {
        *newReconciledAttrList = sync_list_new(module, out);
        *newConflictList = NULL;
        sci_unref(module);
    }
    return error;
}

NvSciError NvSciSyncAttrListReconcileAndObjAlloc(const NvSciSyncAttrList *attrListArray,
                                                 size_t attrListCount, NvSciSyncObj *syncObj,
                                                 NvSciSyncAttrList *newConflictList)
{
    NvSciSyncAttrList reconciled;
    NvSciError error;

    if (!syncObj) {
        return BAD("no place for the object");
    }
    error = NvSciSyncAttrListReconcile(attrListArray, attrListCount, &reconciled, newConflictList);
    if (error) {
        return error;
    }
    error = NvSciSyncObjAlloc(reconciled, syncObj);
    NvSciSyncAttrListFree(reconciled);
    return error;
}

NvSciError NvSciSyncAttrListClone(NvSciSyncAttrList origAttrList, NvSciSyncAttrList *newAttrList)
{
    struct sync_list *l = sync_list_get(origAttrList);

    if (!l || !newAttrList) {
        sci_unref(l);
        return BAD(NULL);
    }
    *newAttrList = sync_list_new(l->module, sci_list_clone(l->list));
    sci_unref(l);
    return NvSciError_Success;
}

NvSciError
NvSciSyncAttrListAppendUnreconciled(const NvSciSyncAttrList *inputUnreconciledAttrListArray,
                                    size_t inputUnreconciledAttrListCount,
                                    NvSciSyncAttrList *newUnreconciledAttrList)
{
    GPtrArray *lists =
                  sync_lists_get(inputUnreconciledAttrListArray, inputUnreconciledAttrListCount),
              *inner;

    if (!lists || !newUnreconciledAttrList) {
        sync_lists_put(lists);
        return BAD(no_lists);
    }
    inner = sync_lists_inner(lists);
    *newUnreconciledAttrList =
        sync_list_new(((struct sync_list *)lists->pdata[0])->module,
                      sci_list_append((const struct sci_list *const *)inner->pdata, inner->len));
    g_ptr_array_unref(inner);
    sync_lists_put(lists);
    return NvSciError_Success;
}

NvSciError NvSciSyncAttrListIsReconciled(NvSciSyncAttrList attrList, bool *isReconciled)
{
    struct sync_list *l = sync_list_get(attrList);

    if (!l || !isReconciled) {
        sci_unref(l);
        return BAD(NULL);
    }
    *isReconciled = l->list->reconciled;
    sci_unref(l);
    return NvSciError_Success;
}

NvSciError NvSciSyncAttrListValidateReconciled(NvSciSyncAttrList reconciledAttrList,
                                               const NvSciSyncAttrList *unreconciledAttrListArray,
                                               size_t unreconciledAttrListCount,
                                               bool *isReconcileListValid)
{
    struct sync_list *l = sync_list_get(reconciledAttrList);
    GPtrArray *lists = sync_lists_get(unreconciledAttrListArray, unreconciledAttrListCount), *inner;
    NvSciError error = NvSciError_Success;
    const char *key;

    if (!l || !l->list->reconciled || !lists || !isReconcileListValid) {
        error = BAD(NULL);
    } else {
        inner = sync_lists_inner(lists);
        *isReconcileListValid = sci_list_satisfies(
            l->list, (const struct sci_list *const *)inner->pdata, inner->len, &key);
        if (!*isReconcileListValid) {
            error = sci_error(__func__, NvSciError_AttrListValidationFailed, key);
        }
        g_ptr_array_unref(inner);
    }
    sync_lists_put(lists);
    sci_unref(l);
    return error;
}

NvSciError
NvSciSyncAttrListValidateReconciledAgainstAttrs(NvSciSyncAttrList reconciledAttrList,
                                                const NvSciSyncAttrKeyValuePair *pairArray,
                                                size_t pairCount, NvSciSyncAccessPerm permissions)
{
    struct sync_list *l = sync_list_get(reconciledAttrList);
    NvSciError error = NvSciError_Success;

    if (!l || !l->list->reconciled || !pairArray || !pairCount ||
        pairCount > sci_sync_schema.count || !permissions) {
        error = BAD(NULL);
    } else if (!sci_list_satisfies_pairs(l->list, (const struct sci_pair *)pairArray, pairCount)) {
        error = sci_error(__func__, NvSciError_AttrListValidationFailed, NULL);
    }
    sci_unref(l);
    return error;
}

NvSciError NvSciSyncAttrListGetAttr(NvSciSyncAttrList attrList, NvSciSyncAttrKey key,
                                    const void **value, size_t *len)
{
    NvSciSyncAttrKeyValuePair pair = { .attrKey = key };
    NvSciError error = value && len ? NvSciSyncAttrListGetAttrs(attrList, &pair, 1) : BAD(NULL);

    if (error == NvSciError_Success) {
        *value = pair.value;
        *len = pair.len;
    }
    return error;
}
