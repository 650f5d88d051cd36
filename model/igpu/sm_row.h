/* SPDX-License-Identifier: MIT */
/* Half a warp whose lanes load one word, or words in a row, of one line: what nearly every load of
 * 32 bits is twice. It needs no look at where each lane's word is.
 */
#ifndef MODEL_IGPU_SM_ROW_H
#define MODEL_IGPU_SM_ROW_H

#include "model/igpu/sm_lanes.h"

#define HALF 16u

/**
 * struct half
 * @at: of the first lane's word in the line; @step: bytes from a lane to the next, 0 or 4
 */
struct half {
    u64 line;
    unsigned at, step, sectors;
};

/* A half whose first lane's word is at @va. Return: false: it crosses the line's end, or @va is not
 * a multiple of 4. */
static inline __attribute__((unused)) bool half_place(u64 va, unsigned step, struct half *h)
{
    unsigned last;

    h->at = va & (BUS_LINE - 1);
    h->line = va - h->at;
    h->step = step;
    last = h->at + (HALF - 1) * step;
    if (va % 4 || last >= BUS_LINE) {
        return false;
    }
    h->sectors = (2u << last / BUS_SECTOR) - (1u << h->at / BUS_SECTOR);
    return true;
}

/* Return: false if the lanes are not so, or if an address is not a multiple of 4. */
static inline __attribute__((unused)) bool half_take(const u64 *as, u64 imm, struct half *h)
{
    u64 step = as[1] - as[0];

    return (step == 0 || step == 4) && half_place(as[0] + imm, (unsigned)step, h) &&
           lanes_row(as, step);
}

static inline __attribute__((unused)) struct bus_mask half_bytes(const struct half *h)
{
    return bus_mask_range(h->at, h->step ? HALF * 4 : 4);
}

static inline __attribute__((unused)) void half_words(const struct half *h, const uint8_t *line,
                                                      u32 *d)
{
    if (h->step) {
        lanes_copy_half(d, line + h->at);
    } else {
        u32 v;

        memcpy(&v, line + h->at, sizeof(v));
        for (unsigned l = 0; l < HALF; l++) {
            d[l] = v;
        }
    }
}

#endif
