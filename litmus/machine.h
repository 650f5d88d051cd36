/* SPDX-License-Identifier: MIT */
/* The machine that runs a litmus test: states, and the steps from one to the next.
 *
 * cache.c is the table of model/iocoherency (CUDA for Tegra, 2.1) for a handful of bytes; order.c
 * says which operations of a thread wait for which; agent.c joins both. tests/test_litmus_cache.c
 * walks cache.c and model/iocoherency side by side.
 */
#ifndef LITMUS_MACHINE_H
#define LITMUS_MACHINE_H

#include "litmus/litmus.h"

#define LITMUS_CPU_LINES (LITMUS_LOCS)
#define LITMUS_SECTORS (LITMUS_LOCS)
#define LITMUS_QUEUE 16

/* What the rules ask of a SoC, from its profile. */
struct litmus_soc {
    char name[32];
    bool driver_keeps_cpu_caches, driver_keeps_l2; /* model/rules/port.h */
    bool discrete, io_coherent, cpu_snoops_l2, concurrent_managed;
    bool dla, lse, lrcpc;
    unsigned gpus; /* 2: a discrete GPU stands beside the integrated one */
    struct litmus_gpu_facts {
        bool native_atomics, system_atomics, l1;
        unsigned sms, sm; /* how many SMs; sm_62 is 62 */
    } gpu[LITMUS_GPUS];
};

/**
 * struct litmus_machine - a test on a SoC
 * @cpu_line, @l2_line, @sector: of each byte; *_mask: the bytes of each
 * @gpus: 1 where the test has nothing of a discrete GPU: a state is shorter then
 * @sm_gpu: enum litmus_gpu of each SM
 * @swaps: loads of one location may be performed out of order (order.c)
 * @before: events of the thread that must be performed first, one bit each
 * @transparent: the CPU caches cannot be distinguished from memory (see state_reduce())
 */
struct litmus_machine {
    const struct litmus_test *test;
    struct litmus_soc soc;
    bool reduce, transparent, swaps;
    unsigned bytes, cpu_lines, l2_lines, sectors, gpus;
    uint8_t sm_gpu[LITMUS_SMS];
    uint8_t cpu_line[LITMUS_BYTES], l2_line[LITMUS_BYTES], sector[LITMUS_BYTES];
    uint32_t cpu_mask[LITMUS_CPU_LINES], l2_mask[LITMUS_LOCS], sector_mask[LITMUS_SECTORS];
    uint32_t view;                /* bytes with a cached CPU mapping */
    uint32_t cached[LITMUS_GPUS]; /* bytes that a GPU reaches through its L2 */
    uint32_t snooped;             /* of the iGPU's: bytes whose L2 copies the CPU sees (Thor) */
    uint32_t closed_cpu, closed[LITMUS_GPUS]; /* bytes out of the CPU's reach, of a GPU's */
    uint32_t managed;
    uint32_t looked_cpu, looked[LITMUS_GPUS]; /* bytes whose final value the condition asks for */
    uint32_t before[LITMUS_THREADS][LITMUS_EVENTS];
};

/**
 * struct litmus_state - everything that changes
 * @dram, @view, @l2, @l1: images; bytes that a cache does not hold are 0 there
 * @cpu_valid, @cpu_dirty: CPU lines; the other masks: bytes
 * @done: events performed; @set: registers that have a value
 * @lost: registers whose exclusive load another thread's store has overtaken
 * @sm_queue: stores seen by their SM only, oldest first, as thread * LITMUS_EVENTS + event
 * @gpu_queue: stores to memory outside a GPU seen by that GPU only
 * @active: jobs launched and not synchronised; @busy: thread + 1 in the middle of an atomic
 */
struct litmus_state {
    uint8_t dram[LITMUS_BYTES], view[LITMUS_BYTES], l2[LITMUS_GPUS][LITMUS_BYTES],
        l1[LITMUS_SMS][LITMUS_BYTES];
    uint32_t l2_valid[LITMUS_GPUS], l2_dirty[LITMUS_GPUS], l1_valid[LITMUS_SMS];
    uint16_t cpu_valid, cpu_dirty;
    uint32_t done[LITMUS_THREADS];
    uint16_t set[LITMUS_THREADS], lost[LITMUS_THREADS];
    uint64_t reg[LITMUS_THREADS][LITMUS_REGS];
    uint8_t sm_n[LITMUS_SMS], sm_queue[LITMUS_SMS][LITMUS_QUEUE];
    uint8_t gpu_n[LITMUS_GPUS], gpu_queue[LITMUS_GPUS][LITMUS_QUEUE];
    uint8_t submitted, active, edges, fault, busy;
};

enum litmus_step_kind {
    LITMUS_STEP_EVENT,     /* a: thread, b: event */
    LITMUS_STEP_SM_DRAIN,  /* a: SM, b: place in its queue */
    LITMUS_STEP_GPU_DRAIN, /* a: GPU, b: place in its queue */
    LITMUS_STEP_CPU_EVICT, /* b: line */
    LITMUS_STEP_CPU_FILL,  /* b: line; a prefetch */
    LITMUS_STEP_L2_EVICT,  /* a: GPU, b: line */
    LITMUS_STEP_L1_EVICT,  /* a: SM, b: sector */
};

