/* SPDX-License-Identifier: MIT */
/*
 * NvSciBuf: buffers whose properties all their users settle before they are made. libnvscibuf.so.1
 * implements it.
 *
 * Names, values and layouts are those of NVIDIA's DRIVE OS API reference (6.0.10). docs/nvsci.md:
 * what each function does here, and how each attribute is reconciled.
 */
#ifndef INCLUDED_NVSCIBUF_H
#define INCLUDED_NVSCIBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "nvscierror.h"
#include "nvsciipc.h"
#include "vtegra/nvsci_color.h"

#ifdef __cplusplus
extern "C" {
#endif

static const uint32_t NvSciBufMajorVersion = 2U;
static const uint32_t NvSciBufMinorVersion = 11U;

#ifdef __cplusplus
static const int NV_SCI_BUF_TENSOR_MAX_DIMS = 8;
static const int NV_SCI_BUF_IMAGE_MAX_PLANES = 3;
static const int NV_SCI_BUF_PYRAMID_MAX_LEVELS = 10;
static const int NVSCIBUF_EXPORT_DESC_SIZE = 32;
static const int NV_SCI_BUF_ATTRKEY_BIT_COUNT = 16;
static const int NV_SCI_BUF_DATATYPE_BIT_COUNT = 10;
static const int NV_SCI_BUF_ATTRKEY_TYPE_PUBLIC = 0;
#else
#define NV_SCI_BUF_TENSOR_MAX_DIMS 8u
#define NV_SCI_BUF_IMAGE_MAX_PLANES 3u
#define NV_SCI_BUF_PYRAMID_MAX_LEVELS 10u
#define NVSCIBUF_EXPORT_DESC_SIZE 32u
#define NV_SCI_BUF_ATTRKEY_BIT_COUNT 16u
#define NV_SCI_BUF_DATATYPE_BIT_COUNT 10u
#define NV_SCI_BUF_ATTRKEY_TYPE_PUBLIC 0u
#endif

typedef enum {
    NvSciBufType_General = 0,
    NvSciBufType_RawBuffer = 1,
    NvSciBufType_Image = 2,
    NvSciBufType_Tensor = 3,
    NvSciBufType_Array = 4,
    NvSciBufType_Pyramid = 5,
    NvSciBufType_MaxValid = 6,
    NvSciBufType_UpperBound = 6,
} NvSciBufType;

/* Attributes. What follows a key is the type of its value; [] is an array of as many as `len`
 * holds. */
typedef enum {
    NvSciBufAttrKey_LowerBound = 0,
    NvSciBufGeneralAttrKey_Types = 1,         /* NvSciBufType[] */
    NvSciBufGeneralAttrKey_NeedCpuAccess = 2, /* bool */
    NvSciBufGeneralAttrKey_RequiredPerm = 3,  /* NvSciBufAttrValAccessPerm; of unreconciled lists */
    NvSciBufGeneralAttrKey_EnableCpuCache = 4,             /* bool */
    NvSciBufGeneralAttrKey_GpuId = 5,                      /* NvSciRmGpuId[] */
    NvSciBufGeneralAttrKey_CpuNeedSwCacheCoherency = 6,    /* bool; computed */
    NvSciBufGeneralAttrKey_ActualPerm = 7,                 /* NvSciBufAttrValAccessPerm; computed */
    NvSciBufGeneralAttrKey_VidMem_GpuId = 8,               /* NvSciRmGpuId */
    NvSciBufGeneralAttrKey_EnableGpuCache = 9,             /* NvSciBufAttrValGpuCache[] */
    NvSciBufGeneralAttrKey_GpuSwNeedCacheCoherency = 10,   /* NvSciBufAttrValGpuCache[]; computed */
    NvSciBufGeneralAttrKey_EnableGpuCompression = 11,      /* NvSciBufAttrValGpuCompression[] */
    NvSciBufGeneralAttrKey_PeerLocationInfo = 12,          /* NvSciBufPeerLocationInfo */
    NvSciBufGeneralAttrKey_PeerHwEngineArray = 13,         /* NvSciBufPeerHwEngine[] */
    NvSciBufRawBufferAttrKey_Size = 0x10000,               /* uint64_t, bytes */
    NvSciBufRawBufferAttrKey_Align = 0x10001,              /* uint64_t, a power of two */
    NvSciBufImageAttrKey_Layout = 0x20000,                 /* NvSciBufAttrValImageLayoutType */
    NvSciBufImageAttrKey_TopPadding = 0x20001,             /* uint64_t[] per plane, lines */
    NvSciBufImageAttrKey_BottomPadding = 0x20002,          /* uint64_t[], lines */
    NvSciBufImageAttrKey_LeftPadding = 0x20003,            /* uint64_t[], bytes */
    NvSciBufImageAttrKey_RightPadding = 0x20004,           /* uint64_t[], bytes */
    NvSciBufImageAttrKey_VprFlag = 0x20005,                /* bool */
    NvSciBufImageAttrKey_Size = 0x20006,                   /* uint64_t; computed */
    NvSciBufImageAttrKey_Alignment = 0x20007,              /* uint64_t; computed */
    NvSciBufImageAttrKey_PlaneCount = 0x20008,             /* uint32_t */
    NvSciBufImageAttrKey_PlaneColorFormat = 0x20009,       /* NvSciBufAttrValColorFmt[] */
    NvSciBufImageAttrKey_PlaneColorStd = 0x2000a,          /* NvSciBufAttrValColorStd[] */
    NvSciBufImageAttrKey_PlaneBaseAddrAlign = 0x2000b,     /* uint32_t[] */
    NvSciBufImageAttrKey_PlaneWidth = 0x2000c,             /* uint32_t[], pixels */
    NvSciBufImageAttrKey_PlaneHeight = 0x2000d,            /* uint32_t[], pixels */
    NvSciBufImageAttrKey_PlaneScanType = 0x2000e,          /* NvSciBufAttrValImageScanType */
    NvSciBufImageAttrKey_ScanType = 0x2000e,               /* the same key */
    NvSciBufImageAttrKey_PlaneBitsPerPixel = 0x2000f,      /* uint32_t[]; computed */
    NvSciBufImageAttrKey_PlaneOffset = 0x20010,            /* uint64_t[]; computed */
    NvSciBufImageAttrKey_PlaneDatatype = 0x20011,          /* NvSciBufAttrValDataType[]; computed */
    NvSciBufImageAttrKey_PlaneChannelCount = 0x20012,      /* uint8_t[]; computed */
    NvSciBufImageAttrKey_PlaneSecondFieldOffset = 0x20013, /* uint64_t[]; computed */
    NvSciBufImageAttrKey_PlanePitch = 0x20014,             /* uint32_t[]; computed */
    NvSciBufImageAttrKey_PlaneAlignedHeight = 0x20015,     /* uint32_t[]; computed */
    NvSciBufImageAttrKey_PlaneAlignedSize = 0x20016,       /* uint64_t[]; computed */
    NvSciBufImageAttrKey_ImageCount = 0x20017,             /* uint64_t */
    NvSciBufImageAttrKey_SurfType = 0x20018,               /* NvSciBufSurfType */
    NvSciBufImageAttrKey_SurfMemLayout = 0x20019,          /* NvSciBufSurfMemLayout */
    NvSciBufImageAttrKey_SurfSampleType = 0x2001a,         /* NvSciBufSurfSampleType */
    NvSciBufImageAttrKey_SurfBPC = 0x2001b,                /* NvSciBufSurfBPC */
    NvSciBufImageAttrKey_SurfComponentOrder = 0x2001c,     /* NvSciBufSurfComponentOrder */
    NvSciBufImageAttrKey_SurfWidthBase = 0x2001d,          /* uint32_t */
    NvSciBufImageAttrKey_SurfHeightBase = 0x2001e,         /* uint32_t */
    NvSciBufImageAttrKey_SurfColorStd = 0x2001f,           /* NvSciBufAttrValColorStd[] */
    NvSciBufTensorAttrKey_DataType = 0x30000,              /* NvSciBufAttrValDataType */
    NvSciBufTensorAttrKey_NumDims = 0x30001,               /* uint32_t */
    NvSciBufTensorAttrKey_SizePerDim = 0x30002,            /* uint64_t[] */
    NvSciBufTensorAttrKey_AlignmentPerDim = 0x30003,       /* uint32_t[] */
    NvSciBufTensorAttrKey_StridesPerDim = 0x30004,         /* uint64_t[]; computed */
    NvSciBufTensorAttrKey_PixelFormat = 0x30005,           /* NvSciBufAttrValColorFmt */
    NvSciBufTensorAttrKey_BaseAddrAlign = 0x30006,         /* uint64_t */
    NvSciBufTensorAttrKey_Size = 0x30007,                  /* uint64_t; computed */
    NvSciBufArrayAttrKey_DataType = 0x40000,               /* NvSciBufAttrValDataType */
    NvSciBufArrayAttrKey_Stride = 0x40001,                 /* uint64_t, bytes */
    NvSciBufArrayAttrKey_Capacity = 0x40002,               /* uint64_t, elements */
    NvSciBufArrayAttrKey_Size = 0x40003,                   /* uint64_t; computed */
    NvSciBufArrayAttrKey_Alignment = 0x40004,              /* uint64_t; computed */
    NvSciBufPyramidAttrKey_NumLevels = 0x50000,            /* uint32_t */
    NvSciBufPyramidAttrKey_Scale = 0x50001,                /* float */
    NvSciBufPyramidAttrKey_LevelOffset = 0x50002,          /* uint64_t[]; computed */
    NvSciBufPyramidAttrKey_LevelSize = 0x50003,            /* uint64_t[]; computed */
    NvSciBufPyramidAttrKey_Alignment = 0x50004,            /* uint64_t; computed */
    NvSciBufAttrKey_UpperBound = 0x3ffffff,
} NvSciBufAttrKey;

typedef enum {
    NvSciBufAccessPerm_Readonly = 1,
    NvSciBufAccessPerm_ReadWrite = 3,
    NvSciBufAccessPerm_Auto = 4,
    NvSciBufAccessPerm_Invalid = 5,
} NvSciBufAttrValAccessPerm;

typedef enum {
    NvSciBufImage_BlockLinearType = 0,
    NvSciBufImage_PitchLinearType = 1,
} NvSciBufAttrValImageLayoutType;

typedef enum {
    NvSciBufScan_ProgressiveType = 0,
    NvSciBufScan_InterlaceType = 1,
} NvSciBufAttrValImageScanType;

typedef enum {
    NvSciDataType_Int4 = 0,
    NvSciDataType_Uint4 = 1,
    NvSciDataType_Int8 = 2,
    NvSciDataType_Uint8 = 3,
    NvSciDataType_Int16 = 4,
    NvSciDataType_Uint16 = 5,
    NvSciDataType_Int32 = 6,
    NvSciDataType_Uint32 = 7,
    NvSciDataType_Float16 = 8,
    NvSciDataType_Float32 = 9,
    NvSciDataType_FloatISP = 10,
    NvSciDataType_Bool = 11,
    NvSciDataType_UpperBound = 12,
} NvSciBufAttrValDataType;

typedef enum {
    NvSciBufCompressionType_None = 0,
    NvSciBufCompressionType_GenericCompressible = 1,
} NvSciBufCompressionType;

typedef enum {
    NvSciSurfType_YUV = 0,
    NvSciSurfType_RGBA = 1,
    NvSciSurfType_RAW = 2,
    NvSciSurfType_MaxValid = 3,
} NvSciBufSurfType;

typedef enum {
    NvSciSurfMemLayout_Packed = 0,
    NvSciSurfMemLayout_SemiPlanar = 1,
    NvSciSurfMemLayout_Planar = 2,
    NvSciSurfMemLayout_MaxValid = 3,
} NvSciBufSurfMemLayout;

typedef enum {
    NvSciSurfSampleType_420 = 0,
    NvSciSurfSampleType_422 = 1,
    NvSciSurfSampleType_444 = 2,
    NvSciSurfSampleType_422R = 3,
    NvSciSurfSampleType_400 = 4,
    NvSciSurfSampleType_MaxValid = 5,
} NvSciBufSurfSampleType;

typedef enum {
    NvSciSurfBPC_Layout_16_8_8 = 0,
    NvSciSurfBPC_Layout_10_8_8 = 1,
    NvSciSurfBPC_8 = 2,
    NvSciSurfBPC_10 = 3,
    NvSciSurfBPC_12 = 4,
    NvSciSurfBPC_14 = 5,
    NvSciSurfBPC_16 = 6,
    NvSciSurfBPC_MaxValid = 7,
} NvSciBufSurfBPC;

typedef enum {
    NvSciSurfComponentOrder_YUV = 0,
    NvSciSurfComponentOrder_YVU = 1,
    NvSciSurfComponentOrder_Luma = 2,
    NvSciSurfComponentOrder_MaxValid = 3,
} NvSciBufSurfComponentOrder;

/* Engines: values of PeerHwEngineArray. */
typedef enum {
    NvSciBufHwEngName_Invalid = 0,
    NvSciBufHwEngName_Display = 4,
    NvSciBufHwEngName_Isp = 11,
    NvSciBufHwEngName_Vi = 12,
    NvSciBufHwEngName_Csi = 30,
    NvSciBufHwEngName_Vic = 106,
    NvSciBufHwEngName_Gpu = 107,
    NvSciBufHwEngName_MSENC = 109,
    NvSciBufHwEngName_NVDEC = 117,
    NvSciBufHwEngName_NVJPG = 118,
    NvSciBufHwEngName_PVA = 121,
    NvSciBufHwEngName_DLA = 122,
    NvSciBufHwEngName_PCIe = 123,
    NvSciBufHwEngName_OFA = 124,
    NvSciBufHwEngName_NPM = 125,
    NvSciBufHwEngName_Num = 126,
} NvSciBufHwEngName;

typedef enum {
    NvSciBufPlatformName_LowerBound = 0,
    NvSciBufPlatformName_Orin = 1,
    NvSciBufPlatformName_PG189 = 2,
    NvSciBufPlatformName_PG199 = 3,
    NvSciBufPlatformName_UpperBound = 4,
} NvSciBufPlatformName;

/* A GPU, by the UUID that cuDeviceGetUuid() gives. */
typedef struct {
    uint8_t bytes[16];
} NvSciRmGpuId;

typedef struct __attribute__((packed)) {
    NvSciRmGpuId gpuId;
    bool cacheability;
} NvSciBufAttrValGpuCache;

typedef struct {
    NvSciRmGpuId gpuId;
    NvSciBufCompressionType compressionType;
} NvSciBufAttrValGpuCompression;

typedef struct __attribute__((packed)) {
    uint32_t socID;
    uint32_t vmID;
    uint64_t reserved;
} NvSciBufPeerLocationInfo;

typedef struct __attribute__((packed)) {
    NvSciBufHwEngName engName;
    uint32_t engInstance;
} NvSciBufPeerHwEngine;

/* Pixels [x0, x1) x [y0, y1) of the first plane. */
typedef struct {
    uint64_t x0, y0, x1, y1;
} NvSciBufRect;

typedef struct {
    NvSciBufAttrKey key;
    const void *value; /* of GetAttrs: the list's own memory */
    size_t len;
} NvSciBufAttrKeyValuePair;

/* An object on its way through an NvSciIpc channel: opaque, to be imported once. */
typedef struct __attribute__((packed)) {
    uint64_t data[NVSCIBUF_EXPORT_DESC_SIZE];
} NvSciBufObjIpcExportDescriptor;

typedef struct NvSciBufModuleRec *NvSciBufModule;
typedef struct NvSciBufAttrListRec *NvSciBufAttrList;
typedef struct NvSciBufObjRefRec *NvSciBufObj;
typedef const struct NvSciBufObjRefRec *NvSciBufObjConst;

/* Modules */
NVSCI_API NvSciError NvSciBufModuleOpen(NvSciBufModule *newModule);
NVSCI_API void NvSciBufModuleClose(NvSciBufModule module);
NVSCI_API NvSciError NvSciBufCheckVersionCompatibility(uint32_t majorVer, uint32_t minorVer,
                                                       bool *isCompatible);

/* Lists of attributes: unreconciled ones have a slot for each list that they were made of. */
NVSCI_API NvSciError NvSciBufAttrListCreate(NvSciBufModule module, NvSciBufAttrList *newAttrList);
NVSCI_API void NvSciBufAttrListFree(NvSciBufAttrList attrList);
NVSCI_API NvSciError NvSciBufAttrListSetAttrs(NvSciBufAttrList attrList,
                                              NvSciBufAttrKeyValuePair *pairArray,
                                              size_t pairCount);
NVSCI_API size_t NvSciBufAttrListGetSlotCount(NvSciBufAttrList attrList);
NVSCI_API NvSciError NvSciBufAttrListGetAttrs(NvSciBufAttrList attrList,
                                              NvSciBufAttrKeyValuePair *pairArray,
                                              size_t pairCount);
NVSCI_API NvSciError NvSciBufAttrListSlotGetAttrs(NvSciBufAttrList attrList, size_t slotIndex,
                                                  NvSciBufAttrKeyValuePair *pairArray,
                                                  size_t pairCount);
NVSCI_API NvSciError NvSciBufAttrListDebugDump(NvSciBufAttrList attrList, void **buf, size_t *len);
NVSCI_API NvSciError NvSciBufAttrListReconcile(const NvSciBufAttrList *inputArray,
                                               size_t inputCount,
                                               NvSciBufAttrList *newReconciledAttrList,
                                               NvSciBufAttrList *newConflictList);
NVSCI_API NvSciError NvSciBufAttrListClone(NvSciBufAttrList origAttrList,
                                           NvSciBufAttrList *newAttrList);
NVSCI_API NvSciError NvSciBufAttrListAppendUnreconciled(
    const NvSciBufAttrList *inputUnreconciledAttrListArray, size_t inputUnreconciledAttrListCount,
    NvSciBufAttrList *newUnreconciledAttrList);
NVSCI_API NvSciError NvSciBufAttrListIsReconciled(NvSciBufAttrList attrList, bool *isReconciled);
NVSCI_API NvSciError NvSciBufAttrListValidateReconciled(
    NvSciBufAttrList reconciledAttrList, const NvSciBufAttrList *unreconciledAttrListArray,
    size_t unreconciledAttrListCount, bool *isReconcileListValid);
NVSCI_API NvSciError NvSciBufAttrListValidateReconciledAgainstAttrs(
    const NvSciBufAttrList reconciledAttrList, const NvSciBufAttrKeyValuePair *pairArray,
    const size_t pairCount);

/* Lists between processes */
NVSCI_API NvSciError NvSciBufAttrListIpcExportUnreconciled(
    const NvSciBufAttrList *unreconciledAttrListArray, size_t unreconciledAttrListCount,
    NvSciIpcEndpoint ipcEndpoint, void **descBuf, size_t *descLen);
NVSCI_API NvSciError NvSciBufAttrListIpcExportReconciled(NvSciBufAttrList reconciledAttrList,
                                                         NvSciIpcEndpoint ipcEndpoint,
                                                         void **descBuf, size_t *descLen);
NVSCI_API NvSciError NvSciBufAttrListIpcImportUnreconciled(
    NvSciBufModule module, NvSciIpcEndpoint ipcEndpoint, const void *descBuf, size_t descLen,
    NvSciBufAttrList *importedUnreconciledAttrList);
NVSCI_API NvSciError NvSciBufAttrListIpcImportReconciled(
    NvSciBufModule module, NvSciIpcEndpoint ipcEndpoint, const void *descBuf, size_t descLen,
    const NvSciBufAttrList *inputUnreconciledAttrListArray, size_t inputUnreconciledAttrListCount,
    NvSciBufAttrList *importedReconciledAttrList);
NVSCI_API void NvSciBufAttrListFreeDesc(void *descBuf);

/* Buffers */
NVSCI_API NvSciError NvSciBufObjDup(NvSciBufObj bufObj, NvSciBufObj *dupObj);
NVSCI_API NvSciError NvSciBufAttrListReconcileAndObjAlloc(const NvSciBufAttrList *attrListArray,
                                                          size_t attrListCount, NvSciBufObj *bufObj,
                                                          NvSciBufAttrList *newConflictList);
NVSCI_API void NvSciBufObjFree(NvSciBufObj bufObj);
NVSCI_API NvSciError NvSciBufObjGetAttrList(NvSciBufObj bufObj, NvSciBufAttrList *bufAttrList);
NVSCI_API NvSciError NvSciBufObjAlloc(NvSciBufAttrList reconciledAttrList, NvSciBufObj *bufObj);
NVSCI_API NvSciError NvSciBufObjDupWithReducePerm(NvSciBufObj bufObj,
                                                  NvSciBufAttrValAccessPerm reducedPerm,
                                                  NvSciBufObj *newBufObj);
NVSCI_API NvSciError NvSciBufObjAttachPeer(NvSciBufObj bufObj, const NvSciBufAttrList *inputArray,
                                           size_t inputCount);
NVSCI_API NvSciError NvSciBufObjValidate(NvSciBufObj bufObj);
NVSCI_API NvSciError NvSciBufObjGetMaxPerm(const NvSciBufObj bufObj,
                                           const NvSciIpcEndpoint ipcEndpoint,
                                           NvSciBufAttrValAccessPerm *accPerm);

/* The CPU and a buffer */
NVSCI_API NvSciError NvSciBufObjGetCpuPtr(NvSciBufObj bufObj, void **ptr);
NVSCI_API NvSciError NvSciBufObjGetConstCpuPtr(NvSciBufObj bufObj, const void **ptr);
NVSCI_API NvSciError NvSciBufObjFlushCpuCacheRange(NvSciBufObj bufObj, uint64_t offset,
                                                   uint64_t len);
NVSCI_API NvSciError NvSciBufObjGetPixels(NvSciBufObj bufObj, const NvSciBufRect *rect,
                                          void **dstPtrs, const uint32_t *dstPtrSizes,
                                          const uint32_t *dstPitches);
NVSCI_API NvSciError NvSciBufObjPutPixels(NvSciBufObj bufObj, const NvSciBufRect *rect,
                                          const void **srcPtrs, const uint32_t *srcPtrSizes,
                                          const uint32_t *srcPitches);

/* Buffers between processes */
NVSCI_API NvSciError NvSciBufIpcExportAttrListAndObj(NvSciBufObj bufObj,
                                                     NvSciBufAttrValAccessPerm permissions,
                                                     NvSciIpcEndpoint ipcEndpoint,
                                                     void **attrListAndObjDesc,
                                                     size_t *attrListAndObjDescSize);
NVSCI_API NvSciError NvSciBufIpcImportAttrListAndObj(
    NvSciBufModule module, NvSciIpcEndpoint ipcEndpoint, const void *attrListAndObjDesc,
    size_t attrListAndObjDescSize, const NvSciBufAttrList *attrList, size_t count,
    NvSciBufAttrValAccessPerm minPermissions, int64_t timeoutUs, NvSciBufObj *bufObj);
NVSCI_API void NvSciBufAttrListAndObjFreeDesc(void *attrListAndObjDescBuf);
NVSCI_API NvSciError NvSciBufObjIpcExport(NvSciBufObj bufObj, NvSciBufAttrValAccessPerm accPerm,
                                          NvSciIpcEndpoint ipcEndpoint,
                                          NvSciBufObjIpcExportDescriptor *exportData);
NVSCI_API NvSciError NvSciBufObjIpcImport(NvSciIpcEndpoint ipcEndpoint,
                                          const NvSciBufObjIpcExportDescriptor *desc,
                                          NvSciBufAttrList reconciledAttrList,
                                          NvSciBufAttrValAccessPerm minPermissions,
                                          int64_t timeoutUs, NvSciBufObj *bufObj);

#ifdef __cplusplus
}
#endif

#endif
