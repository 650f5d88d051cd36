/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What all lessons share. Each is built twice: FIXED 0 is the mistake, FIXED 1 its correction. The
 * program prints what it read and what would be right; its exit status is 0 if they are the same.
 */
#ifndef BARE_LESSON_H
#define BARE_LESSON_H

#include "qemu-plugin/baremetal/vtegra.h"

#ifndef FIXED /* a program of one's own, which has no twin */
#define FIXED 0
#endif

static inline void lesson_open(void)
{
    vtegra_open();
    channel_open();
}

/* Pages that CPU and engines share, mapped uncached for the iGPU where the CPU has them. The CPU's
 * caches are seen where the board can: for lessons that are about an engine. */
static inline void *engine_buffer(size_t pages)
{
    void *p = pages_new(pages);

    if (control_get(CONTROL_FEATURES) & 1u << CONTROL_FEATURES_CPU_TRACKING_LSB) {
        track(p, pages);
    }
    gpu_map((uintptr_t)p, (uintptr_t)p, pages, GPU_UNCACHED);
    return p;
}

/* The same for lessons that are about these caches: without them the program ends, and says why. */
static inline void *buffer(size_t pages)
{
    void *p = pages_new(pages);

    track(p, pages);
    gpu_map((uintptr_t)p, (uintptr_t)p, pages, GPU_UNCACHED);
    return p;
}

static inline int lesson_end(uint32_t got, uint32_t right)
{
    print("%s: read 0x%08x, right is 0x%08x; %s; %u findings\n", FIXED ? "corrected" : "mistake",
          got, right, io_coherent() ? "I/O coherent" : "not I/O coherent",
          control_get(CONTROL_FINDINGS));
    return got != right;
}

#endif
