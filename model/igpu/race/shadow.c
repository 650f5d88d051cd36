/* SPDX-License-Identifier: MIT */
/* The lines of a shadow; what is in one, shadow_line.c and shadow_cell.c. */
#include "model/igpu/race/shadow_priv.h"

#include <string.h>

#define POOL_BYTES (UINT64_C(128) << 20) /* of each kind that is kept for the next grid */

/* --- life --- */

struct shadow_pool *shadow_pool_new(void)
{
    struct shadow_pool *p = g_new0(struct shadow_pool, 1);

    p->page = g_ptr_array_new_with_free_func(g_free);
    p->value = g_ptr_array_new_with_free_func(g_free);
    p->chunk = g_ptr_array_new_with_free_func(g_free);
    return p;
}

void shadow_pool_free(struct shadow_pool *p)
{
    if (!p) {
        return;
    }
    g_ptr_array_free(p->page, TRUE);
    g_ptr_array_free(p->value, TRUE);
    g_ptr_array_free(p->chunk, TRUE);
    g_free(p);
}

struct shadow *shadow_new(struct shadow_pool *pool, uint64_t bytes, uint64_t limit)
{
    struct shadow *s = g_new0(struct shadow, 1);

    s->pool = pool;
    s->limit = limit;
    s->generation = 1;
    shadow_store_clear(&s->store);
    if (pool) {
        s->page = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
        s->generation = ++pool->generation;
    } else {
        s->n_flat = (bytes + SHADOW_LINE - 1) / SHADOW_LINE;
        s->flat.line = g_new0(struct shadow_line, s->n_flat);
        s->bytes = s->n_flat * sizeof(struct shadow_line);
    }
    return s;
}

/* What a grid leaves is the next one's, up to POOL_BYTES. */
static void pool_keep(GPtrArray *of, void *p, uint64_t bytes)
{
    if (!of || !p || of->len >= POOL_BYTES / bytes) {
        g_free(p);
    } else {
        g_ptr_array_add(of, p);
    }
}

void shadow_free(struct shadow *s)
{
    GHashTableIter it;
    gpointer at;

    if (!s) {
        return;
    }
    if (s->page) {
        g_hash_table_iter_init(&it, s->page);
        while (g_hash_table_iter_next(&it, NULL, &at)) {
            const struct shadow_page *page = at;

            pool_keep(s->pool->page, page->line, PAGE_LINES * sizeof(struct shadow_line));
            pool_keep(s->pool->value, page->value, PAGE_LINES * sizeof(struct shadow_value));
        }
        g_hash_table_destroy(s->page);
    }
    for (guint i = 0; s->store.chunk && i < s->store.chunk->len; i++) {
        pool_keep(s->pool ? s->pool->chunk : NULL, s->store.chunk->pdata[i], CHUNK_UNITS * UNIT);
    }
    if (s->store.chunk) {
        g_ptr_array_free(s->store.chunk, TRUE);
    }
    g_free(s->flat.line);
    g_free(s->flat.value);
    g_free(s);
}

void shadow_forget(struct shadow *s)
{
    s->generation++;
    shadow_store_clear(&s->store);
}

bool shadow_is_full(const struct shadow *s)
{
    return s->full;
}

uint64_t shadow_bytes(const struct shadow *s)
{
    return s->bytes;
}

/* --- memory --- */

static bool room_take(struct shadow *s, uint64_t bytes)
{
    s->full = s->full || s->bytes + bytes > s->limit;
    s->bytes += s->full ? 0 : bytes;
    return !s->full;
}

/* @clear: it is to be all zero, as what another grid has left in @spare is not read. */
static void *memory_take(struct shadow *s, GPtrArray *spare, uint64_t bytes, bool clear)
{
    if (!room_take(s, bytes)) {
        return NULL;
    }
    if (spare && spare->len) {
        return g_ptr_array_steal_index_fast(spare, spare->len - 1);
    }
    return clear ? g_malloc0(bytes) : g_malloc(bytes);
}

void *shadow_chunk_take(struct shadow *s)
{
    return memory_take(s, s->pool ? s->pool->chunk : NULL, CHUNK_UNITS * UNIT, false);
}

/* --- lines --- */

struct shadow_page *shadow_page_find(struct shadow *s, uint64_t number)
{
    struct shadow_page *page = g_hash_table_lookup(s->page, &number);

    if (!page) {
        struct shadow_line *line =
            memory_take(s, s->pool->page, PAGE_LINES * sizeof(struct shadow_line), true);

        if (!line) {
            return NULL;
        }
        page = g_new0(struct shadow_page, 1); /* the key is the first field */
        page->number = number;
        page->line = line;
        g_hash_table_insert(s->page, page, page);
    }
    s->recent[number % RECENT] = page;
    return page;
}

struct shadow_value *shadow_value_find(struct shadow *s, const struct shadow_place *p)
{
    struct shadow_value *v;
    uint64_t n = s->pool ? PAGE_LINES : s->n_flat;

    if (!p->page->value) {
        p->page->value =
            memory_take(s, s->pool ? s->pool->value : NULL, n * sizeof(struct shadow_value), true);
        if (!p->page->value) {
            return NULL;
        }
    }
    v = &p->page->value[p->index];
    if (v->generation != s->generation) {
        v->generation = s->generation;
        v->valid = 0;
    }
    return v;
}
