/* SPDX-License-Identifier: MIT */
/* Pools give back what streams have freed, at each wait. */
#include "runtime/driver/core/notifier.h"
#include "runtime/driver/memory/pool_internal.h"

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/fence.h"
#include "runtime/driver/memory/region_internal.h"

struct object_list pool_all;

#define LINE(p, i) g_array_index((p)->lines, struct pool_line, i)
#define WAITING(line, i) g_array_index((line)->waiting, struct pool_waiting, i)

static void pool_end(void *object)
{
    struct pool *p = object;

    for (guint i = 0; i < p->lines->len; i++) {
        g_array_free(LINE(p, i).waiting, TRUE);
    }
    g_array_free(p->lines, TRUE);
}

const struct object_kind pool_kind = { .name = "memory pool",
                                       .type = HANDLE_POOL,
                                       .end = pool_end };

static struct pool_line *pool_line(struct pool *p, uint32_t syncpt)
{
    struct pool_line line = { .syncpt = syncpt };

    for (guint i = 0; i < p->lines->len; i++) {
        if (LINE(p, i).syncpt == syncpt) {
            return &LINE(p, i);
        }
    }
    line.waiting = g_array_new(FALSE, FALSE, sizeof(struct pool_waiting));
    g_array_append_val(p->lines, line);
    return &LINE(p, p->lines->len - 1);
}

void pool_free_later(struct pool *p, const struct region *r, struct fence fence)
{
    struct pool_waiting w = { (uintptr_t)r->mem.cpu, r->serial, p->frees++, fence.threshold };

    g_array_append_val(pool_line(p, fence.id)->waiting, w);
}

static void pool_release(struct region *r)
{
    struct pool *p = r->pool;

    p->used -= r->mem.size;
    p->asked -= r->bytes;
    region_free(r);
    object_unref(&p->base);
}

/* A region of a pool is given back now. What waits for it finds another serial, or no region. */
CUresult pool_free_now(struct region *r)
{
    pool_release(r);
    return CUDA_SUCCESS;
}

/* The entry of @line that its syncpoint, at @value, has reached, or NULL. */
static const struct pool_waiting *line_reached(const struct pool_line *line, uint32_t value)
{
    const struct pool_waiting *w;

    if (line->first == line->waiting->len) {
        return NULL;
    }
    w = &WAITING(line, line->first);
    return !line->syncpt || (int32_t)(value - w->threshold) >= 0 ? w : NULL;
}

/* The line whose next free is reached and the oldest of such, or NULL: memory is given back in the
 * order of the frees, so that addresses do not depend on which stream is asked first. */
static struct pool_line *oldest_reached(struct pool *p, const uint32_t *values)
{
    struct pool_line *oldest = NULL;

    for (guint i = 0; i < p->lines->len; i++) {
        const struct pool_waiting *w = line_reached(&LINE(p, i), values[i]);

        if (w && (!oldest || w->order < WAITING(oldest, oldest->first).order)) {
            oldest = &LINE(p, i);
        }
    }
    return oldest;
}

static struct pool_waiting line_take(struct pool_line *line)
{
    struct pool_waiting w = WAITING(line, line->first);

    if (++line->first == line->waiting->len || line->first == 1024) {
        g_array_remove_range(line->waiting, 0, line->first);
        line->first = 0;
    }
    return w;
}

void pool_reap_one(struct pool *p)
{
    struct check_caller caller = { 0 };
    struct pool_line *line;
    g_autofree uint32_t *values = NULL;

    if (p->lines->len == 0) {
        return;
    }
    values = g_new0(uint32_t, p->lines->len);
    for (guint i = 0; i < p->lines->len; i++) {
        if (LINE(p, i).first < LINE(p, i).waiting->len && LINE(p, i).syncpt) {
            values[i] = syncpt_value(LINE(p, i).syncpt);
        }
    }
    object_ref(&p->base);
    while ((line = oldest_reached(p, values))) {
        struct pool_waiting w = line_take(line);
        struct region *r = region_at(w.address);

        if (r && r->serial == w.serial) {
            check_region_remove(core_check(), r->mem.id, &caller);
            pool_release(r);
        }
    }
    object_unref(&p->base);
}

void pool_reap(void)
{
    for (struct pool *p = object_last(&pool_all), *before; p; p = before) {
        before = object_before(&p->base);
        pool_reap_one(p);
    }
}

void pool_reap_init(void)
{
    notify_covered_add(pool_reap);
}
