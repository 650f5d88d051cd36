/* SPDX-License-Identifier: MIT */
/* The pieces of a line, and where their records are kept. */
#include "model/igpu/race/shadow_priv.h"

#include <string.h>

void shadow_store_clear(struct shadow_store *t)
{
    t->used = 1;
    memset(t->free_cells, 0, sizeof(t->free_cells));
    t->free_more = 0;
}

/* --- units --- */

/* @n units in a row. Return: 0: no room */
static uint32_t units_take(struct shadow *s, uint32_t n)
{
    struct shadow_store *t = &s->store;
    uint32_t at = t->used, chunks = t->chunk ? t->chunk->len : 0;

    if (at / CHUNK_UNITS != (at + n - 1) / CHUNK_UNITS) {
        at = (at / CHUNK_UNITS + 1) * CHUNK_UNITS;
    }
    if (at / CHUNK_UNITS >= chunks) {
        void *chunk = shadow_chunk_take(s);

        if (!chunk) {
            return 0;
        }
        t->chunk = t->chunk ? t->chunk : g_ptr_array_new();
        g_ptr_array_add(t->chunk, chunk);
        t->at = (uint8_t **)t->chunk->pdata;
    }
    t->used = at + n;
    return at;
}

/* The first of a list at @head, whose units hold the next one's number. Return: 0: it is empty */
static uint32_t list_take(const struct shadow *s, uint32_t *head)
{
    uint32_t at = *head;

    if (at) {
        *head = *(const uint32_t *)shadow_unit(s, at);
    }
    return at;
}

static void list_add(const struct shadow *s, uint32_t *head, uint32_t at)
{
    *(uint32_t *)shadow_unit(s, at) = *head;
    *head = at;
}

struct shadow_more *shadow_more_take(struct shadow *s, struct shadow_cell *c, unsigned k)
{
    uint32_t at = c->more[k];

    if (!at) {
        at = list_take(s, &s->store.free_more);
        at = at ? at : units_take(s, 1);
        if (!at) {
            return NULL;
        }
        memset(shadow_unit(s, at), 0, UNIT);
        c->more[k] = at;
    }
    return shadow_unit(s, at);
}

void shadow_more_drop(struct shadow *s, struct shadow_cell *c, unsigned k)
{
    if (c->more[k]) {
        list_add(s, &s->store.free_more, c->more[k]);
        c->more[k] = 0;
    }
}

static uint32_t cells_take(struct shadow *s, uint32_t room)
{
    uint32_t at = list_take(s, &s->store.free_cells[room]);

    return at ? at
              : units_take(s, (uint32_t)(((sizeof(struct shadow_cell) << room) + UNIT - 1) / UNIT));
}

/* --- pieces --- */

/* Room for one more cell than the line has. */
static bool cells_grow(struct shadow *s, struct shadow_line *l, uint32_t n)
{
    uint32_t room = !l->cells ? 1 : l->room < 2 ? 2 : l->room < ROOM_WORDS ? ROOM_WORDS : ROOMS - 1;
    uint32_t at;

    if (l->cells && n < 1u << l->room) {
        return true;
    }
    at = cells_take(s, room);
    if (!at) {
        return false;
    }
    memcpy(shadow_unit(s, at), shadow_line_cells(s, l), n * sizeof(struct shadow_cell));
    if (l->cells) {
        list_add(s, &s->store.free_cells[l->room], l->cells);
    }
    l->one.more[0] = l->one.more[1] = 0;
    l->cells = at;
    l->room = room & 7;
    return true;
}

/* @to becomes @from, which begins at byte @begin, as it is at byte @at. */
static bool cell_copy(struct shadow *s, struct shadow_cell *to, const struct shadow_cell *from,
                      uint32_t begin, uint32_t at)
{
    memset(to, 0, sizeof(*to));
    for (unsigned k = 0; k < 2; k++) {
        to->last[k] = shadow_record_at(from->last[k], begin, at);
        if (from->more[k]) {
            const struct shadow_more *old = shadow_unit(s, from->more[k]);
            struct shadow_more *m = shadow_more_take(s, to, k);

            if (!m) {
                return false;
            }
            for (unsigned i = 0; i < KEPT - 1; i++) {
                m->of[i] = shadow_record_at(old->of[i], begin, at);
            }
        }
    }
    return true;
}

struct shadow_cell *shadow_word_take(struct shadow *s, struct shadow_line *l, uint32_t w)
{
    struct shadow_cell *c = (struct shadow_cell *)shadow_unit(s, l->cells) + w;

    for (unsigned k = 0; k < 2; k++) {
        const struct shadow_more *old = l->one.more[k] ? shadow_unit(s, l->one.more[k]) : NULL;
        struct shadow_more *m = NULL;

        c->last[k] = shadow_record_at(l->one.last[k], 0, w * SHADOW_WORD);
        if (!old) {
            shadow_more_drop(s, c, k);
            continue;
        }
        m = shadow_more_take(s, c, k);
        if (!m) {
            return NULL;
        }
        for (unsigned i = 0; i < KEPT - 1; i++) {
            m->of[i] = shadow_record_at(old->of[i], 0, w * SHADOW_WORD);
        }
    }
    l->own |= (uint16_t)(1u << w);
    return c;
}

