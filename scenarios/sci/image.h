// SPDX-License-Identifier: MIT
// The VIC's images and sync objects over NvSci.
#ifndef SCENARIOS_IMAGE_H
#define SCENARIOS_IMAGE_H

#include "sci.h"
#include <nvmedia_2d_sci.h>

static NvMedia2D *vic;

struct image {
    NvSciBufObj object;
    uint8_t *cpu;
    uint64_t size, offset[2];
    uint32_t pitch[2];
};

// yuv: 4:2:0 in two planes; else RGBA. Beside CPU and VIC: is it of the GPU, of the DLA?
struct image_kind {
    uint32_t width, height;
    bool yuv = false, gpu = false, dla = false;
};

inline NvSciBufAttrList image_list(const image_kind &k)
{
    NvSciBufType type = NvSciBufType_Image;
    NvSciBufAttrValAccessPerm perm = NvSciBufAccessPerm_ReadWrite;
    NvSciBufAttrValImageLayoutType layout = NvSciBufImage_PitchLinearType;
    NvSciBufAttrValImageScanType scan = NvSciBufScan_ProgressiveType;
    uint32_t planes = k.yuv ? 2 : 1;
    uint32_t width[] = { k.width, k.width / 2 }, height[] = { k.height, k.height / 2 };
    NvSciBufAttrValColorFmt color[] = { k.yuv ? NvSciColor_Y8 : NvSciColor_A8B8G8R8,
                                        NvSciColor_V8U8 };
    NvSciBufAttrValColorStd standard[] = { k.yuv ? NvSciColorStd_REC601_ER : NvSciColorStd_SRGB,
                                           NvSciColorStd_REC601_ER };
    bool yes = true;
    NvSciBufAttrValGpuCache cache;
    NvSciBufAttrKeyValuePair pairs[13];
    struct cudaDeviceProp prop;
    NvSciBufAttrList list;
    size_t n = 0;

    pairs[n++] = { NvSciBufGeneralAttrKey_Types, &type, sizeof(type) };
    pairs[n++] = { NvSciBufGeneralAttrKey_RequiredPerm, &perm, sizeof(perm) };
    pairs[n++] = { NvSciBufGeneralAttrKey_NeedCpuAccess, &yes, sizeof(yes) };
    pairs[n++] = { NvSciBufGeneralAttrKey_EnableCpuCache, &yes, sizeof(yes) };
    pairs[n++] = { NvSciBufImageAttrKey_Layout, &layout, sizeof(layout) };
    pairs[n++] = { NvSciBufImageAttrKey_ScanType, &scan, sizeof(scan) };
    pairs[n++] = { NvSciBufImageAttrKey_PlaneCount, &planes, sizeof(planes) };
    pairs[n++] = { NvSciBufImageAttrKey_PlaneColorFormat, color, planes * sizeof(color[0]) };
    pairs[n++] = { NvSciBufImageAttrKey_PlaneColorStd, standard, planes * sizeof(standard[0]) };
    pairs[n++] = { NvSciBufImageAttrKey_PlaneWidth, width, planes * sizeof(width[0]) };
    pairs[n++] = { NvSciBufImageAttrKey_PlaneHeight, height, planes * sizeof(height[0]) };
    if (k.gpu) {
        OK(cudaGetDeviceProperties(&prop, 0));
        memcpy(&cache.gpuId, &prop.uuid, sizeof(cache.gpuId));
        cache.cacheability = true;
        pairs[n++] = { NvSciBufGeneralAttrKey_GpuId, &cache.gpuId, sizeof(cache.gpuId) };
        pairs[n++] = { NvSciBufGeneralAttrKey_EnableGpuCache, &cache, sizeof(cache) };
    }
    OK(NvSciBufAttrListCreate(bufs, &list));
    OK(NvSciBufAttrListSetAttrs(list, pairs, n));
    OK(NvMedia2DFillNvSciBufAttrList(vic, list));
    return list;
}

// What the DLA asks for: a list of its own, for engines are one attribute and the VIC's list has
// it.
inline NvSciBufAttrList image_dla_list()
{
    NvSciBufType type = NvSciBufType_Image;
    NvSciBufPeerHwEngine engine = { NvSciBufHwEngName_DLA, 0 };
    NvSciBufAttrKeyValuePair pairs[] = {
        { NvSciBufGeneralAttrKey_Types, &type, sizeof(type) },
        { NvSciBufGeneralAttrKey_PeerHwEngineArray, &engine, sizeof(engine) },
    };
    NvSciBufAttrList list;

    OK(NvSciBufAttrListCreate(bufs, &list));
    OK(NvSciBufAttrListSetAttrs(list, pairs, 2));
    return list;
}

inline struct image image_new(const image_kind &k)
{
    NvSciBufAttrList lists[2] = { image_list(k) }, list, conflict = nullptr;
    size_t n = 1;
    NvSciBufAttrKeyValuePair out[] = { { NvSciBufImageAttrKey_Size, nullptr, 0 },
                                       { NvSciBufImageAttrKey_PlaneOffset, nullptr, 0 },
                                       { NvSciBufImageAttrKey_PlanePitch, nullptr, 0 } };
    struct image image;

    if (k.dla) {
        lists[n++] = image_dla_list();
    }
    OK(NvSciBufAttrListReconcileAndObjAlloc(lists, n, &image.object, &conflict));
    while (n) {
        NvSciBufAttrListFree(lists[--n]);
    }
    OK(NvSciBufObjGetAttrList(image.object, &list));
    OK(NvSciBufAttrListGetAttrs(list, out, 3));
    image.size = *(const uint64_t *)out[0].value;
    for (unsigned i = 0; i < (k.yuv ? 2 : 1); i++) {
        image.offset[i] = ((const uint64_t *)out[1].value)[i];
        image.pitch[i] = ((const uint32_t *)out[2].value)[i];
    }
    image.cpu = (uint8_t *)buffer_cpu(image.object);
    OK(NvMedia2DRegisterNvSciBufObj(vic, image.object));
    return image;
}

inline void image_free(const struct image &image)
{
    OK(NvMedia2DUnregisterNvSciBufObj(vic, image.object));
    NvSciBufObjFree(image.object);
}

inline void flush(const struct image &image)
{
    OK(NvSciBufObjFlushCpuCacheRange(image.object, 0, image.size));
}

inline NvSciSyncAttrList vic_list(NvMediaNvSciSyncClientType type)
{
    NvSciSyncAttrList list = sync_list();

    OK(NvMedia2DFillNvSciSyncAttrList(vic, list, type));
    return list;
}

#endif
