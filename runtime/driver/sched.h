/* SPDX-License-Identifier: MIT */
/* The board as the scheduler's agent, and the core's switch points (runtime/sched). */
#ifndef RUNTIME_DRIVER_SCHED_H
#define RUNTIME_DRIVER_SCHED_H

#include "runtime/driver/core.h"

/* Do the application's threads take turns? */
bool sched_active(void);

/* Who decides, before the board is opened. */
void sched_configure(struct hal_config *config);
/* The run ends, the board is still up: see struct vtegra_sched, orders. */
void sched_tell_orders(void);
/* The board is up, or goes down. */
void sched_board_up(void);
void sched_board_down(void);

/* A call of the API begins; no lock is held. */
void sched_call(void);

/* The application has given the board something to do. */
void sched_work(void);

/* The board went on because of the host's time, for the reason @why. Told once a run. */
void sched_host_timed(const char *why, uintptr_t pc);

/* A question was answered "not yet": others go first. The core's lock is held, and free meanwhile.
 */
void sched_not_yet(void);

/* Wait while others and the board go on, with the core's lock free meanwhile; @what as in struct
 * vtegra_sched. Return: false if nothing else can go on. */
bool sched_wait(bool (*ready)(void *arg), void *arg, const char *what, bool firm);

#endif
