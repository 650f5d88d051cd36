/* SPDX-License-Identifier: MIT */
/* What a line of a shadow remembers of accesses, and which of them a new one races with. */
#include <string.h>

#include "model/igpu/race/shadow_priv.h"

static void record_push(struct shadow_record *kept, struct shadow_record me)
{
    uint64_t before = shadow_thread(kept[0]), mine = shadow_thread(me);
    struct shadow_record other = kept[2];

    if (!kept[0].when || before == mine) {
        if (kept[0].when && shadow_kind(kept[0]) != shadow_kind(me)) {
            kept[1] = kept[0]; /* what races with the one need not race with the other */
        }
        kept[0] = me;
        return;
    }
    if (before >> KNOW_THREAD_BITS == mine >> KNOW_THREAD_BITS) {
        kept[1] = kept[0];
    } else {
        bool own = other.when &&
                   shadow_thread(other) >> KNOW_THREAD_BITS == mine >> KNOW_THREAD_BITS &&
                   shadow_thread(other) != mine;

        kept[2] = kept[0];
        kept[1] = own ? other : (struct shadow_record){ 0, 0 };
    }
    kept[0] = me;
}

/* Morally strong, 8.7: each has a scope that includes the other's thread, and they overlap
 * completely: as accesses are aligned, they have one size. */
static bool both_strong(struct shadow_record a, struct shadow_record b)
{
    uint32_t x = shadow_kind(a) & SHADOW_SCOPE, y = shadow_kind(b) & SHADOW_SCOPE;
    bool block = shadow_thread(a) >> KNOW_THREAD_BITS == shadow_thread(b) >> KNOW_THREAD_BITS;

    return x && y && ((shadow_kind(a) ^ shadow_kind(b)) & SHADOW_SIZE) == 0 &&
           (block || (x > 2 && y > 2)); /* 2: PTX_SCOPE_CTA */
}

/* @va, @bytes: what of the lane's access lies in the line */
struct part {
    const struct shadow_line *line;
    uint64_t va;
    uint32_t bytes;
    const uint8_t *value;
};

/* Lanes of one instruction go in their order. */
static bool is_later(struct shadow_record a, struct shadow_record b)
{
    return shadow_stamp(a) > shadow_stamp(b) ||
           (shadow_stamp(a) == shadow_stamp(b) && shadow_thread(a) > shadow_thread(b));
}

/* 8.9.5: a strong store happens before what follows a strong read that observed it, or an atomic
 * operation behind it (8.9.2). Has one been observed by an access that happens before @a? */
static bool is_observed(const struct shadow_access *a, const struct shadow_cell *c,
                        struct shadow_record store, const struct part *p)
{
    for (unsigned k = 0; k < 2 * KEPT && shadow_kind(store) & SHADOW_SCOPE; k++) {
        struct shadow_record z = c->of[k / KEPT][k % KEPT];
        bool reads = k < KEPT || shadow_kind(z) & SHADOW_ATOMIC;

        if (z.when && reads && is_later(z, store) && both_strong(z, store) &&
            a->judge->ordered(a, z)) {
            return true;
        }
    }
    return (shadow_kind(store) & SHADOW_SCOPE) && a->judge->observed(a, store, p->va, p->bytes);
}

static uint64_t byte_mask(uint64_t va, uint32_t bytes)
{
    return (bytes >= SHADOW_LINE ? UINT64_MAX : (UINT64_C(1) << bytes) - 1) << va % SHADOW_LINE;
}

static bool value_is_same(const struct shadow_line *l, struct shadow_record me,
                          struct shadow_record earlier, uint64_t va, uint32_t bytes,
                          const uint8_t *value)
{
    uint32_t both = shadow_kind(me) & shadow_kind(earlier);
    uint32_t any = shadow_kind(me) | shadow_kind(earlier);
    uint64_t mask = byte_mask(va, bytes);

    return (both & SHADOW_WRITE) && !(any & (SHADOW_ATOMIC | SHADOW_ASYNC)) && value &&
           (l->valid & mask) == mask && memcmp(&l->data[va % SHADOW_LINE], value, bytes) == 0;
}

static bool cell_touch(const struct shadow_access *a, struct shadow_cell *c, const struct part *p)
{
    bool write = shadow_kind(a->me) & SHADOW_WRITE, clean = true;

    if (c->of[write][0].when == a->me.when && c->of[write][0].who == a->me.who) {
        return false;
    }
    for (unsigned k = write ? 0 : 1; k < 2; k++) {
        for (unsigned i = 0; i < KEPT; i++) {
            struct shadow_record q = c->of[k][i];

            if (!q.when || a->judge->ordered(a, q)) {
                continue;
            }
            clean = false;
            if (!both_strong(a->me, q) && !(k && is_observed(a, c, q, p))) {
                a->judge->race(a, q, p->va, p->bytes,
                               value_is_same(p->line, a->me, q, p->va, p->bytes, p->value));
            }
        }
    }
    if (write && clean && !(shadow_kind(a->me) & SHADOW_SCOPE)) {
        memset(c, 0, sizeof(*c));
        c->of[1][0] = a->me;
        return true;
    }
    record_push(c->of[write],
                a->me); /* a strong store does not stand for the weak ones before it */
    return false;
}

