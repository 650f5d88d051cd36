/* SPDX-License-Identifier: MIT */
/* Accesses of a shadow. Nearly all are usual: their piece is there, and what it holds is of this
 * block, before its last barrier or as strong; others go the way of shadow_cell.c. */
#include "model/igpu/race/shadow_cell.h"

/* --- the usual line: its piece is there, and only barriers of this block are asked for --- */

/* A weak access: @when, @who are its record. */
struct usual {
    const struct shadow_access *a;
    uint64_t when, who;
};

static inline bool usual_is_old(const struct usual *u, const struct shadow_record *q)
{
    return !q->when || (((q->who ^ u->who) << (64 - SHADOW_THREAD_BITS) >>
                         (64 - SHADOW_THREAD_BITS + KNOW_THREAD_BITS)) == 0 &&
                        q->when >> SHADOW_STAMP_SHIFT <= u->a->base && !(q->when & SHADOW_ASYNC));
}

/* NULL: it is to be made */
static inline struct shadow_cell *usual_cell(struct shadow *s, struct shadow_line *l, uint32_t lo,
                                             uint32_t hi)
{
    uint64_t inside = (hi == SHADOW_LINE ? 0 : UINT64_MAX << hi) ^ UINT64_MAX << lo;
    uint64_t after = hi == SHADOW_LINE ? 1 : l->starts >> hi;

    if (l->starts == SHADOW_WORDS) {
        return hi - lo == SHADOW_LINE ? (l->own ? NULL : &l->one)
               : hi - lo == SHADOW_WORD && lo % SHADOW_WORD == 0
                   ? shadow_word(s, l, lo / SHADOW_WORD)
                   : NULL;
    }
    if ((l->starts & inside) != UINT64_C(1) << lo || !(after & 1)) {
        return NULL;
    }
    return l->cells ? (struct shadow_cell *)shadow_unit(s, l->cells) + shadow_piece_of(l, lo)
                    : &l->one;
}

static inline void usual_set(const struct usual *u, struct shadow_record *r)
{
    r->when = u->when;
    r->who = u->who;
}

/* As is_known(): two loads of this place since the last barrier stand for this one, too. */
static inline bool usual_is_known(const struct usual *u, const struct shadow_record *last,
                                  const struct shadow_more *m)
{
    struct shadow_record me = { u->when, u->who };

    return u->a->settled && m && same_time(u->a, last->when, u->when) &&
           same_time(u->a, m->of[0].when, u->when) && record_place(*last) == record_place(me) &&
           same_block(*last, me) && stand_for(*last, m->of[0], me);
}

/* As cell_push(), where the record before is of this block, cut into lanes alike, and none is of
 * another block. Return: false: not so simple; nothing has changed */
static inline bool usual_push(struct shadow *s, const struct usual *u, struct shadow_cell *c,
                              unsigned k)
{
    const uint64_t alike = SHADOW_ONE << SHADOW_KIND_BITS;
    struct shadow_record *last = &c->last[k], me = { u->when, u->who };
    struct shadow_more *m;

    if (last->when) {
        if (!same_block(*last, me) || (last->when ^ u->when) & alike) {
            return false;
        }
        if (shadow_thread(*last) != shadow_thread(me) || shadow_kind(*last) != shadow_kind(me)) {
            m = shadow_more_take(s, c, k);
            if (!m) {
                return false;
            }
            if (!warps_differ(m->of[0], *last, me, u->a->base)) {
                more_push(m, *last);
            }
        }
    }
    usual_set(u, last);
    return true;
}

/* Return: false: not so simple; nothing has changed */
static inline bool usual_load(struct shadow *s, const struct usual *u, struct shadow_cell *c)
{
    const struct shadow_more *m = c->more[0] ? shadow_unit(s, c->more[0]) : NULL;

    if (c->more[1] || !usual_is_old(u, &c->last[1])) {
        return false;
    }
    return usual_is_known(u, &c->last[0], m) || usual_push(s, u, c, 0);
}

