/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lesson: the CPU reads old bytes.
 *
 * The CPU has looked at the destination before, so its cache holds the line. The engine of a TX2
 * writes DRAM and invalidates no cache. After an engine has written, the driver must invalidate (dc
 * ivac, as dma_sync_single_for_cpu does) before the CPU looks. On an I/O-coherent SoC the engine's
 * write takes the line away by itself. */
#include "qemu-plugin/baremetal/lesson.h"

int main(void)
{
    uint32_t *src, *dst;

    lesson_open();
    src = buffer(1);
    dst = buffer(1);
    store32(src, 0x600d600d);
    cache_clean(src, 4);
    (void)load32(dst); /* the line is in the cache now: zero */
    copy((uintptr_t)dst, (uintptr_t)src, 64);
    submit();
    finish();
    if (FIXED) {
        cache_invalidate(dst, 64);
    }
    return lesson_end(load32(dst), 0x600d600d);
}
