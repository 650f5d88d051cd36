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
static inline struct shadow_cell *usual_cell(const struct shadow *s, struct shadow_line *l,
                                             uint32_t lo, uint32_t hi)
{
    uint64_t inside = (hi == SHADOW_LINE ? 0 : UINT64_MAX << hi) ^ UINT64_MAX << lo;
    uint64_t after = hi == SHADOW_LINE ? 1 : l->starts >> hi;

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
    return u->a->settled && m && last->when == u->when && m->of[0].when == u->when &&
           record_place(*last) == u->who >> SHADOW_THREAD_BITS &&
           stand_for(*last, m->of[0], (struct shadow_record){ u->when, u->who });
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
                m->of[0] = *last;
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
           ((x > 2 && y > 2) || same_block(*q, (struct shadow_record){ u->when, u->who }));
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

uint32_t shadow_touch(struct shadow *s, const struct shadow_access *a, uint64_t va, uint32_t bytes,
                      unsigned shift, const uint8_t *value)
{
    struct usual u = { a, a->me.when | (uint64_t)shift << SHADOW_KIND_BITS, a->me.who };
    bool weak = !(u.when & SHADOW_SCOPE), store = u.when & SHADOW_WRITE;
    bool simple = !(u.when & SHADOW_ASYNC) && (weak || bytes == 1u << shift);
    struct shadow_part t;

    t.cost = COST_ACCESS;
    while (bytes && !s->full && shadow_line_find(s, va, &t.place)) {
        uint32_t lo = va % SHADOW_LINE, n = MIN(bytes, SHADOW_LINE - lo);
        struct shadow_cell *c = simple ? usual_cell(s, t.place.line, lo, lo + n) : NULL;

        t.cost += COST_LINE;
        t.s = s;
        t.a = a;
        t.va = va - lo;
        t.lo = lo;
        t.hi = lo + n;
        t.value = value;
        if (!c || !(!weak   ? usual_strong(s, &u, c, store)
                    : store ? usual_store(s, &u, c)
                            : usual_load(s, &u, c))) {
            t.me.when = u.when;
            t.me.who = u.who;
            shadow_part_touch(&t);
        } else if (store) {
            value_put(s, &t.place, lo, n, value);
        }
        u.who += shift == SHADOW_ONE ? 0 : n >> shift;
        value = value ? value + n : NULL;
        va += n;
        bytes -= n;
    }
    return t.cost;
}

uint32_t shadow_touch_same(struct shadow *s, const struct shadow_access *a, uint64_t va,
                           uint32_t bytes, unsigned shift, uint32_t lanes)
{
    struct usual u = { a, a->me.when | (uint64_t)shift << SHADOW_KIND_BITS, a->me.who };
    struct shadow_access last = *a;
    struct shadow_place p;
    uint32_t lo = va % SHADOW_LINE;
    bool done = false;

    last.me.who += lanes - 1;
    if (lo + bytes <= SHADOW_LINE && !s->full && shadow_line_find(s, va, &p)) {
        struct shadow_cell *c = usual_cell(s, p.line, lo, lo + bytes);

        done = c && usual_load(s, &u, c);
        u.who = last.me.who;
        if (done && usual_load(s, &u, c)) {
            return COST_ACCESS + COST_LINE;
        }
    }
    return (done ? 0 : shadow_touch(s, a, va, bytes, shift, NULL)) +
           shadow_touch(s, &last, va, bytes, shift, NULL);
}

uint32_t shadow_touch_words(struct shadow *s, const struct shadow_access *a, const uint64_t *va,
                            uint32_t lanes, const uint8_t *values)
{
    struct usual u = { a, a->me.when | (uint64_t)WORD_SHIFT << SHADOW_KIND_BITS, a->me.who };
    bool weak = !(u.when & SHADOW_SCOPE), store = u.when & SHADOW_WRITE;
    uint32_t cost = COST_ACCESS;
    struct shadow_place p;

    for (uint32_t rest = lanes; rest && !s->full; rest &= rest - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(rest), lo = va[l] % SHADOW_LINE;
        const uint8_t *value = values ? values + l * SHADOW_WORD : NULL;
        struct shadow_access lane;

        u.who = a->me.who + l;
        if (lo % SHADOW_WORD == 0 && shadow_line_find(s, va[l], &p) &&
            p.line->starts == SHADOW_WORDS) {
            struct shadow_cell *c =
                (struct shadow_cell *)shadow_unit(s, p.line->cells) + lo / SHADOW_WORD;

            if (!weak   ? usual_strong(s, &u, c, store)
                : store ? usual_store(s, &u, c)
                        : usual_load(s, &u, c)) {
                if (store) {
                    value_put(s, &p, lo, SHADOW_WORD, value);
                }
                cost += COST_WORD;
                continue;
            }
        }
        lane = *a;
        lane.me.who = u.who;
        cost += shadow_touch(s, &lane, va[l], SHADOW_WORD,
                             lo % SHADOW_WORD ? SHADOW_ONE : WORD_SHIFT, value);
    }
    return cost;
}
