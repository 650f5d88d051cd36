/* SPDX-License-Identifier: MIT */
/* What shadow.c and shadow_cell.c share. */
#ifndef MODEL_IGPU_RACE_SHADOW_PRIV_H
#define MODEL_IGPU_RACE_SHADOW_PRIV_H

#include <glib.h>

#include "model/igpu/race/know.h"
#include "model/igpu/race/shadow.h"

#define KEPT 3u

/* By kind of access, loads and stores: the latest; of another thread of its block; of another block
 */
struct shadow_cell {
    struct shadow_record of[2][KEPT];
};

enum shadow_mode { EMPTY, ROW, WORDS, BYTES };

/**
 * struct shadow_line
 * @mode: enum shadow_mode, of @generation only; @shift: of a row; @room: of @cell
 * @data, @valid: what was stored here, bytes
 */
struct shadow_line {
    uint32_t generation;
    uint8_t mode, shift, room;
    struct shadow_cell row, *cell;
    uint64_t valid;
    uint8_t data[SHADOW_LINE];
};

struct shadow_pool {
    GPtrArray *page;
    uint32_t generation;
};

struct shadow {
    struct shadow_pool *pool;
    struct shadow_line *flat; /* without a pool */
    uint64_t n_flat;
    GHashTable *page; /* lines by number of the page */
    uint64_t last_page;
    struct shadow_line *last;
    uint32_t generation;
    uint64_t bytes, limit;
    bool full;
};

/* NULL: no room, or beyond the space */
struct shadow_line *shadow_line_find(struct shadow *s, uint64_t va);
/* Cells instead of a row, or smaller ones. Return: false: no room */
bool shadow_line_expand(struct shadow *s, struct shadow_line *l, enum shadow_mode mode);

#endif
