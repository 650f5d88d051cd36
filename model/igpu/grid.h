/* SPDX-License-Identifier: MIT */
/* The SMs: a grid of blocks executing decoded PTX, 32 lanes in lockstep.
 *
 * A grid advances only inside grid_run() and only as far as its caller says, so the SoC decides how
 * GPU work interleaves with everybody else's. All memory outside the SM goes through a bus port.
 */
#ifndef MODEL_IGPU_GRID_H
#define MODEL_IGPU_GRID_H

#include "model/bus.h"
#include "ptx/ptx.h"

struct grid;
struct grid_program; /* decoded code of one module */

/**
 * grid_program_new - decode a parsed module for execution
 * @m: owned by the program from now on, also on failure
 * @error: the first instruction that cannot be executed, by name and line; may be NULL
 *
 * Every entry and function is decoded: nothing runs half a kernel.
 * Return: the program, reference count 1; NULL on error.
 */
struct grid_program *grid_program_new(struct ptx_module *m, struct ptx_error *error);
struct grid_program *grid_program_ref(struct grid_program *p);
void grid_program_unref(struct grid_program *p);

/**
 * grid_program_asks - is it time to have the program compiled?
 * @after: warp instructions that its grids have run by then
 * Return: true once at most; then grid_program_text(), or never mind.
 */
bool grid_program_asks(struct grid_program *p, uint64_t after);

/**
 * grid_program_text - the program's functions as C (native_text.h); once
 * @entry: this one at least, if it can be compiled at all
 * Return: g_free() it; NULL: nothing is worth it.
 */
char *grid_program_text(struct grid_program *p, uint32_t entry);

/* What a compiler must be asked for so that this text gives the same bits as the handlers that run;
 * NULL: not on this host. */
const char *grid_compile_flags(void);

/* Its compiled form has come, between two calls of grid_run(): functions by number, 0 for none.
 * The code must stay until the program is gone. Results, counts and records do not change. */
typedef uintptr_t grid_native_door(uint32_t index);
void grid_program_native(struct grid_program *p, grid_native_door *door);

/* The ring's header, 64 bits each: bytes that outputs took since it was emptied (more than the
 * ring has where old ones were written over), and outputs. */
#define GRID_RING_USED 0u
#define GRID_RING_OUTPUTS 8u
#define GRID_RING_HEADER 16u

#define GRID_CLUSTER_MAX 16u /* blocks */

/* Looking for races: not at all; by the memory model of PTX; by that, with the lanes of a warp in
 * the order of its instructions, as they were before compute capability 7.0 */
enum grid_races { GRID_RACES_OFF, GRID_RACES_STRICT, GRID_RACES_LOCKSTEP };

/* What the grids of one program have cost so far, and their checks for races, in units of about a
 * nanosecond, counted and not measured; all zero at first */
struct grid_budget {
    uint64_t work, spent;
};

/**
 * struct grid_units - threads that each kind of unit of an SM serves in a cycle; 0: all it is given
 * @tensor: multiply-adds of 16 bits that its tensor cores do
 * @block: cycles in which it starts a block
 */
struct grid_units {
    uint32_t fp64, sfu, ldst, tensor, block;
};

/**
 * struct grid_desc - one launch, with everything resolved to device addresses
 * @entry: index of the entry in ptx_module.funcs
 * @grid, @block: dimensions, each >= 1; checked against the limits by the caller
 * @cluster: blocks of a cluster, all 0: each block is its own; else they divide @grid, and their
 * product is at most 16
 * @dynamic_shared: bytes of `extern .shared`
 * @param: the parameter block, param_bytes of the entry, then the objects of the module's
 * references (ptx_refs_offset()); copied
 * @global_base, @const_base: where the module's segments lie (ptx_var.offset is added)
 * @shared_window, @local_window: generic addresses of shared and local memory (each 16 MiB... one
 *        window each, 4 GiB aligned, disjoint from everything mapped)
 * @printf_va, @printf_size: ring for device printf: GRID_RING_HEADER bytes, then @printf_size bytes
 *        of outputs: text as formatted by the SM and its length, 32 bits. 0 = no ring
 * @heap_va, @heap_bytes: what malloc() of device code divides, zero at first; a multiple of 16. 0 =
 * no heap
 * @grid_workspace: cooperative groups' barrier word, 0 if not cooperative (%envreg1:%envreg2)
 * @cooperative: all blocks must be resident at once
 * @resident_blocks: how many blocks the SoC can hold at once for this kernel (occupancy x SMs), >=
 * 1
 * @order: of blocks and warps, 0: by number; else each number is another order, see grid_run()
 * @sm_count, @sm_version: %nsmid, and what the SoC is (87); @grid_id: %gridid
 * @step_limit: warp instructions after which the launch times out, 0 = none
 * @clock_ns: virtual time at which the grid starts (%globaltimer); @clock_mhz: of the SMs
 * @tex: the texture unit; NULL: there is none
 * @library: what runs calls of libraries; NULL: there are none. @fp64_ratio: how much longer double
 * precision takes in them; 0 is 1
 * @schedulers: warp instructions that all SMs together issue in a cycle; 0 is 1
 * @units: what slower instructions need
 * @races: whether races between its threads are looked for; see grid_races()
 * @budget: not owned: they are looked for as long as this costs a fraction of what the grids cost;
 * NULL: in the whole grid
 */
