/* SPDX-License-Identifier: MIT */
/* What a line of a shadow remembers of accesses, and which of them a new one races with. */
#include <string.h>

#include "model/igpu/race/shadow_cell.h"

#define PIECES_FEW 3u /* rows that do not begin where lines do make no more */

/* Bytes @lo to @hi of a line, of one piece or a part of one; @me: the record of byte @lo */
struct span {
    uint32_t lo, hi;
    struct shadow_record me;
};

static inline uint32_t record_shift(struct shadow_record r)
{
    return r.when >> SHADOW_KIND_BITS & SHADOW_ONE;
}

/* Is @r of one thread there? */
static inline bool is_of_one(struct shadow_record r, const struct span *p)
{
    uint32_t shift = record_shift(r);

    return shift == SHADOW_ONE || p->lo >> shift == (p->hi - 1) >> shift;
}

enum threads { DIFFERENT, SAME, MIXED };

/* Has each byte of @p one thread in @r and in what accesses it now? A line has 64 threads in a row
 * at most. */
static inline enum threads threads_compare(struct shadow_record r, const struct span *p)
{
    uint64_t x = shadow_thread(r), y = shadow_thread(p->me);

    if (record_shift(r) != record_shift(p->me) && x - y + SHADOW_LINE < 2 * SHADOW_LINE &&
        !(is_of_one(r, p) && is_of_one(p->me, p))) {
        return MIXED;
    }
    return x == y ? SAME : DIFFERENT;
}

/* Are all threads of @r there of the warp of @p's first one? */
static inline bool is_of_warp(struct shadow_record r, const struct span *p)
{
    return same_warp(r, p->me) && same_warp(shadow_record_at(r, p->lo, p->hi - 1), p->me);
}

/* Morally strong, 8.7: each has a scope that includes the other's thread, and they overlap
 * completely: as accesses are aligned, they have one size. */
static inline bool both_strong(struct shadow_record a, struct shadow_record b)
{
    uint32_t x = shadow_kind(a) & SHADOW_SCOPE, y = shadow_kind(b) & SHADOW_SCOPE;

    return x && y && ((shadow_kind(a) ^ shadow_kind(b)) & SHADOW_SIZE) == 0 &&
           (same_block(a, b) || (x == SHADOW_OF_ALL && y == SHADOW_OF_ALL));
}

/* The same with what the judge knows of clusters */
static bool is_strong(const struct shadow_access *a, struct shadow_record x, struct shadow_record y)
{
    uint32_t scope = shadow_kind(x) & SHADOW_SCOPE, other = shadow_kind(y) & SHADOW_SCOPE;

    return both_strong(x, y) ||
           ((scope == SHADOW_OF_CLUSTER || other == SHADOW_OF_CLUSTER) && scope > SHADOW_OF_BLOCK &&
            other > SHADOW_OF_BLOCK && ((shadow_kind(x) ^ shadow_kind(y)) & SHADOW_SIZE) == 0 &&
            a->judge->strong(a, x, y));
}

/* --- nearly always: no question to the judge --- */

/* A record of this thread, or before the last barrier of this block or warp */
static inline bool record_is_old(const struct shadow_access *a, struct shadow_record q,
                                 const struct span *p)
{
    if (q.when & SHADOW_ASYNC) {
        return false;
    }
    return (same_block(q, p->me) && shadow_stamp(q) <= a->base) ||
           (shadow_stamp(q) <= a->warp_base && is_of_warp(q, p)) || threads_compare(q, p) == SAME;
}

static inline bool record_is_fine(const struct shadow_access *a, struct shadow_record q,
                                  const struct span *p)
{
    return !q.when || record_is_old(a, q, p) || both_strong(q, p->me);
}

static inline bool more_is_fine(const struct shadow_part *t, const struct shadow_cell *c,
                                unsigned k, const struct span *p)
{
    const struct shadow_more *m = c->more[k] ? shadow_unit(t->s, c->more[k]) : NULL;

    return !m || (record_is_fine(t->a, m->of[0], p) && record_is_fine(t->a, m->of[1], p));
}

