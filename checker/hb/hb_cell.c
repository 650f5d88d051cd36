/* SPDX-License-Identifier: MIT */
#include "checker/hb/hb_cell.h"

#include <stddef.h>
#include <string.h>

#define ENTRIES 96u   /* of one line; more accesses than that are forgotten, the oldest first */
#define MEMO_MIN 512u /* a short run touches few pages */
#define MEMO_MAX 32768u
#define CROWDED 65536u

/**
 * struct state - of one line, never changed
 * @fresh: bit i: the place holds the newest version of byte i (@cpu: only while @cpu_valid)
 * @l2_valid: bytes that the L2 holds; only while @l2_epoch is the cache's
 * @stores: number of entries that are stores; they come first, disjoint; loads follow
 */
struct state {
    uint32_t hash, l2_epoch;
    uint64_t cpu, l2, dram, l2_valid;
    uint8_t cpu_valid, cpu_dirty, stores, entries, zero[4];
};

/* In memory the entries follow. */
static struct hb_entry *entries_of(const struct state *s)
{
    return (struct hb_entry *)(s + 1);
}

/* A state while it is worked on: laid out as in memory. */
struct work {
    struct state s;
    struct hb_entry e[ENTRIES];
};
G_STATIC_ASSERT(offsetof(struct work, e) == sizeof(struct state));

struct memo {
    uint32_t from, to, l2_epoch;
    bool track;
    struct hb_step step;
};

struct hb_cells {
    const struct hb_clocks *clocks;
    bool io_coherent, both;
    uint32_t l2_epoch, changes;
    GPtrArray *states;
    GHashTable *known; /* struct state -> index + 1 */
    guint crowd;
    struct memo *memo;
    unsigned memo_size, memos; /* a power of two; stored since it has this size */
    /* while states are renamed */
    GPtrArray *old_states;
    uint32_t *names;
};

/* --- states kept once ------------------------------------------------------------------------- */

static size_t state_bytes(const struct state *s)
{
    return sizeof(*s) + s->entries * sizeof(struct hb_entry);
}

/* Words of any type: the compiler may not move a store to a member behind the look at its bytes. */
static uint32_t bytes_hash(const void *p, size_t len)
{
    typedef uint64_t __attribute__((may_alias)) any_word;
    const any_word *w = p;
    uint64_t h = len;

    for (size_t i = 0; i < len / 8; i++) {
        h = (h ^ w[i]) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 32;
    }
    return (uint32_t)h;
}

static guint state_hash(gconstpointer p)
{
    return ((const struct state *)p)->hash;
}

static gboolean state_equal(gconstpointer a, gconstpointer b)
{
    const struct state *x = a, *y = b;

    return x->entries == y->entries && memcmp(x, y, state_bytes(x)) == 0;
}

static uint32_t intern(struct hb_cells *c, struct state *s)
{
    guint index;

    G_STATIC_ASSERT(sizeof(struct state) % 8 == 0 && sizeof(struct hb_entry) % 8 == 0);
    s->hash = 0;
    s->hash = bytes_hash(s, state_bytes(s));
    index = GPOINTER_TO_UINT(g_hash_table_lookup(c->known, s));
    if (!index) {
        s = g_memdup2(s, state_bytes(s));
        g_ptr_array_add(c->states, s);
        index = c->states->len;
        g_hash_table_insert(c->known, s, GUINT_TO_POINTER(index));
    }
    return index - 1;
}

/* State 0: never touched, all bytes in DRAM. */
static void states_open(struct hb_cells *c)
{
    struct state first = { .dram = UINT64_MAX };

    c->states = g_ptr_array_new_with_free_func(g_free);
    c->known = g_hash_table_new(state_hash, state_equal);
    intern(c, &first);
}

struct hb_cells *hb_cells_new(const struct hb_clocks *clocks, bool io_coherent, bool both)
{
    struct hb_cells *c = g_new0(struct hb_cells, 1);

    c->clocks = clocks;
    c->io_coherent = io_coherent;
    c->both = both;
    c->memo_size = MEMO_MIN;
    c->memo = g_new0(struct memo, c->memo_size);
    c->crowd = CROWDED;
    c->l2_epoch = 1;
    states_open(c);
    return c;
}

void hb_cells_free(struct hb_cells *c)
{
    if (c) {
        g_hash_table_destroy(c->known);
        g_ptr_array_free(c->states, TRUE);
        g_free(c->memo);
        g_free(c);
    }
}

