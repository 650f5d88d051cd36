/* SPDX-License-Identifier: MIT */
/* Fences, releases and acquires, asynchronous copies, mbarrier; see order.h. */
#include "model/igpu/race/order_priv.h"

#include <string.h>

/**
 * struct order_sync - what has been published at an address
 * @know: for threads of @block; of @cluster; for all. @thread: which published last
 */
struct order_sync {
    uint64_t va, block, cluster, thread;
    struct know *know[ORDER_SCOPES];
};

void order_sync_free(void *p)
{
    struct order_sync *s = p;

    for (unsigned i = 0; i < ORDER_SCOPES; i++) {
        know_drop(s->know[i]);
    }
    g_free(s);
}

/* --- releases --- */

struct order_fence order_fence_take(const struct order_grid *o, const struct order_thread *x)
{
    return (struct order_fence){ .stamp = *o->now,
                                 .base = x->block->base,
                                 .warp_base = x->block->warp[x->warp].base,
                                 .know = know_ref(order_lane_know(x)) };
}

static void fence_keep(struct order_fence *to, const struct order_fence *f)
{
    know_drop(to->know);
    *to = *f;
    know_ref(to->know);
}

struct know *order_fence_give(struct order_grid *o, const struct order_thread *x,
                              const struct order_fence *f, struct know *k)
{
    uint64_t me = order_id(x);

    k = know_join(k, f->know, &o->work);
    k = know_add(k, know_block(me), f->base, &o->work);
    k = know_add(k, know_warp(me), f->warp_base, &o->work);
    return know_add(k, know_thread(me), f->stamp, &o->work);
}

static void lane_acquire(struct order_grid *o, const struct order_thread *x, enum order_scope scope)
{
    const struct order_lane *l = order_lane(x);

    for (unsigned i = 0; i <= (unsigned)scope; i = order_wider(o, i)) {
        order_take(o, x, l->seen[i]);
    }
}

static void lane_release(const struct order_grid *o, const struct order_thread *x,
                         enum order_scope scope)
{
    struct order_lane *l = order_lane(x);
    struct order_fence f = order_fence_take(o, x);

    for (unsigned i = 0; i <= (unsigned)scope; i = order_wider(o, i)) {
        fence_keep(&l->released[i], &f);
    }
    know_drop(f.know);
}

void order_fence(struct order_grid *o, const struct order_thread *x, enum order_scope scope,
                 unsigned what)
{
    if (what & ORDER_ACQUIRE) {
        lane_acquire(o, x, scope);
    }
    if (what & ORDER_RELEASE) {
        lane_release(o, x, scope);
    }
}

/* --- strong accesses --- */

static GHashTable **sync_table(struct order_grid *o, const struct order_access *a)
{
    return a->owner ? &a->owner->sync : &o->sync;
}

static struct order_sync *sync_find(struct order_grid *o, const struct order_access *a)
{
    GHashTable *t = *sync_table(o, a);

    return t ? g_hash_table_lookup(t, &a->va) : NULL;
}

static struct order_sync *sync_make(struct order_grid *o, const struct order_access *a)
{
    GHashTable **t = sync_table(o, a);
    struct order_sync *s = g_new0(struct order_sync, 1);

    if (!*t) { /* the key is the first field */
        *t = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, order_sync_free);
    }
    s->va = a->va;
    g_hash_table_insert(*t, s, s);
    return s;
}

/* 8.9.2: the value is of the last store, and of the atomic operations between it and the read. A
 * fence later may make it known; an acquiring read does at once, with what a strong read of the
 * same place had observed (8.8). */
