/* SPDX-License-Identifier: MIT */
/* One channel: its registers, its place in the command stream, the state of its engines. */
#ifndef MODEL_IGPU_CHANNEL_H
#define MODEL_IGPU_CHANNEL_H

#include <glib.h>

#include "model/igpu/grid.h"
#include "model/igpu/igpu.h"
#include "model/regs/method.h"
#include "model/regs/regs.h"

/* What a channel stands at. */
struct channel_wait {
    enum { WAIT_NONE, WAIT_SYNCPT, WAIT_SEM } kind;
    uint32_t id, threshold; /* WAIT_SYNCPT */
    uint64_t va, payload;   /* WAIT_SEM */
    uint32_t op;
    bool wide;
};

/**
 * struct copy - what LAUNCH_DMA has begun; methods behind it wait
 * @in, @out: of line 0; @len: bytes of a line, @done of which have been moved in line @line
 * @element: bytes of a fill's element, 0: a copy; @pattern: what it fills with
 * @free_ns: of the copy engine it runs on
 */
struct copy {
    bool running;
    uint64_t in, out, len, done;
    uint32_t pitch_in, pitch_out, lines, line;
    uint32_t element, pattern;
    uint64_t *free_ns;
};

struct channel {
    struct igpu *igpu;
    uint32_t number;
    uint32_t reg[CHAN_WINDOW / 4];
    enum chan_status status;
    uint64_t rung; /* order of the doorbells, 0 = never */

    uint32_t gp_get;
    uint32_t *pb; /* the segment being executed, copied in */
    uint32_t pb_len, pb_at;
    uint32_t op, subch, method, count; /* header being consumed */

    uint64_t ns;        /* its own clock: when its last command ended */
    uint64_t *entry_ns; /* by ring entry: when its doorbell rang; as many as @entries */
    uint64_t rung_ns;   /* of the segment that is executed */
    uint64_t begun;     /* channel_begins(): rung_ns + 1 of what has begun last; 0: nothing has */
    enum queue_resource begun_resource;
    uint32_t entries, rung_put;

    uint32_t sem[4], mem_op[3], syncpt_payload;
    uint32_t ce[0x710 / 4];
    struct copy copy;
    uint64_t slice_end; /* of this turn, in *board.work */
    uint32_t pcas_a;
    struct channel_wait wait;

    struct grid *grid;
    struct qmd qmd;
    uint64_t grid_qmd, grid_begin_ns, grid_cycles; /* cycles already accounted */
    bool grid_l1_stale;                           /* an L1_STALE record was written */
    unsigned grid_besides;                        /* GPU_BESIDE records that were written */
    bool grid_stale;                              /* a TEX_STALE record was written */
    bool grid_split;                              /* BARRIER_SPLIT has been recorded */
};

enum { CE_MAX = 8 }; /* copy engines that differ in time */

struct igpu {
    struct igpu_board board;
    enum order order;
    uint64_t random, rung, *rungs; /* @rungs: the count of doorbells: @rung, or of all GPUs */
    struct channel *channel[CHAN_COUNT]; /* NULL until software touches it */
    unsigned channels;                   /* those from this number on are all NULL */
    GHashTable *programs; /* code id -> struct grid_program, compute.c */
    GHashTable *budgets;  /* qmd.process -> struct grid_budget, compute.c */
    igpu_compile *compile; /* igpu_compile_hook(), with the next two */
    void *compile_opaque;
    uint64_t compile_after;
    uint64_t sm_free_ns, ce_free_ns[CE_MAX]; /* when the SMs and each copy engine have ended what they began */
    GHashTable *sems;                        /* address space and address -> struct sem_release, channel.c */
    uint32_t dead[CHAN_COUNT], n_dead; /* errors not serviced yet, oldest first */
};

/* channel.c */
void channel_enable(struct channel *ch, bool enable);
void channel_free(struct channel *ch);
void channel_rung(struct channel *ch); /* its doorbell, now */
/* What is executed now begins @ns after its doorbell and after what is before it in the channel,
 * whichever is later: the front end waits until an engine is idle (launches and copies in a loop,
 * L2 and M13 of docs/timing.md). It prepares meanwhile what the same doorbell has announced, so of a
 * graph each kernel but the first begins at once, and a copy behind one that runs, until @busy_ns
 * (all inferred). */
void channel_begins(struct channel *ch, enum queue_resource resource, uint64_t busy_ns, uint64_t ns);
/* ... and not before @resource, of @agent, is free. */
void channel_queue(struct channel *ch, enum queue_resource resource, enum bus_agent agent,
                   uint64_t free_ns);
bool channel_ready(struct channel *ch);
uint32_t channel_put(struct channel *ch); /* index behind the ring's last entry */
enum igpu_progress channel_run(struct channel *ch, uint64_t quantum);
void channel_fail(struct channel *ch, const struct chan_error *error);
/* enum chan_error_reason of the MMU's words; NONE for any others. */
uint32_t channel_fault_reason(const char *reason);
void channel_halt(struct channel *ch); /* the grid that is under way, if there is one */
/* A port access failed: stop the channel with what the port says. */
void channel_fail_port(struct channel *ch, enum bus_status status);

/* ce.c: method of the copy engine. compute.c: of the compute class. Return: false = unknown. */
bool ce_method(struct channel *ch, uint32_t method, uint32_t data);
bool compute_method(struct channel *ch, uint32_t method, uint32_t data);
/* Continue the channel's copy or fill for the rest of its turn. */
void ce_run(struct channel *ch);
/* Go on with the channel's grid. */
enum igpu_progress compute_run(struct channel *ch, uint64_t quantum);
void compute_cancel(struct channel *ch);

/* igpu.c */
void igpu_error_raise(struct channel *ch);

#endif