unsigned hb_cells_count(const struct hb_cells *c)
{
    return c->states->len;
}

void hb_cells_l2_gone(struct hb_cells *c)
{
    c->l2_epoch++;
    c->changes++;
}

const uint32_t *hb_cells_changes(const struct hb_cells *c)
{
    return &c->changes;
}

bool hb_cells_crowded(const struct hb_cells *c)
{
    return c->states->len > c->crowd;
}

void hb_cells_begin(struct hb_cells *c)
{
    c->old_states = c->states;
    c->names = g_new0(uint32_t, c->old_states->len);
    g_hash_table_destroy(c->known);
    states_open(c);
}

uint32_t hb_cell_rename(struct hb_cells *c, uint32_t old)
{
    if (old && !c->names[old]) {
        c->names[old] = intern(c, c->old_states->pdata[old]);
    }
    return c->names[old];
}

void hb_cells_end(struct hb_cells *c)
{
    g_ptr_array_free(c->old_states, TRUE);
    g_clear_pointer(&c->names, g_free);
    c->old_states = NULL;
    memset(c->memo, 0, c->memo_size * sizeof(*c->memo));
    c->memos = 0;
    c->changes++;
    c->crowd = MAX(CROWDED, c->states->len * 4);
}

/* --- entries ---------------------------------------------------------------------------------- */

static void entry_remove(struct state *s, struct hb_entry *e, unsigned i)
{
    memmove(e + i, e + i + 1, (s->entries - i - 1u) * sizeof(*e));
    s->stores -= i < s->stores;
    s->entries--;
}

static void entry_insert(struct state *s, struct hb_entry *e, bool store,
                         const struct hb_entry *new)
{
    unsigned at = store ? s->stores : s->entries;

    if (s->entries == ENTRIES) {
        entry_remove(s, e, s->stores < ENTRIES ? s->stores : 0);
        at = store ? s->stores : s->entries;
    }
    memmove(e + at + 1, e + at, (s->entries - at) * sizeof(*e));
    e[at] = *new;
    s->stores += store;
    s->entries++;
}

/* Bytes @mask are no longer described by entries [from, to). */
static void entries_cut(struct state *s, struct hb_entry *e, bool stores, uint64_t mask)
{
    for (unsigned i = stores ? s->stores : s->entries; i > (stores ? 0u : s->stores); i--) {
        e[i - 1].mask &= ~mask;
        if (!e[i - 1].mask) {
            entry_remove(s, e, i - 1);
        }
    }
}

static bool entry_same(const struct hb_entry *a, const struct hb_entry *b)
{
    return a->site == b->site && a->clock == b->clock && a->agent == b->agent &&
           a->access == b->access && a->sync == b->sync;
}

static void entry_add(struct state *s, struct hb_entry *e, bool store, const struct hb_entry *new)
{
    for (unsigned i = store ? 0 : s->stores; i < (store ? s->stores : s->entries); i++) {
        if (entry_same(&e[i], new)) {
            e[i].mask |= new->mask;
            return;
        }
    }
    entry_insert(s, e, store, new);
}

/* Loads of bytes @mask that are ordered before the new one say nothing more than it does. */
static void loads_supersede(const struct hb_cells *c, struct state *s, struct hb_entry *e,
                            const struct hb_entry *new)
{
    for (unsigned i = s->entries; i > s->stores; i--) {
        if (hb_ordered(c->clocks, new->agent, e[i - 1].agent, e[i - 1].clock)) {
            e[i - 1].mask &= ~new->mask;
            if (!e[i - 1].mask) {
                entry_remove(s, e, i - 1);
            }
        }
    }
}

/* --- races ------------------------------------------------------------------------------------ */

struct hits {
    struct hb_hit *hit;
    unsigned n;
};

static struct hb_hit *hit_add(struct hits *h, enum hb_rule rule, uint64_t mask,
                              const struct hb_entry *with)
{
    h->n -= h->n == HB_HITS; /* more than anybody reads: the last place is used again */
    h->hit[h->n] = (struct hb_hit){ .rule = rule, .mask = mask, .with = *with };
    return &h->hit[h->n++];
}

static bool is_cpu(const struct hb_cells *c, unsigned agent)
{
    return hb_agent(c->clocks, agent)->kind == HB_CPU;
}

