/* SPDX-License-Identifier: MIT */
/* A board with NvMedia 2D: images and sync objects of NvSci, made as a program makes them. */
#ifndef TESTS_NVMEDIA_RIG_H
#define TESTS_NVMEDIA_RIG_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "include/nvmedia_2d_sci.h"

#define OK(call) ck_assert_uint_eq(call, 0)
#define GIVES(code, call) ck_assert_uint_eq(call, NVMEDIA_STATUS_##code)

static NvSciBufModule bufs;
static NvSciSyncModule syncs;
static NvSciSyncCpuWaitContext context;
static NvMedia2D *dev;

/* What an image is; @planes: of 4:2:0, each with half the size but for the first. */
struct image {
    unsigned planes;
    NvSciBufAttrValColorFmt color[3];
    NvSciBufAttrValColorStd standard;
    uint32_t width, height;
    bool blocks, only_reads;
    uint32_t sample; /* 0: 4:2:0 */
};

static inline struct image rgba(uint32_t width, uint32_t height)
{
    return (struct image){
        1, { NvSciColor_A8B8G8R8 }, NvSciColorStd_SRGB, width, height, false, false, 0
    };
}

static inline struct image yuv(uint32_t width, uint32_t height, NvSciBufAttrValColorStd standard)
{
    return (struct image){
        2, { NvSciColor_Y8, NvSciColor_V8U8 }, standard, width, height, false, false, 0
    };
}

static inline NvSciBufAttrList image_list(struct image i)
{
    NvSciBufType type = NvSciBufType_Image;
    NvSciBufAttrValAccessPerm perm =
        i.only_reads ? NvSciBufAccessPerm_Readonly : NvSciBufAccessPerm_ReadWrite;
    NvSciBufAttrValImageLayoutType layout =
        i.blocks ? NvSciBufImage_BlockLinearType : NvSciBufImage_PitchLinearType;
    NvSciBufAttrValImageScanType scan = NvSciBufScan_ProgressiveType;
    bool half_width = i.sample != NvSciSurfSampleType_444;
    uint32_t w = half_width ? (i.width + 1) / 2 : i.width,
             h = half_width ? (i.height + 1) / 2 : i.height;
    uint32_t width[3] = { i.width, w, w }, height[3] = { i.height, h, h };
    NvSciBufAttrValColorStd standard[3] = { i.standard, i.standard, i.standard };
    bool yes = true;
    size_t n = i.planes * sizeof(uint32_t);
    NvSciBufAttrKeyValuePair pairs[] = {
        { NvSciBufGeneralAttrKey_Types, &type, sizeof(type) },
        { NvSciBufGeneralAttrKey_RequiredPerm, &perm, sizeof(perm) },
        { NvSciBufGeneralAttrKey_NeedCpuAccess, &yes, sizeof(yes) },
        { NvSciBufGeneralAttrKey_EnableCpuCache, &yes, sizeof(yes) },
        { NvSciBufImageAttrKey_Layout, &layout, sizeof(layout) },
        { NvSciBufImageAttrKey_ScanType, &scan, sizeof(scan) },
        { NvSciBufImageAttrKey_PlaneCount, &i.planes, sizeof(i.planes) },
        { NvSciBufImageAttrKey_PlaneColorFormat, i.color, n },
        { NvSciBufImageAttrKey_PlaneColorStd, standard, n },
        { NvSciBufImageAttrKey_PlaneWidth, width, n },
        { NvSciBufImageAttrKey_PlaneHeight, height, n },
    };
    NvSciBufAttrList list;

    OK(NvSciBufAttrListCreate(bufs, &list));
    OK(NvSciBufAttrListSetAttrs(list, pairs, sizeof(pairs) / sizeof(pairs[0])));
    OK(NvMedia2DFillNvSciBufAttrList(NULL, list));
    return list;
}

static inline NvSciBufObj image_new(struct image i)
{
    NvSciBufAttrList list = image_list(i), conflict = NULL;
    NvSciBufObj object;

    OK(NvSciBufAttrListReconcileAndObjAlloc(&list, 1, &object, &conflict));
    NvSciBufAttrListFree(list);
    return object;
}

static inline NvSciBufObj image_registered(struct image i)
{
    NvSciBufObj object = image_new(i);

    OK(NvMedia2DRegisterNvSciBufObj(dev, object));
    return object;
}

/* A plane as the CPU has it. */
struct plane {
    uint8_t *at;
    uint32_t pitch;
};

static inline struct plane plane_of(NvSciBufObj object, unsigned i)
{
    NvSciBufAttrKeyValuePair pairs[] = { { NvSciBufImageAttrKey_PlaneOffset, NULL, 0 },
                                         { NvSciBufImageAttrKey_PlanePitch, NULL, 0 } };
    NvSciBufAttrList list;
    void *cpu;

    OK(NvSciBufObjGetAttrList(object, &list));
    OK(NvSciBufAttrListGetAttrs(list, pairs, 2));
    OK(NvSciBufObjGetCpuPtr(object, &cpu));
    return (struct plane){ (uint8_t *)cpu + ((const uint64_t *)pairs[0].value)[i],
                           ((const uint32_t *)pairs[1].value)[i] };
}

