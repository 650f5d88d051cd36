/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program of a user's own, for lessons.sh: a ring that an engine fills, and the CPU's index in the same line. Each
 * invalidate before a look at the next slot takes the index with it. */
#include "qemu-plugin/baremetal/lesson.h"

struct ring {
    uint32_t slot[8];
    uint32_t read; /* CPU only */
};

int main(void)
{
    struct ring *ring;
    uint32_t *src, wrong = 0;

    lesson_open();
    ring = buffer(1);
    src = buffer(1);
    for (uint32_t i = 0; i < 8; i++) {
        store32(&src[i], 100 + i);
    }
    cache_clean(src, 32);
    for (uint32_t i = 0; i < 8; i++) {
        copy((uintptr_t)&ring->slot[i], (uintptr_t)&src[i], 4);
        submit();
        finish();
        cache_invalidate(&ring->slot[i], 4);
        wrong += load32(&ring->slot[i]) != 100 + i;
        store32(&ring->read, i + 1);
    }
    print("%u of 8 wrong, read index %u\n", wrong, load32(&ring->read));
    return wrong != 0;
}
