/* SPDX-License-Identifier: MIT */
#include "checker/hb/hb_cell_internal.h"

#include <string.h>

#define MEMO_MIN 512u /* a short run touches few pages */
#define MEMO_MAX 32768u
#define CROWDED 8192u

/* --- states kept once ------------------------------------------------------------------------- */

static size_t hb_cell_state_bytes(const struct hb_state *s)
{
    return sizeof(*s) + s->entries * sizeof(struct hb_entry);
}

/* Words of any type: the compiler may not move a store to a member behind the look at its bytes. */
static uint32_t hb_cell_bytes_hash(const void *p, size_t len)
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

static guint hb_cell_state_hash(gconstpointer p)
{
    return ((const struct hb_state *)p)->hash;
}

static gboolean hb_cell_state_equal(gconstpointer a, gconstpointer b)
{
    const struct hb_state *x = a, *y = b;

    return x->entries == y->entries && memcmp(x, y, hb_cell_state_bytes(x)) == 0;
}

static uint32_t hb_cell_intern(struct hb_cells *c, struct hb_state *s)
{
    guint index;

    G_STATIC_ASSERT(sizeof(struct hb_state) % 8 == 0 && sizeof(struct hb_entry) % 8 == 0);
    s->hash = 0;
    s->hash = hb_cell_bytes_hash(s, hb_cell_state_bytes(s));
    index = GPOINTER_TO_UINT(g_hash_table_lookup(c->known, s));
    if (!index) {
        s = g_memdup2(s, hb_cell_state_bytes(s));
        g_ptr_array_add(c->states, s);
        index = c->states->len;
        g_hash_table_insert(c->known, s, GUINT_TO_POINTER(index));
    }
    return index - 1;
}

/* State 0: never touched, all bytes in DRAM. */
static void hb_cell_states_open(struct hb_cells *c)
{
    struct hb_state first = { .dram = UINT64_MAX };

    c->states = g_ptr_array_new_with_free_func(g_free);
    c->known = g_hash_table_new(hb_cell_state_hash, hb_cell_state_equal);
    hb_cell_intern(c, &first);
}

struct hb_cells *hb_cells_new(const struct hb_clocks *clocks, bool io_coherent, bool both)
{
    struct hb_cells *c = g_new0(struct hb_cells, 1);

    c->clocks = clocks;
    c->io_coherent = io_coherent;
    c->both = both;
    c->memo_size = MEMO_MIN;
    c->memo = g_new0(struct hb_memo, c->memo_size);
    c->crowd = CROWDED;
    c->l2_epoch = 1;
    hb_cell_states_open(c);
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
    hb_cell_states_open(c);
}

uint32_t hb_cell_rename(struct hb_cells *c, uint32_t old)
{
    if (old && !c->names[old]) {
        c->names[old] = hb_cell_intern(c, c->old_states->pdata[old]);
    }
    return c->names[old];
}

/* Renaming takes time for each line, so it comes after as many new states, in proportion. */
void hb_cells_end(struct hb_cells *c, uint64_t lines)
{
    g_ptr_array_free(c->old_states, TRUE);
    g_clear_pointer(&c->names, g_free);
    c->old_states = NULL;
    memset(c->memo, 0, c->memo_size * sizeof(*c->memo));
    c->memos = 0;
    c->changes++;
    c->crowd = (guint)MAX(MAX(CROWDED, c->states->len * 4), MIN(lines / 16, UINT64_C(1) << 24));
}

void hb_cells_sites(const struct hb_cells *c, void (*use)(uint64_t site, void *opaque),
                    void *opaque)
{
    for (guint i = 0; i < c->states->len; i++) {
        const struct hb_state *s = c->states->pdata[i];

        for (unsigned e = 0; e < s->entries; e++) {
            use(hb_state_entries(s)[e].site, opaque);
        }
    }
}

/* --- entries ---------------------------------------------------------------------------------- */

static void hb_cell_entry_remove(struct hb_state *s, struct hb_entry *e, unsigned i)
{
    memmove(e + i, e + i + 1, (s->entries - i - 1u) * sizeof(*e));
    s->stores -= i < s->stores;
    s->entries--;
}

static void hb_cell_entry_insert(struct hb_cells *c, struct hb_state_edit *w, bool store,
                                 const struct hb_entry *new)
{
    struct hb_state *s = &w->s;
    struct hb_entry *e = w->e;
    unsigned at = store ? s->stores : s->entries;

    if (s->entries == HB_ENTRIES) {
        hb_cell_entry_remove(s, e, s->stores < HB_ENTRIES ? s->stores : 0);
        c->forgot++;
        at = store ? s->stores : s->entries;
    }
    memmove(e + at + 1, e + at, (s->entries - at) * sizeof(*e));
    e[at] = *new;
    s->stores += store;
    s->entries++;
}

