/* SPDX-License-Identifier: MIT */
/* Inside the machine: what agent.c, cpu.c and gpu.c share. */
#ifndef LITMUS_AGENT_H
#define LITMUS_AGENT_H

#include "litmus/expr.h"
#include "litmus/machine.h"

/* The store that a byte of a queue stands for. */
static inline const struct litmus_event *event_by_code(const struct litmus_machine *m,
                                                       unsigned code)
{
    return &m->test->thread[code / LITMUS_EVENTS].event[code % LITMUS_EVENTS];
}

static inline uint32_t thread_all(const struct litmus_thread *t)
{
    return (uint32_t)((UINT64_C(1) << t->n) - 1);
}

static inline uint64_t size_mask(unsigned size)
{
    return size == 8 ? UINT64_MAX : (UINT64_C(1) << size * 8) - 1;
}

/* agent.c: values of registers and operands. */
bool event_src_known(const struct litmus_machine *m, const struct litmus_state *s, unsigned t,
                     const struct litmus_event *e);
uint64_t event_src_value(const struct litmus_machine *m, const struct litmus_state *s, unsigned t,
                         const struct litmus_event *e);
void event_reg_set(struct litmus_state *s, unsigned t, const struct litmus_event *e,
                   uint64_t value);
uint64_t event_rmw_apply(const struct litmus_machine *m, const struct litmus_state *s, unsigned t,
                         const struct litmus_event *e, uint64_t old);

/* Can the operation be performed now, the order among its thread's own apart? */
bool gpu_ready(const struct litmus_machine *m, const struct litmus_state *s,
               const struct litmus_thread *t, const struct litmus_event *e);
/* The newest earlier store of the thread to these bytes that is not performed yet; NULL if there is
 * none. */
const struct litmus_event *cpu_pending(const struct litmus_machine *m, const struct litmus_state *s,
                                       unsigned thread, unsigned code);
bool cpu_load_ready(const struct litmus_machine *m, const struct litmus_state *s, unsigned thread,
                    unsigned code);

/* Perform it. Return: where its bytes came from, for the witness; may be NULL. */
const char *gpu_perform(const struct litmus_machine *m, struct litmus_state *s, unsigned thread,
                        unsigned code);
const char *cpu_perform(const struct litmus_machine *m, struct litmus_state *s, unsigned thread,
                        unsigned code);

/* What a maintenance operation or a driver's call is about to do, for the witness; g_free() it.
 * NULL for another operation. */
char *cpu_call_text(const struct litmus_machine *m, const struct litmus_state *s,
                    const struct litmus_event *e);

/* gpu.c: the queues of stores and the L1s. */
bool gpu_queue_may_leave(const struct litmus_machine *m, const uint8_t *queue, unsigned place);
void gpu_sm_drain(const struct litmus_machine *m, struct litmus_state *s, unsigned sm,
                  unsigned place);
void gpu_drain(const struct litmus_machine *m, struct litmus_state *s, enum litmus_gpu gpu,
               unsigned place);
void gpu_l1_drop(struct litmus_state *s, unsigned sm, uint32_t mask);

#endif
