/* SPDX-License-Identifier: MIT */
/* The life of what is known of a grid, and its barriers; see race.h. */
#include <string.h>

#include "model/igpu/race/race_priv.h"
#include "model/igpu/race/region.h"

/* Of the host, for the accesses to global memory of one grid; of a part with a budget */
#define SHADOW_BYTES_MAX (UINT64_C(1) << 30)
#define PART_BYTES_MAX (UINT64_C(1) << 27)
/* Steps along lists of knowledge that a grid may cost: a second, and a tenth */
#define WORK_MAX (UINT64_C(1) << 29)
#define IMPLIED_WORK_MAX (UINT64_C(1) << 23)
/* What records hold: SHADOW_THREAD_BITS, and 64 less those */
#define BLOCKS_MAX (UINT64_C(1) << (SHADOW_THREAD_BITS - KNOW_THREAD_BITS))
#define PLACES_MAX (UINT64_C(1) << (64 - SHADOW_THREAD_BITS))

/* About ns: a step of WORK_MAX, something that orders threads. Of the shadow: 2 bytes for one */
#define COST_STEP 2u
#define COST_EVENT 100u

static uint64_t *places_count(const struct ptx_program *p)
{
    uint64_t *first = g_new0(uint64_t, p->n_code + 1);

    for (uint32_t i = 0; i < p->n_code; i++) {
        first[i + 1] = first[i] + (p->code[i].func ? p->code[i].func->n_inst : 0) + 1;
    }
    return first;
}

static bool is_barrier_of_all(const struct ptx_inst *i)
{
    return ptx_inst_has(i, PTX_MOD_SYNC) && !ptx_inst_has(i, PTX_MOD_WARP) && i->n_operands == 1;
}

/* Does nothing order the threads of @code but barriers of the whole block? */
static bool code_is_settled(const struct ptx_code *code)
{
    for (uint32_t n = 0; n < code->func->n_inst; n++) {
        const struct ptx_inst *i = &code->func->inst[n];

        switch (i->op) {
        case PTX_OP_CALL:
        case PTX_OP_CP:
        case PTX_OP_FENCE:
        case PTX_OP_MBARRIER:
        case PTX_OP_MEMBAR:
            return false;
        case PTX_OP_BAR:
        case PTX_OP_BARRIER:
            if (!is_barrier_of_all(i)) {
                return false;
            }
            break;
        default:
            if (ptx_inst_has(i, PTX_MOD_ACQUIRE) || ptx_inst_has(i, PTX_MOD_RELEASE) ||
                ptx_inst_has(i, PTX_MOD_ACQ_REL)) {
                return false;
            }
        }
    }
    return true;
}

static void operand_mark(const struct ptx_operand *o, uint8_t *used)
{
    if (o->kind == PTX_OPERAND_VECTOR) {
        for (uint32_t i = 0; i < o->count; i++) {
            operand_mark(&o->element[i], used);
        }
    } else if (o->reg >= 0) {
        used[o->reg] = 1;
    }
}

/* The registers that an instruction names, but for the result of an atomic operation */
static void registers_mark(const struct ptx_inst *i, uint8_t *used)
{
    for (unsigned k = i->op == PTX_OP_ATOM; k < i->n_operands; k++) {
        operand_mark(&i->operand[k], used);
    }
    if (i->guard >= 0) {
        used[i->guard] = 1;
    }
}

static bool is_strong_load(const struct ptx_inst *i)
{
    return i->op == PTX_OP_LD &&
           (ptx_inst_has(i, PTX_MOD_VOLATILE) || ptx_inst_has(i, PTX_MOD_RELAXED) ||
            ptx_inst_has(i, PTX_MOD_ACQUIRE) || ptx_inst_has(i, PTX_MOD_MMIO));
}

static bool is_any_used(const struct ptx_operand *o, const uint8_t *used)
{
    bool any = o->kind != PTX_OPERAND_VECTOR && o->reg >= 0 && used[o->reg];

    for (uint32_t i = 0; o->kind == PTX_OPERAND_VECTOR && i < o->count; i++) {
        any = any || is_any_used(&o->element[i], used);
    }
    return any;
}

/* Does @func, which calls none, use what a strong access of it has read? Else no fence could make
 * it an acquire pattern (8.8) that the program relies on. */
