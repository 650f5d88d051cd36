/* SPDX-License-Identifier: MIT */
/* Sections are those of PTX ISA 9.0. */
#include "tests/race/oracle.h"
#include <string.h>

#define BARRIERS 16u
#define LANES 32u

/* Of accesses, by number */
struct set {
    uint64_t *word;
    size_t n;
};

static void set_hold(struct set *s, size_t n)
{
    if (n > s->n) {
        s->word = g_renew(uint64_t, s->word, n);
        memset(s->word + s->n, 0, (n - s->n) * sizeof(*s->word));
        s->n = n;
    }
}

static void set_add(struct set *s, uint32_t i)
{
    set_hold(s, i / 64 + 1);
    s->word[i / 64] |= UINT64_C(1) << i % 64;
}

static bool set_has(const struct set *s, uint32_t i)
{
    return i / 64 < s->n && s->word[i / 64] >> i % 64 & 1;
}

static void set_join(struct set *s, const struct set *more)
{
    set_hold(s, more->n);
    for (size_t i = 0; i < more->n; i++) {
        s->word[i] |= more->word[i];
    }
}

static void set_clear(struct set *s)
{
    g_free(s->word);
    *s = (struct set){ 0 };
}

/* What the first operation of a release pattern makes visible, to threads that its scope includes
 */
struct message {
    struct set set;
    enum oracle_scope scope;
    uint32_t thread;
};

/* What is known of the value at an address: the writes that precede its readers in observation
 * order, and the release patterns of these. @last: the access that wrote it */
struct value {
    uint64_t key;
    uint32_t last;
    GArray *chain;       /* of uint32_t */
    GPtrArray *messages; /* of struct message */
};

/* A strong read, until an acquire operation follows */
struct read {
    uint64_t key;
    struct message *message;
};

/* A release operation, for strong writes to the same address behind it */
struct released {
    uint64_t key;
    struct message *message;
};

struct thread {
    struct set known;
    struct message *fence[ORACLE_SYS + 1]; /* the latest of each scope */
    GArray *reads, *released;
    struct set open; /* asynchronous copies since the last commit */
    GArray *groups;  /* of struct set */
    bool gone;
};

struct barrier {
    struct set arrived;
    GArray *waiting; /* of uint32_t */
    uint32_t n, expected;
};

struct mbarrier {
    struct set arrived, over;
    uint32_t count, pending;
};

struct oracle {
    uint32_t block_threads, n_threads;
    struct thread *thread;
    struct barrier *barrier; /* [block * BARRIERS + id] */
    GArray *access;          /* of struct oracle_access */
    GHashTable *at;          /* byte -> GArray of uint32_t: its accesses */
    GHashTable *value;       /* key -> struct value */
    GHashTable *mbarrier;    /* key -> struct mbarrier */
    GPtrArray *message;      /* owns all */
    GHashTable *pair;        /* line << 32 | line */
    GArray *pairs;           /* of struct oracle_pair */
};

/* --- life --- */

static void value_free(void *data)
{
    struct value *v = data;

    g_array_unref(v->chain);
    g_ptr_array_unref(v->messages);
    g_free(v);
}

static void message_free(void *data)
{
    struct message *m = data;

    set_clear(&m->set);
    g_free(m);
}

static void mbarrier_free(void *data)
{
    struct mbarrier *m = data;

    set_clear(&m->arrived);
    set_clear(&m->over);
    g_free(m);
}

static void array_unref(void *data)
{
    g_array_unref(data);
}

static void set_clear_any(void *data)
{
    set_clear(data);
}

struct oracle *oracle_new(uint32_t blocks, uint32_t block_threads)
{
    struct oracle *o = g_new0(struct oracle, 1);

