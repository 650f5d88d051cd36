/* SPDX-License-Identifier: MIT */
/* An image's pixels and the CPU. The library maintains the CPU's caches around its own copies, and
 * in lock and unlock those of the program's mapping (inferred: NVIDIA's API has no call for it). A
 * block-linear image's bytes lie in rows here, in no order of a board's. */
#include <string.h>

#include "runtime/api/nvmedia5/objects.h"

static NvMediaStatus bits_check(const NvMediaImage *image, bool rest, const char *api)
{
    if (!objects_has(image, OBJECT_IMAGE) || !rest) {
        return refuse(NVMEDIA_STATUS_BAD_PARAMETER, api,
                      rest ? "image is none, or was destroyed" : "a pointer is NULL");
    }
    return NVMEDIA_STATUS_OK;
}

static void bits_flush(const NvMediaImage *image)
{
    NvSciBufObjFlushCpuCacheRange(image->imgPriv->buf, 0, image->imgPriv->bytes);
}

NvMediaStatus NvMediaImageLock(const NvMediaImage *image, NvMediaImageLockAccess lockAccessType,
                               NvMediaImageSurfaceMap *surfaceMap)
{
    NvMediaStatus status = bits_check(image, surfaceMap, __func__);
    struct NvMediaImagePriv_ *p;

    if (!status && ((unsigned)lockAccessType & ~(unsigned)NVMEDIA_IMAGE_ACCESS_READ_WRITE ||
                    !lockAccessType)) {
        status = refuse(NVMEDIA_STATUS_BAD_PARAMETER, __func__, "lockAccessType is unknown");
    }
    status = status ? status : image_wait(image, -1, __func__);
    if (status) {
        return status;
    }
    p = image->imgPriv;
    bits_flush(image);
    p->locks++;
    memset(surfaceMap, 0, sizeof(*surfaceMap));
    surfaceMap->type = image->type;
    surfaceMap->width = image->width;
    surfaceMap->height = image->height;
    surfaceMap->surfaces = p->format.planes;
    for (unsigned i = 0; i < p->format.planes; i++) {
        surfaceMap->surface[i].pitch = p->plane[i].pitch;
        surfaceMap->surface[i].mapping =
            p->mapped && !p->format.blocks ? p->cpu + p->plane[i].offset : NULL;
    }
    return status;
}

void NvMediaImageUnlock(const NvMediaImage *image)
{
    if (bits_check(image, true, __func__) || !image->imgPriv->locks) {
        return;
    }
    if (!--image->imgPriv->locks) {
        bits_flush(image);
    }
}

/* --- copies ----------------------------------------------------------------------------------- */

/* Bytes between the program's @host and the image's row: every @step-th byte of the latter. */
static void row_copy(uint8_t *row, uint8_t *host, size_t n, unsigned step, bool put)
{
    if (step == 1) {
        memcpy(put ? row : host, put ? host : row, n);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        if (put) {
            row[i * step] = host[i];
        } else {
            host[i] = row[i * step];
        }
    }
}

/* The program's plane @k: Y (or RGBA), U, V. */
static void plane_copy(const NvMediaImage *image, unsigned k, const NvMediaRect *r, uint8_t *host,
                       uint32_t pitch, bool put)
{
    const struct NvMediaImagePriv_ *p = image->imgPriv;
    const struct format *f = &p->format;
    bool second = k && (k == 2) != f->v_first; /* of the two in memory */
    const struct image_plane *pl = &p->plane[!k ? 0 : f->pairs ? 1 : 1 + second];
    uint8_t *at = p->cpu + pl->offset + (k && f->pairs && second ? 1 : 0);
    uint32_t y0 = r ? r->y0 : 0, y1 = r ? r->y1 : pl->height;
    uint32_t x0 = r ? r->x0 : 0, x1 = r ? r->x1 : pl->width;

    for (uint32_t y = y0; y < y1; y++) {
        row_copy(at + (size_t)y * pl->pitch + (size_t)x0 * f->bytes,
                 host + (size_t)(y - y0) * pitch, (size_t)(x1 - x0) * f->bytes,
                 k && f->pairs ? 2 : 1, put);
    }
}

static NvMediaStatus bits_copy(const NvMediaImage *image, const NvMediaRect *rect, void **host,
                               const uint32_t *pitch, bool put, const char *api)
{
    NvMediaStatus status = bits_check(image, host && pitch, api);
    unsigned planes;

    if (status) {
        return status;
    }
    planes = image->imgPriv->format.planes > 1 ? 3 : 1;
    rect = image->imgPriv->format.rgba ? rect : NULL;
    for (unsigned i = 0; i < planes; i++) {
        if (!host[i]) {
            return refuse(NVMEDIA_STATUS_BAD_PARAMETER, api,
                          "a pointer is NULL: one for RGBA and luma, three for Y, U, V");
        }
    }
    if (rect && (rect->x0 >= rect->x1 || rect->y0 >= rect->y1 || rect->x1 > image->width ||
                 rect->y1 > image->height)) {
        return refuse(NVMEDIA_STATUS_BAD_PARAMETER, api,
                      "the rectangle is empty or leaves the image");
    }
    if (!image->imgPriv->locks) {
        return refuse(NVMEDIA_STATUS_ERROR, api, "the image is not locked (NvMediaImageLock)");
    }
    for (unsigned i = 0; i < planes; i++) {
        plane_copy(image, i, rect, host[i], pitch[i], put);
    }
    return NVMEDIA_STATUS_OK;
}

NvMediaStatus NvMediaImagePutBits(NvMediaImage *image, const NvMediaRect *dstRect, void **srcPntrs,
                                  const uint32_t *srcPitches)
{
    return bits_copy(image, dstRect, srcPntrs, srcPitches, true, __func__);
}

NvMediaStatus NvMediaImageGetBits(const NvMediaImage *image, const NvMediaRect *srcRect,
                                  void **dstPntrs, const uint32_t *dstPitches)
{
    return bits_copy(image, srcRect, dstPntrs, dstPitches, false, __func__);
}