bool shadow_warp_split(struct shadow *s, struct shadow_cell *c)
{
    struct shadow_more *m = shadow_more_take(s, c, 0);
    bool half = (c->last[0].when >> SHADOW_KIND_BITS & SHADOW_ONE) == SHADOW_HALF;

    if (!m) {
        return false;
    }
    c->last[0].when &= ~((uint64_t)SHADOW_ONE << SHADOW_KIND_BITS);
    c->last[0].when |= (uint64_t)2 << SHADOW_KIND_BITS; /* words */
    m->of[0] = c->last[0];
    m->of[1].when = 0;
    c->last[0].who += half ? 15 : 31;
    return true;
}

static bool words_take(struct shadow *s, struct shadow_line *l)
{
    bool ok = true;

    for (uint32_t w = 0; w < SHADOW_LINE / SHADOW_WORD && ok; w++) {
        ok = shadow_word(s, l, w) != NULL;
    }
    shadow_more_drop(s, &l->one, 0);
    shadow_more_drop(s, &l->one, 1);
    return ok;
}

void shadow_line_reset(struct shadow *s, struct shadow_line *l, struct shadow_record me)
{
    shadow_more_drop(s, &l->one, 0);
    shadow_more_drop(s, &l->one, 1);
    l->one.last[0] = (struct shadow_record){ 0, 0 };
    l->one.last[1] = me;
    l->own = l->strong = 0;
}

bool shadow_line_cut(struct shadow *s, struct shadow_line *l, uint32_t at)
{
    uint32_t n = shadow_bits(l->starts), i, begin;
    struct shadow_cell *c, copy;

    if (l->starts == SHADOW_WORDS && !words_take(s, l)) {
        return false;
    }
    i = shadow_piece_of(l, at);
    begin = 63 - (uint32_t)__builtin_clzll(l->starts & ((UINT64_C(1) << at) - 1));
    if (!cells_grow(s, l, n) || !cell_copy(s, &copy, shadow_line_cells(s, l) + i, begin, at)) {
        return false;
    }
    c = shadow_line_cells(s, l);
    memmove(&c[i + 2], &c[i + 1], (n - i - 1) * sizeof(*c));
    c[i + 1] = copy;
    l->starts |= UINT64_C(1) << at;
    l->own = UINT16_MAX; /* if these are words now */
    l->strong = 0;
    return true;
}

bool shadow_line_words(struct shadow *s, struct shadow_line *l)
{
    struct shadow_cell *to, *from;
    uint32_t at = cells_take(s, ROOM_WORDS), begin = 0;

    if (!at) {
        return false;
    }
    to = shadow_unit(s, at);
    if (!l->cells) {
        memset(to, 0, sizeof(*to) << ROOM_WORDS);
        l->cells = at & ((1u << 29) - 1);
        l->room = ROOM_WORDS;
        l->starts = SHADOW_WORDS;
        l->own = l->strong = 0;
        return true;
    }
    from = shadow_line_cells(s, l);
    to[0] = from[0];
    for (uint32_t word = 1; word < SHADOW_LINE / SHADOW_WORD; word++) {
        if (l->starts >> word * SHADOW_WORD & 1) {
            begin = word * SHADOW_WORD;
            to[word] = *++from;
        } else if (!cell_copy(s, &to[word], from, begin, word * SHADOW_WORD)) {
            return false;
        }
    }
    list_add(s, &s->store.free_cells[l->room], l->cells);
    l->cells = at & ((1u << 29) - 1);
    l->room = ROOM_WORDS;
    l->starts = SHADOW_WORDS;
    l->own = UINT16_MAX;
    l->strong = 0;
    return true;
}

void shadow_line_join(struct shadow *s, struct shadow_line *l, uint32_t from, uint32_t to)
{
    uint64_t upto = to == SHADOW_LINE ? UINT64_MAX : (UINT64_C(1) << to) - 1;
    uint64_t gone = l->starts & upto & ~((UINT64_C(2) << from) - 1);
    uint32_t i = shadow_piece_of(l, from) + 1, n = shadow_bits(gone);
    uint32_t all = shadow_bits(l->starts);
    struct shadow_cell *c = shadow_line_cells(s, l);

    if (!gone) {
        return;
    }
    for (uint32_t j = i; j < i + n; j++) {
        shadow_more_drop(s, &c[j], 0);
        shadow_more_drop(s, &c[j], 1);
    }
    memmove(&c[i], &c[i + n], (all - i - n) * sizeof(*c));
    l->starts &= ~gone;
    if (n + 1 == all) {
        l->one = c[0];
        list_add(s, &s->store.free_cells[l->room], l->cells);
        l->cells = 0;
    }
}