static bool code_observes(const struct ptx_func *func)
{
    uint8_t *used = g_new0(uint8_t, func->n_regs + 1);
    bool observes = false;

    for (uint32_t n = 0; n < func->n_inst; n++) {
        registers_mark(&func->inst[n], used);
    }
    for (uint32_t n = 0; n < func->n_inst && !observes; n++) {
        const struct ptx_inst *i = &func->inst[n];

        observes = is_strong_load(i) || (i->op == PTX_OP_ATOM && is_any_used(i->operand, used));
    }
    g_free(used);
    return observes;
}

struct race *race_new(struct grid *g)
{
    struct race *r;

    if (g->desc.races == GRID_RACES_OFF) {
        return NULL;
    }
    if (!g->program->shadow_pages) {
        g->program->shadow_pages = shadow_pool_new();
    }
    r = g_new0(struct race, 1);
    r->g = g;
    r->now = 1;
    r->first = places_count(g->program->program);
    r->lockstep = g->desc.races == GRID_RACES_LOCKSTEP;
    r->settled = !r->lockstep && g->cluster_blocks == 1 && code_is_settled(g->entry);
    r->observes = !r->settled || code_observes(g->entry->func);
    r->region = r->settled && g->shared_bytes ? region_find(g->entry->func) : NULL;
    race_begin(r);
    return r;
}

void race_begin(struct race *r)
{
    struct grid *g = r->g;

    r->stopped = race_never(r);
    r->released = false;
    r->unit.w = NULL;
    r->cost = 0;
    r->events = r->now;
    r->global =
        shadow_new(g->program->shadow_pages, 0, g->desc.budget ? PART_BYTES_MAX : SHADOW_BYTES_MAX);
    for (unsigned i = 0; i < RELATIONS; i++) {
        order_init(&r->order[i], &r->now, i == IMPLIED && r->observes);
        r->order[i].clusters = g->cluster_blocks > 1;
    }
}

void race_end(struct race *r)
{
    for (unsigned i = 0; i < RELATIONS; i++) {
        order_clear(&r->order[i]);
    }
    g_clear_pointer(&r->global, shadow_free);
}

void race_free(struct race *r)
{
    if (!r) {
        return;
    }
    race_found_free(r);
    race_end(r);
    g_free(r->first);
    g_free(r->region);
    g_free(r);
}

bool race_never(const struct race *r)
{
    return r->g->n_blocks > BLOCKS_MAX || r->first[r->g->program->program->n_code] > PLACES_MAX;
}

bool race_is_stopped(const struct race *r)
{
    return r->stopped || shadow_is_full(r->global);
}

uint64_t race_cost(const struct race *r)
{
    uint64_t steps = r->order[STRICT].work + r->order[IMPLIED].work;

    return r->cost + steps * COST_STEP + (r->now - r->events) * COST_EVENT +
           shadow_bytes(r->global) / 2;
}

bool grid_races_stopped(const struct grid *g)
{
    return !g->desc.budget && g->race && race_is_stopped(g->race);
}

static struct race_block *block_new(const struct block *b)
{
    uint64_t shared = b->warp[0].grid->shared_bytes;
    struct race_block *n = g_new0(struct race_block, 1);

    for (unsigned i = 0; i < RELATIONS; i++) {
        n->order[i] = order_block_new(b->n_warps);
    }
    n->shared = shadow_new(NULL, shared, SHADOW_BYTES_MAX);
    return n;
}

/* From instruction @at on, until a barrier: loads without a store; atomic operations of one size,
 * which are morally strong with each other (8.7), where no order hangs on what they read */
static uint8_t free_from(const struct race *r, uint32_t at)
{
    uint8_t reached = r->region && at != RACE_NOWHERE ? r->region[at] : REGION_STORE;

    return reached == REGION_LOAD ? RACE_FREE_LOADS
           : !r->observes && (reached == REGION_ATOMIC_32 || reached == REGION_ATOMIC_64)
               ? RACE_FREE_ATOMICS
               : 0;
}

