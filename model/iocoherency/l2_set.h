/* SPDX-License-Identifier: MIT */
/* Which line of the L2 holds an address: sets and ways with true LRU. It holds no data and no
 * state.
 *
 * A look-up is what the model does most, and its price is the host's cache misses. So a set's tags
 * are one host line, its order is one word, and lines are numbered way * sets + set: consecutive
 * addresses are consecutive lines, and the next one is in the host's cache already.
 */
#ifndef MODEL_IOCOHERENCY_L2_SET_H
#define MODEL_IOCOHERENCY_L2_SET_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "model/bus.h"

#define L2_WAYS_MAX 16u /* places in an order's word; profile.def refuses more */
#define L2_TAG_NONE 0u

/**
 * struct l2_set
 * @order: a hexadecimal digit a way, the most recently used one lowest
 * @epoch: the tags, the order and @lines are worth nothing if it is not the sets' own
 * @lines: how many are there
 */
struct l2_set {
    uint64_t order;
    uint32_t epoch, lines;
};

/**
 * struct l2_sets
 * @tag: of each set's ways, L2_TAG_NONE where no line is
 * @known: of each set: ways that ever had a line
 * @used: a bit a set: 0 only where no line is
 * @shift: log2 of @sets if that is a power of two, else 0
 */
struct l2_sets {
    uint32_t (*tag)[L2_WAYS_MAX];
    struct l2_set *set;
    uint8_t *known;
    uint64_t *used;
    void *tag_memory;
    unsigned sets, shift, ways;
    uint32_t epoch;
};

void l2_sets_init(struct l2_sets *s, uint64_t bytes, unsigned ways);
void l2_sets_free(struct l2_sets *s);
void l2_sets_clear(struct l2_sets *s); /* no line is anywhere */

void l2_set_drop(struct l2_sets *s, uint32_t line);

/* The line in place @way of set @first, or of the next set where that place has one. */
bool l2_sets_choose(struct l2_sets *s, unsigned first, uint64_t way, uint32_t *line);

/* The hash spreads power-of-two strides over the sets; NVIDIA's is not published (inferred). */
static inline unsigned l2_set_number(const struct l2_sets *s, uint64_t line_pa)
{
    uint64_t n = line_pa / BUS_LINE;

    if (s->shift) {
        return (unsigned)((n ^ n >> s->shift) & (s->sets - 1));
    }
    return (unsigned)((n ^ n / s->sets) % s->sets);
}

static inline uint32_t l2_line_number(const struct l2_sets *s, unsigned set, unsigned way)
{
    return way * s->sets + set;
}

static inline unsigned l2_line_set(const struct l2_sets *s, uint32_t line, unsigned *way)
{
    if (s->shift) {
        *way = line >> s->shift;
        return line & (s->sets - 1);
    }
    *way = line / s->sets;
    return line % s->sets;
}

/* The line's number as far as it fits. Lines 2^38 bytes apart may share one: who finds a tag asks
 * for the whole address. */
static inline uint32_t l2_tag(uint64_t line_pa)
{
    return (uint32_t)(line_pa / BUS_LINE) << 1 | 1;
}

/* Bit w: way w has this tag. */
static inline unsigned l2_tags_equal(const uint32_t tag[L2_WAYS_MAX], uint32_t t)
{
#if defined(__SSE2__)
    const __m128i *v = (const __m128i *)(const void *)tag;
    __m128i want = _mm_set1_epi32((int)t);
    __m128i low = _mm_packs_epi32(_mm_cmpeq_epi32(_mm_load_si128(v), want),
                                  _mm_cmpeq_epi32(_mm_load_si128(v + 1), want));
    __m128i high = _mm_packs_epi32(_mm_cmpeq_epi32(_mm_load_si128(v + 2), want),
                                   _mm_cmpeq_epi32(_mm_load_si128(v + 3), want));

    return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(low, high));
#else
    unsigned found = 0;

    for (unsigned w = 0; w < L2_WAYS_MAX; w++) {
        found |= (unsigned)(tag[w] == t) << w;
    }
    return found;
#endif
}

#define L2_DIGITS UINT64_C(0x1111111111111111)

/* @way becomes the most recently used: the digits below its own move up by one place. */
static inline void l2_order_touch(uint64_t *order, unsigned way)
{
    uint64_t other, zero, below;

    if ((*order & 15) == way) {
        return;
    }
    other = *order ^ L2_DIGITS * way; /* its lowest digit 0 is the place of @way */
    zero = (other - L2_DIGITS) & ~other & L2_DIGITS << 3;
    below = (zero & -zero) >> 3; /* 1 at that place */
    *order = (*order & ~(below * 16 - 1)) | (*order & (below - 1)) << 4 | way;
}

static inline unsigned l2_order_last(uint64_t order, unsigned ways)
{
    return (unsigned)(order >> 4 * (ways - 1)) & 15;
}

/* A place for a line in @set: one where none is, or that of the least recently used line, which is
 * still there (*@full). Return: the way. */
static inline unsigned l2_set_place(const struct l2_sets *s, unsigned set, bool *full)
{
    *full = s->set[set].lines == s->ways;
    return *full ? l2_order_last(s->set[set].order, s->ways)
                 : (unsigned)__builtin_ctz(l2_tags_equal(s->tag[set], L2_TAG_NONE));
}

/* The line at @line_pa takes the place. */
static inline void l2_set_put(struct l2_sets *s, unsigned set, unsigned way, uint64_t line_pa)
{
    s->used[set / 64] |= UINT64_C(1) << set % 64;
    s->known[set] = (uint8_t)(way + 1 > s->known[set] ? way + 1 : s->known[set]);
    s->tag[set][way] = l2_tag(line_pa);
    s->set[set].lines++;
    l2_order_touch(&s->set[set].order, way);
}

/* The same in a full set, whose oldest line was in this place: each other line is one place older. */
static inline void l2_set_replace(struct l2_sets *s, unsigned set, unsigned way, uint64_t line_pa)
{
    uint64_t *order = &s->set[set].order, places = UINT64_MAX >> 4 * (L2_WAYS_MAX - s->ways);

    s->tag[set][way] = l2_tag(line_pa);
    *order = (*order & ~places) | ((*order << 4 | way) & places);
}

void l2_set_renew(struct l2_sets *s, unsigned set);

/* Has it been renewed since the last l2_sets_clear()? */
static inline bool l2_set_is_known(const struct l2_sets *s, unsigned set)
{
    return s->set[set].epoch == s->epoch;
}

/* The set's tags, after the last l2_sets_clear() */
static inline uint32_t *l2_set_tags(struct l2_sets *s, unsigned set)
{
    if (!l2_set_is_known(s, set)) {
        l2_set_renew(s, set);
    }
    return s->tag[set];
}

#endif
