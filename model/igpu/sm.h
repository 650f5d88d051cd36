/* SPDX-License-Identifier: MIT */
/* Inside the SMs: blocks, warps, fragments of warps, call frames. Private to model/igpu/.
 *
 * A warp's threads need not agree on where they are. Those that do form a fragment: a set of lanes,
 * a call frame and a place in the code. The warp runs one fragment at a time, the innermost frame
 * and there the lowest place first, so that fragments meet again where the code joins; after a
 * number of backward branches the one that waited longest gets a turn, so that a lane which spins
 * cannot starve the lane it waits for (independent thread scheduling, CUDA C++ programming guide).
 */
#ifndef MODEL_IGPU_SM_H
#define MODEL_IGPU_SM_H

#include "model/igpu/grid.h"
#include "ptx/decode.h"

#define WARP_LANES 32u
#define CLOCK_PARTS 64u /* of a cycle: what clock.c counts units in */
#define LANES_ALL UINT32_MAX
/* Barrier resources of a block, PTX ISA 9.7.13.1; behind them the one of its cluster, 9.7.13.3 */
#define BARRIERS (PTX_BAR_OF_CLUSTER + 1u)
#define CLUSTER_SHIFT 24u

/* CUDA C++ programming guide, technical specifications: local memory per thread. */
#define LOCAL_BYTES_MAX (512u * 1024u)
#define CALL_DEPTH_MAX 1024u

/* The upper half of the local window shows an entry's parameter block, for cvta.param. */
#define PARAM_WINDOW_OFFSET 0x80000000u
#define WINDOW_BYTES (UINT64_C(1) << 32)

struct warp;
typedef const struct ptx_uop *sm_handler(struct warp *w, const struct ptx_uop *u, uint8_t *rf,
                                         uint32_t m);

typedef const struct ptx_uop *sm_port_fault(struct warp *w, const struct ptx_uop *u,
                                            enum bus_status status, uint32_t lane, uint64_t va,
                                            uint32_t size, bool write);

/* What compiled code calls: it is linked with nothing. */
struct native_calls {
    sm_handler *const *handlers;
    sm_port_fault *fault_port;
};

/* @return: where the interpreter resumes; not @u unless a handler stopped there */
typedef const struct ptx_uop *native_run(struct warp *w, const struct ptx_uop *u, uint8_t *rf,
                                         const struct native_calls *calls);

/**
 * struct native_code - one function
 * @run: NULL: interpreted
 * @op: by micro-op: what stood where @run may begin, NATIVE_NONE elsewhere; NULL: not asked for
 */
struct native_code {
    native_run *run;
    uint16_t *op;
};
#define NATIVE_NONE UINT16_MAX

/**
 * struct native_set - of a program
 * @code: by function; NULL until asked for
 * @insts: warp instructions that its grids have run
 */
struct native_set {
    struct native_code *code;
    uint64_t insts;
    bool asked;
};

struct shadow_pool;
struct race;
struct race_block;

/**
 * struct race_share - of a kernel in what checks may cost, see race/budget.c
 * @work, @spent: of its launches so far; @need: for a window
 */
struct race_share {
    uint64_t work, spent, need;
};

/**
 * struct race_part - what of a grid was checked
 * @work, @cost: of the grid and of its checks, what the budget knows of already
 * @limit, @spent: of the window
 * @blocks: checked from their start to their end; @window: of those, before the window
 * @left_out: something was not checked; @never: the grid is larger than what checks can hold
 */
struct race_part {
    uint64_t work, cost, limit, spent, blocks, window;
    bool left_out, never;
};

struct grid_program {
    int refs;
    struct ptx_module *module;
    struct ptx_program *program;
    struct native_set native;
    struct shadow_pool *shadow_pages; /* NULL until a grid is checked for races */
    struct race_share *shares;        /* by function; NULL until a grid has a budget for it */
};

/**
 * struct frame - a function being executed by some lanes of a warp
 * @up: the caller's frame, NULL in the entry; @ret_pc: where its lanes go on
 * @lanes: who is inside, here or deeper
 * @rf: register frame; @local_base: where its local frame begins in each thread's local memory
 */
struct frame {
    struct frame *up, *next;
    const struct ptx_code *code;
    const struct ptx_call_site *site;
    uint32_t lanes, depth, ret_pc;
    uint32_t local_base, local_top; /* alloca moves local_top */
    uint8_t *rf;
};

enum wait {
    WAIT_NONE,
    WAIT_WARP,    /* for other lanes of its membermask at the same instruction */
    WAIT_BARRIER, /* for a block barrier, of @barrier */
};

struct fragment {
    struct frame *frame;
    uint32_t pc, mask;
    uint8_t wait, barrier;
    uint64_t stamp; /* when it ran last */
};

