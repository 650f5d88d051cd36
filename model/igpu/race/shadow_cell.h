/* SPDX-License-Identifier: MIT */
/* What shadow_cell.c, for all accesses, and shadow_touch.c, for the usual ones, share. */
#ifndef MODEL_IGPU_RACE_SHADOW_CELL_H
#define MODEL_IGPU_RACE_SHADOW_CELL_H

#include <string.h>

#include "model/igpu/race/shadow_priv.h"

#define WORD_SHIFT 2u

/**
 * struct shadow_part - what of an access lies in one line
 * @lo, @hi: bytes of the line at @va; @me: the record of byte @lo; @value: from there on
 * @cost: of the access so far, see shadow_touch()
 */
struct shadow_part {
    struct shadow *s;
    const struct shadow_access *a;
    struct shadow_place place;
    uint64_t va;
    uint32_t lo, hi;
    struct shadow_record me;
    const uint8_t *value;
    uint32_t cost;
};

/* Measured, rounded up: of an access, of each line of it, of a piece that is cut, of a lane that
 * the judge is asked about, of a word by itself */
enum { COST_ACCESS = 45, COST_LINE = 50, COST_CUT = 30, COST_LANE = 50, COST_WORD = 40 };

/* Each piece of a line that the access is in: what was there is judged, and what is kept. */
void shadow_part_touch(struct shadow_part *t);

static inline bool same_block(struct shadow_record a, struct shadow_record b)
{
    return (shadow_thread(a) ^ shadow_thread(b)) >> KNOW_THREAD_BITS == 0;
}

static inline bool same_warp(struct shadow_record a, struct shadow_record b)
{
    return (shadow_thread(a) ^ shadow_thread(b)) >> KNOW_WARP_BITS == 0;
}

static inline uint64_t record_place(struct shadow_record r)
{
    return r.who >> SHADOW_THREAD_BITS;
}

/* Of the loads, or stores, of one line of the source those of two warps say more than those of two
 * lanes: a cure has to hold for both. Does @other, of another warp, stay beside a second access of
 * @me's warp? */
static inline bool warps_differ(struct shadow_record other, struct shadow_record last,
                                struct shadow_record me, uint64_t base)
{
    return other.when && same_warp(last, me) && !same_warp(other, me) && same_block(other, me) &&
           record_place(other) == record_place(last) && shadow_kind(other) == shadow_kind(last) &&
           shadow_stamp(other) > base;
}

/* @last, a strong store, takes the place of one of another thread of its block. A weak one there
 * stays, while no other block has stored: atomic operations of other blocks race with it alone. */
static inline void more_push(struct shadow_more *m, struct shadow_record last)
{
    if (m->of[0].when && !m->of[1].when && shadow_kind(last) & SHADOW_SCOPE &&
        !(shadow_kind(m->of[0]) & SHADOW_SCOPE)) {
        m->of[1] = m->of[0];
    }
    m->of[0] = last;
}

/* Of one block: the same kind of access, and no event that orders lies between the two */
static inline bool same_time(const struct shadow_access *a, uint64_t when, uint64_t now)
{
    return when == now || (a->settled && (when ^ now) << (64 - SHADOW_STAMP_SHIFT) == 0 &&
                           when >> SHADOW_STAMP_SHIFT > a->base);
}

/* Where only barriers of the block order, two of its threads stand for all that load here between
 * two barriers: of two warps, once a second one has loaded. */
static inline bool stand_for(struct shadow_record last, struct shadow_record other,
                             struct shadow_record me)
{
    return same_warp(me, last) || !same_warp(other, last);
}

static inline uint64_t byte_mask(uint32_t at, uint32_t bytes)
{
    return (bytes >= SHADOW_LINE ? UINT64_MAX : (UINT64_C(1) << bytes) - 1) << at;
}

/* What was stored, or an unknown value, where no store has a value to compare */
static inline void value_put(struct shadow *s, const struct shadow_place *p, uint32_t lo,
                             uint32_t n, const uint8_t *value)
{
    struct shadow_value *v = value || p->page->value ? shadow_value_find(s, p) : NULL;
    uint64_t mask = byte_mask(lo, n);

    if (v && value) {
        if (n == SHADOW_LINE) {
            memcpy(v->data, value, SHADOW_LINE); /* of a size that the compiler knows */
        } else {
            memcpy(&v->data[lo], value, n);
        }
        v->valid |= mask;
    } else if (v) {
        v->valid &= ~mask;
    }
}

#endif