void race_block_start(struct block *b)
{
    struct race *r = b->warp[0].grid->race;

    if (!b->race) {
        b->race = block_new(b);
    }
    for (unsigned i = 0; i < RELATIONS; i++) {
        order_block_start(b->race->order[i], b->linear,
                          b->cluster ? b->cluster->linear[0] : b->linear);
    }
    shadow_forget(b->race->shared);
    if (b->cluster) {
        shadow_many(b->race->shared);
    }
    memset(b->race->load, 0, sizeof(b->race->load));
    memset(b->race->remote, 0, sizeof(b->race->remote));
    if (b->race->reads) {
        memset(b->race->reads, 0, sizeof(struct race_reads) * b->n_warps);
    }
    b->race->free = free_from(r, 0);
    r->now++;
}

void race_block_free(struct block *b)
{
    if (b->race) {
        for (unsigned i = 0; i < RELATIONS; i++) {
            order_block_free(b->race->order[i]);
        }
        shadow_free(b->race->shared);
        g_free(b->race->reads);
        g_free(b->race);
    }
}

void race_tick(struct race *r)
{
    r->now++;
    if (r->order[IMPLIED].work > IMPLIED_WORK_MAX) {
        r->order[IMPLIED].implied = false;
    }
    r->stopped = r->stopped || r->order[STRICT].work > WORK_MAX || shadow_is_full(r->global);
}

/* --- barriers --- */

unsigned race_relations(const struct race *r)
{
    return r->stopped ? 0 : race_implies(r) ? RELATIONS : 1;
}

void race_warp_sync(struct warp *w, const uint32_t *mask, uint32_t lanes)
{
    struct race *r = w->grid->race;

    for (uint32_t rest = lanes, same; rest; rest &= ~same) {
        uint32_t first = lane_first(rest);

        same = 0;
        for (uint32_t l = 0; l < WARP_LANES; l++) {
            same |= (rest >> l & 1) && mask[l] == mask[first] ? 1u << l : 0;
        }
        for (unsigned i = 0; i < race_relations(r) && (same & mask[first]); i++) {
            order_warp_sync(&r->order[i], w->block->race->order[i], w->id, same & mask[first],
                            w->live); /* a lane that its mask leaves out: undefined (9.7.13.2) */
        }
    }
    race_tick(r);
}

void race_arrive(struct warp *w, const struct ptx_uop *u, uint32_t id, uint32_t lanes)
{
    struct race *r = w->grid->race;

    for (unsigned i = 0; i < race_relations(r); i++) {
        struct order_block *b = w->block->race->order[i];

        if (id == PTX_BAR_OF_CLUSTER) {
            order_cluster_arrive(&r->order[i], b, w->id, lanes, u->flags & PTX_BAR_SPLIT,
                                 u->order & PTX_ORDER_RELAXED);
        } else {
            order_arrive(&r->order[i], b, id, w->id, lanes);
        }
    }
    if (!r->settled) { /* where all wait, lanes that have arrived access nothing until the release
                        */
        race_tick(r);
    }
}

static void live_take(const struct block *b, uint32_t live[WARP_LANES])
{
    for (uint32_t i = 0; i < b->n_warps; i++) {
        live[i] = b->warp[i].live;
    }
}

void race_release(struct block *b, uint32_t id, const uint32_t *waiting, uint32_t at)
{
    struct race *r = b->warp[0].grid->race;
    uint32_t live[WARP_LANES]; /* a block has at most 1,024 threads */

    live_take(b, live);
    for (unsigned i = 0; i < race_relations(r); i++) {
        order_release(&r->order[i], b->race->order[i], id, b->barrier[id].expected == 0, waiting,
                      live);
    }
    b->race->free = free_from(r, at == RACE_NOWHERE ? at : at + 1);
    race_tick(r);
}

/* --- fences and waits --- */

static void lanes_fence(struct warp *w, const struct ptx_uop *u, uint32_t m)
{
    struct race *r = w->grid->race;
    enum order_scope scope = race_order_scope(r, u);
    unsigned what = u->order & (ORDER_ACQUIRE | ORDER_RELEASE);

    r->released = r->released || (what & ORDER_RELEASE);
    for (uint32_t rest = u->scope == PTX_SCOPE_NONE ? 0 : m; rest; rest &= rest - 1) {
        for (unsigned i = 0; i < (race_implies(r) ? RELATIONS : 1u); i++) {
            struct order_thread x = { w->block->race->order[i], w->id, lane_first(rest) };

            order_fence(&r->order[i], &x, scope, what);
        }
    }
}

