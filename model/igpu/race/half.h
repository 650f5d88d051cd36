/* SPDX-License-Identifier: MIT */
/* What the addresses of half a warp are, in few instructions. Private to warp_race.c. */
#ifndef MODEL_IGPU_RACE_HALF_H
#define MODEL_IGPU_RACE_HALF_H

#include <stdint.h>

#define HALF_WARP 16u

/* Half a warp: do its lanes access one place, or bytes in a row? */
enum half { NEITHER, ROW, SAME };

/* Vectors of the narrowest width that every host has; compilers leave loops of 16 as they are. */
typedef uint32_t words __attribute__((vector_size(16), aligned(4)));
typedef uint64_t pairs __attribute__((vector_size(16), aligned(8)));

static inline enum half half_of_32(const uint32_t *as, unsigned shift)
{
    const words *v = (const words *)(const void *)as;
    uint32_t a = as[0], step = as[1] == a ? 0 : 1u << shift;
    words next = { a, a + step, a + 2 * step, a + 3 * step };
    words four = { 4 * step, 4 * step, 4 * step, 4 * step };
    words other = v[0] ^ next;
    pairs any;

    for (unsigned i = 1; i < HALF_WARP / 4; i++) {
        next += four;
        other |= v[i] ^ next;
    }
    any = (pairs)other;
    return any[0] | any[1] ? NEITHER : step ? ROW : SAME;
}

static inline enum half half_of_64(const uint64_t *as, unsigned shift)
{
    const pairs *v = (const pairs *)(const void *)as;
    uint64_t a = as[0], step = as[1] == a ? 0 : UINT64_C(1) << shift;
    pairs next = { a, a + step }, two = { 2 * step, 2 * step };
    pairs other = v[0] ^ next;

    if (other[1]) {
        return NEITHER;
    }
    for (unsigned i = 1; i < HALF_WARP / 2; i++) {
        next += two;
        other |= v[i] ^ next;
    }
    return other[0] | other[1] ? NEITHER : step ? ROW : SAME;
}

#endif
