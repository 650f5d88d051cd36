/* SPDX-License-Identifier: MIT */
/* Shared by pending.c and pending_kernel.c, work on its way, and pending_look.c, what is of
 * interest without. */
#ifndef RUNTIME_DRIVER_MEMORY_PENDING_INTERNAL_H
#define RUNTIME_DRIVER_MEMORY_PENDING_INTERNAL_H

#include "runtime/driver/memory/pending.h"
#include "runtime/observe/closed.h"

/* Of work that was submitted, and that the CPU has not waited for. [@first, @end): pages. */
struct use {
    struct fence fence;
    uint32_t first, end;
    bool writes;
};

/* A host function that was queued; its end has not been waited for. @kernel: or a kernel that may
 * reach what none of its parameters points to. */
struct function {
    struct fence end;
    bool begun, kernel;
};

/**
 * struct pending - one allocation
 * @functions: struct function; its argument leads here, or a kernel may
 * @want: what each page is open for, enum closed_how (closed.h); @curious: the same, of interest
 *        without work on its way, perhaps with CLOSED_SURE
 * @cached: of each page: the program maintains what the CPU's caches hold of it; @is_cached: of
 * some
 * @lent: of each page: frames of EGLStreams in it that the CPU may only read
 * @held: the L2 may hold lines of it; @past: an engine may have written under lines of the CPU
 * @lost: registered memory that the program has unmapped; it was reported
 * @rearmed: waits after which @curious was set, where it is not cached, or @cached
 */
struct pending {
    struct closed *closed;
    struct hal_mem mem;
    GArray *uses, *functions;
    uint8_t *want, *curious, *cached, *lent;
    size_t pages;
    bool held, past, lost, is_cached;
    unsigned rearmed;
};

static inline bool pending_is_uncached(const struct pending *p)
{
    return p->mem.kind == HAL_MEM_PINNED && !p->mem.cpu_cached;
}

/* Managed memory has rules of its own (managed.c) where the CPU may not touch it while the GPU may:
 * elsewhere it is as pinned memory. */
bool pending_is_exclusive(const struct region *r);
/* [@at, @at + @bytes) of it is in use. NULL: nothing. */
void pending_region(const struct region *r, uint64_t at, uint64_t bytes, bool writes,
                    struct fence fence);
/* It is, perhaps, a picture that CUDA has by an EGLImage. */
void pending_picture(const struct region *r, bool writes);
/* Begins with the first struct pending, if pending_any(). */
void pending_each(GHashTableIter *iter);

/* @curious, and what functions are queued, are what they are by now. */
void pending_look_curious(struct pending *p);
/* The allocation is new; the CPU has waited, perhaps for work with it. */
void pending_look_new(struct pending *p);
void pending_look_waited(struct pending *p);
/* What the CPU's caches get of [@first, @first + @n) is of interest; by now they hold nothing that
 * is @dropped. */
void pending_look_cached(struct pending *p, size_t first, size_t n, bool dropped);

#endif
