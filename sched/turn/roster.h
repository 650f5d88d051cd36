/* SPDX-License-Identifier: MIT */
/* Which threads there are: numbered in order of creation, in the list until they have ended.
 *
 * Where threads take turns the owner of the turn alone reads and changes the list; where they run
 * freely a lock of roster.c guards the changes.
 */
#ifndef SCHED_ROSTER_H
#define SCHED_ROSTER_H

#include "sched/turn/turn.h"

/* Those that have not ended, ascending by number. */
extern struct roster {
    struct thread **live;
    unsigned n;
} roster;

void roster_each(void (*what)(struct thread *thread));
/* In a child of fork(): @thread alone is left. */
void roster_only(struct thread *thread);
void roster_leave(const struct thread *thread);
struct thread *roster_by_number(uint32_t number); /* NULL: it has ended */
/* Does one that runs freely wait there, by the address that the program gave (struct thread,
 * locks)? */
bool roster_waits_in(const void *at, size_t len);
struct thread *roster_by_tid(pid_t tid); /* where threads run freely; NULL: none of them */

#endif
