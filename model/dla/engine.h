/* SPDX-License-Identifier: MIT */
/* Tegra's DLA as the SoC holds it: a host1x client that takes tasks into queues and runs them.
 *
 * Commands come in over the THI registers (model/regs/dla.def), tasks lie in memory
 * (model/regs/dla_task.h). A task waits in its queue for its pre-actions, runs its network one
 * operation after the other (desc.h) and then does its post-actions. Work happens only in
 * dla_engine_step(), one operation at a time.
 *
 * Choices where the L4T driver, which only sees the outside, is silent: one task runs at a time in
 * an engine, and which queue's head goes next is the order of the run. Descriptor and actions are
 * checked when the task is submitted, its network when it runs. A task that fails ends there: first
 * the error record and the interrupt, then its post-actions all the same, with
 * DLA_TASK_STATUS_ERROR (on a board the kernel's recovery releases the waiters).
 */
#ifndef MODEL_DLA_ENGINE_H
#define MODEL_DLA_ENGINE_H

#include "model/bus.h"
#include "model/trace.h"

struct dla_engine;

extern const struct mmio_ops dla_engine_ops;

enum dla_order { DLA_OLDEST, DLA_NEWEST, DLA_SEEDED };

enum dla_progress {
    DLA_IDLE,     /* nothing queued that could go on */
    DLA_PROGRESS, /* something happened */
};

/**
 * struct dla_board - what the engine has around it; nothing is owned
 * @dram: through the SMMU; @cvsram: the second memory interface, NULL if there is none
 * @phys_write: by bus address, for the error record
 * @elapse: let the time of @cycles of the engine pass, or of its memory traffic if that takes
 * longer
 * @task_done: a task has ended: its sums may be told
 * @syncpt_at: is there a syncpoint at @iova? For records. May be NULL
 * @irq: raised while an unmasked bit of FALCON_IRQSTAT is set
 * @config: name of the published NVDLA configuration
 * @instance: number in records
 */
struct dla_board {
    void *opaque;
    struct bus_port *dram, *cvsram;
    struct trace *trace;
    bool (*phys_write)(void *opaque, uint64_t bus, const void *src, size_t len);
    void (*elapse)(void *opaque, uint64_t cycles);
    void (*task_done)(void *opaque);
    bool (*syncpt_at)(void *opaque, uint64_t iova, uint32_t *id);
    struct irq *irq;
    const char *config;
    unsigned instance;
};

/* Return: the engine in its reset state; NULL if @board->config names no configuration. */
struct dla_engine *dla_engine_new(const struct dla_board *board, enum dla_order order,
                                  uint64_t seed);
void dla_engine_free(struct dla_engine *e);

/* One operation, or a task's begin, of the queue whose turn it is by the order. */
enum dla_progress dla_engine_step(struct dla_engine *e);

/* The same in two steps, where somebody else says whose turn it is: the queues that can go on,
 * ascending, into @queue (DLA_TASK_QUEUES places): that of the task which runs, or those whose
 * first task has all it waits for. *@progress: something happened already, which the look has
 * found: such a wait is over, a task has failed or run out of time. Return: how many. */
unsigned dla_engine_ready(struct dla_engine *e, uint32_t *queue, bool *progress);
void dla_engine_run(struct dla_engine *e, uint32_t queue);
/* When something happens by itself although no step makes progress: the end of a timeout, ns; 0 =
 * never. */
uint64_t dla_engine_deadline(const struct dla_engine *e);

/* One line a queue that is not empty. */
void dla_engine_dump(struct dla_engine *e, void (*line)(void *opaque, const char *text),
                     void *opaque);

#endif
