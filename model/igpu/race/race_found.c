/* SPDX-License-Identifier: MIT */
/* Two accesses that nothing orders become a row of grid_races(). */
#include <string.h>

#include "model/igpu/race/race_priv.h"

#define FOUND_MAX 1000u

/* The pair of a row: places in the source, or where those are unknown in the PTX text; the lower
 * first. @missing: what a barrier of any kind orders is one row, of its farthest threads; a fence,
 * scope or wait is another cure */
struct pair {
    uint64_t place[2];
    bool same_value;
    uint8_t missing;
};

/* The function that the place lies in, and its instruction there */
static const struct ptx_code *place_find(const struct race *r, uint64_t place, uint32_t *inst)
{
    const struct ptx_program *p = r->g->program->program;
    uint32_t i = 0;

    while (i + 1 < p->n_code && place >= r->first[i + 1]) {
        i++;
    }
    *inst = (uint32_t)(place - r->first[i]);
    return &p->code[i];
}

/* What its thread waits for by groups */
static enum order_copies_kind copies_of(const struct race *r, struct shadow_record q)
{
    uint32_t inst;
    const struct ptx_code *code = place_find(r, q.who >> SHADOW_THREAD_BITS, &inst);
    const struct ptx_inst *i = &code->func->inst[inst];

    return !ptx_inst_has(i, PTX_MOD_BULK)                        ? ORDER_COPIES
           : ptx_inst_has(i, PTX_MOD_MBARRIER_COMPLETE_TX_BYTES) ? ORDER_KINDS
           : shadow_kind(q) & SHADOW_WRITE                       ? ORDER_BULK
                                                                 : ORDER_BULK_SOURCES;
}

/* The block of this number, if it is this one or runs in the same cluster */
static const struct race_block *block_of(const struct race_access *x, uint64_t number)
{
    const struct cluster *c = x->of->cluster;

    if (number == x->of->linear) {
        return x->block;
    }
    for (uint32_t i = 0; c && i < c->n; i++) {
        if (c->block[i] && c->linear[i] == number) {
            return c->block[i]->race;
        }
    }
    return NULL;
}

/* When the issuer of a copy had waited for it; 0: it has not. For threads of other blocks, where
 * its waits are not known, at once: they see it by what it did after them. */
static uint64_t wait_done(const struct race_access *x, struct shadow_record q)
{
    uint64_t thread = shadow_thread(q);
    const struct race_block *b = block_of(x, thread >> KNOW_THREAD_BITS);
    struct order_thread issuer = { b ? b->order[STRICT] : NULL,
                                   (uint32_t)(thread >> KNOW_WARP_BITS) % WARP_LANES,
                                   (uint32_t)thread % WARP_LANES };

    return b ? order_wait_done(&issuer, copies_of(x->race, q), shadow_stamp(q)) : shadow_stamp(q);
}

/* cp.async (9.7.9.25.3): it is ordered for others by what its issuer did after waiting for it, or
 * by an mbarrier that waits for it. */
static bool ordered_by(const struct race_access *x, struct shadow_record me, struct shadow_record q,
                       unsigned relation)
{
    uint64_t thread = shadow_thread(q), stamp = shadow_stamp(q);
    struct order_thread now = race_thread(x, relation, (uint32_t)shadow_thread(me) % WARP_LANES);

    if (shadow_kind(q) & SHADOW_ASYNC) {
        if (order_knows_copy(&now, thread, stamp)) {
            return true;
        }
        stamp = wait_done(x, q);
        if (!stamp) {
            return false;
        }
    } else if (x->race->lockstep && stamp < x->race->now &&
               (thread ^ shadow_thread(me)) >> KNOW_WARP_BITS == 0) {
        return true;
    }
    return order_knows(&now, thread, stamp);
}

static bool judge_ordered(const struct shadow_access *a, struct shadow_record q)
{
    return ordered_by(a->opaque, a->me, q, STRICT);
}

static bool is_of_cluster(const struct race *r, uint64_t thread, uint64_t other)
{
    return race_same_cluster(r, thread >> KNOW_THREAD_BITS, other >> KNOW_THREAD_BITS);
}