/* Of another process: what its caches did with the bytes is not known. */
static bool is_foreign(const struct hb_cells *c, const struct hb_entry *e)
{
    return hb_agent(c->clocks, e->agent)->process != 0;
}

/* Both are meant to meet: atomics and flags of a scope that includes the other side. */
static bool both_sync(const struct hb_cells *c, const struct hb_entry *a, const struct hb_entry *b)
{
    bool cpu = is_cpu(c, a->agent) || is_cpu(c, b->agent);

    return MIN(a->sync, b->sync) >= (cpu ? HB_SYNC_SYS : HB_SYNC_GPU);
}

/* A flag that one side forgot to mark, in a program that otherwise is right on the board: compilers
 * do not tell the hooks of every volatile. One side polls or posts at system scope, the CPU's is
 * plain. */
static bool half_sync(const struct hb_cells *c, const struct hb_entry *a, const struct hb_entry *b)
{
    return (a->sync == HB_SYNC_SYS && b->sync == HB_PLAIN && is_cpu(c, b->agent)) ||
           (b->sync == HB_SYNC_SYS && a->sync == HB_PLAIN && is_cpu(c, a->agent));
}

static void races_find(const struct hb_cells *c, const struct state *s, const struct hb_entry *e,
                       const struct hb_entry *new, struct hits *h)
{
    unsigned end = new->access == HB_READ ? s->stores : s->entries;

    for (unsigned i = 0; i < end; i++) {
        uint64_t mask = e[i].mask & new->mask;

        if (!mask) {
            continue;
        }
        if (hb_ordered(c->clocks, new->agent, e[i].agent, e[i].clock)) {
            if (e[i].access == HB_FREE) {
                hit_add(h, HB_FREED, mask, &e[i]);
            }
            continue;
        }
        if (both_sync(c, &e[i], new)) {
            continue;
        }
        if (half_sync(c, &e[i], new)) {
            if (i < s->stores && new->access != HB_WRITE) {
                hit_add(h, HB_RACE, mask, &e[i])->flag = true;
            }
            continue;
        }
        hit_add(h, HB_RACE, mask, &e[i]);
    }
}

/* --- versions --------------------------------------------------------------------------------- */

/* What a read at the port returns. */
static uint64_t port_fresh(const struct hb_cells *c, const struct state *s)
{
    return c->io_coherent && s->cpu_valid && s->cpu_dirty ? s->cpu : s->dram;
}

static void l2_leave(struct state *s)
{
    s->l2 = s->l2_valid = 0;
    s->l2_epoch = 0;
}

static enum hb_rule stale_rule(const struct state *s, enum hb_place reader, uint64_t byte)
{
    bool cpu = s->cpu_valid && (s->cpu & byte), l2 = s->l2 & byte, dram = s->dram & byte;

    if (!cpu && !l2 && !dram) {
        return HB_STALE_LOST;
    }
    if (dram) {
        return reader == HB_CPU_CACHE ? HB_STALE_INVALIDATE_CPU : HB_STALE_INVALIDATE_L2;
    }
    return l2 ? HB_STALE_CLEAN_L2 : HB_STALE_CLEAN_CPU;
}

/* The reader's place holds an older version of these bytes than their last store made. Where that
 * store is not ordered before the read it is a race, and told as one. */
static void stale_find(const struct hb_cells *c, const struct state *s, const struct hb_entry *e,
                       const struct hb_step *step, struct hits *h)
{
    uint64_t have = step->place == HB_CPU_CACHE ? (s->cpu_valid ? s->cpu : s->dram)
                    : step->place == HB_L2      ? s->l2 | ~s->l2_valid
                    : step->place == HB_DRAM    ? s->dram
                                                : port_fresh(c, s);
    uint64_t stale = step->e.mask & ~have;

    if (is_cpu(c, step->e.agent) && step->place == HB_MEMORY) {
        stale = step->e.mask & ~s->dram;
    }
    for (unsigned i = 0; i < s->stores && stale; i++) {
        uint64_t mask = is_foreign(c, &e[i]) ? 0 : stale & e[i].mask;

        if (mask && hb_ordered(c->clocks, step->e.agent, e[i].agent, e[i].clock)) {
            enum hb_rule rule = stale_rule(s, step->place, mask & -mask);

            if (rule == HB_STALE_CLEAN_CPU && c->io_coherent && step->place != HB_DRAM) {
                rule = HB_STALE_INVALIDATE_L2; /* the port would have found it */
            }
            hit_add(h, rule, mask, &e[i]);
        }
    }
}