struct grid_desc {
    uint32_t entry;
    uint32_t grid[3], block[3], cluster[3];
    uint32_t dynamic_shared;
    const void *param;
    uint32_t param_bytes;
    uint64_t global_base, const_base;
    uint64_t shared_window, local_window;
    uint64_t printf_va;
    uint32_t printf_size;
    uint64_t heap_va, heap_bytes;
    uint64_t grid_workspace;
    bool cooperative;
    uint32_t resident_blocks, sm_count, sm_version;
    uint32_t order;
    uint64_t grid_id, step_limit, clock_ns;
    uint32_t clock_mhz, schedulers;
    const struct bus_tex_ops *tex;
    const struct bus_library_ops *library;
    uint32_t fp64_ratio;
    struct grid_units units;
    enum grid_races races;
    struct grid_budget *budget;
};

enum grid_state {
    GRID_MORE,     /* the quantum is used up */
    GRID_SPINNING, /* every resident warp only repeats loops without effect: others must act first
                    */
    GRID_DONE,
    GRID_FAULT, /* grid_fault() says which; the grid is over */
};

enum grid_fault_kind {
    GRID_FAULT_NONE,
    GRID_FAULT_MMU, /* port fault: out of bounds, unmapped, read-only */
    GRID_FAULT_MISALIGNED,
    GRID_FAULT_SHARED_RANGE, /* outside the block's shared memory */
    GRID_FAULT_LOCAL_RANGE,  /* outside the thread's local memory */
    GRID_FAULT_INSTRUCTION,  /* cannot be executed here */
    GRID_FAULT_ATOMIC,       /* BUS_UNSUPPORTED: system-scope atomic below cc 7.2 */
    GRID_FAULT_TRAP,
    GRID_FAULT_ASSERT,   /* text in the printf ring, prefixed as CUDA prints it */
    GRID_FAULT_STACK,    /* call depth or local memory exhausted */
    GRID_FAULT_TIMEOUT,  /* step_limit */
    GRID_FAULT_BARRIER,  /* a barrier no warp can complete */
    GRID_FAULT_FREE,     /* free() of no allocation */
    GRID_FAULT_MBARRIER, /* an operation that PTX leaves undefined */
};

/**
 * struct grid_fault - where a grid died
 * @func: name of the PTX function; @line: line in the PTX text; @file, @source_line: from .loc
 * @block, @thread: of the first lane that failed
 * @members, @missing: of GRID_FAULT_BARRIER at an instruction with a membermask: that, and its
 * lanes that are elsewhere
 */
struct grid_fault {
    enum grid_fault_kind kind;
    const char *func, *file;
    uint32_t func_index, source_file; /* the same as indices: ptx_module.funcs, ptx_module.files */
    uint32_t line, source_line;
    uint32_t block[3], thread[3];
    uint64_t va;
    uint32_t size, members, missing;
    bool write;
    const char *reason;
};

/* Work done so far: warp instructions issued, the same times active lanes, memory instructions (of
 * them stores, for which no warp waits), lines asked of the port (coalescing: lines /
 * instructions), barriers, divergent branches.
 * @issue: by enum ptx_issue_class; @shared_passes: of accesses to shared memory, beyond one each */