static inline bool usual_store(const struct shadow *s, const struct usual *u, struct shadow_cell *c)
{
    struct shadow_more *m = c->more[0] ? shadow_unit(s, c->more[0]) : NULL;

    if (c->more[1] || !usual_is_old(u, &c->last[1]) || !usual_is_old(u, &c->last[0]) ||
        (m && !(usual_is_old(u, &m->of[0]) && usual_is_old(u, &m->of[1])))) {
        return false;
    }
    if (m) {
        m->of[0].when = m->of[1].when = 0;
    }
    c->last[0].when = 0;
    usual_set(u, &c->last[1]);
    return true;
}

/* Morally strong, as both_strong() */
static inline bool usual_is_strong(const struct usual *u, const struct shadow_record *q)
{
    uint64_t x = q->when & SHADOW_SCOPE, y = u->when & SHADOW_SCOPE;

    return x && ((q->when ^ u->when) & SHADOW_SIZE) == 0 &&
           ((x == SHADOW_OF_ALL && y == SHADOW_OF_ALL) ||
            same_block(*q, (struct shadow_record){ u->when, u->who }));
}

static inline bool usual_is_fine(const struct usual *u, const struct shadow_record *q)
{
    return usual_is_old(u, q) || usual_is_strong(u, q);
}

/* A strong access of one element. Return: false: not so simple; nothing has changed */
static inline bool usual_strong(struct shadow *s, const struct usual *u, struct shadow_cell *c,
                                bool store)
{
    for (unsigned k = store ? 0 : 1; k < 2; k++) {
        const struct shadow_more *m = c->more[k] ? shadow_unit(s, c->more[k]) : NULL;

        if (!usual_is_fine(u, &c->last[k]) ||
            (m && !(usual_is_fine(u, &m->of[0]) && usual_is_fine(u, &m->of[1])))) {
            return false;
        }
    }
    return usual_push(s, u, c, store);
}

/* --- lines of global memory that one record describes --- */

/* Are these threads the ones behind or before those of @f, as their bytes are? */
static inline bool first_is_joined(const struct usual *u, struct shadow_first *f, unsigned shift,
                                   uint32_t lo, uint32_t hi)
{
    uint32_t from = f->when >> FIRST_LO_SHIFT & FIRST_BYTE;
    uint32_t to = f->when >> FIRST_HI_SHIFT & FIRST_BYTE;
    uint64_t lanes = (lo >> (shift & 7)) - (from >> (shift & 7)); /* may be less than 0 */

    if (shift == SHADOW_ONE || (to != lo && from != hi) || f->who + lanes != u->who ||
        (f->who ^ u->who) >> KNOW_THREAD_BITS) {
        return false;
    }
    f->when &= ~FIRST_BYTES;
    f->when |= (uint64_t)MIN(lo, from) << FIRST_LO_SHIFT | (uint64_t)MAX(hi, to) << FIRST_HI_SHIFT;
    f->who = MIN(u->who, f->who);
    return true;
}

/* Fast: a weak access of bytes @lo to @hi of a line that nothing has accessed, or whose bytes
 * beside them the threads beside these have accessed by the same instruction, since the last event;
 * or a store of these threads to what they alone have accessed. Return: false: it is none; nothing
 * has changed. Breaks a_record_stands_for_threads_in_a_row_only() in test_race_shadow.c, if a
 * record stands for others.
 */
static inline bool first_touch(const struct usual *u, struct shadow_first *f, unsigned shift,
                               uint32_t lo, uint32_t hi)
{
    const uint64_t shifts = (uint64_t)SHADOW_ONE << SHADOW_KIND_BITS;
    uint64_t now = u->when >> SHADOW_STAMP_SHIFT, then = f->when >> FIRST_STAMP_SHIFT;
    uint64_t when = now << FIRST_STAMP_SHIFT | (u->when & ((1u << SHADOW_STAMP_SHIFT) - 1)) |
                    (uint64_t)lo << FIRST_LO_SHIFT | (uint64_t)hi << FIRST_HI_SHIFT;

    if (f->when == 0) {
        f->when = when;
        f->who = u->who;
        return true;
    }
    if (((f->when ^ when) & ~FIRST_BYTES) << (64 - FIRST_STAMP_SHIFT) == 0 &&
        (then == now || (u->a->settled && then > u->a->base)) &&
        first_is_joined(u, f, shift, lo, hi)) {
        return true;
    }
    if (f->when != FIRST_IS_LINE && when & SHADOW_WRITE && !(f->when & SHADOW_ASYNC) &&
        ((f->when ^ when) & (FIRST_BYTES | shifts)) == 0 &&
        (f->who ^ u->who) << (64 - SHADOW_THREAD_BITS) == 0) {
        f->when = when;
        f->who = u->who;
        return true;
    }
    return false;
}