/* The last store of this side in the line: the one whose write-back it was. */
static const struct hb_entry *store_of(const struct hb_cells *c, const struct state *s,
                                       const struct hb_entry *e, bool cpu)
{
    for (unsigned i = s->stores; i > 0; i--) {
        if (is_cpu(c, e[i - 1].agent) == cpu) {
            return &e[i - 1];
        }
    }
    return NULL;
}

/* Newest bytes are overwritten by older ones: tell, and go on as if they had been saved. */
static void lost_find(const struct hb_cells *c, struct state *s, const struct hb_entry *e,
                      enum hb_rule rule, uint64_t lost, struct hits *h)
{
    const struct hb_entry *by = lost ? store_of(c, s, e, rule == HB_LOST_CPU) : NULL;

    for (unsigned i = 0; i < s->stores; i++) {
        if ((lost & e[i].mask) && !is_foreign(c, &e[i])) {
            struct hb_hit *hit = hit_add(h, rule, lost & e[i].mask, &e[i]);

            hit->has_by = by != NULL;
            hit->by = by ? *by : hit->by;
        }
    }
    s->dram |= lost;
}

static void cpu_to_dram(const struct hb_cells *c, struct state *s, const struct hb_entry *e,
                        struct hits *h)
{
    uint64_t lost = s->dram & ~s->cpu;

    s->dram = s->cpu;
    s->cpu_dirty = 0;
    lost_find(c, s, e, HB_LOST_CPU, lost, h);
}

static void store_at(const struct hb_cells *c, struct state *s, enum hb_place place, uint64_t mask)
{
    s->cpu &= ~mask;
    s->l2 &= ~mask;
    s->dram &= ~mask;
    switch (place) {
    case HB_CPU_CACHE:
        s->cpu |= mask;
        s->cpu_valid = s->cpu_dirty = 1;
        break;
    case HB_L2:
        s->l2 |= mask;
        s->l2_valid |= mask;
        s->l2_epoch = c->l2_epoch;
        break;
    default:
        s->dram |= mask;
        break;
    }
}

static void versions_step(struct hb_cells *c, struct work *w, const struct hb_step *step,
                          struct hits *h)
{
    struct state *s = &w->s;
    uint64_t mask = step->e.mask;

    switch (step->kind) {
    case HB_STEP_ACCESS:
        if (step->e.access != HB_WRITE && step->place != HB_ELSEWHERE) {
            stale_find(c, s, w->e, step, h);
        }
        if (step->e.access != HB_READ) {
            store_at(c, s, step->place, mask);
        }
        break;
    case HB_STEP_CPU_FILL:
        s->cpu_valid = 1;
        s->cpu_dirty = 0;
        s->cpu = s->dram;
        break;
    case HB_STEP_CPU_WRITEBACK:
    case HB_STEP_CPU_LEAVE:
        if (s->cpu_valid && (step->kind == HB_STEP_CPU_WRITEBACK || step->e.access == HB_WRITE)) {
            cpu_to_dram(c, s, w->e, h);
        } else if (s->cpu_valid && step->kind == HB_STEP_CPU_LEAVE) {
            s->dram |= s->cpu & ~s->dram & ~s->l2; /* thrown away: rule lost-bytes has told it */
        }
        if (step->kind == HB_STEP_CPU_LEAVE) {
            s->cpu = s->cpu_valid = s->cpu_dirty = 0;
        }
        break;
    case HB_STEP_CPU_FOUND:
        if (!s->cpu_valid) {
            s->cpu = s->dram;
        }
        store_at(c, s, HB_CPU_CACHE, mask);
        break;
    case HB_STEP_L2_FILL:
        s->l2 |= port_fresh(c, s) & mask & ~s->l2_valid;
        s->l2_valid |= mask;
        s->l2_epoch = c->l2_epoch;
        break;
    case HB_STEP_L2_WRITEBACK: {
        uint64_t lost = mask & s->dram & ~s->l2;

        s->dram = (s->dram & ~mask) | (s->l2 & mask);
        lost_find(c, s, w->e, HB_LOST_L2, lost, h);
        break;
    }
    case HB_STEP_L2_LEAVE:
        l2_leave(s);
        break;
    }
}

/* --- a step ----------------------------------------------------------------------------------- */

static void access_step(struct hb_cells *c, struct work *w, const struct hb_step *step,
                        struct hits *h)
{
    const struct hb_entry *new = &step->e;