/* A commit is of bulk copies and their sources; a wait for copies is one for their sources, too. */
static bool copies_are_meant(const struct ptx_uop *u, unsigned kind)
{
    switch (u->sub) {
    case PTX_GROUP_BULK:
        return kind != ORDER_COPIES;
    case PTX_GROUP_BULK_READ:
        return kind == ORDER_BULK_SOURCES;
    default:
        return kind == ORDER_COPIES;
    }
}

static void lane_copies(const struct order_grid *o, const struct order_thread *x,
                        const struct ptx_uop *u, enum order_copies_kind kind)
{
    if (u->order & PTX_ORDER_COMMIT) {
        order_commit(o, x, kind);
    } else {
        order_wait(o, x, kind, (uint32_t)u->imm);
    }
}

static void lanes_copies(struct warp *w, const struct ptx_uop *u, uint32_t m)
{
    const struct order_grid *o = &w->grid->race->order[STRICT];

    for (uint32_t rest = m; rest; rest &= rest - 1) {
        struct order_thread x = { w->block->race->order[STRICT], w->id, lane_first(rest) };

        for (unsigned k = ORDER_COPIES; k < ORDER_KINDS; k++) {
            if (copies_are_meant(u, k)) {
                lane_copies(o, &x, u, (enum order_copies_kind)k);
            }
        }
    }
}

void race_order_uop(struct warp *w, const struct ptx_uop *u, enum ptx_uop_op op, uint32_t m)
{
    if (op == PTX_UOP_FENCE) {
        lanes_fence(w, u, m);
    } else if (op == PTX_UOP_NOP && (u->order & (PTX_ORDER_COMMIT | PTX_ORDER_WAIT))) {
        lanes_copies(w, u, m);
    } else {
        return;
    }
    race_tick(w->grid->race);
}

void race_copied(struct warp *w)
{
    if (w->grid->race) {
        race_tick(w->grid->race);
    }
}

/* --- mbarrier --- */

/* Its object is in another block. */
static void remote_arrive(struct warp *w, const struct ptx_uop *u, uint32_t lane,
                          struct block *owner, uint64_t at)
{
    struct race_access x;

    race_access_begin(&x, w);
    x.owner = owner;
    race_remote(&x,
                shadow_record(w->grid->race->now, SHADOW_ATOMIC | SHADOW_WRITE | SHADOW_OF_CLUSTER,
                              race_place(w, u), race_first_thread(w) + lane),
                at);
}

void race_mbarrier_arrive(struct warp *w, const struct ptx_uop *u, uint32_t lane,
                          struct block *owner, uint64_t at)
{
    struct race *r = w->grid->race;

    for (unsigned i = 0; i < race_relations(r) && !(u->order & PTX_ORDER_RELAXED); i++) {
        struct order_thread x = { w->block->race->order[i], w->id, lane };

        if (u->order & PTX_ORDER_ASYNC) {
            order_mbarrier_copies(&r->order[i], &x, owner->race->order[i], at);
        } else {
            order_mbarrier_arrive(&r->order[i], &x, owner->race->order[i], at);
        }
    }
    if (owner != w->block && !(u->order & PTX_ORDER_ASYNC) && !r->stopped) {
        remote_arrive(w, u, lane, owner, at);
    }
    race_tick(r);
}

void race_mbarrier_complete(struct block *b, uint64_t at)
{
    struct race *r = b->warp[0].grid->race;
    uint32_t live[WARP_LANES];

    live_take(b, live);
    for (unsigned i = 0; i < race_relations(r); i++) {
        order_mbarrier_complete(&r->order[i], b->race->order[i], at, live);
    }
    race_tick(r);
}

void race_mbarrier_wait(struct warp *w, const struct ptx_uop *u, uint32_t lane, struct block *owner,
                        uint64_t at)
{
    struct race *r = w->grid->race;

    for (unsigned i = 0; i < race_relations(r) && !(u->order & PTX_ORDER_RELAXED); i++) {
        struct order_thread x = { w->block->race->order[i], w->id, lane };

        order_mbarrier_wait(&r->order[i], &x, owner->race->order[i], at);
    }
}
