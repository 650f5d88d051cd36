/* SPDX-License-Identifier: MIT */
/* Compiles as C and as C++ if every value, size and alignment of include/nvsci*.h is NVIDIA's. */
#include "nvscibuf.h"
#include "nvscierror.h"
#include "nvscievent.h"
#include "nvsciipc.h"
#include "nvscisync.h"

#ifndef __cplusplus
#define static_assert _Static_assert
#define alignof _Alignof
#endif

#define VALUE(name, value) \
    static_assert((uint64_t)(name) == UINT64_C(value), #name " is not " #value);
#define SIZE(type, bytes, alignment)                           \
    static_assert(sizeof(type) == (bytes), "bytes of " #type); \
    static_assert(alignof(type) == (alignment), "alignment of " #type);
#include "nvsci.def"

/* The layouts that programs fill themselves. */
static_assert(offsetof(NvSciBufAttrKeyValuePair, value) == 8, "value of a pair");
static_assert(offsetof(NvSciBufAttrKeyValuePair, len) == 16, "len of a pair");
static_assert(offsetof(NvSciSyncAttrKeyValuePair, value) == 8, "value of a pair");
static_assert(offsetof(NvSciSyncAttrKeyValuePair, len) == 16, "len of a pair");
static_assert(offsetof(NvSciBufAttrValGpuCache, cacheability) == 16, "GPU cache");
static_assert(offsetof(NvSciBufAttrValGpuCompression, compressionType) == 16, "GPU compression");
static_assert(offsetof(NvSciBufPeerHwEngine, engInstance) == 4, "engine");
static_assert(offsetof(NvSciSyncTaskStatus, status) == 14, "status of a task");
static_assert(sizeof(NvSciIpcEndpointInfo) == 8, "endpoint");
static_assert(sizeof(NvSciEventService) == 32 && sizeof(NvSciEventLoopService) == 64, "services");
