/* SPDX-License-Identifier: MIT */
/* Which GPUs of the board the program sees. */
#include <stdlib.h>

#include "runtime/driver/device/devices.h"

/* Which of @all GPUs the program sees, and in which order: CUDA_VISIBLE_DEVICES (CUDA C++
 * Programming Guide, environment variables). The list ends at the first word that names none of
 * them, and one that is named twice leaves none (measured, 580.159.04 with two GPUs). */
unsigned devices_visible(unsigned all, unsigned *order)
{
    const char *at = getenv("CUDA_VISIBLE_DEVICES");
    unsigned n = 0, seen = 0;
    char *end;

    for (unsigned i = 0; !at && i < all; i++) {
        order[n++] = i;
    }
    for (; at && *at; at = *end == ',' ? end + 1 : "") {
        long i = strtol(at, &end, 10);

        if (end == at || i < 0 || (unsigned long)i >= all) {
            break;
        }
        if (seen >> i & 1) {
            return 0;
        }
        seen |= 1u << i;
        order[n++] = (unsigned)i;
    }
    return n;
}