    races_find(c, &w->s, w->e, new, h);
    if (new->access == HB_READ) {
        loads_supersede(c, &w->s, w->e, new);
        entry_add(&w->s, w->e, false, new);
        return;
    }
    entries_cut(&w->s, w->e, false, new->mask);
    entries_cut(&w->s, w->e, true, new->mask);
    entry_add(&w->s, w->e, true, new);
}

static uint32_t work_intern(struct hb_cells *c, struct work *w)
{
    return intern(c, &w->s); /* the entries do follow */
}

static uint32_t step_make(struct hb_cells *c, uint32_t from, const struct hb_step *step, bool track,
                          struct hits *h)
{
    const struct state *s = c->states->pdata[from];
    struct work w;

    memcpy(&w.s, s, sizeof(w.s));
    memcpy(w.e, entries_of(s), s->entries * sizeof(w.e[0]));
    if (w.s.l2_epoch && w.s.l2_epoch != c->l2_epoch) {
        l2_leave(&w.s);
    }
    if (track && !c->both && step->e.access < HB_FREE) {
        versions_step(c, &w, step, h);
    }
    if (step->kind == HB_STEP_ACCESS) {
        access_step(c, &w, step, h);
    } else if (step->kind == HB_STEP_CPU_FOUND) {
        entries_cut(&w.s, w.e, true, step->e.mask); /* by whom and when is not known */
    }
    return work_intern(c, &w);
}

/* Where a step is remembered, if it is. */
static struct memo *memo_of(const struct hb_cells *c, uint32_t from, const struct hb_step *step)
{
    uint64_t key =
        (step->e.mask ^ step->e.site * 31 ^ (uint64_t)from << 20 ^ (uint64_t)step->e.clock << 40 ^
         (uint64_t)step->kind << 56 ^ (uint64_t)step->e.access << 60) *
        UINT64_C(0x9e3779b97f4a7c15);

    return &c->memo[key >> 49 & (c->memo_size - 1)];
}

static bool memo_is(const struct hb_cells *c, const struct memo *memo, uint32_t from,
                    const struct hb_step *step, bool track)
{
    return memo->from == from + 1 && memo->track == track && memo->l2_epoch == c->l2_epoch &&
           memcmp(&memo->step, step, sizeof(*step)) == 0;
}

bool hb_cell_again(struct hb_cells *c, uint32_t *state, const struct hb_step *step, bool track)
{
    const struct memo *memo = memo_of(c, *state, step);

    if (!memo_is(c, memo, *state, step, track)) {
        return false;
    }
    *state = memo->to;
    return true;
}

static void memo_grow(struct hb_cells *c)
{
    c->memo_size *= 4;
    g_free(c->memo);
    c->memo = g_new0(struct memo, c->memo_size);
    c->memos = 0;
}

uint32_t hb_cell_step(struct hb_cells *c, uint32_t from, const struct hb_step *step, bool track,
                      struct hb_hit hits[HB_HITS], unsigned *n)
{
    struct memo *memo = memo_of(c, from, step);
    struct hits h = { .hit = hits };
    uint32_t to;

    *n = 0;
    if (memo_is(c, memo, from, step, track)) {
        return memo->to;
    }
    to = step_make(c, from, step, track, &h);
    *n = h.n;
    if (h.n == 0 && ++c->memos > c->memo_size && c->memo_size < MEMO_MAX) {
        memo_grow(c);
    } else if (h.n == 0) {
        memo->from = from + 1;
        memo->to = to;
        memo->l2_epoch = c->l2_epoch;
        memo->track = track;
        memcpy(&memo->step, step, sizeof(*step));
    }
    return to;
}

uint64_t hb_cell_again_bytes(struct hb_cells *c, uint32_t state, const struct hb_step *step,
                             bool track)
{
    const struct state *s = c->states->pdata[state];
    const struct hb_entry *e = entries_of(s);
    bool store = step->e.access != HB_READ;
    struct hb_step again = *step;
    struct hb_hit hits[HB_HITS];
    unsigned n;

    for (unsigned i = store ? 0 : s->stores; i < (store ? s->stores : s->entries); i++) {
        if (entry_same(&e[i], &step->e)) {
            again.e.mask = e[i].mask;
            return hb_cell_step(c, state, &again, track, hits, &n) == state && n == 0 ? again.e.mask
                                                                                      : 0;
        }
    }
    return 0;
}