/* 8.5, 8.7: both scopes are the cluster's or wider. */
static bool judge_strong(const struct shadow_access *a, struct shadow_record one,
                         struct shadow_record other)
{
    const struct race_access *x = a->opaque;

    return is_of_cluster(x->race, shadow_thread(one), shadow_thread(other));
}

static bool judge_observed(const struct shadow_access *a, struct shadow_record q, uint64_t va,
                           uint32_t bytes)
{
    const struct race_access *x = a->opaque;
    uint64_t thread = shadow_thread(a->me), other = shadow_thread(q);
    const struct race_reads *r = x->block->reads;
    bool block = (thread ^ other) >> KNOW_THREAD_BITS == 0;
    uint32_t scope = shadow_kind(q) & SHADOW_SCOPE;

    if (!r || (!block && (scope == SHADOW_OF_BLOCK || (scope == SHADOW_OF_CLUSTER &&
                                                       !is_of_cluster(x->race, thread, other))))) {
        return false;
    }
    va += x->shared ? x->owner->shared_from : 0;
    r += (thread & ((1u << KNOW_THREAD_BITS) - 1)) / WARP_LANES;
    for (unsigned i = 0; i < RACE_READS; i++) {
        uint64_t when = r->when[i][thread % WARP_LANES];

        if (r->va[i][thread % WARP_LANES] - va < bytes && (when & 1) == x->shared &&
            when >> 1 > shadow_stamp(q)) {
            return true;
        }
    }
    return false;
}

/* --- rows --- */

static uint8_t kind_of(uint32_t kind)
{
    return kind & SHADOW_ASYNC    ? GRID_RACE_ASYNC
           : kind & SHADOW_ATOMIC ? GRID_RACE_ATOMIC
           : kind & SHADOW_WRITE  ? GRID_RACE_STORE
                                  : GRID_RACE_LOAD;
}

static uint8_t scope_of(uint32_t kind)
{
    switch (kind & SHADOW_SCOPE) {
    case SHADOW_OF_BLOCK:
        return PTX_SCOPE_CTA;
    case SHADOW_OF_CLUSTER:
        return GRID_RACE_SCOPE_CLUSTER;
    case SHADOW_OF_ALL:
        return PTX_SCOPE_GPU;
    default:
        return PTX_SCOPE_NONE;
    }
}

static struct grid_race_side side_of(const struct race *r, struct shadow_record q)
{
    uint32_t inst;
    const struct ptx_code *code = place_find(r, q.who >> SHADOW_THREAD_BITS, &inst);
    uint64_t thread = shadow_thread(q);

    return (struct grid_race_side){
        .place = sm_place(code, inst),
        .func = (uint32_t)(code - r->g->program->program->code),
        .line = inst < code->func->n_inst ? code->func->inst[inst].pos.line : 0,
        .kind = kind_of(shadow_kind(q)),
        .scope = scope_of(shadow_kind(q)),
        .block = thread >> KNOW_THREAD_BITS,
        .thread = thread & ((1u << KNOW_THREAD_BITS) - 1),
    };
}

static uint8_t relation_of(const struct race *r, uint64_t a, uint64_t b)
{
    return (a ^ b) >> KNOW_WARP_BITS == 0     ? GRID_RACE_WARP
           : (a ^ b) >> KNOW_THREAD_BITS == 0 ? GRID_RACE_BLOCK
           : is_of_cluster(r, a, b)           ? GRID_RACE_CLUSTER
                                              : GRID_RACE_GRID;
}

/* Has the earlier thread released, and the later one read so without acquiring? */
static bool reader_lacks_fence(const struct race_access *x, struct shadow_record me,
                               struct shadow_record q)
{
    struct order_thread now = race_thread(x, STRICT, (uint32_t)shadow_thread(me) % WARP_LANES);

    return !(shadow_kind(q) & SHADOW_ASYNC) &&
           order_would_know(&now, shadow_thread(q), shadow_stamp(q));
}

