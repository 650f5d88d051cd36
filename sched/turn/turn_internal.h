/* SPDX-License-Identifier: MIT */
/* Shared by the files that hand the turn over: turn.c, time.c, choice.c (which thread or channel is
 * next), idle.c (no thread is runnable). None of the last three calls turn.c. */
#ifndef SCHED_TURN_INTERNAL_H
#define SCHED_TURN_INTERNAL_H

#include "sched/turn/turn.h"

#define TURN_LOOK_NS 1000u    /* a look at a clock, a turn of a loop that waits */
#define TURN_HANDLER_NS 20000 /* between looks whether a signal handler is over ... */
/* so many: a thread that has not come to its first turn, or is in a call that waits for real, is
 * not seen to handle it */
#define TURN_HANDLER_LOOKS 5000

/* struct turn_state - of the process; the thread with the turn alone reads and writes it */
struct turn_state {
    struct decide *decide;
    uint32_t *agent; /* scratch of the choice */
    unsigned cap_agent;
    uint32_t current;
    struct thread *chosen;
    uint32_t stepped; /* the channel that choice_agent_choose() took, or 0 */
    uint64_t base_ns, looks, fruitless, fruitless_since, jumps;
    uint64_t others; /* round_progress_count() at the last turn of a loop that waits */
    bool yields;     /* another process is to go first */
    _Atomic(struct thread *) owner;
    pid_t leaver;
    int outside_event; /* eventfd: a thread has returned from a call outside */
};
extern struct turn_state turn_state; /* choice.c */

/* Not the board's time. */
void time_base_add(uint64_t ns);
/* Of the board, where there is one. */
void time_advance(uint64_t ns);

/* @t is runnable; @outcome: how its wait ended. */
void choice_thread_enable(struct thread *t, int outcome);
/* Runnable threads, and then @n others, into turn_state.agent. Return: how many are threads. */
unsigned choice_agents_collect(const uint32_t *agent, unsigned n);
/* Which thread runs next. NULL: none is runnable now. */
struct thread *choice_pick(void);

/* Virtual time moves to the next time at which a wait ends. Return: false if there is none. */
bool idle_timer_jump(void);
/* The same as choice_pick(), after waiting for what may come from outside. Ends the process where
 * nothing can: a deadlock. */
struct thread *idle_pick(void);
/* Without waiting for what comes from outside. NULL: no thread is runnable. */
struct thread *idle_pick_now(void);
/* For a thread that waits in poll() for what comes from outside: look at the threads again. */
void idle_outside_notify(void);

#endif
