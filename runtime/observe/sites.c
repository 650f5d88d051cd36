/* SPDX-License-Identifier: MIT */
/* A fixed table without locks: hooks run on every thread at every access. */
#include "runtime/observe/sites.h"

#include <stdatomic.h>
#include <string.h>

#include "runtime/observe/check_internal.h"
#include "runtime/observe/source.h"

#define SLOTS 8192u
#define PROBES 32u

enum { SLOT_EMPTY, SLOT_FILLING, SLOT_READY };

struct site_count {
    atomic_uint state;
    uint32_t region;
    uintptr_t pc;
    atomic_uint_fast64_t count[3], bytes; /* by enum access_kind */
};

/* @used: the first n_used, which slots are not empty: a look at all would touch all their pages */
struct sites {
    struct site_count slots[SLOTS];
    uint16_t used[SLOTS];
    atomic_uint n_used;
};

struct sites *sites_new(void)
{
    return g_new0(struct sites, 1);
}

void sites_free(struct sites *s)
{
    g_free(s);
}

struct site_count *sites_find(struct sites *s, uintptr_t pc, uint32_t region)
{
    unsigned at =
        (unsigned)((pc ^ (uint64_t)region * 0x9e3779b1u) * UINT64_C(0x9e3779b97f4a7c15) >> 40);

    for (unsigned i = 0; i < PROBES; i++) {
        struct site_count *slot = &s->slots[(at + i) % SLOTS];
        unsigned state = atomic_load_explicit(&slot->state, memory_order_acquire);

        if (state == SLOT_EMPTY &&
            atomic_compare_exchange_strong(&slot->state, &state, SLOT_FILLING)) {
            slot->pc = pc;
            slot->region = region;
            s->used[atomic_fetch_add(&s->n_used, 1)] = (uint16_t)((at + i) % SLOTS);
            atomic_store_explicit(&slot->state, SLOT_READY, memory_order_release);
            return slot;
        }
        while (state == SLOT_FILLING) {
            state = atomic_load_explicit(&slot->state, memory_order_acquire);
        }
        if (slot->pc == pc && slot->region == region) {
            return slot;
        }
    }
    return NULL; /* full: the sums per region are exact all the same */
}

void sites_move(struct sites *s, uint32_t region, uint32_t first)
{
    unsigned used = atomic_load(&s->n_used);

    for (unsigned i = 0; i < used; i++) {
        struct site_count *slot = &s->slots[s->used[i]];

        if (atomic_load(&slot->state) == SLOT_READY && slot->region == region) {
            slot->region = first; /* which is freed, too: no access looks for either */
        }
    }
}

void site_count_add(struct site_count *s, uint64_t loads, uint64_t stores, uint64_t bytes)
{
    atomic_fetch_add_explicit(&s->count[ACCESS_LOAD], loads, memory_order_relaxed);
    atomic_fetch_add_explicit(&s->count[ACCESS_STORE], stores, memory_order_relaxed);
    atomic_fetch_add_explicit(&s->bytes, bytes, memory_order_relaxed);
}

void site_count_access(struct site_count *s, enum access_kind access, size_t len)
{
    atomic_fetch_add_explicit(&s->count[access], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&s->bytes, len, memory_order_relaxed);
}

/* One line of the program has many instructions: they are added up by place. */
struct place_sum {
    uint32_t region;
    const char *where; /* owned by source.c */
    uint64_t count[3], bytes;
};

static void place_add(GArray *sums, const struct site_count *slot)
{
    struct check_caller caller = { .pc = { slot->pc } };
    const char *where = source_place(&caller)->text;
    struct place_sum *sum = NULL;

    for (guint i = 0; i < sums->len && !sum; i++) {
        struct place_sum *s = &g_array_index(sums, struct place_sum, i);

        sum = s->region == slot->region && strcmp(s->where, where) == 0 ? s : NULL;
    }
    if (!sum) {
        struct place_sum fresh = { .region = slot->region, .where = where };

        g_array_append_val(sums, fresh);
        sum = &g_array_index(sums, struct place_sum, sums->len - 1);
    }
    for (unsigned i = 0; i < 3; i++) {
        sum->count[i] += slot->count[i];
    }
    sum->bytes += slot->bytes;
}

/* By region, the busiest place first; names decide a tie, addresses never. */
static gint place_order(gconstpointer a, gconstpointer b)
{
    const struct place_sum *x = a, *y = b;
    uint64_t nx = x->count[0] + x->count[1] + x->count[2];
    uint64_t ny = y->count[0] + y->count[1] + y->count[2];

    if (x->region != y->region) {
        return x->region < y->region ? -1 : 1;
    }
    if (nx != ny) {
        return nx > ny ? -1 : 1;
    }
    return strcmp(x->where, y->where);
}

void sites_notes(struct check *c)
{
    GArray *sums = g_array_new(FALSE, FALSE, sizeof(struct place_sum));
    unsigned used = atomic_load(&c->sites->n_used);

    for (unsigned i = 0; i < used; i++) {
        const struct site_count *slot = &c->sites->slots[c->sites->used[i]];

        if (slot->state == SLOT_READY) {
            place_add(sums, slot);
        }
    }
    g_array_sort(sums, place_order);
    for (guint i = 0; i < sums->len; i++) {
        const struct place_sum *s = &g_array_index(sums, struct place_sum, i);
        struct note n;

        note_init(&n, "site");
        note_u64(&n, "region", s->region);
        note_str(&n, "where", s->where);
        note_u64(&n, "loads", s->count[ACCESS_LOAD]);
        note_u64(&n, "stores", s->count[ACCESS_STORE]);
        note_u64(&n, "atomics", s->count[ACCESS_ATOMIC]);
        note_u64(&n, "bytes", s->bytes);
        checker_note(c->checker, &n);
    }
    g_array_free(sums, TRUE);
}
