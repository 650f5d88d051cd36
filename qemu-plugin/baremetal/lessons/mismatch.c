/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lesson: one address through two kinds of mapping.
 *
 * Firmware fills a mailbox through its cacheable mapping and then uses an uncached one, as a kernel
 * does after ioremap_wc() of memory it has in its linear map. While a line is still held, the
 * uncached access may see either value (Arm ARM B2.8). A dc civac after the last cacheable access
 * makes it defined. */
#include "qemu-plugin/baremetal/lesson.h"

int main(void)
{
    uint32_t *cached, *uncached;

    lesson_open();
    cached = buffer(1);
    uncached = pages_alias(cached, 1, MEMORY_NON_CACHEABLE);
    store32(cached, 7);
    if (FIXED) {
        cache_clean_invalidate(cached, 4);
    }
    store32(uncached + 1, 8);
    return lesson_end(load32(uncached), 7);
}
