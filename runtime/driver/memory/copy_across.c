/* SPDX-License-Identifier: MIT */
/* Copies of which one side is memory of another GPU than the stream's: there is no peer access
 * (CUDA for Tegra 3.6). */
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

/* Through memory of the CPU, on the streams of the two devices, one after the other. The stream
 * that the program named comes to rest before, and the copy is done when the call returns. */
CUresult copy_across(struct stream *s, const struct box *b, enum rt_when sync)
{
    struct stream *from = stream_near(s, b->src_region), *to = stream_near(s, b->dst_region);
    size_t row = b->width, slice = row * b->height;
    struct box in = *b, out = *b;
    CUresult error = !from || !to      ? CUDA_ERROR_INVALID_VALUE
                     : sync == RT_SYNC ? all_wait(s, from, to)
                                       : stream_wait(s);
    void *between;

    if (error) {
        return error;
    }
    if (!b->src_region || !b->dst_region) {
        error = b->src_region ? staging_from_device(from, b) : staging_to_device(to, b);
        return error ? error : stream_wait(b->src_region ? from : to);
    }
    between = g_try_malloc(slice * b->depth);
    if (!between) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    in.dst = out.src = (uintptr_t)between;
    in.dst_pitch = out.src_pitch = row;
    in.dst_slice = out.src_slice = slice;
    in.dst_region = out.src_region = NULL;
    error = staging_from_device(from, &in);
    error = error ? error : stream_wait(from);
    error = error ? error : staging_to_device(to, &out);
    error = error ? error : stream_wait(to);
    g_free(between);
    return error;
}