static void sync_observe(struct order_grid *o, const struct order_thread *x,
                         const struct order_sync *s, const struct order_access *a, bool acquire)
{
    const bool valid[ORDER_SCOPES] = {
        s && s->block == x->block->number,
        s && s->cluster == x->block->cluster && a->scope >= ORDER_CLUSTER,
        s && a->scope == ORDER_ALL,
    };
    struct order_lane *l = order_lane(x);

    for (unsigned i = 0; i < ORDER_SCOPES; i = order_wider(o, i)) {
        if (!acquire && valid[i]) {
            l->seen[i] = know_join(l->seen[i], s->know[i], &o->work);
            l->seen_at = a->va;
        } else if (acquire && valid[i]) {
            order_take(o, x, s->know[i]);
        }
        if (acquire && l->seen_at == a->va && i <= (unsigned)a->scope) {
            order_take(o, x, l->seen[i]);
        }
    }
}

/* A store replaces what was published there, unless it is the thread's own release (8.8: "followed
 * by a strong write on M"). @fence: by scope */
static void sync_publish(struct order_grid *o, const struct order_thread *x, struct order_sync *s,
                         const struct order_access *a, const struct order_fence *const *fence)
{
    bool keep = a->rmw || s->thread == order_id(x);

    if (!keep || s->block != x->block->number) {
        g_clear_pointer(&s->know[ORDER_BLOCK], know_drop);
    }
    if (!keep || s->cluster != x->block->cluster) {
        g_clear_pointer(&s->know[ORDER_CLUSTER], know_drop);
    }
    if (!keep) {
        g_clear_pointer(&s->know[ORDER_ALL], know_drop);
    }
    s->block = x->block->number;
    s->cluster = x->block->cluster;
    s->thread = order_id(x);
    for (unsigned i = 0; i <= (unsigned)a->scope; i = order_wider(o, i)) {
        if (fence[i] && fence[i]->stamp) {
            s->know[i] = order_fence_give(o, x, fence[i], s->know[i]);
        }
    }
}

static void strong_write(struct order_grid *o, const struct order_thread *x, struct order_sync *s,
                         const struct order_access *a, bool release)
{
    const struct order_lane *l = x->block->warp[x->warp].lane;
    struct order_fence own = { 0 };
    const struct order_fence *fence[ORDER_SCOPES] = { &own, &own, &own };

    if (release) {
        own = order_fence_take(o, x);
    } else if (l && l[x->lane].released[ORDER_BLOCK].stamp) {
        fence[ORDER_BLOCK] = &l[x->lane].released[ORDER_BLOCK];
        fence[ORDER_CLUSTER] = &l[x->lane].released[ORDER_CLUSTER];
        fence[ORDER_ALL] = &l[x->lane].released[ORDER_ALL];
    }
    if (fence[ORDER_BLOCK]->stamp) {
        sync_publish(o, x, s ? s : sync_make(o, a), a, fence);
    } else if (s && !a->rmw && s->thread != order_id(x)) {
        g_hash_table_remove(*sync_table(o, a), &a->va);
    }
    know_drop(own.know);
}

void order_strong(struct order_grid *o, const struct order_thread *x, const struct order_access *a)
{
    unsigned what = o->implied ? ORDER_ACQUIRE | ORDER_RELEASE : a->what;
    struct order_sync *s = sync_find(o, a);

    if (a->reads && (s || (what & ORDER_ACQUIRE))) {
        sync_observe(o, x, s, a, what & ORDER_ACQUIRE);
    }
    if (a->writes) {
        strong_write(o, x, s, a, what & ORDER_RELEASE);
    }
}

/* --- cp.async --- */

static struct order_copies *lane_copies(const struct order_thread *x, enum order_copies_kind kind)
{
    struct order_lane *l = order_lane(x);

    if (!l->copies) {
        l->copies = g_new0(struct order_copies, ORDER_KINDS);
    }
    return &l->copies[kind];
}

void order_commit(const struct order_grid *o, const struct order_thread *x,
                  enum order_copies_kind kind)
{
    struct order_copies *c = lane_copies(x, kind);

    c->commit[c->n_commits++ % ORDER_GROUPS] = *o->now;
}