static uint8_t missing_of(const struct race_access *x, struct shadow_record me,
                          struct shadow_record q, uint8_t relation)
{
    bool strong = shadow_kind(me) & SHADOW_SCOPE, other = shadow_kind(q) & SHADOW_SCOPE;

    if ((shadow_kind(q) & SHADOW_ASYNC) && !wait_done(x, q)) {
        return GRID_RACE_MISSING_WAIT;
    }
    if (strong && other && !((shadow_kind(me) ^ shadow_kind(q)) & SHADOW_SIZE)) {
        return GRID_RACE_MISSING_SCOPE;
    }
    if (race_implies(x->race) && ordered_by(x, me, q, IMPLIED)) {
        return reader_lacks_fence(x, me, q) ? GRID_RACE_MISSING_ACQUIRE : GRID_RACE_MISSING_FENCE;
    }
    return strong && other              ? GRID_RACE_MISSING_UNKNOWN
           : strong || other            ? GRID_RACE_MISSING_ATOMIC
           : relation == GRID_RACE_WARP ? GRID_RACE_MISSING_WARP_BARRIER
           : relation != GRID_RACE_GRID ? GRID_RACE_MISSING_BARRIER /* of the block, or cluster */
                                        : GRID_RACE_MISSING_UNKNOWN;
}

static uint64_t side_place(const struct grid_race_side *s)
{
    return s->place ? s->place : UINT64_C(1) << 63 | (uint64_t)s->func << 32 | s->line;
}

static guint pair_hash(gconstpointer key)
{
    const struct pair *p = key;

    return (guint)((p->place[0] * 31 + p->place[1]) * 16 + p->missing * 2u + p->same_value);
}

static gboolean pair_equal(gconstpointer a, gconstpointer b)
{
    const struct pair *x = a, *y = b;

    return x->place[0] == y->place[0] && x->place[1] == y->place[1] &&
           x->same_value == y->same_value && x->missing == y->missing;
}

/* The row of the pair; a new one is all 0. NULL: there are too many. */
static struct grid_race *row_find(struct race *r, const struct pair *pair)
{
    gpointer at;

    if (!r->found) {
        r->found = g_array_new(FALSE, TRUE, sizeof(struct grid_race));
        r->index = g_hash_table_new_full(pair_hash, pair_equal, g_free, NULL);
    }
    at = g_hash_table_lookup(r->index, pair);
    if (!at) {
        if (r->found->len == FOUND_MAX) {
            return NULL;
        }
        g_array_set_size(r->found, r->found->len + 1);
        at = GUINT_TO_POINTER(r->found->len);
        g_hash_table_insert(r->index, g_memdup2(pair, sizeof(*pair)), at);
    }
    return &g_array_index(r->found, struct grid_race, GPOINTER_TO_UINT(at) - 1);
}

/* --- the code between --- */

static bool is_block_barrier(const struct ptx_inst *i)
{
    return (i->op == PTX_OP_BAR || i->op == PTX_OP_BARRIER) && !ptx_inst_has(i, PTX_MOD_WARP);
}

static bool leads_back(const struct ptx_inst *i, uint32_t to)
{
    return i->op == PTX_OP_BRA && i->n_operands && i->operand[0].kind == PTX_OPERAND_LABEL &&
           i->operand[0].label <= to;
}

/* Is a barrier between the two, and a branch behind them that leads before them? */
static bool is_around_loop(const struct race *r, struct shadow_record a, struct shadow_record b)
{
    uint32_t one, other;
    const struct ptx_code *code = place_find(r, a.who >> SHADOW_THREAD_BITS, &one);
    bool barrier = false, back = false;

    if (place_find(r, b.who >> SHADOW_THREAD_BITS, &other) != code || one == other) {
        return false;
    }
    for (uint32_t i = MIN(one, other); i < code->func->n_inst; i++) {
        barrier |= i < MAX(one, other) && is_block_barrier(&code->func->inst[i]);
        back |= i >= MAX(one, other) && leads_back(&code->func->inst[i], MIN(one, other));
    }
    return barrier && back;
}

/* Of an asynchronous copy the wait comes first: where some threads meet it after its wait, a
 * barrier alone is no cure for the others. */