    o->block_threads = block_threads;
    o->n_threads = blocks * block_threads;
    o->thread = g_new0(struct thread, o->n_threads);
    o->barrier = g_new0(struct barrier, (size_t)blocks * BARRIERS);
    for (uint32_t i = 0; i < o->n_threads; i++) {
        o->thread[i].reads = g_array_new(FALSE, FALSE, sizeof(struct read));
        o->thread[i].released = g_array_new(FALSE, FALSE, sizeof(struct released));
        o->thread[i].groups = g_array_new(FALSE, FALSE, sizeof(struct set));
        g_array_set_clear_func(o->thread[i].groups, set_clear_any);
    }
    for (uint32_t i = 0; i < blocks * BARRIERS; i++) {
        o->barrier[i].waiting = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    }
    o->access = g_array_new(FALSE, FALSE, sizeof(struct oracle_access));
    o->at = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, array_unref);
    o->value = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, value_free);
    o->mbarrier = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, mbarrier_free);
    o->message = g_ptr_array_new_with_free_func(message_free);
    o->pair = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    o->pairs = g_array_new(FALSE, FALSE, sizeof(struct oracle_pair));
    return o;
}

void oracle_free(struct oracle *o)
{
    for (uint32_t i = 0; i < o->n_threads; i++) {
        struct thread *t = &o->thread[i];

        set_clear(&t->known);
        set_clear(&t->open);
        g_array_unref(t->reads);
        g_array_unref(t->released);
        g_array_unref(t->groups);
    }
    for (uint32_t i = 0; i < o->n_threads / o->block_threads * BARRIERS; i++) {
        set_clear(&o->barrier[i].arrived);
        g_array_unref(o->barrier[i].waiting);
    }
    g_hash_table_unref(o->at);
    g_hash_table_unref(o->value);
    g_hash_table_unref(o->mbarrier);
    g_hash_table_unref(o->pair);
    g_ptr_array_unref(o->message);
    g_array_unref(o->access);
    g_array_unref(o->pairs);
    g_free(o->thread);
    g_free(o->barrier);
    g_free(o);
}

/* --- scopes and races --- */

static uint32_t block_of(const struct oracle *o, uint32_t thread)
{
    return thread / o->block_threads;
}

/* 8.5: does @scope of one include the other? */
static bool scope_includes(const struct oracle *o, enum oracle_scope scope, uint32_t a, uint32_t b)
{
    return scope >= ORACLE_GPU || (scope == ORACLE_CTA && block_of(o, a) == block_of(o, b));
}

static const struct oracle_access *access_at(const struct oracle *o, uint32_t i)
{
    return &g_array_index(o->access, struct oracle_access, i);
}

/* 8.7, of two threads */
static bool morally_strong(const struct oracle *o, const struct oracle_access *a,
                           const struct oracle_access *b)
{
    return scope_includes(o, a->scope, a->thread, b->thread) &&
           scope_includes(o, b->scope, b->thread, a->thread) && a->at == b->at &&
           a->bytes == b->bytes;
}

/* Shared memory of each block is a place of its own. */
static uint64_t key_of(const struct oracle *o, uint32_t thread, bool shared, uint64_t at)
{
    return shared ? UINT64_C(1) << 63 | (uint64_t)block_of(o, thread) << 32 | at : at;
}

static void pair_add(struct oracle *o, uint32_t a, uint32_t b)
{
    struct oracle_pair p = { { MIN(a, b), MAX(a, b) } };
    gint64 key = (gint64)((uint64_t)p.line[0] << 32 | p.line[1]);

    if (!g_hash_table_contains(o->pair, &key)) {
        g_hash_table_add(o->pair, g_memdup2(&key, sizeof(key)));
        g_array_append_val(o->pairs, p);
    }
}

/* 8.7.1: conflict, no order, not morally strong */
static void race_check(struct oracle *o, const struct oracle_access *a, uint32_t earlier)
{
    const struct oracle_access *e = access_at(o, earlier);

    if ((a->write || e->write) && !set_has(&o->thread[a->thread].known, earlier) &&
        !(morally_strong(o, a, e) && a->thread != e->thread)) {
        pair_add(o, a->line, e->line);
    }
}