/* Of more waits than are kept the two oldest become one, which says too much and not too little. */
static void wait_keep(struct order_copies *c, uint64_t upto, uint64_t stamp)
{
    if (c->n_waits == ORDER_WAITS) {
        c->wait[0].upto = c->wait[1].upto;
        c->n_waits--;
        memmove(&c->wait[1], &c->wait[2], (c->n_waits - 1) * sizeof(c->wait[0]));
    }
    c->wait[c->n_waits++] = (struct order_wait){ upto, stamp };
}

void order_wait(const struct order_grid *o, const struct order_thread *x,
                enum order_copies_kind kind, uint32_t left)
{
    struct order_copies *c = lane_copies(x, kind);
    uint64_t upto = *o->now;

    if (left != UINT32_MAX) {
        if (c->n_commits <= left) {
            return;
        }
        left = MIN(left, ORDER_GROUPS - 1); /* the oldest that is kept */
        upto = c->commit[(c->n_commits - 1 - left) % ORDER_GROUPS];
    }
    wait_keep(c, upto, *o->now);
}

uint64_t order_wait_done(const struct order_thread *issuer, enum order_copies_kind kind,
                         uint64_t stamp)
{
    const struct order_lane *l = issuer->block->warp[issuer->warp].lane;
    const struct order_copies *c = l ? l[issuer->lane].copies : NULL;

    if (!c || kind == ORDER_KINDS) {
        return 0;
    }
    c += kind;
    for (uint32_t i = 0; i < c->n_waits; i++) { /* in the order of their stamps */
        if (c->wait[i].upto >= stamp) {
            return c->wait[i].stamp;
        }
    }
    return 0;
}

/* --- mbarrier --- */

static struct order_mbarrier *mbarrier_find(struct order_block *b, uint64_t at)
{
    uint64_t *key;
    struct order_mbarrier *m;

    if (!b->mbarrier) {
        b->mbarrier =
            g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, order_mbarrier_free);
    }
    m = g_hash_table_lookup(b->mbarrier, &at);
    if (!m) {
        key = g_memdup2(&at, sizeof(at));
        m = g_new0(struct order_mbarrier, 1);
        g_hash_table_insert(b->mbarrier, key, m);
    }
    return m;
}

void order_mbarrier_arrive(struct order_grid *o, const struct order_thread *x,
                           struct order_block *owner, uint64_t at)
{
    struct order_mbarrier *m = mbarrier_find(owner, at);

    if (owner == x->block) {
        order_arrival_add(o, x->block, &m->arrived, x->warp, 1u << x->lane);
    } else {
        struct order_fence f = order_fence_take(o, x);

        m->arrived.know = order_fence_give(o, x, &f, m->arrived.know);
        know_drop(f.know);
    }
}

void order_mbarrier_copies(struct order_grid *o, const struct order_thread *x,
                           struct order_block *owner, uint64_t at)
{
    struct order_mbarrier *m = mbarrier_find(owner, at);

    m->arrived.know = know_add(m->arrived.know, know_copies(order_id(x)), *o->now, &o->work);
}

bool order_knows_copy(const struct order_thread *x, uint64_t issuer, uint64_t stamp)
{
    return know_find(order_lane_know(x), know_copies(issuer)) >= stamp;
}

void order_mbarrier_complete(struct order_grid *o, struct order_block *b, uint64_t at,
                             const uint32_t *live)
{
    struct order_mbarrier *m = mbarrier_find(b, at);
    struct know *k = order_arrival_know(o, b, &m->arrived, live, know_ref(m->arrived.know));

    know_drop(m->over);
    m->over = know_join(k, b->know, &o->work);
    order_arrival_clear(&m->arrived, b->n_warps);
}

void order_mbarrier_wait(struct order_grid *o, const struct order_thread *x,
                         struct order_block *owner, uint64_t at)
{
    order_take(o, x, mbarrier_find(owner, at)->over);
}
