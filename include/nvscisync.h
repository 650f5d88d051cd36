/* SPDX-License-Identifier: MIT */
/*
 * NvSciSync: points in the progress of an engine that others can wait for. libnvscisync.so.1
 * implements it.
 *
 * Names, values and layouts are those of NVIDIA's DRIVE OS API reference (6.0.10). docs/nvsci.md:
 * what each function does here.
 */
#ifndef INCLUDED_NVSCISYNC_H
#define INCLUDED_NVSCISYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvscibuf.h"
#include "nvscierror.h"
#include "nvsciipc.h"

#ifdef __cplusplus
extern "C" {
#endif

static const uint32_t NvSciSyncMajorVersion = 2U;
static const uint32_t NvSciSyncMinorVersion = 8U;

/* The longest time limit of a wait, us; -1 is no limit. */
static const int64_t NvSciSyncFenceMaxTimeout = 0x7fffffffffffffff / 1000;

typedef struct NvSciSyncModuleRec *NvSciSyncModule;
typedef struct NvSciSyncCpuWaitContextRec *NvSciSyncCpuWaitContext;
typedef struct NvSciSyncAttrListRec *NvSciSyncAttrList;
typedef struct NvSciSyncObjRec *NvSciSyncObj;
typedef const struct NvSciSyncObjRec *NvSciSyncObjConst;

/* Opaque; all zero is a cleared fence, which is reached. Any other holds a reference on its object
 * until NvSciSyncFenceClear(). */
typedef struct NvSciSyncFence {
    uint64_t payload[6];
} NvSciSyncFence;
static const NvSciSyncFence NvSciSyncFenceInitializer = { { 0U } };

typedef struct {
    uint64_t payload[7];
} NvSciSyncFenceIpcExportDescriptor;

typedef struct {
    uint64_t payload[128];
} NvSciSyncObjIpcExportDescriptor;

typedef uint64_t NvSciSyncAccessPerm;
#define NvSciSyncAccessPerm_WaitOnly (UINT64_C(1) << 0)
#define NvSciSyncAccessPerm_SignalOnly (UINT64_C(1) << 1)
#define NvSciSyncAccessPerm_WaitSignal \
    (NvSciSyncAccessPerm_WaitOnly | NvSciSyncAccessPerm_SignalOnly)
#define NvSciSyncAccessPerm_Auto (UINT64_C(1) << 63)

/* Attributes, and the types of their values. */
typedef enum {
    NvSciSyncAttrKey_LowerBound = 0,
    NvSciSyncAttrKey_NeedCpuAccess = 1, /* bool */
    NvSciSyncAttrKey_RequiredPerm = 2,  /* NvSciSyncAccessPerm; of unreconciled lists */
    NvSciSyncAttrKey_ActualPerm = 3,    /* NvSciSyncAccessPerm; computed */
    NvSciSyncAttrKey_WaiterContextInsensitiveFenceExports = 4, /* bool */
    NvSciSyncAttrKey_WaiterRequireTimestamps = 5,              /* bool */
    NvSciSyncAttrKey_RequireDeterministicFences = 6,           /* bool */
    NvSciSyncAttrKey_NumTimestampSlots = 7,                    /* uint32_t */
    NvSciSyncAttrKey_NumTaskStatusSlots = 8,                   /* uint32_t */
    NvSciSyncAttrKey_MaxPrimitiveValue = 9,                    /* uint64_t; computed */
    NvSciSyncAttrKey_PrimitiveInfo = 10,                       /* NvSciSyncAttrValPrimitiveType[] */
    NvSciSyncAttrKey_PeerLocationInfo = 11,                    /* NvSciBufPeerLocationInfo */
    NvSciSyncAttrKey_GpuId = 12,                               /* NvSciRmGpuId */
    NvSciSyncAttrKey_PeerHwEngineArray = 13,                   /* NvSciBufPeerHwEngine[] */
    NvSciSyncAttrKey_UpperBound = 14,
} NvSciSyncAttrKey;

typedef enum {
    NvSciSyncAttrValPrimitiveType_LowerBound = 0,
    NvSciSyncAttrValPrimitiveType_Syncpoint = 1,
    NvSciSyncAttrValPrimitiveType_SysmemSemaphore = 2,
    NvSciSyncAttrValPrimitiveType_VidmemSemaphore = 3,
    NvSciSyncAttrValPrimitiveType_SysmemSemaphorePayload64b = 4,
    NvSciSyncAttrValPrimitiveType_VidmemSemaphorePayload64b = 5,
    NvSciSyncAttrValPrimitiveType_UpperBound = 6,
} NvSciSyncAttrValPrimitiveType;

typedef enum {
    NvSciSyncTaskStatus_Success = 0,
    NvSciSyncTaskStatus_Failure = 1,
    NvSciSyncTaskStatus_Invalid = 65535,
} NvSciSyncTaskStatusVal;

typedef enum {
    NvSciSyncWaitMode_Default = 0,
    NvSciSyncWaitMode_BusyWithYield = 1,
    NvSciSyncWaitMode_BusyNoYield = 2,
    NvSciSyncWaitMode_Blocking = 3,
} NvSciSyncWaitMode;

typedef struct {
    NvSciSyncAttrKey attrKey;
    const void *value;
    size_t len;
} NvSciSyncAttrKeyValuePair;

/* What an engine writes of a task that it has ended. */
typedef struct __attribute__((packed)) {
    uint64_t timestamp;
    uint32_t statusEngine;
    uint16_t subframe;
    uint16_t status; /* NvSciSyncTaskStatusVal */
} NvSciSyncTaskStatus;

/* Modules, and what a thread of the CPU waits with */
NVSCI_API NvSciError NvSciSyncModuleOpen(NvSciSyncModule *newModule);
NVSCI_API void NvSciSyncModuleClose(NvSciSyncModule module);
NVSCI_API NvSciError NvSciSyncCpuWaitContextAlloc(NvSciSyncModule module,
                                                  NvSciSyncCpuWaitContext *newContext);
NVSCI_API void NvSciSyncCpuWaitContextFree(NvSciSyncCpuWaitContext context);
NVSCI_API NvSciError NvSciSyncCheckVersionCompatibility(uint32_t majorVer, uint32_t minorVer,
                                                        bool *isCompatible);

/* Lists of attributes */
NVSCI_API NvSciError NvSciSyncAttrListCreate(NvSciSyncModule module, NvSciSyncAttrList *attrList);
NVSCI_API void NvSciSyncAttrListFree(NvSciSyncAttrList attrList);
NVSCI_API NvSciError NvSciSyncAttrListIsReconciled(NvSciSyncAttrList attrList, bool *isReconciled);
NVSCI_API NvSciError NvSciSyncAttrListValidateReconciled(
    NvSciSyncAttrList reconciledAttrList, const NvSciSyncAttrList *inputUnreconciledAttrListArray,
    size_t inputUnreconciledAttrListCount, bool *isReconciledListValid);
NVSCI_API NvSciError NvSciSyncAttrListSetAttrs(NvSciSyncAttrList attrList,
                                               const NvSciSyncAttrKeyValuePair *pairArray,
                                               size_t pairCount);
NVSCI_API NvSciError NvSciSyncAttrListGetAttrs(NvSciSyncAttrList attrList,
                                               NvSciSyncAttrKeyValuePair *pairArray,
                                               size_t pairCount);
NVSCI_API size_t NvSciSyncAttrListGetSlotCount(NvSciSyncAttrList attrList);
NVSCI_API NvSciError NvSciSyncAttrListAppendUnreconciled(
    const NvSciSyncAttrList *inputUnreconciledAttrListArray, size_t inputUnreconciledAttrListCount,
    NvSciSyncAttrList *newUnreconciledAttrList);
NVSCI_API NvSciError NvSciSyncAttrListClone(NvSciSyncAttrList origAttrList,
                                            NvSciSyncAttrList *newAttrList);
NVSCI_API NvSciError NvSciSyncAttrListSlotGetAttrs(NvSciSyncAttrList attrList, size_t slotIndex,
                                                   NvSciSyncAttrKeyValuePair *pairArray,
                                                   size_t pairCount);
NVSCI_API NvSciError NvSciSyncAttrListReconcile(const NvSciSyncAttrList *inputArray,
                                                size_t inputCount,
                                                NvSciSyncAttrList *newReconciledList,
                                                NvSciSyncAttrList *newConflictList);
NVSCI_API NvSciError NvSciSyncAttrListDebugDump(NvSciSyncAttrList attrList, void **buf,
                                                size_t *len);
NVSCI_API void NvSciSyncAttrListFreeDesc(void *descBuf);
NVSCI_API NvSciError NvSciSyncAttrListGetAttr(NvSciSyncAttrList attrList, NvSciSyncAttrKey key,
                                              const void **value, size_t *len);
NVSCI_API NvSciError NvSciSyncFillC2cAttrs(NvSciSyncAttrList unrecAttrList,
                                           NvSciSyncAccessPerm permissions);
NVSCI_API NvSciError NvSciSyncAttrListValidateReconciledAgainstAttrs(
    NvSciSyncAttrList reconciledAttrList, const NvSciSyncAttrKeyValuePair *pairArray,
    size_t pairCount, NvSciSyncAccessPerm permissions);

/* Lists between processes */
NVSCI_API NvSciError NvSciSyncAttrListIpcExportUnreconciled(
    const NvSciSyncAttrList *unreconciledAttrListArray, size_t unreconciledAttrListCount,
    NvSciIpcEndpoint ipcEndpoint, void **descBuf, size_t *descLen);
NVSCI_API NvSciError
NvSciSyncAttrListIpcExportReconciled(const NvSciSyncAttrList reconciledAttrList,
                                     NvSciIpcEndpoint ipcEndpoint, void **descBuf, size_t *descLen);
NVSCI_API NvSciError NvSciSyncAttrListIpcImportUnreconciled(
    NvSciSyncModule module, NvSciIpcEndpoint ipcEndpoint, const void *descBuf, size_t descLen,
    NvSciSyncAttrList *importedUnreconciledAttrList);
NVSCI_API NvSciError NvSciSyncAttrListIpcImportReconciled(
    NvSciSyncModule module, NvSciIpcEndpoint ipcEndpoint, const void *descBuf, size_t descLen,
    const NvSciSyncAttrList *inputUnreconciledAttrListArray, size_t inputUnreconciledAttrListCount,
    NvSciSyncAttrList *importedReconciledAttrList);

/* Objects */
NVSCI_API NvSciError NvSciSyncObjAlloc(NvSciSyncAttrList reconciledList, NvSciSyncObj *syncObj);
NVSCI_API NvSciError NvSciSyncObjDup(NvSciSyncObj syncObj, NvSciSyncObj *dupObj);
NVSCI_API NvSciError NvSciSyncObjGetAttrList(NvSciSyncObj syncObj, NvSciSyncAttrList *syncAttrList);
NVSCI_API void NvSciSyncObjFree(NvSciSyncObj syncObj);
NVSCI_API NvSciError NvSciSyncObjValidate(NvSciSyncObj syncObj);
NVSCI_API NvSciError NvSciSyncObjGenerateFence(NvSciSyncObj syncObj, NvSciSyncFence *syncFence);
NVSCI_API NvSciError NvSciSyncObjSignal(NvSciSyncObj syncObj);
NVSCI_API NvSciError NvSciSyncAttrListReconcileAndObjAlloc(const NvSciSyncAttrList *inputArray,
                                                           size_t inputCount, NvSciSyncObj *syncObj,
                                                           NvSciSyncAttrList *newConflictList);
NVSCI_API NvSciError NvSciSyncObjAttachPeer(NvSciSyncObj syncObj,
                                            const NvSciSyncAttrList *inputArray, size_t inputCount);

/* Fences */
NVSCI_API void NvSciSyncFenceClear(NvSciSyncFence *syncFence);
NVSCI_API NvSciError NvSciSyncFenceDup(const NvSciSyncFence *srcSyncFence,
                                       NvSciSyncFence *dstSyncFence);
NVSCI_API NvSciError NvSciSyncFenceExtractFence(const NvSciSyncFence *syncFence, uint64_t *id,
                                                uint64_t *value);
NVSCI_API NvSciError NvSciSyncFenceUpdateFence(NvSciSyncObj syncObj, uint64_t id, uint64_t value,
                                               NvSciSyncFence *syncFence);
NVSCI_API NvSciError NvSciSyncFenceAddTimestampSlot(NvSciSyncFence *syncFence,
                                                    uint32_t timestampSlot);
NVSCI_API NvSciError NvSciSyncFenceAddTaskStatusSlot(NvSciSyncFence *syncFence,
                                                     uint32_t taskStatusSlot);
NVSCI_API NvSciError NvSciSyncFenceExtractTimestampSlot(NvSciSyncFence *syncFence,
                                                        uint32_t *timeStampSlot);
NVSCI_API NvSciError NvSciSyncIpcExportFence(const NvSciSyncFence *syncFence,
                                             NvSciIpcEndpoint ipcEndpoint,
                                             NvSciSyncFenceIpcExportDescriptor *desc);
NVSCI_API NvSciError NvSciSyncIpcImportFence(NvSciSyncObj syncObj,
                                             const NvSciSyncFenceIpcExportDescriptor *desc,
                                             NvSciSyncFence *syncFence);
NVSCI_API NvSciError NvSciSyncFenceWait(const NvSciSyncFence *syncFence,
                                        NvSciSyncCpuWaitContext context, int64_t timeoutUs);
NVSCI_API NvSciError NvSciSyncFenceGetTimestamp(const NvSciSyncFence *syncFence,
                                                uint64_t *timestampUS);
NVSCI_API NvSciError NvSciSyncFenceGetTaskStatus(const NvSciSyncFence *syncFence,
                                                 NvSciSyncTaskStatus *taskStatus);
NVSCI_API NvSciError NvSciSyncFenceWaitWithMode(const NvSciSyncFence *syncFence,
                                                NvSciSyncCpuWaitContext context, int64_t timeoutUs,
                                                NvSciSyncWaitMode waitMode);

/* Objects and fences between processes */
NVSCI_API NvSciError NvSciSyncObjIpcExport(NvSciSyncObj syncObj, NvSciSyncAccessPerm permissions,
                                           NvSciIpcEndpoint ipcEndpoint,
                                           NvSciSyncObjIpcExportDescriptor *desc);
NVSCI_API NvSciError NvSciSyncObjIpcImport(NvSciIpcEndpoint ipcEndpoint,
                                           const NvSciSyncObjIpcExportDescriptor *desc,
                                           NvSciSyncAttrList inputAttrList,
                                           NvSciSyncAccessPerm permissions, int64_t timeoutUs,
                                           NvSciSyncObj *syncObj);
NVSCI_API NvSciError NvSciSyncIpcExportAttrListAndObj(NvSciSyncObj syncObj,
                                                      NvSciSyncAccessPerm permissions,
                                                      NvSciIpcEndpoint ipcEndpoint,
                                                      void **attrListAndObjDesc,
                                                      size_t *attrListAndObjDescSize);
NVSCI_API void NvSciSyncAttrListAndObjFreeDesc(void *attrListAndObjDescBuf);
NVSCI_API NvSciError NvSciSyncIpcImportAttrListAndObj(
    NvSciSyncModule module, NvSciIpcEndpoint ipcEndpoint, const void *attrListAndObjDesc,
    size_t attrListAndObjDescSize, const NvSciSyncAttrList *attrList, size_t attrListCount,
    NvSciSyncAccessPerm minPermissions, int64_t timeoutUs, NvSciSyncObj *syncObj);

#ifdef __cplusplus
}
#endif

#endif