/* Waits for an mbarrier with a look at the clock, or a count, in between, behind which a warp
 * counts as spinning: libcu++ sleeps for up to a millisecond from one to the next, so these are a
 * minute. */
#define VAIN_WAITS_MAX (1u << 16)

/* Why a handler left the inner loop */
enum warp_event {
    EVENT_NONE, /* the fragment goes on at the returned place, but look around first */
    EVENT_PICK, /* its lanes have all been handed to other fragments, or are gone */
    EVENT_FAULT,
};

/* Detecting that a warp spins: no effect and the same registers twice at the end of a turn. */
struct spin {
    uint64_t hash, effects;
    uint32_t turns, compare_at;
    uint64_t quiet_insts; /* since the last effect */
    bool proven, looked;  /* @looked: memory outside the block was accessed since then */
    /* Between the two: was memory outside the block accessed, the clock read; waits for an mbarrier
     * in vain */
    bool repeats, memory, clock; /* @repeats: proven by the registers */
    uint64_t in_vain;
};

/* clock.c: where the clock was read last, the path then, and what the reading added. */
struct poll {
    const struct ptx_uop *at;
    uint64_t path;
    uint32_t cycles;
};

struct block;
struct grid;

struct warp {
    struct grid *grid;
    struct block *block;
    uint8_t *shared; /* the block's */
    const struct ptx_uop *code, *stop;
    struct frame *frame;
    uint32_t active, live, pc;
    uint32_t id;
    uint32_t counted_from; /* instruction index up to which work is counted */
    int32_t quota;
    int64_t turn_insts; /* left in this turn */
    enum warp_event event;
    uint32_t n_fragments;
    struct fragment fragment[WARP_LANES + 1];
    uint64_t stamp;
    uint64_t effects; /* of this warp: stores, atomics that changed something, exits, arrivals */
    uint8_t *local;
    uint32_t local_stride;
    struct spin spin;
    uint64_t path; /* cycles since the block began, if the warp were alone */
    struct poll poll;
};

struct barrier {
    uint32_t expected; /* threads; 0: all of the block */
    uint32_t popc;     /* of bar.red: how many came with a true predicate, */
    uint32_t voters;   /* of how many */
};

/**
 * struct cluster - blocks that run together and see each other's shared memory (PTX ISA 2.2.2)
 * @block: by rank, NULL: has ended; @linear: their numbers
 * @arrived: a thread has arrived at its barrier; @met: that has opened once
 *
 * There is none for blocks that are clusters of their own. An address in shared memory is an offset
 * there; in a cluster it has the rank plus 1 above bit CLUSTER_SHIFT, so that each block may use
 * it, and without those bits it is one of the block's own. (An H200 has the rank there: measured;
 * the one more keeps the usual access, in front of which nothing is asked, from hitting rank 0.)
 */
struct cluster {
    struct block *block[GRID_CLUSTER_MAX];
    uint64_t linear[GRID_CLUSTER_MAX];
    uint32_t n, live, id[3];
    bool arrived, met;
};

struct block {
    uint32_t ctaid[3];
    uint32_t rank, shared_from; /* in @cluster; what its own addresses begin with */
    struct cluster *cluster;    /* NULL: it is alone */
    uint64_t linear;
    uint8_t *shared;
    struct warp *warp;
    uint32_t n_warps, cursor; /* whose turn is next: the one that many behind @first */
    uint32_t first;
    bool backwards;
    bool ran; /* a warp had a turn in this round */
    struct barrier barrier[BARRIERS];
    uint32_t open;           /* bit i: a thread has arrived at barrier i */
    uint32_t *arrived;       /* [barrier * n_warps + warp]: lanes that wait or have arrived */
    uint64_t wave_from;      /* the grid's, when it began */
    struct race_block *race; /* NULL: not looked for */
    struct block *next;
};

/* %tid of a warp's lanes; those beyond the block's last thread hold numbers that nobody reads. */
struct thread_ids {
    uint32_t axis[3][WARP_LANES];
};