static inline void flush(NvSciBufObj object)
{
    NvSciBufAttrKeyValuePair pair = { NvSciBufImageAttrKey_Size, NULL, 0 };
    NvSciBufAttrList list;

    OK(NvSciBufObjGetAttrList(object, &list));
    OK(NvSciBufAttrListGetAttrs(list, &pair, 1));
    OK(NvSciBufObjFlushCpuCacheRange(object, 0, *(const uint64_t *)pair.value));
}

static inline void image_drop(NvSciBufObj object)
{
    OK(NvMedia2DUnregisterNvSciBufObj(dev, object));
    NvSciBufObjFree(object);
}

static inline NvSciSyncAttrList cpu_list(bool signals)
{
    NvSciSyncAccessPerm perm =
        signals ? NvSciSyncAccessPerm_SignalOnly : NvSciSyncAccessPerm_WaitOnly;
    bool yes = true;
    NvSciSyncAttrKeyValuePair pairs[] = {
        { NvSciSyncAttrKey_NeedCpuAccess, &yes, sizeof(yes) },
        { NvSciSyncAttrKey_RequiredPerm, &perm, sizeof(perm) },
    };
    NvSciSyncAttrList list;

    OK(NvSciSyncAttrListCreate(syncs, &list));
    OK(NvSciSyncAttrListSetAttrs(list, pairs, 2));
    return list;
}

static inline NvSciSyncAttrList vic_list(NvMediaNvSciSyncClientType type)
{
    NvSciSyncAttrList list;

    OK(NvSciSyncAttrListCreate(syncs, &list));
    OK(NvMedia2DFillNvSciSyncAttrList(dev, list, type));
    return list;
}

/* Takes the lists. */
static inline NvSciSyncObj sync_of(NvSciSyncAttrList a, NvSciSyncAttrList b)
{
    NvSciSyncAttrList lists[] = { a, b }, conflict = NULL;
    NvSciSyncObj object;

    OK(NvSciSyncAttrListReconcileAndObjAlloc(lists, 2, &object, &conflict));
    NvSciSyncAttrListFree(a);
    NvSciSyncAttrListFree(b);
    return object;
}

static inline NvSciSyncObj eof_new(void)
{
    NvSciSyncObj object = sync_of(vic_list(NVMEDIA_SIGNALER), cpu_list(false));

    OK(NvMedia2DRegisterNvSciSyncObj(dev, NVMEDIA_EOFSYNCOBJ, object));
    return object;
}

static inline NvSciSyncObj pre_new(void)
{
    NvSciSyncObj object = sync_of(cpu_list(true), vic_list(NVMEDIA_WAITER));

    OK(NvMedia2DRegisterNvSciSyncObj(dev, NVMEDIA_PRESYNCOBJ, object));
    return object;
}

static inline void sync_drop(NvSciSyncObj object)
{
    OK(NvMedia2DUnregisterNvSciSyncObj(dev, object));
    NvSciSyncObjFree(object);
}

static inline void board_up(const char *soc, const char *policy, const NvMedia2DAttributes *attr)
{
    setenv("VTEGRA_SOC", soc, 1);
    setenv("VTEGRA_POLICY", policy, 1);
    setenv("VTEGRA_REPORT", "nvmedia.report", 1);
    OK(NvSciBufModuleOpen(&bufs));
    OK(NvSciSyncModuleOpen(&syncs));
    OK(NvSciSyncCpuWaitContextAlloc(syncs, &context));
    OK(NvMedia2DCreate(&dev, attr));
}

static inline void board_down(void)
{
    OK(NvMedia2DDestroy(dev));
    NvSciSyncCpuWaitContextFree(context);
    NvSciSyncModuleClose(syncs);
    NvSciBufModuleClose(bufs);
}

/* From one image to another, without anything else. */
static inline NvMedia2DComposeParameters blit(NvSciBufObj src, NvSciBufObj dst)
{
    NvMedia2DComposeParameters params;

    OK(NvMedia2DGetComposeParameters(dev, &params));
    OK(NvMedia2DSetSrcNvSciBufObj(dev, params, 0, src));
    OK(NvMedia2DSetDstNvSciBufObj(dev, params, dst));
    return params;
}

/* Runs it, and waits for its end. */
static inline void run(NvMedia2DComposeParameters params, NvSciSyncObj eof)
{
    NvSciSyncFence fence = NvSciSyncFenceInitializer;
    NvMedia2DComposeResult result;

    OK(NvMedia2DSetNvSciSyncObjforEOF(dev, params, eof));
    OK(NvMedia2DCompose(dev, params, &result));
    OK(NvMedia2DGetEOFNvSciSyncFence(dev, &result, &fence));
    OK(NvSciSyncFenceWait(&fence, context, -1));
    NvSciSyncFenceClear(&fence);
}

#endif