/* Against all that have used a byte of it; from now on it is one of these. */
static void bytes_use(struct oracle *o, const struct oracle_access *a, uint32_t number)
{
    for (uint32_t k = 0; k < a->bytes; k++) {
        gint64 key = (gint64)key_of(o, a->thread, a->shared, a->at + k);
        GArray *at = g_hash_table_lookup(o->at, &key);

        if (!at) {
            at = g_array_new(FALSE, FALSE, sizeof(uint32_t));
            g_hash_table_insert(o->at, g_memdup2(&key, sizeof(key)), at);
        }
        for (guint i = 0; i < at->len; i++) {
            race_check(o, a, g_array_index(at, uint32_t, i));
        }
        g_array_append_val(at, number);
    }
}

/* --- observation, release and acquire patterns --- */

static struct value *value_get(struct oracle *o, const struct oracle_access *a)
{
    gint64 key = (gint64)key_of(o, a->thread, a->shared, a->at);
    struct value *v = g_hash_table_lookup(o->value, &key);

    if (!v) {
        v = g_new0(struct value, 1);
        v->key = (uint64_t)key;
        v->last = UINT32_MAX;
        v->chain = g_array_new(FALSE, FALSE, sizeof(uint32_t));
        v->messages = g_ptr_array_new();
        g_hash_table_insert(o->value, g_memdup2(&key, sizeof(key)), v);
    }
    return v;
}

static struct message *message_new(struct oracle *o, uint32_t thread, enum oracle_scope scope)
{
    struct message *m = g_new0(struct message, 1);

    m->scope = scope;
    m->thread = thread;
    set_join(&m->set, &o->thread[thread].known);
    g_ptr_array_add(o->message, m);
    return m;
}

/* 8.9.4: the first operation of the release and the last one of the acquire pattern are morally
 * strong to each other. */
static void message_take(struct oracle *o, uint32_t thread, enum oracle_scope scope,
                         const struct message *m)
{
    if (scope_includes(o, scope, thread, m->thread) &&
        scope_includes(o, m->scope, m->thread, thread)) {
        set_join(&o->thread[thread].known, &m->set);
    }
}

static void read_note(struct thread *t, uint64_t key, struct message *m)
{
    struct read r = { key, m };

    for (guint i = 0; i < t->reads->len; i++) {
        const struct read *old = &g_array_index(t->reads, struct read, i);

        if (old->key == key && old->message == m) {
            return;
        }
    }
    g_array_append_val(t->reads, r);
}

/* 8.8: an acquire operation on M ends the patterns of earlier strong reads of M too. */
static void acquire_at(struct oracle *o, const struct oracle_access *a, uint64_t key)
{
    struct thread *t = &o->thread[a->thread];

    for (guint i = 0; i < t->reads->len; i++) {
        const struct read *r = &g_array_index(t->reads, struct read, i);

        if (r->key == key) {
            message_take(o, a->thread, a->scope, r->message);
        }
    }
}

/* Does @a observe the value (8.9.2)? The writes of its chain are ordered before what
 * follows, 8.9.5. */
static bool value_observe(struct oracle *o, const struct oracle_access *a, const struct value *v)
{
    struct thread *t = &o->thread[a->thread];
    const struct oracle_access *w = v->last == UINT32_MAX ? NULL : access_at(o, v->last);

    if (!w || !w->scope || !a->scope || (w->thread != a->thread && !morally_strong(o, a, w))) {
        return false;
    }
    for (guint i = 0; i < v->chain->len; i++) {
        set_add(&t->known, g_array_index(v->chain, uint32_t, i));
    }
    if (!a->red) { /* 8.8: the read of a reduction is in no acquire pattern */
        for (guint i = 0; i < v->messages->len; i++) {
            read_note(t, v->key, v->messages->pdata[i]);
        }
    }
    return true;
}

