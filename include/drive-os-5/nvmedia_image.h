/* SPDX-License-Identifier: MIT */
/*
 * NvMedia of DRIVE OS 5: images. Names, values and layouts are those of NVIDIA's DRIVE OS 5.2
 * (NvMedia image 1.24). docs/nvmedia.md: what each function does here.
 */
#ifndef NVMEDIA_IMAGE_H
#define NVMEDIA_IMAGE_H

#include "nvmedia_core.h"
#include "nvmedia_surface.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NVMEDIA_IMAGE_VERSION_MAJOR (1u)
#define NVMEDIA_IMAGE_VERSION_MINOR (24u)

#define NVMEDIA_MAX_IMAGE_GROUP_SIZE (3u)
#define NVMEDIA_IMAGE_TIMEOUT_INFINITE (0xFFFFFFFFu)

typedef struct NvMediaImageRec {
    NvMediaSurfaceType type;
    uint32_t width;
    uint32_t height;
    uint32_t embeddedDataTopSize;
    uint32_t embeddedDataBottomSize;
    uint32_t colorStd; /* NVM_SURF_ATTR_COLOR_STD_ */
    void *tag;         /* the program's own */
    NvMediaGlobalTime captureGlobalTimeStamp;
    uint32_t imageCount;
    uint32_t attributes;
    NvMediaTime captureTimeStamp;
    struct NvMediaImagePriv_ *imgPriv;
} NvMediaImage;

typedef struct {
    NvMediaImage *imageList[NVMEDIA_MAX_IMAGE_GROUP_SIZE];
    uint32_t numImages;
    void *tag;
    uint64_t captureTimeStamp[NVMEDIA_MAX_IMAGE_GROUP_SIZE];
} NvMediaImageGroup;

typedef enum {
    NVMEDIA_IMAGE_ACCESS_READ = (1u << 0),
    NVMEDIA_IMAGE_ACCESS_WRITE = (1u << 1),
    NVMEDIA_IMAGE_ACCESS_READ_WRITE = (NVMEDIA_IMAGE_ACCESS_READ | NVMEDIA_IMAGE_ACCESS_WRITE),
} NvMediaImageLockAccess;

typedef struct {
    uint32_t pitch;
    void *mapping; /* NULL: the image is not mapped for the program */
} NvMediaImageSurface;

typedef struct {
    NvMediaSurfaceType type;
    uint32_t width;
    uint32_t height;
    uint32_t surfaces;
    NvMediaImageSurface surface[6];
    void *metaData;
} NvMediaImageSurfaceMap;

NVMEDIA_API NvMediaStatus NvMediaImageGetVersion(NvMediaVersion *version);
NVMEDIA_API NvMediaImage *NvMediaImageCreateNew(NvMediaDevice *device, NvMediaSurfaceType type,
                                                const NvMediaSurfAllocAttr *attrs,
                                                uint32_t numAttrs, uint32_t flags);
NVMEDIA_API void NvMediaImageDestroy(const NvMediaImage *image);
/* Waits for operations on the image. */
NVMEDIA_API NvMediaStatus NvMediaImageGetStatus(const NvMediaImage *image, uint32_t millisecondWait,
                                                NvMediaTaskStatus *taskStatus);
NVMEDIA_API NvMediaStatus NvMediaImageSetTag(NvMediaImage *image, void *tag);
NVMEDIA_API NvMediaStatus NvMediaImageGetTag(const NvMediaImage *image, void **tag);
NVMEDIA_API NvMediaStatus NvMediaImageGetTimeStamp(const NvMediaImage *image,
                                                   NvMediaTime *timeStamp);
NVMEDIA_API NvMediaStatus NvMediaImageGetGlobalTimeStamp(const NvMediaImage *image,
                                                         NvMediaGlobalTime *globalTimeStamp);
/* Waits for operations on the image. */
NVMEDIA_API NvMediaStatus NvMediaImageLock(const NvMediaImage *image,
                                           NvMediaImageLockAccess lockAccessType,
                                           NvMediaImageSurfaceMap *surfaceMap);
NVMEDIA_API void NvMediaImageUnlock(const NvMediaImage *image);
/* One pointer and pitch for RGBA and luma, else three: Y, U and V, of semi-planar images too. A
 * rectangle is for RGBA alone; NULL: the whole image. */
NVMEDIA_API NvMediaStatus NvMediaImagePutBits(NvMediaImage *image, const NvMediaRect *dstRect,
                                              void **srcPntrs, const uint32_t *srcPitches);
NVMEDIA_API NvMediaStatus NvMediaImageGetBits(const NvMediaImage *image, const NvMediaRect *srcRect,
                                              void **dstPntrs, const uint32_t *dstPitches);

#ifdef __cplusplus
}
#endif

#endif