/* Bytes @mask are no longer described by entries [from, to). */
static void hb_cell_entries_cut(struct hb_state *s, struct hb_entry *e, bool stores, uint64_t mask)
{
    for (unsigned i = stores ? s->stores : s->entries; i > (stores ? 0u : s->stores); i--) {
        e[i - 1].mask &= ~mask;
        if (!e[i - 1].mask) {
            hb_cell_entry_remove(s, e, i - 1);
        }
    }
}

static bool hb_cell_entry_same(const struct hb_entry *a, const struct hb_entry *b)
{
    return a->site == b->site && a->clock == b->clock && a->agent == b->agent &&
           a->access == b->access && a->sync == b->sync;
}

static void hb_cell_entry_add(struct hb_cells *c, struct hb_state_edit *w, bool store,
                              const struct hb_entry *new)
{
    struct hb_state *s = &w->s;
    struct hb_entry *e = w->e;

    for (unsigned i = store ? 0 : s->stores; i < (store ? s->stores : s->entries); i++) {
        if (hb_cell_entry_same(&e[i], new)) {
            e[i].mask |= new->mask;
            return;
        }
    }
    hb_cell_entry_insert(c, w, store, new);
}

/* Loads of bytes @mask that are ordered before the new one say nothing more than it does. */
static void hb_cell_loads_supersede(const struct hb_cells *c, struct hb_state *s,
                                    struct hb_entry *e, const struct hb_entry *new)
{
    for (unsigned i = s->entries; i > s->stores; i--) {
        if (hb_ordered(c->clocks, new->agent, e[i - 1].agent, e[i - 1].clock)) {
            e[i - 1].mask &= ~new->mask;
            if (!e[i - 1].mask) {
                hb_cell_entry_remove(s, e, i - 1);
            }
        }
    }
}

/* --- races ------------------------------------------------------------------------------------ */

/* Both are meant to meet: atomics and flags of a scope that includes the other side. */
static bool hb_cell_both_sync(const struct hb_cells *c, const struct hb_entry *a,
                              const struct hb_entry *b)
{
    bool cpu = hb_cell_is_cpu(c, a->agent) || hb_cell_is_cpu(c, b->agent);

    return MIN(a->sync, b->sync) >= (cpu ? HB_SYNC_SYS : HB_SYNC_GPU);
}

/* A flag that one side forgot to mark, in a program that otherwise is right on the board: compilers
 * do not pass every volatile to the hooks. One side polls or posts at system scope, the CPU's is
 * plain. */
static bool hb_cell_half_sync(const struct hb_cells *c, const struct hb_entry *a,
                              const struct hb_entry *b)
{
    return (a->sync == HB_SYNC_SYS && b->sync == HB_PLAIN && hb_cell_is_cpu(c, b->agent)) ||
           (b->sync == HB_SYNC_SYS && a->sync == HB_PLAIN && hb_cell_is_cpu(c, a->agent));
}

static void hb_cell_races_find(const struct hb_cells *c, const struct hb_state *s,
                               const struct hb_entry *e, const struct hb_entry *new,
                               struct hb_hits *h)
{
    unsigned end = new->access == HB_READ ? s->stores : s->entries;

    for (unsigned i = 0; i < end; i++) {
        uint64_t mask = e[i].mask & new->mask;

        if (!mask) {
            continue;
        }
        if (hb_ordered(c->clocks, new->agent, e[i].agent, e[i].clock)) {
            if (e[i].access == HB_FREE) {
                hb_hit_add(h, HB_FREED, mask, &e[i]);
            }
            continue;
        }
        if (hb_cell_both_sync(c, &e[i], new)) {
            continue;
        }
        if (hb_cell_half_sync(c, &e[i], new)) {
            if (i < s->stores && new->access != HB_WRITE) {
                hb_hit_add(h, HB_RACE, mask, &e[i])->flag = true;
            }
            continue;
        }
        hb_hit_add(h, HB_RACE, mask, &e[i]);
    }
}

/* --- a step ----------------------------------------------------------------------------------- */

