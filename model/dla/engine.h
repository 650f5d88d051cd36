/* SPDX-License-Identifier: MIT */
/* Tegra's DLA as the SoC holds it: a host1x client that takes tasks into queues and runs them.
 *
 * Commands come in over the THI registers (model/regs/dla.def), tasks lie in memory
 * (model/regs/dla_task.h). A task waits in its queue for its pre-actions, runs its network one
 * operation after the other (desc.h) and then does its post-actions. Work happens only in
 * dla_engine_ops.run, one operation at a time.
 *
 * Choices where the L4T driver, which only sees the outside, is silent: one task runs at a time in
 * an engine, and which queue's head goes next is the order of the run. Descriptor and actions are
 * checked when the task is submitted, its network when it runs. A task that fails ends there: first
 * the error record and the interrupt, then its post-actions all the same, with
 * DLA_TASK_STATUS_ERROR (on a board the kernel's recovery releases the waiters).
 */
#ifndef MODEL_DLA_ENGINE_H
#define MODEL_DLA_ENGINE_H

#include "model/engine.h"

/* Row DLA of model/engines.def. Its queues: DLA_TASK_QUEUES. */
extern const struct engine_ops dla_engine_ops;

#endif
