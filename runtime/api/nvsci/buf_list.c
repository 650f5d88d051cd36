/* SPDX-License-Identifier: MIT */
/* Attribute lists of NvSciBuf as programs see them. */
#include "runtime/api/nvsci/buf.h"

static NvSciError buf_reconcile(const struct sci_list *const *input, size_t count,
                                struct sci_list **out, struct sci_list **conflicts, char **why)
{
    struct sci_chip chip;

    buf_chip(&chip);
    return sci_buf_reconcile(input, count, &chip, out, conflicts, why);
}

const struct attr_kind buf_lists = { SCI_BUF_MODULE, SCI_BUF_LIST, &sci_buf_schema, buf_reconcile };

NvSciError NvSciBufAttrListCreate(NvSciBufModule module, NvSciBufAttrList *newAttrList)
{
    return attr_list_create(__func__, &buf_lists, module, (void **)newAttrList);
}

void NvSciBufAttrListFree(NvSciBufAttrList attrList)
{
    attr_list_free(__func__, &buf_lists, attrList);
}

NvSciError NvSciBufAttrListSetAttrs(NvSciBufAttrList attrList, NvSciBufAttrKeyValuePair *pairArray,
                                    size_t pairCount)
{
    return attr_list_set(__func__, &buf_lists, attrList, pairArray, pairCount);
}

size_t NvSciBufAttrListGetSlotCount(NvSciBufAttrList attrList)
{
    return attr_list_slots(__func__, &buf_lists, attrList);
}

NvSciError NvSciBufAttrListSlotGetAttrs(NvSciBufAttrList attrList, size_t slotIndex,
                                        NvSciBufAttrKeyValuePair *pairArray, size_t pairCount)
{
    return attr_list_read(__func__, &buf_lists, attrList, slotIndex, pairArray, pairCount);
}

NvSciError NvSciBufAttrListGetAttrs(NvSciBufAttrList attrList, NvSciBufAttrKeyValuePair *pairArray,
                                    size_t pairCount)
{
    return attr_list_read(__func__, &buf_lists, attrList, 0, pairArray, pairCount);
}

NvSciError NvSciBufAttrListDebugDump(NvSciBufAttrList attrList, void **buf, size_t *len)
{
    return attr_list_dump(__func__, &buf_lists, attrList, buf, len);
}

NvSciError NvSciBufAttrListReconcile(const NvSciBufAttrList *inputArray, size_t inputCount,
                                     NvSciBufAttrList *newReconciledAttrList,
                                     NvSciBufAttrList *newConflictList)
{
    return attr_list_reconcile(__func__, &buf_lists, inputArray, inputCount,
                               (void **)newReconciledAttrList, (void **)newConflictList);
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
    return attr_list_clone(__func__, &buf_lists, origAttrList, (void **)newAttrList);
}

NvSciError
NvSciBufAttrListAppendUnreconciled(const NvSciBufAttrList *inputUnreconciledAttrListArray,
                                   size_t inputUnreconciledAttrListCount,
                                   NvSciBufAttrList *newUnreconciledAttrList)
{
    return attr_list_append(__func__, &buf_lists, inputUnreconciledAttrListArray,
                            inputUnreconciledAttrListCount, (void **)newUnreconciledAttrList);
}

NvSciError NvSciBufAttrListIsReconciled(NvSciBufAttrList attrList, bool *isReconciled)
{
    return attr_list_is_reconciled(__func__, &buf_lists, attrList, isReconciled);
}

NvSciError NvSciBufAttrListValidateReconciled(NvSciBufAttrList reconciledAttrList,
                                              const NvSciBufAttrList *unreconciledAttrListArray,
                                              size_t unreconciledAttrListCount,
                                              bool *isReconcileListValid)
{
    return attr_list_validate(__func__, &buf_lists, reconciledAttrList, unreconciledAttrListArray,
                              unreconciledAttrListCount, isReconcileListValid);
}

NvSciError NvSciBufAttrListValidateReconciledAgainstAttrs(const NvSciBufAttrList reconciledAttrList,
                                                          const NvSciBufAttrKeyValuePair *pairArray,
                                                          const size_t pairCount)
{
    return attr_list_validate_pairs(__func__, &buf_lists, reconciledAttrList, pairArray, pairCount);
}
