/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lesson: a lock in memory that is not cacheable.
 *
 * Exclusives and atomics need Normal cacheable memory or a global monitor; Tegra has no monitor on
 * its way to DRAM. Pinned memory is uncached for the CPU below compute capability 7.2, and a mutex
 * in it aborts or never succeeds on a board (CUDA for Tegra, 3.2). QEMU lets the store pass, so the
 * data is right here and the report is what shows it. Corrected: the counter lies in write-back
 * memory. */
#include "qemu-plugin/baremetal/lesson.h"

int main(void)
{
    uint32_t *cached, *uncached;

    lesson_open();
    cached = buffer(1);
    uncached = pages_alias(cached, 1, MEMORY_NON_CACHEABLE);
    for (int i = 0; i < 3; i++) {
        exclusive_add(FIXED ? cached : uncached, 1);
    }
    return lesson_end(load32(FIXED ? cached : uncached), 3);
}