struct grid {
    struct grid_program *program;
    struct bus_port *port;
    struct grid_desc desc;
    uint8_t *param;
    const struct ptx_code *entry;
    uint32_t shared_bytes, dynamic_shared_offset;
    uint32_t block_threads;
    uint64_t n_blocks, next_block;
    uint32_t cluster_blocks; /* of a cluster */
    struct block *resident, *current, *spare;
    uint32_t n_resident, n_stuck; /* n_stuck: blocks in a row of which no warp could run */
    struct frame **frame_pool;    /* by function */
    struct thread_ids *thread_id; /* by warp; NULL until one asks */
    uint64_t effects;             /* of all warps, and one per grid_run() */
    uint64_t vain_waits;          /* mbarrier waits for a phase that was not over */
    uint64_t wave_from;           /* cycles of the waves that are over; clock.c */
    uint64_t wave_path;           /* of the blocks of this wave that are over */
    uint32_t wave_blocks;         /* how many they are */
    uint64_t gathers;             /* sm_banks.h */
    uint32_t issue_cycles[PTX_ISSUE_CLASSES]; /* beyond one, in CLOCK_PARTS */
    struct grid_stats stats;
    struct grid_fault fault;
    struct bus_library *library; /* a call of a library under way; NULL: none */
    bool yield;                  /* a step of it is over: others may come now */
    struct bus_tex *tex;         /* NULL until the first fetch */
    bool stale;                  /* grid_tex_stale(), with the next two */
    uint64_t stale_place, stale_va;
    uint64_t split[2];      /* grid_barrier_split(), the first plus one */
    bool rounds_to_nearest; /* the host, in grid_run(): what compiled code assumes */
    enum grid_state state;
    struct race *race;   /* race/race.h; NULL: not looked for */
    struct race *paused; /* what was found so far, while @race is NULL; race/budget.c, with: */
    struct race_part part;
};

/* Which SM a block is on: they are dealt out in linear order. */
static inline uint32_t block_sm(const struct block *b)
{
    uint32_t sms = b->warp->grid->desc.sm_count;

    return sms ? (uint32_t)(b->linear % sms) : 0;
}

/* One table per instruction set of the host; sm_select() takes the best one, all give equal bits.
 */
extern sm_handler *const *sm_handlers;
void sm_select(void);
/* For tests: by name "base", "avx2", "avx512"; false if the host cannot. */
bool sm_select_named(const char *name);

/* Its last turns show that it only repeats itself, and memory has not changed since. */
static inline bool warp_spins(const struct warp *w)
{
    return w->spin.proven && w->spin.effects == w->grid->effects;
}

/* deadlock.c: nothing of the block could run in a whole round. Return: false: it, or its cluster,
 * may go on; else there is a fault now */
bool deadlock_fault(struct block *b);

/* fragment.c */
void fragment_add(struct warp *w, struct frame *f, uint32_t pc, uint32_t mask);
void fragment_wait(struct warp *w, struct frame *f, uint32_t pc, uint32_t mask, enum wait wait,
                   uint32_t barrier);
void warp_wake(struct warp *w); /* lanes that wait for other lanes look again */
bool warp_runnable(const struct warp *w);

/* meet.c: when no lane of the warp can run. Return: false: no lanes meet */
bool warp_meet(struct warp *w);
/* A fault if lanes wait for lanes of a membermask */
bool meet_fault(struct warp *w);

/* warp.c: above the handlers, none of which calls it */
void warp_start(struct warp *w, uint32_t lanes);
void warp_turn(struct warp *w, int64_t insts);

/* Leave the inner loop from a handler, to go on at @next. */
static inline const struct ptx_uop *warp_leave(struct warp *w, const struct ptx_uop *next,
                                               enum warp_event event)
{
    w->event = event;
    w->stop = w->code;
    return next;
}

/* frame.c */
bool warp_local_grow(struct warp *w, uint32_t bytes);
struct frame *frame_new(struct warp *w, const struct ptx_code *code, struct frame *up,
                        uint32_t lanes);
void frame_leave(struct warp *w, struct frame *f, uint32_t lanes);
void frame_pool_free(struct grid *g);

/* clock.c; grid_cycles() too */
void clock_grid_start(struct grid *g);
void clock_block_start(struct block *b, const struct grid *g);
void clock_block_end(struct grid *g, const struct block *b);
void clock_barrier(struct block *const *blocks, uint32_t n, uint32_t id);
uint64_t clock_warp(const struct warp *w); /* %clock64 */
void clock_read(struct warp *w, const struct ptx_uop *u);

/* cluster.c */
uint32_t cluster_blocks(const struct grid_desc *desc);
struct cluster *cluster_new(const struct grid *g, uint64_t index);
uint64_t cluster_linear(const struct grid *g, const struct cluster *c, uint32_t rank);
void cluster_join(struct block *b, struct cluster *c, uint32_t rank);
void cluster_leave(struct block *b);
/* The block that address @at of shared memory is of, as @b counts it; *@at becomes an offset there.
 * NULL: there is none, or not any more */
struct block *cluster_owner(struct block *b, uint64_t *at);
/* Where the @bytes are; NULL: outside. @owner: whose they are; may be NULL */
uint8_t *cluster_place(struct block *b, uint64_t at, uint64_t bytes, struct block **owner);
/* Why cluster_place() has none */
const char *cluster_reason(struct block *b, uint64_t at);
/* A special register of a cluster of one block or more; false: it is another */
bool cluster_special(const struct block *b, enum ptx_special s, uint64_t *value);

