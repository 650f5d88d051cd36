/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lesson: false sharing with an engine.
 *
 * A counter of the CPU and a result of the engine lie in one 64-byte line. The CPU's store makes
 * the whole line dirty; when it is written back, also by a correct dc cvac of the counter, the old
 * bytes of the result go with it over what the engine has written. The cure is a line for each:
 * alignment and padding (what Linux's ARCH_DMA_MINALIGN is for). On an I/O-coherent SoC the port
 * merges, and nothing is lost. */
#include "qemu-plugin/baremetal/lesson.h"

int main(void)
{
    uint32_t *src, *shared, *result;

    lesson_open();
    src = buffer(1);
    shared = buffer(1);
    result = shared + (FIXED ? LINE_BYTES / 4 : 8);
    store32(src, 0xfeedf00d);
    cache_clean(src, 4);
    store32(shared, 1); /* the CPU's counter */
    copy((uintptr_t)result, (uintptr_t)src, 4);
    submit();
    finish();
    cache_clean(shared, 4); /* right for the counter, wrong for its neighbour */
    cache_invalidate(result, 4);
    return lesson_end(load32(result), 0xfeedf00d);
}