/* --- accesses --- */

/* Fast: a weak store of a whole line of shared memory, all of whose records are of this block and
 * before its last barrier. Breaks rows_race_as_one_by_one() in test_race_shadow.c, if a newer one
 * is lost. */
static inline bool line_is_old(const struct shadow *s, const struct shadow_line *l,
                               const struct shadow_access *a)
{
    return !s->pool && l->starts == SHADOW_WORDS && l->newest <= a->base &&
           l->newest != SHADOW_NEWEST && !s->many;
}

/* A part of an access in one line, as a whole piece. Return: false: it is none, or not so simple */
static inline bool usual_touch(struct shadow *s, const struct usual *u, struct shadow_line *l,
                               uint32_t lo, uint32_t hi)
{
    bool weak = !(u->when & SHADOW_SCOPE), store = u->when & SHADOW_WRITE;
    struct shadow_cell *c;

    if (weak && store && hi - lo == SHADOW_LINE && line_is_old(s, l, u->a)) {
        shadow_line_reset(s, l, (struct shadow_record){ u->when, u->who });
        return true;
    }
    c = usual_cell(s, l, lo, hi);
    l->strong = 0;
    return c && (!weak   ? usual_strong(s, u, c, store)
                 : store ? usual_store(s, u, c)
                         : usual_load(s, u, c));
}

uint32_t shadow_touch(struct shadow *s, const struct shadow_access *a, uint64_t va, uint32_t bytes,
                      unsigned shift, const uint8_t *value)
{
    struct usual u = { a, a->me.when | (uint64_t)shift << SHADOW_KIND_BITS, a->me.who };
    bool weak = !(u.when & SHADOW_SCOPE), store = u.when & SHADOW_WRITE;
    bool async = u.when & SHADOW_ASYNC, simple = !async && (weak || bytes == 1u << shift);
    uint64_t stamp = shadow_stamp(a->me);
    bool first = s->pool && weak && !(async && store) && stamp < FIRST_STAMPS;
    struct shadow_part t;

    s->stores += store;
    t.cost = COST_ACCESS;
    while (bytes && !s->full && shadow_page_of(s, va, &t.place)) {
        uint32_t lo = va % SHADOW_LINE, n = MIN(bytes, SHADOW_LINE - lo);

        t.cost += COST_LINE;
        if (first && first_touch(&u, &t.place.page->first[t.place.index], shift, lo, lo + n)) {
            if (store) {
                value_put(s, &t.place, lo, n, value);
            }
        } else if (!shadow_line_of(s, &t.place)) {
            break;
        } else if (simple && usual_touch(s, &u, t.place.line, lo, lo + n)) {
            shadow_line_note(t.place.line, stamp, false);
            if (store) {
                value_put(s, &t.place, lo, n, value);
            }
        } else {
            t.s = s;
            t.a = a;
            t.va = va - lo;
            t.lo = lo;
            t.hi = lo + n;
            t.value = value;
            t.me.when = u.when;
            t.me.who = u.who;
            shadow_part_touch(&t);
            shadow_line_note(t.place.line, stamp, async);
        }
        u.who += shift == SHADOW_ONE ? 0 : n >> shift;
        value = value ? value + n : NULL;
        va += n;
        bytes -= n;
    }
    return t.cost;
}