/* The release patterns that a strong write ends: fences, release operations on the same address */
static void value_release(struct oracle *o, const struct oracle_access *a, struct value *v,
                          struct message *own)
{
    struct thread *t = &o->thread[a->thread];

    for (unsigned s = ORACLE_CTA; s <= ORACLE_SYS; s++) {
        if (t->fence[s]) {
            g_ptr_array_add(v->messages, t->fence[s]);
        }
    }
    for (guint i = 0; i < t->released->len; i++) {
        const struct released *r = &g_array_index(t->released, struct released, i);

        if (r->key == v->key) {
            g_ptr_array_add(v->messages, r->message);
        }
    }
    if (own) {
        struct released r = { v->key, own };

        g_ptr_array_add(v->messages, own);
        g_array_append_val(t->released, r);
    }
}

static void value_write(struct oracle *o, const struct oracle_access *a, struct value *v,
                        uint32_t number, bool follows, struct message *own)
{
    if (!follows) { /* only an atomic operation carries the chain on */
        g_array_set_size(v->chain, 0);
        g_ptr_array_set_size(v->messages, 0);
    }
    v->last = number;
    if (a->scope) {
        g_array_append_val(v->chain, number);
        value_release(o, a, v, own);
    }
}

/* A part of the value has been written over. */
static void values_spoil(struct oracle *o, const struct oracle_access *a, const struct value *own)
{
    for (int64_t k = -7; k < (int64_t)a->bytes; k++) {
        gint64 key = (gint64)key_of(o, a->thread, a->shared, a->at + (uint64_t)k);
        struct value *v = g_hash_table_lookup(o->value, &key);

        if (v && v != own && v->last != UINT32_MAX &&
            k + (int64_t)access_at(o, v->last)->bytes > 0) {
            v->last = UINT32_MAX;
        }
    }
}

void oracle_access(struct oracle *o, const struct oracle_access *a)
{
    struct thread *t = &o->thread[a->thread];
    struct value *v = value_get(o, a);
    struct message *own;
    uint32_t number = o->access->len;
    bool reads = !a->write || a->atomic, follows;

    g_array_append_val(o->access, *a);
    bytes_use(o, a, number);
    set_add(a->async ? &t->open : &t->known, number);
    follows = reads && value_observe(o, a, v) && a->atomic;
    if (a->acquire && reads) {
        acquire_at(o, a, v->key);
    }
    own = a->release ? message_new(o, a->thread, a->scope) : NULL;
    if (a->write) {
        value_write(o, a, v, number, follows, own);
        values_spoil(o, a, v);
    }
}

void oracle_fence(struct oracle *o, uint32_t thread, enum oracle_scope scope)
{
    struct thread *t = &o->thread[thread];

    for (guint i = 0; i < t->reads->len; i++) {
        message_take(o, thread, scope, g_array_index(t->reads, struct read, i).message);
    }
    t->fence[scope] = message_new(o, thread, scope);
}

/* --- barriers --- */

/* 9.7.13.1: with a count, so many threads complete it; without, all of the block that have not
 * exited. */
static void barrier_look(struct oracle *o, uint32_t block, uint32_t id)
{
    struct barrier *b = &o->barrier[block * BARRIERS + id];
    uint32_t living = 0;

    for (uint32_t i = 0; i < o->block_threads; i++) {
        living += !o->thread[block * o->block_threads + i].gone;
    }
    if (!b->n || b->n < (b->expected ? b->expected : living)) {
        return;
    }
    for (guint i = 0; i < b->waiting->len; i++) {
        set_join(&o->thread[g_array_index(b->waiting, uint32_t, i)].known, &b->arrived);
    }
    set_clear(&b->arrived);
    g_array_set_size(b->waiting, 0);
    b->n = 0;
}

void oracle_barrier(struct oracle *o, uint32_t thread, uint32_t id, uint32_t count, bool arrives)
{
    struct barrier *b = &o->barrier[block_of(o, thread) * BARRIERS + id];

    b->n++;
    b->expected = count;
    set_join(&b->arrived, &o->thread[thread].known);
    if (!arrives) {
        g_array_append_val(b->waiting, thread);
    }
    barrier_look(o, block_of(o, thread), id);
}

