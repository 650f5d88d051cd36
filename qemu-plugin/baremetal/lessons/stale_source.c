/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lesson: the engine reads old bytes.
 *
 * The CPU's store is in its cache, and the copy engine of a TX2 or Nano reads DRAM. Before an
 * engine reads, the driver must clean the lines it has written (dc cvac, as
 * dma_sync_single_for_device does), and wait (dsb). On an I/O-coherent SoC (Xavier, Orin) the
 * engine's read looks into the CPU cache, and nothing is missing. */
#include "qemu-plugin/baremetal/lesson.h"

int main(void)
{
    uint32_t *src, *dst;

    lesson_open();
    src = buffer(1);
    dst = buffer(1);
    store32(src, 0x11111111);
    cache_clean(src, 4);
    store32(src, 0x22222222); /* the value meant to be sent */
    if (FIXED) {
        cache_clean(src, 4);
    }
    copy((uintptr_t)dst, (uintptr_t)src, 64);
    submit();
    finish();
    cache_invalidate(dst, 64);
    return lesson_end(load32(dst), 0x22222222);
}