/* A record that needs no question: of this thread, or before the last barrier of this block or warp
 */
static inline bool record_is_old(const struct shadow_access *a, struct shadow_record q)
{
    uint64_t other = shadow_thread(q) ^ shadow_thread(a->me);

    return !(q.when & SHADOW_ASYNC) &&
           (other == 0 || (other >> KNOW_THREAD_BITS == 0 && shadow_stamp(q) <= a->base) ||
            (other >> KNOW_WARP_BITS == 0 && shadow_stamp(q) <= a->warp_base));
}

/* Nearly always. Return: done */
static inline bool cell_quick(const struct shadow_access *a, struct shadow_cell *c)
{
    bool write = shadow_kind(a->me) & SHADOW_WRITE;

    if (write && (shadow_kind(a->me) & SHADOW_SCOPE)) {
        return false;
    }
    for (unsigned k = write ? 0 : 1; k < 2; k++) {
        if ((c->of[k][0].when && !record_is_old(a, c->of[k][0])) || c->of[k][1].when ||
            c->of[k][2].when) {
            return false;
        }
    }
    if (write) {
        c->of[0][0].when = c->of[0][1].when = c->of[0][2].when = 0;
        c->of[1][0] = a->me;
    } else {
        record_push(c->of[0], a->me);
    }
    return true;
}

static void value_put(struct shadow_line *l, uint64_t va, uint32_t bytes, const uint8_t *value)
{
    uint64_t mask = byte_mask(va, bytes);

    if (value) {
        memcpy(&l->data[va % SHADOW_LINE], value, bytes);
        l->valid |= mask;
    } else {
        l->valid &= ~mask;
    }
}

static bool part_touch(struct shadow *s, const struct shadow_access *a, const struct part *p,
                       struct shadow_line *l)
{
    bool clean = true;
    uint32_t step;

    if (l->mode < WORDS || (l->mode == WORDS && (p->bytes | p->va) % 4)) {
        bool bytes = (p->bytes | p->va) % 4 || (l->mode == ROW && l->shift < 2);

        if (!shadow_line_expand(s, l, bytes ? BYTES : WORDS)) {
            return false;
        }
    }
    step = l->mode == BYTES ? 1 : 4;
    for (uint64_t at = p->va; at < p->va + p->bytes; at += step) {
        struct shadow_cell *c = &l->cell[at % SHADOW_LINE / step];

        if (!cell_quick(a, c)) {
            clean &= cell_touch(a, c, p);
        }
    }
    if (shadow_kind(a->me) & SHADOW_WRITE) {
        value_put(l, p->va, p->bytes, p->value);
    }
    return clean;
}

bool shadow_touch(struct shadow *s, const struct shadow_access *a, uint64_t va, uint32_t bytes,
                  const uint8_t *value)
{
    bool clean = true;

    while (bytes && !s->full) {
        struct shadow_line *l = shadow_line_find(s, va);
        uint32_t n = MIN(bytes, SHADOW_LINE - va % SHADOW_LINE);

        if (!l) {
            return false;
        }
        clean &= part_touch(s, a, &(struct part){ l, va, n, value }, l);
        va += n;
        bytes -= n;
        value = value ? value + n : NULL;
    }
    return clean;
}

/* --- rows --- */

/* Is all that was here ordered before each lane, without a question for each? */
static inline bool row_is_old(const struct shadow_access *a, const struct shadow_line *l,
                              bool write)
{
    for (unsigned k = write ? 0 : 1; k < 2; k++) {
        for (unsigned i = 0; i < KEPT; i++) {
            if (l->row.of[k][i].when && !record_is_old(a, l->row.of[k][i])) {
                return false;
            }
        }
    }
    return true;
}

static void row_start(struct shadow_line *l, unsigned shift)
{
    memset(&l->row, 0, sizeof(l->row));
    l->shift = (uint8_t)shift;
    l->mode = ROW;
}

bool shadow_row(struct shadow *s, const struct shadow_access *a, uint64_t va, unsigned shift,
                const uint8_t *value)
{
    bool write = shadow_kind(a->me) & SHADOW_WRITE;
    struct shadow_line *l = s->full ? NULL : shadow_line_find(s, va);

    if (!l) {
        return true; /* nothing to be done */
    }
    if (l->mode > ROW) {
        return false;
    }
    if (l->mode == EMPTY) {
        row_start(l, shift);
    }
    if (l->shift != shift || !row_is_old(a, l, write)) {
        return false;
    }
    if (write) {
        memset(&l->row, 0, sizeof(l->row));
        value_put(l, va, SHADOW_LINE, value);
    }
    record_push(l->row.of[write], a->me);
    return true;
}

void shadow_row_again(struct shadow *s, const struct shadow_access *a, uint64_t va, unsigned shift)
{
    struct shadow_line *l = s->full ? NULL : shadow_line_find(s, va);

    if (l) {
        row_start(l, shift);
        l->row.of[1][0] = a->me;
    }
}