void oracle_warp_barrier(struct oracle *o, uint32_t thread, uint32_t lanes)
{
    uint32_t block = block_of(o, thread) * o->block_threads;
    uint32_t first = block + (thread - block) / LANES * LANES;
    struct set all = { 0 };

    for (uint32_t l = 0; l < LANES; l++) {
        if (lanes >> l & 1) {
            set_join(&all, &o->thread[first + l].known);
        }
    }
    for (uint32_t l = 0; l < LANES; l++) {
        if (lanes >> l & 1) {
            set_join(&o->thread[first + l].known, &all);
        }
    }
    set_clear(&all);
}

void oracle_exit(struct oracle *o, uint32_t thread)
{
    o->thread[thread].gone = true;
    for (uint32_t id = 0; id < BARRIERS; id++) {
        barrier_look(o, block_of(o, thread), id);
    }
}

/* --- asynchronous copies and mbarriers --- */

void oracle_commit(struct oracle *o, uint32_t thread)
{
    struct thread *t = &o->thread[thread];

    g_array_append_val(t->groups, t->open);
    t->open = (struct set){ 0 };
}

/* @pending UINT32_MAX: cp.async.wait_all, committed or not */
void oracle_wait(struct oracle *o, uint32_t thread, uint32_t pending)
{
    struct thread *t = &o->thread[thread];

    if (pending == UINT32_MAX) {
        set_join(&t->known, &t->open);
        pending = 0;
    }
    for (guint i = 0; i + pending < t->groups->len; i++) {
        set_join(&t->known, &g_array_index(t->groups, struct set, i));
    }
}

static struct mbarrier *mbarrier_get(struct oracle *o, uint32_t thread, uint64_t at)
{
    gint64 key = (gint64)key_of(o, thread, true, at);
    struct mbarrier *m = g_hash_table_lookup(o->mbarrier, &key);

    if (!m) {
        m = g_new0(struct mbarrier, 1);
        g_hash_table_insert(o->mbarrier, g_memdup2(&key, sizeof(key)), m);
    }
    return m;
}

void oracle_mbarrier_init(struct oracle *o, uint32_t thread, uint64_t at, uint32_t count)
{
    struct mbarrier *m = mbarrier_get(o, thread, at);

    m->count = m->pending = count;
}

void oracle_mbarrier_arrive(struct oracle *o, uint32_t thread, uint64_t at, bool async)
{
    struct mbarrier *m = mbarrier_get(o, thread, at);
    struct thread *t = &o->thread[thread];

    if (async) { /* orders the copies alone, 9.7.9.25.3 */
        set_join(&m->arrived, &t->open);
        for (guint i = 0; i < t->groups->len; i++) {
            set_join(&m->arrived, &g_array_index(t->groups, struct set, i));
        }
    } else {
        set_join(&m->arrived, &t->known);
    }
    if (--m->pending == 0) {
        m->pending = m->count;
        set_join(&m->over, &m->arrived);
    }
}

void oracle_mbarrier_pass(struct oracle *o, uint32_t thread, uint64_t at)
{
    set_join(&o->thread[thread].known, &mbarrier_get(o, thread, at)->over);
}

/* --- result --- */

static int pair_compare(const void *a, const void *b)
{
    const struct oracle_pair *p = a, *q = b;

    return p->line[0] != q->line[0] ? (p->line[0] < q->line[0] ? -1 : 1)
                                    : (p->line[1] > q->line[1]) - (p->line[1] < q->line[1]);
}

size_t oracle_pairs(struct oracle *o, const struct oracle_pair **pairs)
{
    g_array_sort(o->pairs, pair_compare);
    *pairs = (const struct oracle_pair *)(const void *)o->pairs->data;
    return o->pairs->len;
}