/* barrier.c */
/* @u: bar.sync, .arrive, .red, or the arrival at the cluster's */
void barrier_arrive(struct warp *w, const struct ptx_uop *u, uint32_t id, uint32_t expected,
                    uint32_t lanes);
/* Lanes that have arrived at the cluster's barrier and have not been let go on */
uint32_t barrier_pending(const struct warp *w);
void barrier_reduce(struct warp *w, uint32_t id, uint32_t lanes, uint32_t values);
void barrier_check(struct block *b);

/* fault.c */
/* Place of an instruction in the source: file << 32 | line; 0 unknown. */
uint64_t sm_place(const struct ptx_code *code, uint32_t inst);
/* Where @u stands in the source, for who observes the port. @u: may be NULL */
void sm_note_place(struct warp *w, const struct ptx_uop *u);
const struct ptx_uop *sm_fault(struct warp *w, const struct ptx_uop *u, enum grid_fault_kind kind,
                               uint32_t lane, uint64_t va, uint32_t size, bool write,
                               const char *reason);
/* The port's refusal as a fault of this grid */
sm_port_fault sm_fault_port;
void sm_thread_id(const struct warp *w, uint32_t lane, uint32_t id[3]);

/* memory.c: one lane's generic access of any length; false after sm_fault() */
bool sm_read(struct warp *w, const struct ptx_uop *u, uint32_t lane, uint64_t va, void *dst,
             size_t len);
bool sm_write(struct warp *w, const struct ptx_uop *u, uint32_t lane, uint64_t va, const void *src,
              size_t len);

/* intrinsic.c, printf.c */
bool intrinsic_call(struct warp *w, const struct ptx_uop *u, enum ptx_intrinsic id, uint32_t lane,
                    const uint64_t *arg, uint64_t *ret);
int sm_printf(struct warp *w, const struct ptx_uop *u, uint32_t lane, uint64_t format,
              uint64_t args);
void sm_assert(struct warp *w, const struct ptx_uop *u, uint32_t lane, const uint64_t *arg);
const char *intrinsic_ret(enum ptx_intrinsic id);
const char *intrinsic_args(enum ptx_intrinsic id);

static inline uint8_t *warp_lane_local(const struct warp *w, uint32_t lane)
{
    return w->local_stride ? w->local + (size_t)lane * w->local_stride
                           : w->local; /* NULL + 0 is undefined */
}

static inline uint32_t lane_first(uint32_t mask)
{
    return (uint32_t)__builtin_ctz(mask);
}

static inline uint32_t lanes_count(uint32_t mask)
{
    return mask == LANES_ALL ? WARP_LANES : bus_bits_count(mask);
}

/* Instructions of slow units among those up to @inst: the warp has such a unit for longer than a
 * cycle. */
static inline void warp_count_issue(struct warp *w, const struct ptx_issue *sums, uint32_t inst)
{
    struct grid *g = w->grid;

    for (unsigned c = 0; c < PTX_ISSUE_CLASSES; c++) {
        uint64_t n = sums[inst].n[c] - sums[w->counted_from].n[c];

        g->stats.issue[c] += n;
        w->path += n * g->issue_cycles[c] / CLOCK_PARTS;
    }
}

/* Instructions up to, not including, @inst have been issued for the running fragment. */
static inline void warp_count(struct warp *w, uint32_t inst)
{
    struct grid *g = w->grid;
    uint64_t n = inst - w->counted_from;
    const struct ptx_issue *sums = w->frame->code->issue;

    if (sums) {
        warp_count_issue(w, sums, inst);
    }
    g->stats.warp_insts += n;
    g->stats.thread_insts += n * lanes_count(w->active);
    w->path += n;
    w->turn_insts -= (int64_t)n;
    w->counted_from = inst;
}

/* The cycle at which @u is issued, as clock.c counts, as a byte that spreads those of a loop */
static inline uint8_t warp_moment(const struct warp *w, const struct ptx_uop *u)
{
    uint32_t cycle = (uint32_t)(w->block->wave_from + w->path) + u->inst - w->counted_from;

    return (uint8_t)(cycle * UINT32_C(2654435761) >> 24);
}

/* A jump of every lane of the fragment. Backward jumps use up the fragment's quota; with other
 * fragments about they also ask for a new choice, since one may lie between. */
static inline const struct ptx_uop *warp_jump(struct warp *w, const struct ptx_uop *u,
                                              uint32_t target)
{
    const struct ptx_uop *to = w->code + target;

    warp_count(w, u->inst + 1);
    w->counted_from = to->inst;
    if (to > u) {
        return to;
    }
    w->quota--;
    return w->quota <= 0 || w->n_fragments ? warp_leave(w, to, EVENT_NONE) : to;
}

#endif
