/* SPDX-License-Identifier: MIT */
/* The lines of a shadow; what is in one, shadow_cell.c. */
#include "model/igpu/race/shadow_priv.h"

#include <string.h>

#define PAGE_LINES 256u
#define POOL_BYTES (UINT64_C(64) << 20) /* that are kept for the next grid */
/* --- life --- */

static void lines_free(struct shadow_line *l, uint64_t n)
{
    for (uint64_t i = 0; l && i < n; i++) {
        g_free(l[i].cell);
    }
    g_free(l);
}

struct shadow_pool *shadow_pool_new(void)
{
    struct shadow_pool *p = g_new0(struct shadow_pool, 1);

    p->page = g_ptr_array_new();
    return p;
}

void shadow_pool_free(struct shadow_pool *p)
{
    if (!p) {
        return;
    }
    for (guint i = 0; i < p->page->len; i++) {
        lines_free(p->page->pdata[i], PAGE_LINES);
    }
    g_ptr_array_free(p->page, TRUE);
    g_free(p);
}

struct shadow *shadow_new(struct shadow_pool *pool, uint64_t bytes, uint64_t limit)
{
    struct shadow *s = g_new0(struct shadow, 1);

    s->pool = pool;
    s->limit = limit;
    s->generation = 1;
    if (pool) {
        s->page = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
        s->generation = ++pool->generation;
    } else {
        s->n_flat = (bytes + SHADOW_LINE - 1) / SHADOW_LINE;
        s->flat = g_new0(struct shadow_line, s->n_flat);
        s->bytes = s->n_flat * sizeof(struct shadow_line);
    }
    return s;
}

/* The cells of a line are many times the line: of a pool beyond its size they go first. */
static void page_keep(struct shadow_pool *pool, struct shadow_line *page)
{
    if (pool->page->len >= POOL_BYTES / (PAGE_LINES * sizeof(struct shadow_line))) {
        lines_free(page, PAGE_LINES);
        return;
    }
    for (uint32_t i = 0; i < PAGE_LINES; i++) {
        if (page[i].room > SHADOW_LINE / 4) {
            g_clear_pointer(&page[i].cell, g_free);
            page[i].room = 0;
        }
    }
    g_ptr_array_add(pool->page, page);
}

void shadow_free(struct shadow *s)
{
    GHashTableIter it;
    gpointer page;

    if (!s) {
        return;
    }
    if (s->page) {
        g_hash_table_iter_init(&it, s->page);
        while (g_hash_table_iter_next(&it, NULL, &page)) {
            page_keep(s->pool, page);
        }
        g_hash_table_destroy(s->page);
    }
    lines_free(s->flat, s->n_flat);
    g_free(s);
}

void shadow_forget(struct shadow *s)
{
    s->generation++;
}

bool shadow_is_full(const struct shadow *s)
{
    return s->full;
}

/* --- lines --- */

static bool room_take(struct shadow *s, uint64_t bytes)
{
    s->full = s->full || s->bytes + bytes > s->limit;
    s->bytes += s->full ? 0 : bytes;
    return !s->full;
}

static __attribute__((noinline)) struct shadow_line *page_find(struct shadow *s, uint64_t number)
{
    struct shadow_line *page = g_hash_table_lookup(s->page, &number);
    GPtrArray *spare = s->pool->page;

    if (!page) {
        if (!room_take(s, PAGE_LINES * sizeof(struct shadow_line))) {
            return NULL;
        }
        page = spare->len ? g_ptr_array_remove_index_fast(spare, spare->len - 1)
                          : g_new0(struct shadow_line, PAGE_LINES);
        g_hash_table_insert(s->page, g_memdup2(&number, sizeof(number)), page);
    }
    s->last_page = number;
    s->last = page;
    return page;
}

struct shadow_line *shadow_line_find(struct shadow *s, uint64_t va)
{
    uint64_t number = va / (SHADOW_LINE * PAGE_LINES);
    struct shadow_line *l;

    if (s->flat) {
        if (va / SHADOW_LINE >= s->n_flat) {
            return NULL;
        }
        l = &s->flat[va / SHADOW_LINE];
    } else {
        struct shadow_line *page =
            s->last && s->last_page == number ? s->last : page_find(s, number);

        if (!page) {
            return NULL;
        }
        l = &page[va / SHADOW_LINE % PAGE_LINES];
    }
    if (l->generation != s->generation) {
        l->generation = s->generation;
        l->mode = EMPTY;
        l->valid = 0;
    }
    return l;
}

static void row_spread(struct shadow_line *l, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        l->cell[i] = l->row;
        for (uint32_t k = 0; k < 2 * KEPT; k++) {
            struct shadow_record *r = &l->cell[i].of[k / KEPT][k % KEPT];

            r->who += r->when ? i * (SHADOW_LINE / n) >> l->shift : 0;
        }
    }
}

bool shadow_line_expand(struct shadow *s, struct shadow_line *l, enum shadow_mode mode)
{
    uint32_t n = mode == BYTES ? SHADOW_LINE : SHADOW_LINE / 4;

    if (l->room < n) {
        if (!room_take(s, n * sizeof(struct shadow_cell))) {
            return false;
        }
        l->cell = g_renew(struct shadow_cell, l->cell, n);
        l->room = (uint8_t)n;
    }
    if (l->mode == EMPTY) {
        memset(l->cell, 0, n * sizeof(struct shadow_cell));
    } else if (l->mode == ROW) {
        row_spread(l, n);
    } else {
        for (uint32_t i = n; i-- > 0;) {
            l->cell[i] = l->cell[i / 4];
        }
    }
    l->mode = (uint8_t)mode;
    return true;
}
