/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lesson: the engine may start before the cache is clean.
 *
 * dc cvac only begins to write a line back. A DSB waits for its end; without one the write to the
 * doorbell may overtake it, and now and then, on a board under load, the engine reads old bytes. In
 * QEMU one instruction ends before the next begins, so the bytes are right each time: the report
 * finds the mistake by the missing instruction. Linux's writel() has a barrier for stores (dmb
 * oshst), which does not wait for maintenance either; dma_sync_single_for_device() has the dsb. */
#include "qemu-plugin/baremetal/lesson.h"

int main(void)
{
    uint32_t *src, *dst;
    uintptr_t doorbell;

    lesson_open();
    doorbell = vtegra_unit(UNIT_IGPU) + IGPU_USERMODE_NOTIFY_CHANNEL_PENDING;
    src = buffer(1);
    dst = buffer(1);
    store32(src, 0x5eed5eed);
    copy((uintptr_t)dst, (uintptr_t)src, 64);
    submit_prepare();
    __asm__ volatile("dc cvac, %0" ::"r"(src) : "memory");
    if (FIXED) {
        barrier();
    } else {
        __asm__ volatile("dmb oshst" ::: "memory");
    }
    store32((void *)doorbell, 0);
    finish();
    cache_invalidate(dst, 64);
    return lesson_end(load32(dst), 0x5eed5eed);
}