uint32_t shadow_touch_known(struct shadow *s, const struct shadow_access *a, uint64_t va,
                            uint64_t bytes)
{
    const uint64_t page_bytes = (uint64_t)SHADOW_LINE * PAGE_LINES;
    uint64_t end = va + bytes, next;
    uint32_t cost = COST_ACCESS;

    for (; va < end && !s->full; va = next) {
        uint64_t number = va / page_bytes;
        const struct shadow_page *page = g_hash_table_lookup(s->page, &number);

        next = MIN(end, (va / SHADOW_LINE + 1) * SHADOW_LINE);
        if (!page) {
            next = MIN(end, (number + 1) * page_bytes);
        } else if (page->first[va / SHADOW_LINE % PAGE_LINES].when) {
            cost += shadow_touch(s, a, va, (uint32_t)(next - va), SHADOW_ONE, NULL);
        }
    }
    return cost;
}

#define ALL_LANES 32u

/* Fast: a weak load of a word by a warp or half of one, the first one since a row was stored before
 * the last barrier. Breaks a_load_of_a_warp_keeps_those_of_others() in test_race_shadow.c, if one
 * record stood for another load, too. */
static inline bool word_load_all(struct shadow *s, const struct usual *u, uint64_t va,
                                 uint64_t shift)
{
    uint32_t w = va % SHADOW_LINE / SHADOW_WORD;
    struct shadow_place p;
    struct shadow_cell *c;

    if (va % SHADOW_WORD || s->full || !shadow_line_find(s, va, &p) ||
        p.line->starts != SHADOW_WORDS || p.line->own >> w & 1 || p.line->one.last[0].when ||
        p.line->one.more[0] || p.line->one.more[1] || !usual_is_old(u, &p.line->one.last[1])) {
        return false;
    }
    c = shadow_word(s, p.line, w);
    c->last[0].when = u->when & ~((uint64_t)SHADOW_ONE << SHADOW_KIND_BITS);
    c->last[0].when |= shift << SHADOW_KIND_BITS;
    c->last[0].who = u->who;
    p.line->strong &= (uint16_t)~(1u << w);
    shadow_line_note(p.line, shadow_stamp(u->a->me), false);
    return true;
}

uint32_t shadow_touch_same(struct shadow *s, const struct shadow_access *a, uint64_t va,
                           uint32_t bytes, unsigned shift, uint32_t lanes)
{
    struct usual u = { a, a->me.when | (uint64_t)shift << SHADOW_KIND_BITS, a->me.who };
    struct shadow_access last = *a;
    struct shadow_place p;
    uint32_t lo = va % SHADOW_LINE;
    bool done = false;

    if ((lanes == ALL_LANES || lanes == ALL_LANES / 2) && bytes == SHADOW_WORD && !s->pool &&
        word_load_all(s, &u, va, lanes == ALL_LANES ? SHADOW_WARP : SHADOW_HALF)) {
        return COST_ACCESS + COST_LINE;
    }
    last.me.who += lanes - 1;
    if (lo + bytes <= SHADOW_LINE && !s->full && shadow_line_find(s, va, &p)) {
        struct shadow_cell *c = usual_cell(s, p.line, lo, lo + bytes);

        p.line->strong = 0;
        shadow_line_note(p.line, shadow_stamp(a->me), false);
        done = c && usual_load(s, &u, c);
        u.who = last.me.who;
        if (done && usual_load(s, &u, c)) {
            return COST_ACCESS + COST_LINE;
        }
    }
    return (done ? 0 : shadow_touch(s, a, va, bytes, shift, NULL)) +
           shadow_touch(s, &last, va, bytes, shift, NULL);
}

/* A line becomes words for an access of words anywhere. Return: it is one */
static inline bool words_line(struct shadow *s, struct shadow_line *l)
{
    if (l->starts == SHADOW_WORDS) {
        return true;
    }
    if (s->pool || l->starts & ~SHADOW_WORDS) {
        return false;
    }
    if (!l->starts) {
        l->starts = 1;
        memset(&l->one, 0, sizeof(l->one));
    }
    return shadow_line_words(s, l);
}