struct litmus_step {
    uint8_t kind, a, b;
};

#define LITMUS_STEPS 512

/* Return: NULL with @error if the test cannot run on that SoC; g_free() it. */
struct litmus_machine *litmus_machine_new(const struct litmus_test *test,
                                          const struct soc_profile *soc, bool reduce,
                                          GError **error);
void machine_init(const struct litmus_machine *m, struct litmus_state *s);

/* Every step that can come next, in a fixed order: the program's first. @program: how many those
 * are. */
unsigned machine_steps(const struct litmus_machine *m, const struct litmus_state *s,
                       struct litmus_step step[LITMUS_STEPS], unsigned *program);

/* @note: set to a text about what was seen, g_free() it; may be NULL */
void machine_apply(const struct litmus_machine *m, struct litmus_state *s, struct litmus_step step,
                   char **note);

/* "CPU0  STR #1,[x]" */
char *machine_step_text(const struct litmus_machine *m, const struct litmus_state *s,
                        struct litmus_step step);

/* Threads that have not ended, one bit each. */
uint32_t machine_running(const struct litmus_machine *m, const struct litmus_state *s);

/* Forget what nothing can see any more. */
void machine_reduce(const struct litmus_machine *m, struct litmus_state *s);

/* order.c */
void order_fill(struct litmus_machine *m);

/* Does barrier @k of a CPU hold back operation @j behind it? */
bool order_barrier_holds(const struct litmus_thread *t, unsigned k, unsigned j);

/* Barriers of a thread that are over before operation @j, one bit each; @j past the last: all. */
uint32_t order_barriers_over(const struct litmus_thread *t, unsigned j);

/* "CPU0  DMB ST  earlier stores are out": a barrier is no step, it is over when what it holds back
 * comes. */
char *order_barrier_text(const struct litmus_thread *t, unsigned k);

/* First byte in the images of an event's location, and the mask of its bytes. */
static inline unsigned event_at(const struct litmus_machine *m, const struct litmus_event *e)
{
    return m->test->loc[e->loc].byte + e->offset;
}

static inline uint32_t bytes_mask(unsigned at, unsigned size)
{
    return (uint32_t)(((UINT64_C(1) << size) - 1) << at);
}

/* The GPU that the agent is, or whose copy engine. */
static inline enum litmus_gpu thread_gpu(const struct litmus_thread *t)
{
    return t->agent == LITMUS_DGPU || t->agent == LITMUS_DCE ? LITMUS_GPU_DISCRETE
                                                             : LITMUS_GPU_INTEGRATED;
}

static inline bool thread_runs_ptx(const struct litmus_thread *t)
{
    return t->agent == LITMUS_IGPU || t->agent == LITMUS_DGPU;
}

/* Does a CPU see what this GPU has of the byte in its L2? */
static inline bool l2_snooped(const struct litmus_machine *m, enum litmus_gpu gpu, unsigned at)
{
    return gpu == LITMUS_GPU_INTEGRATED && m->snooped >> at & 1;
}

static inline uint32_t event_mask(const struct litmus_machine *m, const struct litmus_event *e)
{
    return e->loc < 0 ? 0 : bytes_mask(event_at(m, e), e->size);
}

/* --- cache.c: what one access does to the images ---------------------------------------------- */

uint64_t bytes_get(const uint8_t *image, unsigned at, unsigned size);
void bytes_set(uint8_t *image, unsigned at, unsigned size, uint64_t value);

void cache_cpu_fill(const struct litmus_machine *m, struct litmus_state *s, unsigned line);
uint64_t cache_cpu_load(const struct litmus_machine *m, struct litmus_state *s, unsigned at,
                        unsigned size);
void cache_cpu_store(const struct litmus_machine *m, struct litmus_state *s, unsigned at,
                     unsigned size, uint64_t value);
void cache_cpu_evict(const struct litmus_machine *m, struct litmus_state *s, unsigned line);
void cache_cpu_maintain(const struct litmus_machine *m, struct litmus_state *s, unsigned line,
                        enum litmus_dc what);

uint64_t cache_port_load(const struct litmus_machine *m, const struct litmus_state *s, unsigned at,
                         unsigned size);
void cache_port_store(const struct litmus_machine *m, struct litmus_state *s, const uint8_t *data,
                      uint32_t mask);

void cache_l2_fill(const struct litmus_machine *m, struct litmus_state *s, enum litmus_gpu gpu,
                   unsigned sector);
uint64_t cache_l2_load(const struct litmus_machine *m, struct litmus_state *s, enum litmus_gpu gpu,
                       unsigned at, unsigned size);
void cache_l2_store(const struct litmus_machine *m, struct litmus_state *s, enum litmus_gpu gpu,
                    unsigned at, unsigned size, uint64_t value);
void cache_l2_evict(const struct litmus_machine *m, struct litmus_state *s, enum litmus_gpu gpu,
                    unsigned line);
void cache_l2_clean(const struct litmus_machine *m, struct litmus_state *s, enum litmus_gpu gpu);
void cache_l2_invalidate(struct litmus_state *s, enum litmus_gpu gpu);

#endif
