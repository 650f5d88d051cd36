/* SPDX-License-Identifier: MIT */
/* The copy engine's methods (class C0B5). */
#include "runtime/driver/memory/copy.h"
#include "runtime/driver/memory/pending.h"
#include "runtime/driver/memory/region_internal.h"
#include "runtime/driver/stream/stream.h"

#define SLICES_AT_ONCE 64u
#define LINE_MAX_BYTES (UINT32_C(1) << 30)

static void engine_lines(struct push *p, uint64_t src, uint64_t dst, size_t src_pitch,
                         size_t dst_pitch, size_t width, size_t height)
{
    uint32_t w[8] = { (uint32_t)(src >> 32), (uint32_t)src,       (uint32_t)(dst >> 32),
                      (uint32_t)dst,         (uint32_t)src_pitch, (uint32_t)dst_pitch,
                      (uint32_t)width,       (uint32_t)height };
    uint32_t launch = CE_LAUNCH_TRANSFER_NON_PIPELINED | CE_LAUNCH_FLUSH_ENABLE |
                      CE_LAUNCH_SRC_PITCH | CE_LAUNCH_DST_PITCH;

    push_inc(p, SUBCH_COPY, CE_OFFSET_IN_UPPER, w, 8);
    push_method(p, SUBCH_COPY, CE_LAUNCH_DMA, launch | (height > 1 ? CE_LAUNCH_MULTI_LINE : 0));
}

/* Managed memory on either side changes hands first. */
static void engine_prepare(struct push *p, struct region *a, struct region *b)
{
    bool l2 = coherency_before_access(push_channel(p), a);

    l2 |= coherency_before_access(push_channel(p), b);
    if (l2) {
        coherency_push(p);
    }
}

static void engine_submit(struct stream *s, struct push *p, struct region *a, struct region *b,
                          struct fence *fence)
{
    *fence = stream_end(s, p);
    managed_work(stream_channel(s), false, 0);
    managed_used(a, *fence);
    managed_used(b, *fence);
}

/* Rows longer than the engine's count field: one row is many pieces. */
static CUresult long_rows(struct stream *s, const struct box *box, struct fence *fence)
{
    struct box piece = *box;
    CUresult error = CUDA_SUCCESS;

    piece.height = piece.depth = 1;
    for (size_t row = 0; !error && row < box->height * box->depth; row++) {
        size_t z = row / box->height, y = row % box->height;

        for (size_t x = 0; !error && x < box->width; x += piece.width) {
            piece.src = box->src + z * box->src_slice + y * box->src_pitch + x;
            piece.dst = box->dst + z * box->dst_slice + y * box->dst_pitch + x;
            piece.width = MIN(LINE_MAX_BYTES, box->width - x);
            error = engine_copy(s, &piece, fence);
        }
    }
    return error;
}

CUresult engine_copy(struct stream *s, const struct box *box, struct fence *fence)
{
    struct push *p;
    CUresult error;

    if (box->width > LINE_MAX_BYTES) {
        return long_rows(s, box, fence);
    }
    for (size_t z = 0; z < box->depth; z += SLICES_AT_ONCE) {
        error = stream_begin(s, &p);
        if (error) {
            return error;
        }
        engine_prepare(p, box->src_region, box->dst_region);
        for (size_t i = z; i < MIN(z + SLICES_AT_ONCE, box->depth); i++) {
            engine_lines(p, box->src + i * box->src_slice,
                         region_copy_va(box->dst_region, box->dst + i * box->dst_slice),
                         box->src_pitch, box->dst_pitch, box->width, box->height);
        }
        engine_submit(s, p, box->src_region, box->dst_region, fence);
    }
    pending_copy(box, *fence);
    return CUDA_SUCCESS;
}

CUresult engine_fill(struct stream *s, struct region *region, uint64_t dst, size_t pitch,
                     uint32_t value, unsigned element, size_t width, size_t height,
                     struct fence *fence)
{
    struct push *p;
    CUresult error = stream_begin(s, &p);

    if (error) {
        return error;
    }
    engine_prepare(p, region, NULL);
    push_inc(p, SUBCH_COPY, CE_SET_REMAP_CONST_A, (uint32_t[]){ value, 0 }, 2);
    push_method(p, SUBCH_COPY, CE_SET_REMAP_COMPONENTS,
                CE_REMAP_DST_X_CONST_A | CE_REMAP_COMPONENT_SIZE(element));
    for (size_t x = 0; x < width; x += LINE_MAX_BYTES) { /* more than once only where height is 1 */
        uint64_t at = region_copy_va(region, dst + x * element);
        size_t n = MIN(LINE_MAX_BYTES, width - x);

        push_inc(p, SUBCH_COPY, CE_OFFSET_OUT_UPPER,
                 (uint32_t[]){ (uint32_t)(at >> 32), (uint32_t)at }, 2);
        push_inc(p, SUBCH_COPY, CE_PITCH_OUT,
                 (uint32_t[]){ (uint32_t)pitch, (uint32_t)n, (uint32_t)height }, 3);
        push_method(p, SUBCH_COPY, CE_LAUNCH_DMA,
                    CE_LAUNCH_TRANSFER_NON_PIPELINED | CE_LAUNCH_FLUSH_ENABLE |
                        CE_LAUNCH_SRC_PITCH | CE_LAUNCH_DST_PITCH | CE_LAUNCH_REMAP |
                        (height > 1 ? CE_LAUNCH_MULTI_LINE : 0));
    }
    engine_submit(s, p, region, NULL, fence);
    pending_copy(&(struct box){ .dst = dst,
                                .dst_pitch = pitch,
                                .dst_region = region,
                                .width = width * element,
                                .height = height,
                                .depth = 1 },
                 *fence);
    return CUDA_SUCCESS;
}