static inline bool is_store(struct shadow_record r)
{
    return shadow_kind(r) & SHADOW_WRITE;
}

/* Weak ones stand for all that was ordered before them; a strong one does not stand for the weak
 * ones before it. */
static inline bool is_weak_store(struct shadow_record r)
{
    return (shadow_kind(r) & (SHADOW_WRITE | SHADOW_SCOPE)) == SHADOW_WRITE;
}

static inline bool cell_is_fine(const struct shadow_part *t, const struct shadow_cell *c,
                                const struct span *p)
{
    return record_is_fine(t->a, c->last[1], p) && more_is_fine(t, c, 1, p) &&
           (!is_store(p->me) || (record_is_fine(t->a, c->last[0], p) && more_is_fine(t, c, 0, p)));
}

/* --- what is kept --- */

static void cell_reset(struct shadow *s, struct shadow_cell *c, struct shadow_record me)
{
    shadow_more_drop(s, c, 0);
    shadow_more_drop(s, c, 1);
    c->last[0] = (struct shadow_record){ 0, 0 };
    c->last[1] = me;
}

static inline bool is_known(const struct shadow_part *t, const struct shadow_cell *c,
                            struct shadow_record me)
{
    const struct shadow_record last = c->last[0];
    struct shadow_record other;

    if (!t->a->settled || !same_time(t->a, last.when, me.when) || !c->more[0] ||
        !same_block(last, me) || record_place(last) != record_place(me)) {
        return false;
    }
    other = ((const struct shadow_more *)shadow_unit(t->s, c->more[0]))->of[0];
    return same_time(t->a, other.when, me.when) && stand_for(last, other, me);
}

/* The last one was of another block. */
static bool push_far(struct shadow_more *m, struct shadow_record last, const struct span *p)
{
    struct shadow_record other = m->of[1];
    bool own = other.when && same_block(other, p->me);
    enum threads same = own ? threads_compare(other, p) : SAME;

    if (same == MIXED) {
        return false;
    }
    m->of[0] = same == DIFFERENT ? other : (struct shadow_record){ 0, 0 };
    m->of[1] = last;
    return true;
}

/* Return: false: not for all bytes of @p alike; nothing has changed */
static bool cell_push(struct shadow_part *t, struct shadow_cell *c, const struct span *p)
{
    unsigned k = is_store(p->me);
    struct shadow_record last = c->last[k];
    enum threads same = last.when ? threads_compare(last, p) : SAME;
    struct shadow_more *m;

    if (same == MIXED) {
        return false;
    }
    if (last.when && (same == DIFFERENT || shadow_kind(last) != shadow_kind(p->me))) {
        m = shadow_more_take(t->s, c, k); /* of one thread: what races with the one need not race
                                             with the other */
        if (m && !same_block(last, p->me)) {
            if (!push_far(m, last, p)) {
                return false;
            }
        } else if (m && !warps_differ(m->of[0], last, p->me, t->a->base)) {
            more_push(m, last);
        }
    }
    c->last[k] = p->me;
    return true;
}

/* --- the judge --- */

/* Lanes of one instruction go in their order. */
static bool is_later(struct shadow_record a, struct shadow_record b)
{
    return shadow_stamp(a) > shadow_stamp(b) ||
           (shadow_stamp(a) == shadow_stamp(b) && shadow_thread(a) > shadow_thread(b));
}

/* The lane whose bytes are @lo to @hi of the line, and what was kept of them */
struct lane {
    struct shadow_access a;
    uint64_t va;
    uint32_t bytes;
    struct shadow_record of[2][KEPT];
};

/* 8.9.5: a strong store happens before what follows a strong read that observed it, or an atomic
 * operation behind it (8.9.2). Has one been observed by an access that happens before @l's? */
static bool is_observed(const struct lane *l, struct shadow_record store)
{
    const struct shadow_access *a = &l->a;

    for (unsigned k = 0; k < 2 * KEPT && shadow_kind(store) & SHADOW_SCOPE; k++) {
        struct shadow_record z = l->of[k / KEPT][k % KEPT];
        bool reads = k < KEPT || shadow_kind(z) & SHADOW_ATOMIC;

        if (z.when && reads && is_later(z, store) && is_strong(a, z, store) &&
            a->judge->ordered(a, z)) {
            return true;
        }
    }
    return (shadow_kind(store) & SHADOW_SCOPE) && a->judge->observed(a, store, l->va, l->bytes);
}

