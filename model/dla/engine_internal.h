/* SPDX-License-Identifier: MIT */
/* Files: engine.c registers, commands, messages; engine_queue.c tasks in their queues and the one
 * that runs; engine_action.c what a task waits for and leaves behind. */
#ifndef MODEL_DLA_ENGINE_INTERNAL_H
#define MODEL_DLA_ENGINE_INTERNAL_H

#include "model/dla/desc.h"
#include "model/dla/dla_bus.h"
#include "model/dla/engine.h"
#include "model/dla/fiber.h"
#include "model/dla/regs.h"
#include "model/regs/dla_task.h"
#include "model/regs/regs.h"

#define DLA_TEXT_BYTES sizeof(((struct dla_error_record *)0)->text)

/**
 * struct dla_queued - a task from its submission to its end
 * @bytes: copy of the descriptor with its action lists, desc.size bytes
 * @order: of submission, over all queues
 * @done: pre-actions that have been satisfied
 * @start_ns: not before: when it was submitted, and when the last of those was satisfied
 */
struct dla_queued {
    uint64_t iova, order, start_ns;
    struct dla_task_desc desc;
    uint8_t *bytes;
    unsigned done;
};

/* @task: DLA_TASK_QUEUE_DEPTH places, NULL before the first task: most queues are never used, and
 * all are looked at in every step */
struct dla_queue {
    struct dla_queued *task;
    unsigned first, count;
    bool suspended;
};

/* What went wrong with a command or a task. */
struct dla_failure {
    enum dla_err error;
    uint64_t iova;
    uint32_t bytes;
    bool write;
    char text[DLA_TEXT_BYTES];
};

/**
 * struct dla_running - the task the engine works on
 * @task: the head of its queue; NULL: none
 * @run: its network, NULL for a bypass; @status, @done: what its last step answered
 */
struct dla_running {
    struct dla_queued *task;
    struct dla_task_run *run;
    struct dla_task list;
    struct dla_stats stats;
    struct dla_task_error error;
    uint64_t *address, *size;
    uint64_t began_ns;
    enum dla_status status;
    bool hung, done;
};

/* What the fiber is in the middle of. */
enum dla_job { DLA_JOB_NONE, DLA_JOB_TASK, DLA_JOB_REGS };

/**
 * struct dla_engine
 * @fiber, @job: an operation of either front end runs there and pauses after a slice, at @slice_end
 * of *board.work. The other front end begins none meanwhile
 * @stopping: the operation ends at its next place to rest
 * @regs_ns: when the last operation of the register file ended, or paused
 */
struct dla_engine {
    struct engine_board board;
    const struct dla_config *cfg;
    uint64_t submitted;
    struct dla_bus bus; /* for tasks and the register file alike */
    struct dla_regs *regs;
    uint64_t work, half_work; /* counted by ticks since the last operation; of 16-bit MACs */
    bool macs;                /* some of it is a convolution's */
    struct fiber *fiber;
    enum dla_job job;
    uint64_t slice_end, regs_ns;
    bool stopping;
    uint32_t method_id, irqstat, irqmask, mailbox[2];
    uint64_t error_bus;
    unsigned hang;
    struct dla_queue queue[DLA_TASK_QUEUES];
    struct dla_running running;
    /* Messages about tasks that software has not taken yet; the first is @loaded into the mailbox.
     */
    struct dla_error_record *message;
    unsigned messages, message_room;
    bool loaded;
};

/* What records of a queue's task have as their channel. */
#define DLA_CHANNEL(e, queue) ((e)->board.first_queue + (queue) + 1)

/* --- engine.c -------------------------------------------------------------------------------- */

/* One line into @f->text. Return: false, for a caller that gives up with it. */
bool dla_failure_set(struct dla_failure *f, enum dla_err error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Read or write what a task names; false with @f filled when the SMMU or the bus refuses. */
bool dla_engine_get(struct dla_engine *e, uint64_t iova, void *dst, uint32_t bytes,
                    const char *what, struct dla_failure *f);
bool dla_engine_put(struct dla_engine *e, uint64_t iova, const void *src, uint32_t bytes,
                    const char *what, struct dla_failure *f);
/* Tell software that a task failed. */
void dla_engine_report(struct dla_engine *e, const struct dla_queued *t, enum dla_msg msg,
                       const struct dla_failure *f);
void dla_engine_elapse(struct dla_engine *e);
/* Run @body(@e), or what it has left over, by a slice. Return: true: it has ended. */
bool dla_engine_slice(struct dla_engine *e, enum dla_job job, void (*body)(void *e));
/* End the operation that pauses, if it is @job's. */
void dla_engine_stop(struct dla_engine *e, enum dla_job job);
/* Has the register file something to run now? And run that, by a slice. */
bool dla_engine_regs_due(const struct dla_engine *e);
void dla_engine_regs_run(struct dla_engine *e);

/* --- engine_queue.c -------------------------------------------------------------------------- */

bool dla_queue_submit(struct dla_engine *e, uint64_t iova, struct dla_failure *f);
/* Drop the tasks that have not begun. */
void dla_queue_flush(struct dla_engine *e, unsigned queue);
void dla_queue_reset(struct dla_engine *e);
/* For dla_engine_ops, see there. */
unsigned dla_queues_ready(void *dev, struct engine_ready *out, bool *happened);
void dla_queue_run(void *dev, uint32_t queue);
/* The end of the running task's timeout, ns; 0: none. */
uint64_t dla_engine_deadline(const void *dev);
void dla_queues_dump(void *dev, void (*line)(void *opaque, const char *text), void *opaque);

/* --- engine_action.c ------------------------------------------------------------------------- */

/* Are the lists of a descriptor well formed? */
bool dla_actions_check(const struct dla_queued *t, struct dla_failure *f);
/* Go through pre-actions as far as they are satisfied. Return: 1 all are, 0 not yet, -1 with @f. */
int dla_actions_before(struct dla_engine *e, struct dla_queued *t, struct dla_failure *f);
/* Do the post-actions; @error: what the task ended with. False with @f if one of them failed; the
 * others are done all the same. */
bool dla_actions_after(struct dla_engine *e, const struct dla_queued *t, enum dla_err error,
                       struct dla_failure *f);

#endif
