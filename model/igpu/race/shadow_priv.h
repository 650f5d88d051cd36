/* SPDX-License-Identifier: MIT */
/* What shadow.c, shadow_line.c, shadow_cell.c and shadow_touch.c share. */
#ifndef MODEL_IGPU_RACE_SHADOW_PRIV_H
#define MODEL_IGPU_RACE_SHADOW_PRIV_H

#include <glib.h>

#include "model/igpu/race/know.h"
#include "model/igpu/race/shadow.h"

#define KEPT 3u

/* Loads and stores: the latest one. @more: two more records each, units of the store below; 0: none
 */
struct shadow_cell {
    struct shadow_record last[2];
    uint32_t more[2];
};

/* The latest of another thread of the last one's block; the latest of another block */
struct shadow_more {
    struct shadow_record of[KEPT - 1];
};

/**
 * struct shadow_line
 * @generation: what follows is of the shadow's, or nothing
 * @starts: bit by byte where a piece begins; 0: nothing has accessed the line. SHADOW_WORDS: each
 * word is a piece, so that its cell is found without counting, and none is cut again for a word
 * @cells: of the pieces in order, units; 0: there is one piece, @one. @room: of them, log2
 * @own: of SHADOW_WORDS, bit by word that has its cell; what the others hold is still in @one
 * @strong: of SHADOW_WORDS, bit by word: every record of its cell is old or a strong one of a word,
 * so that no strong access of a word and of this block races there
 * @newest: stamp of the last access; SHADOW_NEWEST: it is not known
 */
struct shadow_line {
    uint32_t generation;
    uint32_t cells : 29, room : 3;
    uint64_t starts;
    uint32_t newest;
    uint16_t own, strong;
    struct shadow_cell one;
};

#define SHADOW_NEWEST UINT32_MAX

/* Of global memory, of a line that one record describes: stamp, its first and last byte, shift and
 * kind; 0: nothing has accessed it; FIRST_IS_LINE: struct shadow_line does. A quarter of a line's
 * size, as most lines of most kernels need no more. */
struct shadow_first {
    uint64_t when, who;
};

#define FIRST_IS_LINE 1u
#define FIRST_LO_SHIFT 12u
#define FIRST_HI_SHIFT 19u
#define FIRST_BYTE 127u
#define FIRST_BYTES \
    ((uint64_t)FIRST_BYTE << FIRST_LO_SHIFT | (uint64_t)FIRST_BYTE << FIRST_HI_SHIFT)
#define FIRST_STAMP_SHIFT 26u
#define FIRST_STAMPS (UINT64_C(1) << (64 - FIRST_STAMP_SHIFT))

/* What was stored last in a line, where @valid says so, bytes */
struct shadow_value {
    uint32_t generation;
    uint64_t valid;
    uint8_t data[SHADOW_LINE];
};

#define UNIT sizeof(struct shadow_more)
#define CHUNK_UNITS 2048u
#define ROOMS 7u /* for 1 to 64 cells */
#define ROOM_WORDS 4u
#define SHADOW_WORD 4u
#define SHADOW_WORDS UINT64_C(0x1111111111111111)

/* Units by number, from 1 on, in chunks that stay where they are. @at: of @chunk. @free: by room of
 * cells, and of struct shadow_more, the first of a list */
struct shadow_store {
    GPtrArray *chunk;
    uint8_t **at;
    uint32_t used;
    uint32_t free_cells[ROOMS], free_more;
};

/* @slab: of SLAB_BYTES each, which the others are cut from; @used: bytes of the last one */
struct shadow_pool {
    GPtrArray *slab, *first, *page, *value, *chunk;
    size_t used;
    uint32_t generation;
};

/* @first: of global memory; @line: of that NULL until one is needed */
struct shadow_page {
    uint64_t number;
    struct shadow_first *first;
    struct shadow_line *line;
    struct shadow_value *value; /* NULL until a store */
};

#define PAGE_LINES 256u
#define RECENT_BITS 10u

/**
 * struct shadow
 * @many: shadow_many()
 * @flat: without a pool, all lines; else @page: struct shadow_page by number, and those used last
 */
struct shadow {
    struct shadow_pool *pool;
    struct shadow_page flat;
    uint64_t n_flat;
    GHashTable *page;
    struct shadow_page *recent[1u << RECENT_BITS];
    struct shadow_store store;
    uint32_t generation;
    uint64_t bytes, limit, stores;
    bool full, many;
};

/* A line, and where the values of its stores are kept */
struct shadow_place {
    struct shadow_line *line;
    struct shadow_page *page;
    uint32_t index; /* of it in the page */
};

/* shadow.c. NULL: no room */
struct shadow_page *shadow_page_find(struct shadow *s, uint64_t number);
/* What @first of the line has becomes a line. Return: false: no room */
bool shadow_first_expand(struct shadow *s, const struct shadow_place *p);

/* Strided pages do not meet in one place (a multiplicative hash). */
static inline uint32_t shadow_recent_at(uint64_t number)
{
    return (uint32_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> (64 - RECENT_BITS));
}

