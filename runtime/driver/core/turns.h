/* SPDX-License-Identifier: MIT */
/* The core's switch points (sched/). */
#ifndef RUNTIME_DRIVER_CORE_TURNS_H
#define RUNTIME_DRIVER_CORE_TURNS_H

#include <stdbool.h>
#include <stdint.h>

struct channel;

/* Do the application's threads take turns? */
bool sched_active(void);

/* The run ends, the board is still up: see struct vtegra_sched, orders. */
void sched_orders_note(void);

/* A call of the API begins; no lock is held. */
void sched_call(void);

/* The application has given the board something to do. */
void sched_work(void);

/* The board waits for a host function. If that waits for a lock of the calling thread's, the
 * process ends with a finding. The core's lock is held, and free meanwhile. */
void sched_held(void);

/* Threads of the program so far; 1 without a scheduler. */
unsigned sched_threads(void);

/* The board went on because of the host's time, for the reason @why. Told once a run. */
void sched_host_timed(const char *why, uintptr_t pc);

/* A question was answered "not yet": others go first. The core's lock is held, and free meanwhile.
 */
void sched_not_yet(void);

/* Wait while others and the board go on, with the core's lock free meanwhile; @what as in struct
 * vtegra_sched. Return: false if nothing else can go on. */
bool sched_wait(bool (*ready)(void *arg), void *arg, const char *what, bool firm);

/* Its grid is being ended: it goes before all others, whoever decides. NULL: none. */
void sched_channel_first(const struct channel *channel);
bool sched_channel_is_first(uint32_t index);

#endif
