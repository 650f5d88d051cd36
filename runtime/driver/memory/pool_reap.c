/* SPDX-License-Identifier: MIT */
/* Pools give back what streams have freed, at each wait. */
#include "runtime/driver/core/notifier.h"
#include "runtime/driver/memory/pool_internal.h"

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/fence.h"
#include "runtime/driver/memory/region_internal.h"

struct object_list pool_all;

static void pool_end(void *object)
{
    struct pool *p = object;

    g_array_free(p->waiting, TRUE);
}

const struct object_kind pool_kind = { .name = "memory pool",
                                       .type = HANDLE_POOL,
                                       .end = pool_end };

/* A region of a pool is given back now. */
CUresult pool_free_now(struct region *r)
{
    struct pool *p = r->pool;

    for (guint i = p->waiting->len; i > 0; i--) {
        if (g_array_index(p->waiting, struct pool_waiting, i - 1).serial == r->serial) {
            g_array_remove_index(p->waiting, i - 1);
        }
    }
    p->used -= r->mem.size;
    p->asked -= r->bytes;
    region_free(r);
    object_unref(&p->base);
    return CUDA_SUCCESS;
}

void pool_reap_one(struct pool *p)
{
    struct check_caller caller = { 0 };

    object_ref(&p->base);
    for (guint i = 0; i < p->waiting->len;) {
        struct pool_waiting w = g_array_index(p->waiting, struct pool_waiting, i);
        struct region *r = region_at(w.address);

        if (!fence_reached(w.fence)) {
            i++;
        } else if (!r || r->serial != w.serial) {
            g_array_remove_index(p->waiting, i);
        } else {
            check_region_remove(core_check(), r->mem.id, &caller);
            pool_free_now(r); /* takes the entry out */
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
