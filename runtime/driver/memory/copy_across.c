/* SPDX-License-Identifier: MIT */
/* Copies of which one side is memory of another GPU than the stream's. There is no peer access
 * (CUDA for Tegra 3.6): between the two GPUs copies the discrete one's engine, which reaches the
 * memory of the SoC over the link (inferred: the integrated one's engine has no way to the discrete
 * one's memory). */
#include "runtime/driver/core/report.h"
#include "runtime/driver/core/work.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/memory/copy.h"
#include "runtime/driver/memory/region_internal.h"
#include "runtime/driver/stream/stream.h"

bool copy_beyond(const struct stream *s, const struct region *r)
{
    return r && region_elsewhere(r, context_device(stream_context(s)));
}

/* A stream for the copy engine that reaches @r; NULL: no context of its GPU is there. */
static struct stream *stream_near(struct stream *s, const struct region *r)
{
    struct context *c;

    if (!s || !copy_beyond(s, r)) {
        return s;
    }
    c = region_context_near(r, stream_context(s));
    return c ? stream_service(c) : NULL;
}

/* cudaMemcpyPeer: "serialized with respect to all pending and future asynchronous work into the
 * current device, srcDevice, and dstDevice" (CUDA Runtime API); the other calls that are no *Async:
 * inferred. */
static CUresult all_wait(struct stream *s, struct stream *from, struct stream *to)
{
    CUresult error = context_wait(stream_context(s));

    error = error || from == s ? error : context_wait(stream_context(from));
    return error || to == s ? error : context_wait(stream_context(to));
}

/* --- streams of two GPUs wait for each other on the way ---------------------------------------
 */

/* What the integrated GPU has in its L2 is written back. */
static CUresult l2_clean(struct stream *s)
{
    struct push *p;
    CUresult error = coherency_l2_needs_help() ? stream_begin(s, &p) : CUDA_SUCCESS;

    if (!error && coherency_l2_needs_help()) {
        push_mem_op(p, MEM_OP_L2_FLUSH_DIRTY);
        stream_end(s, p);
    }
    return error;
}

/* @s is behind @before from now on. @l2: and reads memory anew. */
static CUresult across_follow(struct stream *s, const struct stream *before, bool l2)
{
    struct push *p;
    CUresult error;

    if (s == before) {
        return CUDA_SUCCESS;
    }
    error = stream_begin(s, &p);
    if (!error) {
        stream_join(s, p, stream_fence(before), stream_known(before));
        if (l2 && coherency_l2_needs_help()) {
            coherency_push(p);
        }
        stream_end(s, p);
    }
    return error;
}

/* --- a copy by the engine of one of the two ----------------------------------------------------
 */

/**
 * struct across - the GPUs and channels of one copy
 * @s: the program's stream; @by: of the GPU whose engine copies
 * @owner: of the GPU whose memory that engine reaches over the link, @far; NULL: none
 */
struct across {
    struct stream *s, *by, *owner;
    struct region *far;
};

static bool across_find(struct stream *s, const struct box *b, struct across *a)
{
    const struct region *near = b->src_region->mem.kind == HAL_MEM_VIDMEM   ? b->src_region
                                : b->dst_region->mem.kind == HAL_MEM_VIDMEM ? b->dst_region
                                : copy_beyond(s, b->src_region)             ? b->src_region
                                                                            : b->dst_region;

    *a = (struct across){ .s = s, .by = stream_near(s, near) };
    if (a->by) {
        a->far = copy_beyond(a->by, b->src_region)   ? b->src_region
                 : copy_beyond(a->by, b->dst_region) ? b->dst_region
                                                     : NULL;
        a->owner = a->far ? stream_near(s, a->far) : NULL;
    }
    return a->by && (!a->far || a->owner);
}

/* Where the engine of @c has what lies at @address of @r. */
static CUresult far_address(struct context *c, struct region *r, uint64_t address, uint64_t bytes,
                            uint64_t *at)
{
    uint64_t offset = address - (uintptr_t)r->mem.cpu;

    r->far = true;
    *at = as_second_va(&r->mem) + offset;
    return as_map_far(c, &r->mem, offset, bytes) ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

static size_t box_extent(size_t pitch, size_t slice, const struct box *b)
{
    return (b->depth - 1) * slice + (b->height - 1) * pitch + b->width;
}

CUresult copy_far(struct stream *s, const struct box *b, struct region *far, struct fence *fence)
{
    struct box out = *b;
    CUresult error = CUDA_SUCCESS;

    if (far == b->src_region) {
        out.src_region = NULL;
        error = far_address(stream_context(s), far, b->src,
                            box_extent(b->src_pitch, b->src_slice, b), &out.src);
    } else if (far) {
        out.dst_region = NULL;
        error = far_address(stream_context(s), far, b->dst,
                            box_extent(b->dst_pitch, b->dst_slice, b), &out.dst);
    }
    return error ? error : engine_copy(s, &out, fence);
}

/* In the order of @a->s, which no wait of the CPU keeps. */
static CUresult engine_across(const struct across *a, const struct box *b)
{
    bool written = a->far && a->far == b->dst_region;
    struct check_caller caller = report_caller();
    struct fence fence;
    CUresult error = CUDA_SUCCESS;

    if (a->owner) {
        error = across_follow(a->owner, a->s, false);
        error = error ? error : l2_clean(a->owner);
        error = error ? error : across_follow(a->by, a->owner, false);
    }
    error = error ? error : across_follow(a->by, a->s, false);
    error = error ? error : copy_far(a->by, b, a->far, &fence);
    if (!error && a->by != a->s) {
        stream_launched(a->by, 0, &caller);
    }
    if (!error && a->owner) {
        error = across_follow(a->owner, a->by, written);
        error = error || !written ? error : across_follow(a->s, a->owner, false);
    }
    return error ? error : across_follow(a->s, a->by, false);
}

CUresult copy_across(struct stream *s, const struct box *b, enum rt_when sync)
{
    struct stream *from = stream_near(s, b->src_region), *to = stream_near(s, b->dst_region);
    struct across a;
    CUresult error = CUDA_ERROR_INVALID_VALUE;

    if (!b->width || !b->height || !b->depth) {
        return CUDA_SUCCESS;
    }
    if (from && to) {
        error = sync == RT_SYNC                  ? all_wait(s, from, to)
                : b->src_region && b->dst_region ? CUDA_SUCCESS
                                                 : stream_wait(s);
    }
    if (error) {
        return error;
    }
    if (!b->src_region || !b->dst_region) {
        error = b->src_region ? staging_from_device(from, b) : staging_to_device(to, b);
        return error ? error : stream_wait(b->src_region ? from : to);
    }
    error = across_find(s, b, &a) ? engine_across(&a, b) : CUDA_ERROR_INVALID_VALUE;
    return error || sync != RT_SYNC ? error : stream_wait(s);
}