/* A strong store that races with nothing: as usual_push(), with fewer branches. */
static inline bool strong_push(struct shadow *s, const struct usual *u, struct shadow_cell *c)
{
    struct shadow_record *last = &c->last[1], me = { u->when, u->who };
    struct shadow_more *m = shadow_unit(s, c->more[1]);
    struct shadow_record was = *last, other = m->of[0];
    bool differ = other.when && same_warp(was, me) & !same_warp(other, me) &
                                    (record_place(other) == record_place(was)) &
                                    (shadow_kind(other) == shadow_kind(was)) &
                                    (shadow_stamp(other) > u->a->base);

    if (!c->more[1] || shadow_thread(was) == shadow_thread(me)) {
        return false;
    }
    if (!differ) {
        more_push(m, was);
    }
    *last = me;
    return true;
}

/* Fast: a strong store, as atomic operations are, of a word of shared memory whose cell holds
 * nothing that it could race with (shadow_line.strong). Breaks lanes_at_once_race_as_one_by_one()
 * in test_race_shadow.c, if a weak access is there. */
static inline bool word_touch_strong(struct shadow *s, const struct usual *u, uint64_t va,
                                     uint64_t stamp)
{
    uint64_t index = va / SHADOW_LINE;
    uint32_t w = va % SHADOW_LINE / SHADOW_WORD;
    struct shadow_line *l = &s->flat.line[index];
    struct shadow_value *v = s->flat.value;

    if (index >= s->n_flat || va % SHADOW_WORD || l->generation != s->generation ||
        l->starts != SHADOW_WORDS || !(l->own & l->strong & 1u << w) ||
        !strong_push(s, u, (struct shadow_cell *)shadow_unit(s, l->cells) + w)) {
        return false;
    }
    shadow_line_note(l, stamp, false);
    if (v && v[index].generation == s->generation) {
        v[index].valid &= ~((uint64_t)15 << w * SHADOW_WORD);
    }
    return true;
}

static inline bool word_touch(struct shadow *s, const struct usual *u, struct shadow_line *l,
                              uint32_t w)
{
    bool weak = !(u->when & SHADOW_SCOPE), store = u->when & SHADOW_WRITE;
    struct shadow_cell *c = shadow_word(s, l, w);
    uint16_t bit = (uint16_t)(1u << w);

    if (!c) {
        return false;
    }
    if (weak) {
        l->strong &= (uint16_t)~bit;
        return store ? usual_store(s, u, c) : usual_load(s, u, c);
    }
    if (!usual_strong(s, u, c, store)) {
        return false;
    }
    l->strong |= s->pool || !store ? 0 : bit; /* a load was not compared with loads */
    return true;
}

uint32_t shadow_touch_words(struct shadow *s, const struct shadow_access *a, const uint64_t *va,
                            uint32_t lanes, const uint8_t *values)
{
    struct usual u = { a, a->me.when | (uint64_t)WORD_SHIFT << SHADOW_KIND_BITS, a->me.who };
    bool store = u.when & SHADOW_WRITE;
    bool atomics = store && u.when & SHADOW_SCOPE && !s->pool && !values && !s->many;
    uint64_t stamp = shadow_stamp(a->me);
    uint32_t cost = COST_ACCESS;
    struct shadow_place p;

    s->stores += store;
    for (uint32_t rest = lanes; rest && !s->full; rest &= rest - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(rest), lo = va[l] % SHADOW_LINE;
        const uint8_t *value = values ? values + l * SHADOW_WORD : NULL;
        struct shadow_access lane;

        u.who = a->me.who + l;
        if (atomics && word_touch_strong(s, &u, va[l], stamp)) {
            cost += COST_WORD;
            continue;
        }
        if (lo % SHADOW_WORD == 0 && shadow_page_of(s, va[l], &p) &&
            (!s->pool || p.page->first[p.index].when == FIRST_IS_LINE) && shadow_line_of(s, &p) &&
            words_line(s, p.line) && word_touch(s, &u, p.line, lo / SHADOW_WORD)) {
            shadow_line_note(p.line, stamp, false);
            if (store) {
                value_put(s, &p, lo, SHADOW_WORD, value);
            }
            cost += COST_WORD;
            continue;
        }
        lane = *a;
        lane.me.who = u.who;
        cost += shadow_touch(s, &lane, va[l], SHADOW_WORD,
                             lo % SHADOW_WORD ? SHADOW_ONE : WORD_SHIFT, value);
    }
    return cost;
}
