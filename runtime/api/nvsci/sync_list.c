/* SPDX-License-Identifier: MIT */
/* Attribute lists of NvSciSync as programs see them. */
#include "runtime/api/nvsci/sync.h"

const struct attr_kind sync_lists = { SCI_SYNC_MODULE, SCI_SYNC_LIST, &sci_sync_schema,
                                      sci_sync_reconcile };

NvSciError NvSciSyncAttrListCreate(NvSciSyncModule module, NvSciSyncAttrList *newAttrList)
{
    return attr_list_create(__func__, &sync_lists, module, (void **)newAttrList);
}

void NvSciSyncAttrListFree(NvSciSyncAttrList attrList)
{
    attr_list_free(__func__, &sync_lists, attrList);
}

NvSciError NvSciSyncAttrListSetAttrs(NvSciSyncAttrList attrList,
                                     const NvSciSyncAttrKeyValuePair *pairArray, size_t pairCount)
{
    return attr_list_set(__func__, &sync_lists, attrList, pairArray, pairCount);
}

size_t NvSciSyncAttrListGetSlotCount(NvSciSyncAttrList attrList)
{
    return attr_list_slots(__func__, &sync_lists, attrList);
}

NvSciError NvSciSyncAttrListSlotGetAttrs(NvSciSyncAttrList attrList, size_t slotIndex,
                                         NvSciSyncAttrKeyValuePair *pairArray, size_t pairCount)
{
    return attr_list_read(__func__, &sync_lists, attrList, slotIndex, pairArray, pairCount);
}

NvSciError NvSciSyncAttrListGetAttrs(NvSciSyncAttrList attrList,
                                     NvSciSyncAttrKeyValuePair *pairArray, size_t pairCount)
{
    return attr_list_read(__func__, &sync_lists, attrList, 0, pairArray, pairCount);
}

NvSciError NvSciSyncAttrListDebugDump(NvSciSyncAttrList attrList, void **buf, size_t *len)
{
    return attr_list_dump(__func__, &sync_lists, attrList, buf, len);
}

NvSciError NvSciSyncAttrListReconcile(const NvSciSyncAttrList *inputArray, size_t inputCount,
                                      NvSciSyncAttrList *newReconciledAttrList,
                                      NvSciSyncAttrList *newConflictList)
{
    return attr_list_reconcile(__func__, &sync_lists, inputArray, inputCount,
                               (void **)newReconciledAttrList, (void **)newConflictList);
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
    return attr_list_clone(__func__, &sync_lists, origAttrList, (void **)newAttrList);
}

NvSciError
NvSciSyncAttrListAppendUnreconciled(const NvSciSyncAttrList *inputUnreconciledAttrListArray,
                                    size_t inputUnreconciledAttrListCount,
                                    NvSciSyncAttrList *newUnreconciledAttrList)
{
    return attr_list_append(__func__, &sync_lists, inputUnreconciledAttrListArray,
                            inputUnreconciledAttrListCount, (void **)newUnreconciledAttrList);
}

NvSciError NvSciSyncAttrListIsReconciled(NvSciSyncAttrList attrList, bool *isReconciled)
{
    return attr_list_is_reconciled(__func__, &sync_lists, attrList, isReconciled);
}

NvSciError NvSciSyncAttrListValidateReconciled(NvSciSyncAttrList reconciledAttrList,
                                               const NvSciSyncAttrList *unreconciledAttrListArray,
                                               size_t unreconciledAttrListCount,
                                               bool *isReconcileListValid)
{
    return attr_list_validate(__func__, &sync_lists, reconciledAttrList, unreconciledAttrListArray,
                              unreconciledAttrListCount, isReconcileListValid);
}

NvSciError
NvSciSyncAttrListValidateReconciledAgainstAttrs(NvSciSyncAttrList reconciledAttrList,
                                                const NvSciSyncAttrKeyValuePair *pairArray,
                                                size_t pairCount, NvSciSyncAccessPerm permissions)
{
    return permissions ? attr_list_validate_pairs(__func__, &sync_lists, reconciledAttrList,
                                                  pairArray, pairCount)
                       : BAD(NULL);
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