static void hb_cell_access_step(struct hb_cells *c, struct hb_state_edit *w,
                                const struct hb_step *step, struct hb_hits *h)
{
    const struct hb_entry *new = &step->e;

    hb_cell_races_find(c, &w->s, w->e, new, h);
    if (new->access == HB_READ) {
        hb_cell_loads_supersede(c, &w->s, w->e, new);
        hb_cell_entry_add(c, w, false, new);
        return;
    }
    hb_cell_entries_cut(&w->s, w->e, false, new->mask);
    hb_cell_entries_cut(&w->s, w->e, true, new->mask);
    hb_cell_entry_add(c, w, true, new);
}

static uint32_t hb_cell_work_intern(struct hb_cells *c, struct hb_state_edit *w)
{
    return hb_cell_intern(c, &w->s); /* the entries do follow */
}

static uint32_t hb_cell_step_make(struct hb_cells *c, uint32_t from, const struct hb_step *step,
                                  bool track, struct hb_hits *h)
{
    const struct hb_state *s = c->states->pdata[from];
    struct hb_state_edit w;

    memcpy(&w.s, s, sizeof(w.s));
    memcpy(w.e, hb_state_entries(s), s->entries * sizeof(w.e[0]));
    if (w.s.l2_epoch && w.s.l2_epoch != c->l2_epoch) {
        hb_version_l2_leave(&w.s);
    }
    if (track && !c->both && step->e.access < HB_FREE) {
        hb_version_step(c, &w, step, h);
    }
    if (step->kind == HB_STEP_ACCESS) {
        hb_cell_access_step(c, &w, step, h);
    } else if (step->kind == HB_STEP_CPU_FOUND) {
        hb_cell_entries_cut(&w.s, w.e, true, step->e.mask); /* by whom and when is not known */
    }
    return hb_cell_work_intern(c, &w);
}

/* Where a step is remembered, if it is. */
static struct hb_memo *hb_cell_memo_of(const struct hb_cells *c, uint32_t from,
                                       const struct hb_step *step)
{
    uint64_t key =
        (step->e.mask ^ step->e.site * 31 ^ (uint64_t)from << 20 ^ (uint64_t)step->e.clock << 40 ^
         (uint64_t)step->kind << 56 ^ (uint64_t)step->e.access << 60) *
        UINT64_C(0x9e3779b97f4a7c15);

    return &c->memo[key >> 49 & (c->memo_size - 1)];
}

static bool hb_cell_memo_is(const struct hb_cells *c, const struct hb_memo *memo, uint32_t from,
                            const struct hb_step *step, bool track)
{
    return memo->from == from + 1 && memo->track == track && memo->l2_epoch == c->l2_epoch &&
           memcmp(&memo->step, step, sizeof(*step)) == 0;
}

bool hb_cell_again(struct hb_cells *c, uint32_t *state, const struct hb_step *step, bool track)
{
    const struct hb_memo *memo = hb_cell_memo_of(c, *state, step);

    if (!hb_cell_memo_is(c, memo, *state, step, track)) {
        return false;
    }
    *state = memo->to;
    return true;
}

static void hb_cell_memo_grow(struct hb_cells *c)
{
    c->memo_size *= 4;
    g_free(c->memo);
    c->memo = g_new0(struct hb_memo, c->memo_size);
    c->memos = 0;
}

uint32_t hb_cell_step(struct hb_cells *c, uint32_t from, const struct hb_step *step, bool track,
                      struct hb_hit hits[HB_HITS], unsigned *n)
{
    struct hb_memo *memo = hb_cell_memo_of(c, from, step);
    struct hb_hits h = { .hit = hits };
    uint32_t to;

    *n = 0;
    if (hb_cell_memo_is(c, memo, from, step, track)) {
        return memo->to;
    }
    to = hb_cell_step_make(c, from, step, track, &h);
    *n = h.n;
    if (h.n == 0 && ++c->memos > c->memo_size && c->memo_size < MEMO_MAX) {
        hb_cell_memo_grow(c);
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
    const struct hb_state *s = c->states->pdata[state];
    const struct hb_entry *e = hb_state_entries(s);
    bool store = step->e.access != HB_READ;
    struct hb_step again = *step;
    struct hb_hit hits[HB_HITS];
    unsigned n;

    for (unsigned i = store ? 0 : s->stores; i < (store ? s->stores : s->entries); i++) {
        if (hb_cell_entry_same(&e[i], &step->e)) {
            again.e.mask = e[i].mask;
            return hb_cell_step(c, state, &again, track, hits, &n) == state && n == 0 ? again.e.mask
                                                                                      : 0;
        }
    }
    return 0;
}

uint64_t hb_cells_forgot(const struct hb_cells *c)
{
    return c->forgot;
}