struct grid_stats {
    uint64_t warp_insts, thread_insts;
    uint64_t mem_insts, store_insts, mem_lines, atomics;
    uint64_t shared_insts, barriers, divergences;
    uint64_t issue[3], shared_passes;
};

/**
 * grid_new - prepare a launch; nothing runs yet
 * @program: a reference is taken; @port: not owned, outlives the grid
 */
struct grid *grid_new(struct grid_program *program, struct bus_port *port,
                      const struct grid_desc *desc);

/**
 * grid_run - execute
 * @quantum: warp instructions at most (a few more to the end of a warp's turn)
 *
 * Blocks start in linear order, or with grid_desc.order in another one, up to four at once. A block
 * runs on, all its warps in a fixed order, until it ends; only when its warps spin are further
 * blocks (up to resident_blocks; all for a cooperative grid) brought in and run in round robin. The
 * order is a function of the descriptor and memory alone.
 */
enum grid_state grid_run(struct grid *g, uint64_t quantum);

/* The next turn is the last: GRID_FAULT_TIMEOUT, where a warp is then. */
void grid_halt(struct grid *g);

/* How many of its blocks are over */
uint64_t grid_blocks_done(const struct grid *g, uint64_t *all);

/* How long it has taken so far, in cycles of the SMs' clock: clock.c says how they are counted. */
uint64_t grid_cycles(const struct grid *g);

const struct grid_fault *grid_fault(const struct grid *g);
const struct grid_stats *grid_stats(const struct grid *g);
/* Have parts of a warp met at an aligned block barrier in different instructions? @place: of two of
 * these in the source, file << 32 | line, 0 unknown */
bool grid_barrier_split(const struct grid *g, uint64_t place[2]);
/* Has a fetch got bytes from the texture cache that the grid itself has stored over since? Known
 * while the port is observed, of the first one. @place: in the source, file << 32 | line, 0 unknown
 */
bool grid_tex_stale(const struct grid *g, uint64_t *place, uint64_t *va);

/**
 * struct grid_race_side - one of the two accesses (enums: model/values.h)
 * @place: in the source, file << 32 | line, 0 unknown; @func, @line: ptx_module.funcs, and the line
 * in the PTX text
 * @kind: enum grid_race_kind; an asynchronous copy is the store of it
 * @scope: enum ptx_scope, PTX_SCOPE_NONE: weak; GRID_RACE_SCOPE_CLUSTER
 * @block, @thread: in linear order
 */
struct grid_race_side {
    uint64_t place;
    uint32_t func, line;
    uint8_t kind, scope;
    uint64_t block;
    uint32_t thread;
};

/**
 * struct grid_race - two accesses of which one may happen before the other or not
 * @address: of the first byte of the later access; an offset if @shared (the shared memory of the
 * block)
 * @owner: 0, or the rank plus 1 in the cluster of the block whose shared memory it is, where one of
 * the two is of another block
 * @same_value: both stored what was there by then
 * @relation: enum grid_race_relation: both of one warp, of one block, of two blocks
 * @missing: enum grid_race_missing
 * @loop: a barrier is between the two in the code, and a branch leads back before both: it orders
 * one turn, not the next
 * @times: how often this pair of places met; all else is of the farthest two threads
 */
struct grid_race {
    struct grid_race_side later, earlier;
    uint64_t address;
    uint32_t bytes;
    bool shared, same_value, loop;
    uint8_t relation, missing, owner;
    uint64_t times;
};

/**
 * grid_races - the races between threads so far
 * @rows: stay valid until the grid runs on or is freed; pairs of places, in the order in which they
 * were found first
 *
 * Rules: PTX ISA, Memory Consistency Model. Results, counts and records do not depend on
 * grid_desc.races. Return: their number, 0 where they are not looked for
 */
size_t grid_races(const struct grid *g, const struct grid_race **rows);
/* Was the launch not checked from some point on, because what is kept of it would not fit, or would
 * cost too much? */
bool grid_races_stopped(const struct grid *g);
/* Was a part of it not checked because of grid_desc.budget? @blocks: how many blocks were checked
 * from their start to their end; @some: something was */
bool grid_races_part(const struct grid *g, uint64_t *blocks, bool *some);
void grid_free(struct grid *g);

#endif
