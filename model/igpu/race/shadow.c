/* SPDX-License-Identifier: MIT */
/* The lines of a shadow; what is in one, shadow_line.c and shadow_cell.c. */
#include "model/igpu/race/shadow_priv.h"

#include <string.h>
#include <sys/mman.h>

#define POOL_BYTES (UINT64_C(256) << 20) /* of each kind whose memory is kept for the next grid */
/* A huge page: the host's faults cost more than what is checked there. */
#define SLAB_BYTES (UINT64_C(2) << 20)

/* --- slabs --- */

static void slab_free(void *p)
{
    munmap(p, SLAB_BYTES);
}

/* All zero, at a multiple of its size. NULL: the host has none */
static uint8_t *slab_new(void)
{
    uint8_t *p = mmap(NULL, 2 * SLAB_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    size_t before;

    if (p == MAP_FAILED) {
        return NULL;
    }
    before = -(uintptr_t)p % SLAB_BYTES;
    if (before) {
        munmap(p, before);
    }
    munmap(p + before + SLAB_BYTES, SLAB_BYTES - before);
    madvise(p + before, SLAB_BYTES, MADV_HUGEPAGE); /* without it all is as right, and slower */
    return p + before;
}

/* @bytes: of one kind, a multiple of the host's page. NULL: the host has none */
static void *slab_take(struct shadow_pool *p, size_t bytes)
{
    uint8_t *slab;

    if (p->used + bytes > SLAB_BYTES) {
        slab = slab_new();
        if (!slab) {
            return NULL;
        }
        g_ptr_array_add(p->slab, slab);
        p->used = 0;
    }
    slab = p->slab->pdata[p->slab->len - 1];
    p->used += bytes;
    return slab + (p->used - bytes);
}

/* --- life --- */

struct shadow_pool *shadow_pool_new(void)
{
    struct shadow_pool *p = g_new0(struct shadow_pool, 1);

    p->slab = g_ptr_array_new_with_free_func(slab_free);
    p->first = g_ptr_array_new();
    p->page = g_ptr_array_new();
    p->value = g_ptr_array_new();
    p->chunk = g_ptr_array_new();
    p->used = SLAB_BYTES;
    return p;
}

void shadow_pool_free(struct shadow_pool *p)
{
    if (!p) {
        return;
    }
    g_ptr_array_free(p->first, TRUE);
    g_ptr_array_free(p->page, TRUE);
    g_ptr_array_free(p->value, TRUE);
    g_ptr_array_free(p->chunk, TRUE);
    g_ptr_array_free(p->slab, TRUE);
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

/* What a grid leaves is the next one's; above POOL_BYTES the host gets the memory back. */
static void pool_keep(GPtrArray *of, void *p, uint64_t bytes)
{
    if (!p) {
        return;
    }
    if (of->len >= POOL_BYTES / bytes) {
        madvise(p, bytes, MADV_DONTNEED);
    }
    g_ptr_array_add(of, p);
}

void shadow_many(struct shadow *s)
{
    s->many = true;
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

            pool_keep(s->pool->first, page->first, PAGE_LINES * sizeof(struct shadow_first));
            pool_keep(s->pool->page, page->line, PAGE_LINES * sizeof(struct shadow_line));
            pool_keep(s->pool->value, page->value, PAGE_LINES * sizeof(struct shadow_value));
        }
        g_hash_table_destroy(s->page);
    }
    for (guint i = 0; s->store.chunk && i < s->store.chunk->len; i++) {
        if (s->pool) {
            pool_keep(s->pool->chunk, s->store.chunk->pdata[i], CHUNK_UNITS * UNIT);
        } else {
            g_free(s->store.chunk->pdata[i]);
        }
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

uint64_t shadow_stores(const struct shadow *s)
{
    return s->stores;
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

/* All zero, or what another grid has left in @spare. */
static void *memory_take(struct shadow *s, GPtrArray *spare, uint64_t bytes)
{
    void *p;

    if (!room_take(s, bytes)) {
        return NULL;
    }
    if (spare->len) {
        return g_ptr_array_steal_index_fast(spare, spare->len - 1);
    }
    p = slab_take(s->pool, bytes);
    s->full = !p;
    return p;
}

void *shadow_chunk_take(struct shadow *s)
{
    uint64_t bytes = CHUNK_UNITS * UNIT;

    if (s->pool) {
        return memory_take(s, s->pool->chunk, bytes);
    }
    return room_take(s, bytes) ? g_malloc(bytes) : NULL;
}

/* --- lines --- */

struct shadow_page *shadow_page_find(struct shadow *s, uint64_t number)
{
    struct shadow_page *page = g_hash_table_lookup(s->page, &number);
    uint64_t bytes = PAGE_LINES * sizeof(struct shadow_first);

    if (!page) {
        struct shadow_first *first = memory_take(s, s->pool->first, bytes);

        if (!first) {
            return NULL;
        }
        memset(first, 0, bytes);
        page = g_new0(struct shadow_page, 1); /* the key is the first field */
        page->number = number;
        page->first = first;
        g_hash_table_insert(s->page, page, page);
    }
    s->recent[shadow_recent_at(number)] = page;
    return page;
}

bool shadow_first_expand(struct shadow *s, const struct shadow_place *p)
{
    struct shadow_first *f = &p->page->first[p->index];
    uint32_t lo = f->when >> FIRST_LO_SHIFT & FIRST_BYTE,
             hi = f->when >> FIRST_HI_SHIFT & FIRST_BYTE;
    struct shadow_record r = { f->when >> FIRST_STAMP_SHIFT << SHADOW_STAMP_SHIFT |
                                   (f->when & ((1u << SHADOW_STAMP_SHIFT) - 1)),
                               f->who };
    struct shadow_line *l;

    if (!p->page->line) {
        p->page->line = memory_take(s, s->pool->page, PAGE_LINES * sizeof(struct shadow_line));
        if (!p->page->line) {
            return false;
        }
    }
    l = &p->page->line[p->index];
    *l = (struct shadow_line){ .generation = s->generation, .starts = f->when ? 1 : 0 };
    if ((f->when && lo && !shadow_line_cut(s, l, lo)) ||
        (f->when && hi < SHADOW_LINE && !shadow_line_cut(s, l, hi))) {
        return false;
    }
    if (f->when) {
        shadow_line_cells(s, l)[lo > 0].last[shadow_kind(r) & SHADOW_WRITE] = r;
    }
    f->when = FIRST_IS_LINE;
    return true;
}

struct shadow_value *shadow_value_find(struct shadow *s, const struct shadow_place *p)
{
    struct shadow_value *v;
    uint64_t bytes = (s->pool ? PAGE_LINES : s->n_flat) * sizeof(struct shadow_value);

    if (!p->page->value) {
        p->page->value = s->pool               ? memory_take(s, s->pool->value, bytes)
                         : room_take(s, bytes) ? g_malloc0(bytes)
                                               : NULL;
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
