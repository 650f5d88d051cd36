/* SPDX-License-Identifier: MIT */
/* Pools give back what streams have freed, at each wait. */
#include "runtime/driver/core/notifier.h"
#include "runtime/driver/memory/pool_internal.h"

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/fence.h"
#include "runtime/driver/memory/region_internal.h"

GPtrArray *pool_all;

void pool_unmake(struct pool *p)
{
    g_ptr_array_remove(pool_all, p);
    g_array_free(p->waiting, TRUE);
    g_free(p);
}

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
    if (p->destroyed && !p->used) {
        pool_unmake(p);
    }
    return CUDA_SUCCESS;
}

void pool_reap_one(struct pool *p)
{
    struct check_caller caller = { 0 };

    for (guint i = 0; i < p->waiting->len;) {
        struct pool_waiting w = g_array_index(p->waiting, struct pool_waiting, i);
        struct region *r = region_at(w.address);
        bool last = p->waiting->len == 1;

        if (!fence_reached(w.fence)) {
            i++;
        } else if (!r || r->serial != w.serial) {
            g_array_remove_index(p->waiting, i);
        } else {
            check_region_remove(core_check(), r->mem.id, &caller);
            pool_free_now(r); /* takes the entry out; may end a destroyed pool */
            if (last) {
                return;
            }
        }
    }
}

void pool_reap(void)
{
    for (guint i = pool_all->len; i > 0; i--) {
        pool_reap_one(g_ptr_array_index(pool_all, i - 1));
    }
}

void pool_reap_init(void)
{
    pool_all = g_ptr_array_new();
    notify_covered_add(pool_reap);
}