static uint8_t missing_class(uint8_t missing, struct shadow_record q)
{
    if (shadow_kind(q) & SHADOW_ASYNC) {
        return GRID_RACE_MISSING_WAIT;
    }
    switch (missing) {
    case GRID_RACE_MISSING_BARRIER:
    case GRID_RACE_MISSING_WARP_BARRIER:
        return GRID_RACE_MISSING_UNKNOWN;
    case GRID_RACE_MISSING_ACQUIRE:
        return GRID_RACE_MISSING_FENCE;
    default:
        return missing;
    }
}

/* In one row the cure that is more: a wait before the barrier behind it, both fences before one. */
static unsigned missing_rank(uint8_t missing)
{
    return missing == GRID_RACE_MISSING_WAIT || missing == GRID_RACE_MISSING_FENCE;
}

/* Of many threads that race at one pair of places the farthest say what is missing: a barrier of
 * the block orders the lanes of a warp, too. */
static const uint8_t how_far[] = {
    [GRID_RACE_WARP] = 0, [GRID_RACE_BLOCK] = 1, [GRID_RACE_CLUSTER] = 2, [GRID_RACE_GRID] = 3
};

static bool says_more(const struct grid_race *row, uint8_t missing, uint8_t relation)
{
    unsigned now = missing_rank(missing), known = missing_rank(row->missing);

    return now != known ? now > known : how_far[relation] > how_far[row->relation];
}

/* Is it not the shared memory of the block that both are of? */
static bool is_remote(const struct race_access *x, struct shadow_record q)
{
    return x->owner != x->of || (shadow_thread(q) >> KNOW_THREAD_BITS) != x->of->linear;
}

static void judge_race(const struct shadow_access *a, struct shadow_record q, uint64_t va,
                       uint32_t bytes, bool same_value)
{
    struct race_access *x = a->opaque;
    struct grid_race_side later = side_of(x->race, a->me), earlier = side_of(x->race, q);
    uint64_t one = side_place(&later), other = side_place(&earlier);
    uint8_t relation = relation_of(x->race, shadow_thread(a->me), shadow_thread(q));
    uint8_t missing = missing_of(x, a->me, q, relation);
    struct pair pair = { { MIN(one, other), MAX(one, other) },
                         same_value,
                         missing_class(missing, q) };
    struct grid_race *row = row_find(x->race, &pair);

    if (row && (row->times++ == 0 || says_more(row, missing, relation))) {
        row->later = later;
        row->earlier = earlier;
        row->address = va;
        row->bytes = bytes;
        row->shared = x->shared;
        row->owner = x->shared && is_remote(x, q) ? x->owner->rank + 1 : 0;
        row->same_value = same_value;
        row->relation = relation;
        row->missing = missing;
        row->loop = relation == GRID_RACE_BLOCK && is_around_loop(x->race, a->me, q);
    }
}

void race_found_life(struct race *r, const struct block *owner, const struct race_remote *access,
                     uint8_t missing)
{
    struct grid_race_side side = side_of(r, access->access);
    struct pair pair = { { 0, side_place(&side) }, false, missing };
    struct grid_race *row = row_find(r, &pair);

    if (row && row->times++ == 0) {
        row->later = side;
        row->earlier = (struct grid_race_side){ .block = owner->linear };
        row->address = access->address;
        row->shared = true;
        row->relation = GRID_RACE_CLUSTER;
        row->missing = missing;
        row->owner = (uint8_t)(owner->rank + 1);
    }
}

const struct shadow_judge race_judge = { judge_ordered, judge_observed, judge_race, judge_strong };

void race_found_free(struct race *r)
{
    if (r->found) {
        g_array_free(r->found, TRUE);
        g_hash_table_destroy(r->index);
    }
}

size_t grid_races(const struct grid *g, const struct grid_race **rows)
{
    const struct race *r = g->race ? g->race : g->paused;
    const GArray *found = r ? r->found : NULL;

    *rows = found ? (const struct grid_race *)(const void *)found->data : NULL;
    return found ? found->len : 0;
}