static bool value_is_same(const struct shadow_part *t, const struct lane *l,
                          struct shadow_record earlier)
{
    uint32_t both = shadow_kind(l->a.me) & shadow_kind(earlier);
    uint32_t any = shadow_kind(l->a.me) | shadow_kind(earlier);
    uint32_t at = (uint32_t)(l->va - t->va);
    uint64_t mask = byte_mask(at, l->bytes);
    const struct shadow_value *v;

    if (!(both & SHADOW_WRITE) || (any & (SHADOW_ATOMIC | SHADOW_ASYNC)) || !t->value) {
        return false;
    }
    v = shadow_value_find(t->s, &t->place);
    return v && (v->valid & mask) == mask &&
           memcmp(&v->data[at], t->value + (at - t->lo), l->bytes) == 0;
}

/* Return: clean: all that was there is ordered before it */
static bool lane_judge(const struct shadow_part *t, const struct lane *l)
{
    bool clean = true;

    for (unsigned k = is_store(l->a.me) ? 0 : 1; k < 2; k++) {
        for (unsigned i = 0; i < KEPT; i++) {
            struct shadow_record q = l->of[k][i];

            if (!q.when || l->a.judge->ordered(&l->a, q)) {
                continue;
            }
            clean = false;
            if (!is_strong(&l->a, l->a.me, q) && !(k && is_observed(l, q))) {
                l->a.judge->race(&l->a, q, l->va, l->bytes, value_is_same(t, l, q));
            }
        }
    }
    return clean;
}

/* --- a piece, byte by byte where its threads differ --- */

/* Up to where the record is of one thread from byte @at on */
static uint32_t record_end(struct shadow_record r, uint32_t at, uint32_t end)
{
    uint32_t shift = record_shift(r);

    return !r.when || shift == SHADOW_ONE ? end : MIN(end, ((at >> shift) + 1) << shift);
}

/* What @c, whose piece begins at byte @p->lo, has for the lane at byte @at. Return: up to where */
static uint32_t lane_take(const struct shadow_part *t, const struct shadow_cell *c,
                          const struct span *p, uint32_t at, struct lane *l)
{
    uint32_t end = record_end(p->me, at, p->hi), shift = record_shift(p->me);

    for (unsigned k = 0; k < 2; k++) {
        const struct shadow_more *m = c->more[k] ? shadow_unit(t->s, c->more[k]) : NULL;

        for (unsigned i = 0; i < KEPT; i++) {
            struct shadow_record q = i == 0 ? c->last[k]
                                     : m    ? m->of[i - 1]
                                            : (struct shadow_record){ 0, 0 };

            end = record_end(q, at, end);
            l->of[k][i] = shadow_record_at(q, p->lo, at);
        }
    }
    l->a = *t->a;
    l->a.me = shadow_record_at(p->me, p->lo, at);
    l->va = t->va + (shift == SHADOW_ONE ? t->lo : at >> shift << shift);
    l->bytes = shift == SHADOW_ONE ? t->hi - t->lo : 1u << shift;
    return end;
}

/* A line that words have cut before, and cut again, is to be words. */
static inline bool line_cut(struct shadow_part *t, uint32_t at)
{
    struct shadow_line *l = t->place.line;

    if (at >= SHADOW_LINE || l->starts >> at & 1) {
        return true;
    }
    t->cost += COST_CUT;
    if (record_shift(t->me) == WORD_SHIFT && at % SHADOW_WORD == 0 &&
        !(l->starts & ~SHADOW_WORDS) &&
        (shadow_bits(l->starts) >= PIECES_FEW ||
         (!t->s->pool && t->hi - t->lo == SHADOW_WORD && t->lo % SHADOW_WORD == 0))) {
        return shadow_line_words(t->s, l);
    }
    return shadow_line_cut(t->s, l, at);
}

