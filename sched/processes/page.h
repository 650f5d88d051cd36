/* SPDX-License-Identifier: MIT */
/* What the processes of a run share, for round.c and join.c. */
#ifndef SCHED_PAGE_H
#define SCHED_PAGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sched/processes/round.h"

#define NONE UINT32_MAX
#define SLOTS 256u

enum slot_state { SLOT_FREE, SLOT_LIVE, SLOT_AWAY };

/**
 * struct slot - a process
 * @pid: 0: its parent has not said it yet; @tid: its thread that runs
 * @go: futex: it has got the turn
 * @served: it waits for the board's answer
 * @number: by creation, never used again; @parent: slot of the parent
 * @asked: page's @generation when it found that no thread can run; 0: one can
 * @until_ns, @why: as round_stand() has them
 */
struct slot {
    _Atomic uint32_t state;
    _Atomic pid_t pid, tid;
    _Atomic unsigned go;
    atomic_bool served;
    uint32_t number, parent, why;
    uint64_t asked, until_ns;
};

/**
 * struct page - what the processes share
 * @holder: slot with the turn; NONE: the run waits for the host
 * @what: what the holder is to do
 * @born: processes so far; @spawning: slot of a child whose number is still to be written, or NONE
 * @generation: grows when a process has run
 * @never: another process is next only where this one cannot run (strategy "none")
 */
struct page {
    atomic_bool ready;
    _Atomic uint32_t holder, what, born, spawning;
    bool never;
    uint64_t random, generation, progress, now_ns, board_ns;
    struct slot slot[SLOTS];
};

_Static_assert(sizeof(struct page) <= ROUND_BYTES, "it fits");

/* round.c. @page_me: this process's slot; @page_ran: it has done something since it got the turn.
 */
extern struct page *page;
extern uint32_t page_me;
extern bool page_ran;

bool page_is_live(uint32_t slot);
/* Waits for the turn. Return: what to do with it. */
enum round_what page_turn_get(void);
/* The same where the process may have it already. */
void page_turn_ensure(void);
/* Has the process @pid ended, and has its parent the signal? false for 0. */
bool page_has_ended(pid_t pid);

#endif
