/* SPDX-License-Identifier: MIT */
/* NvSciBufObjGetPixels(), NvSciBufObjPutPixels(): a rectangle of every plane between an image and
 * the program's memory. */
#include <string.h>

#include "runtime/api/nvsci/buf.h"

static uint64_t buf_pixels_attr(const struct buf_object *o, uint32_t key, uint32_t i)
{
    return sci_list_u64(o->list, key, i, 0);
}

/* Rectangle, in bytes and lines of plane @i: a subsampled plane has a part of it. */
struct part {
    uint64_t first, bytes, y0, y1;
};

static void part_of(const struct buf_object *o, const NvSciBufRect *rect, uint32_t i,
                    struct part *p)
{
    uint64_t w0 = buf_pixels_attr(o, NvSciBufImageAttrKey_PlaneWidth, 0),
             w = buf_pixels_attr(o, NvSciBufImageAttrKey_PlaneWidth, i);
    uint64_t h0 = buf_pixels_attr(o, NvSciBufImageAttrKey_PlaneHeight, 0),
             h = buf_pixels_attr(o, NvSciBufImageAttrKey_PlaneHeight, i);
    uint64_t bits = buf_pixels_attr(o, NvSciBufImageAttrKey_PlaneBitsPerPixel, i);
    uint64_t x1 = (rect->x1 * w + w0 - 1) / w0;

    p->first = rect->x0 * w / w0 * bits / 8;
    p->bytes = (x1 * bits + 7) / 8 - p->first;
    p->y0 = rect->y0 * h / h0;
    p->y1 = (rect->y1 * h + h0 - 1) / h0;
}

static char *line_of(const struct buf_object *o, uint32_t i, uint64_t y, uint64_t first)
{
    return (char *)rt_shared_cpu(o->memory->shared) +
           buf_pixels_attr(o, NvSciBufImageAttrKey_PlaneOffset, i) +
           (y + buf_pixels_attr(o, NvSciBufImageAttrKey_TopPadding, i)) *
               buf_pixels_attr(o, NvSciBufImageAttrKey_PlanePitch, i) +
           buf_pixels_attr(o, NvSciBufImageAttrKey_LeftPadding, i) + first;
}

static const char *wrong_image(const struct buf_object *o, const NvSciBufRect *rect)
{
    NvSciBufRect whole = { .x1 = buf_pixels_attr(o, NvSciBufImageAttrKey_PlaneWidth, 0),
                           .y1 = buf_pixels_attr(o, NvSciBufImageAttrKey_PlaneHeight, 0) };

    rect = rect ? rect : &whole;
    if (!sci_buf_has_type(o->list, NvSciBufType_Image)) {
        return "not an image";
    }
    return rect->x0 >= rect->x1 || rect->y0 >= rect->y1 || rect->x1 > whole.x1 ||
                   rect->y1 > whole.y1
               ? "the rectangle leaves the image"
               : NULL;
}

/* Copies all lines; @write: into the image. Return: a reason why not. */
static const char *buf_pixels_copy(const struct buf_object *o, const NvSciBufRect *rect,
                                   void *const *ptrs, const uint32_t *sizes,
                                   const uint32_t *pitches, bool write)
{
    uint32_t planes = (uint32_t)buf_pixels_attr(o, NvSciBufImageAttrKey_PlaneCount, 0);

    for (int pass = 0; pass < 2; pass++) { /* check all, then copy */
        for (uint32_t i = 0; i < planes; i++) {
            struct part p;

            part_of(o, rect, i, &p);
            if (!ptrs[i] || pitches[i] < p.bytes ||
                (p.y1 - p.y0 - 1) * pitches[i] + p.bytes > sizes[i]) {
                return "a plane of the program's is too small";
            }
            for (uint64_t y = p.y0; pass && y < p.y1; y++) {
                char *in = line_of(o, i, y, p.first),
                     *out = (char *)ptrs[i] + (y - p.y0) * pitches[i];

                memcpy(write ? in : out, write ? out : in, p.bytes);
            }
        }
    }
    return NULL;
}

static NvSciError buf_pixels_pixels(const char *api, NvSciBufObj bufObj, const NvSciBufRect *rect,
                                    void *const *ptrs, const uint32_t *sizes,
                                    const uint32_t *pitches, bool write)
{
    struct buf_object *o = buf_object_get(bufObj);
    NvSciError error = NvSciError_Success;
    NvSciBufRect whole;
    const char *why;

    if (!o || !ptrs || !sizes || !pitches) {
        error = sci_error(api, NvSciError_BadParameter, NULL);
    } else if ((why = wrong_image(o, rect))) {
        error = sci_error(api, NvSciError_BadParameter, why);
    } else if (!buf_cpu(o) || (write && o->perm != NvSciBufAccessPerm_ReadWrite)) {
        error = sci_error(api, NvSciError_NotPermitted, "NeedCpuAccess, or permission to write");
    } else if (buf_pixels_attr(o, NvSciBufImageAttrKey_Layout, 0) !=
                   NvSciBufImage_PitchLinearType ||
               buf_pixels_attr(o, NvSciBufImageAttrKey_ScanType, 0) !=
                   NvSciBufScan_ProgressiveType) {
        error = sci_error(api, NvSciError_NotSupported,
                          "images that are not pitch linear and progressive");
    } else {
        whole = (NvSciBufRect){ .x1 = buf_pixels_attr(o, NvSciBufImageAttrKey_PlaneWidth, 0),
                                .y1 = buf_pixels_attr(o, NvSciBufImageAttrKey_PlaneHeight, 0) };
        why = buf_pixels_copy(o, rect ? rect : &whole, ptrs, sizes, pitches, write);
        error = why ? sci_error(api, NvSciError_BadParameter, why) : NvSciError_Success;
    }
    sci_unref(o);
    return error;
}

NvSciError NvSciBufObjGetPixels(NvSciBufObj bufObj, const NvSciBufRect *rect, void **dstPtrs,
                                const uint32_t *dstPtrSizes, const uint32_t *dstPitches)
{
    return buf_pixels_pixels(__func__, bufObj, rect, dstPtrs, dstPtrSizes, dstPitches, false);
}

NvSciError NvSciBufObjPutPixels(NvSciBufObj bufObj, const NvSciBufRect *rect, const void **srcPtrs,
                                const uint32_t *srcPtrSizes, const uint32_t *srcPitches)
{
    return buf_pixels_pixels(__func__, bufObj, rect, (void *const *)(uintptr_t)srcPtrs, srcPtrSizes,
                             srcPitches, true);
}