/* Return: false: no room, or beyond the space. @p: without its line */
static inline bool shadow_page_of(struct shadow *s, uint64_t va, struct shadow_place *p)
{
    if (!s->pool) {
        p->page = &s->flat;
        p->index = (uint32_t)(va / SHADOW_LINE);
        return va / SHADOW_LINE < s->n_flat;
    } else {
        uint64_t number = va / (SHADOW_LINE * PAGE_LINES);

        p->page = s->recent[shadow_recent_at(number)];
        p->index = va / SHADOW_LINE % PAGE_LINES;
        if (!p->page || p->page->number != number) {
            p->page = shadow_page_find(s, number);
        }
        return p->page != NULL;
    }
}

/* Return: false: no room */
static inline bool shadow_line_of(struct shadow *s, struct shadow_place *p)
{
    struct shadow_line *l;

    if (s->pool && p->page->first[p->index].when != FIRST_IS_LINE && !shadow_first_expand(s, p)) {
        return false;
    }
    l = p->line = &p->page->line[p->index];
    if (l->generation != s->generation) {
        l->generation = s->generation;
        l->cells = 0;
        l->starts = 0;
        l->newest = 0;
    }
    return true;
}

static inline bool shadow_line_find(struct shadow *s, uint64_t va, struct shadow_place *p)
{
    return shadow_page_of(s, va, p) && shadow_line_of(s, p);
}

/* NULL: no room */
struct shadow_value *shadow_value_find(struct shadow *s, const struct shadow_place *p);
/* Return: a chunk of CHUNK_UNITS; NULL: the limit is reached */
void *shadow_chunk_take(struct shadow *s);

/* shadow_line.c */
void shadow_store_clear(struct shadow_store *t);
static inline void *shadow_unit(const struct shadow *s, uint32_t number)
{
    return s->store.at[number / CHUNK_UNITS] + number % CHUNK_UNITS * UNIT;
}

/* The two further records of @c of loads or stores, made if need be. NULL: no room */
struct shadow_more *shadow_more_take(struct shadow *s, struct shadow_cell *c, unsigned k);
void shadow_more_drop(struct shadow *s, struct shadow_cell *c, unsigned k);

static inline struct shadow_cell *shadow_line_cells(const struct shadow *s, struct shadow_line *l)
{
    return l->cells ? shadow_unit(s, l->cells) : &l->one;
}

/* The number of bits; the host's instruction for it is not in each processor. */
static inline uint32_t shadow_bits(uint64_t x)
{
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(x * UINT64_C(0x0101010101010101) >> 56);
}

/* Which piece holds byte @at of the line */
static inline uint32_t shadow_piece_of(const struct shadow_line *l, uint32_t at)
{
    return l->starts == SHADOW_WORDS ? at / SHADOW_WORD
                                     : shadow_bits(l->starts & ((UINT64_C(2) << at) - 1)) - 1;
}

/* A piece begins at byte @at, which is in the middle of one, from now on. Return: false: no room */
bool shadow_line_cut(struct shadow *s, struct shadow_line *l, uint32_t at);
/* Each word becomes a piece; all pieces begin at words. Return: false: no room */
bool shadow_line_words(struct shadow *s, struct shadow_line *l);
/* The pieces from byte @from up to @to, where some begin, become that at @from. */
void shadow_line_join(struct shadow *s, struct shadow_line *l, uint32_t from, uint32_t to);

/* Of SHADOW_WORDS: word @w gets a cell of its own. NULL: no room */
struct shadow_cell *shadow_word_take(struct shadow *s, struct shadow_line *l, uint32_t w);
/* Of SHADOW_WORDS: nothing but the store @me of all its bytes is known from now on. */
void shadow_line_reset(struct shadow *s, struct shadow_line *l, struct shadow_record me);

/* A load of half a warp or of a whole one becomes those of its first and last lane. Return: false:
 * no room */
bool shadow_warp_split(struct shadow *s, struct shadow_cell *c);

static inline struct shadow_cell *shadow_word(struct shadow *s, struct shadow_line *l, uint32_t w)
{
    struct shadow_cell *c = l->own >> w & 1 ? (struct shadow_cell *)shadow_unit(s, l->cells) + w
                                            : shadow_word_take(s, l, w);

    uint32_t shift = c ? c->last[0].when >> SHADOW_KIND_BITS & SHADOW_ONE : 0;

    if ((shift == SHADOW_HALF || shift == SHADOW_WARP) && !shadow_warp_split(s, c)) {
        return NULL;
    }
    return c;
}

/* After an access at @stamp */
static inline void shadow_line_note(struct shadow_line *l, uint64_t stamp, bool async)
{
    l->newest = async || stamp >= SHADOW_NEWEST || l->newest == SHADOW_NEWEST ? SHADOW_NEWEST
                                                                              : (uint32_t)stamp;
}

/* The record of @r at byte @at of a line, where @r is that of byte @from */
static inline struct shadow_record shadow_record_at(struct shadow_record r, uint32_t from,
                                                    uint32_t at)
{
    uint32_t shift = r.when >> SHADOW_KIND_BITS & SHADOW_ONE;

    r.who += shift == SHADOW_ONE ? 0 : (at >> shift) - (from >> shift);
    return r;
}

#endif
