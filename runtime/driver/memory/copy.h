/* SPDX-License-Identifier: MIT */
/* Between the copy entry points (copy.c), the copy engine (engine.c) and pageable memory
 * (staging.c). */
#ifndef RUNTIME_DRIVER_MEMORY_COPY_H
#define RUNTIME_DRIVER_MEMORY_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/cuda.h"
#include "runtime/driver/core/fence.h"
#include "runtime/driver/memory/rt_copy.h"

struct context;
struct region;
struct stream;

/* What an entry point says of an address. Under unified addressing a device address is taken where
 * host memory is named (measured), but not the other way round. */
enum copy_side { SIDE_ANY, SIDE_DEVICE };

/**
 * struct box - a volume to copy, with both of its places
 * @src, @dst: first byte; @src_region, @dst_region: NULL means pageable memory of the application
 * @src_pitch, @src_slice: bytes between rows and between slices; the same for dst
 */
struct box {
    uint64_t src, dst;
    struct region *src_region, *dst_region;
    size_t src_pitch, dst_pitch, src_slice, dst_slice;
    size_t width, height, depth;
};

/* Copy between memory the engine reaches; any number of submissions, the last one's fence. */
CUresult engine_copy(struct stream *s, const struct box *box, struct fence *fence);
CUresult engine_fill(struct stream *s, struct region *region, uint64_t dst, size_t pitch,
                     uint32_t value, unsigned element, size_t width, size_t height,
                     struct fence *fence);

/* copy_across.c. Is it memory that the stream's GPU does not reach, of another one? */
bool copy_beyond(const struct stream *s, const struct region *region);
/* Its other side may be pageable memory: then it is done on return, as with RT_SYNC. */
CUresult copy_across(struct stream *s, const struct box *box, enum rt_when sync);
/* By the engine of @s; @far: the side that is another GPU's, in memory of the SoC, NULL: neither.
 * Order and the L2 of that GPU are the caller's. */
CUresult copy_far(struct stream *s, const struct box *box, struct region *far, struct fence *fence);

/* Pageable memory on one or both sides. to_device returns when all is staged, from_device and host
 * when all is done. An address the application cannot read or write is CUDA_ERROR_INVALID_VALUE. */
CUresult staging_to_device(struct stream *s, const struct box *box);
CUresult staging_from_device(struct stream *s, const struct box *box);
CUresult staging_host(const struct box *box);
void staging_free(struct context *context);

#endif