/* NULL: no room */
static struct shadow_cell *cell_at(const struct shadow_part *t, uint32_t at)
{
    struct shadow_line *l = t->place.line;

    return l->starts == SHADOW_WORDS
               ? shadow_word(t->s, l, at / SHADOW_WORD)
               : shadow_line_cells(t->s, l) + (l->cells ? shadow_piece_of(l, at) : 0);
}

/* @ends: bits, the last byte of each lane's part; @clean: bits by first byte. Each becomes a piece.
 */
static void piece_scatter(struct shadow_part *t, const struct span *p, uint64_t ends,
                          uint64_t clean)
{
    struct span one = { p->lo, p->lo, p->me };

    for (uint32_t at = p->lo; at < p->hi; at = one.hi) {
        struct shadow_cell *c;

        one.lo = at;
        one.hi = at + 1 + (uint32_t)__builtin_ctzll(ends >> at);
        one.me = shadow_record_at(p->me, p->lo, at);
        c = one.hi < p->hi && !line_cut(t, one.hi) ? NULL : cell_at(t, at);
        if (!c) {
            return;
        }
        if (clean >> at & 1) {
            cell_reset(t->s, c, one.me);
        } else {
            cell_push(t, c, &one);
        }
    }
}

/* Return: as lane_judge(), of all its lanes */
static bool piece_judge(struct shadow_part *t, struct shadow_cell *c, const struct span *p)
{
    bool weak = is_weak_store(p->me), any_clean = false, all_clean = weak;
    uint64_t ends = 0, clean = 0;
    struct lane l;

    if (c->last[is_store(p->me)].when == p->me.when && c->last[is_store(p->me)].who == p->me.who) {
        return false;
    }
    for (uint32_t at = p->lo, end; at < p->hi; at = end) {
        bool ok;

        end = lane_take(t, c, p, at, &l);
        t->cost += COST_LANE;
        ok = lane_judge(t, &l) && weak;
        ends |= UINT64_C(1) << (end - 1);
        clean |= (uint64_t)ok << at;
        all_clean &= ok;
        any_clean |= ok;
    }
    if (all_clean) {
        cell_reset(t->s, c, p->me);
    } else if (any_clean || !cell_push(t, c, p)) {
        piece_scatter(t, p, ends, clean);
    }
    return all_clean;
}

/* Return: a weak store that stands for all before it */
static inline bool piece_touch(struct shadow_part *t, const struct span *p)
{
    struct shadow_cell *c = cell_at(t, p->lo);

    if (!c) {
        return false;
    }
    if (!cell_is_fine(t, c, p)) {
        return piece_judge(t, c, p);
    }
    if (is_weak_store(p->me)) {
        cell_reset(t->s, c, p->me);
        return true;
    }
    return is_known(t, c, p->me) || cell_push(t, c, p) ? false : piece_judge(t, c, p);
}

/* --- a line --- */

void shadow_part_touch(struct shadow_part *t)
{
    struct shadow_line *l = t->place.line;
    bool clean = is_weak_store(t->me);
    struct span p = { t->lo, t->hi, t->me };

    if (!l->starts) {
        l->starts = 1;
        memset(&l->one, 0, sizeof(l->one));
    }
    l->strong = 0;
    if (!line_cut(t, t->lo) || !line_cut(t, t->hi)) {
        return;
    }
    for (uint32_t at = t->lo; at < t->hi; at = p.hi) {
        uint64_t next = at < SHADOW_LINE - 1 ? l->starts >> (at + 1) : 0;

        p.lo = at;
        p.hi = next ? at + 1 + (uint32_t)__builtin_ctzll(next) : SHADOW_LINE;
        p.me = shadow_record_at(t->me, t->lo, at);
        clean &= piece_touch(t, &p);
    }
    if (clean && l->starts != SHADOW_WORDS) {
        shadow_line_join(t->s, l, t->lo, t->hi);
    } else if (clean && t->hi - t->lo == SHADOW_LINE) {
        shadow_line_reset(t->s, l, t->me);
    }
    if (is_store(t->me)) {
        value_put(t->s, &t->place, t->lo, t->hi - t->lo, t->value);
    }
}
