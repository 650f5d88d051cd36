/* SPDX-License-Identifier: MIT */
#ifndef SCHED_STACK_H
#define SCHED_STACK_H

#include <stdbool.h>

#include "sched/sched.h"

/* Where the program called us: @pc is the return address there. About 2 us; only @pc where nothing
 * will read places (VTEGRA_PLACES=0). */
struct sched_stack stack_take(uintptr_t pc);

/* Has a signal come in between? Then nothing may be done that takes a lock or memory: the code that
 * it interrupted may be at just that. Takes longer the deeper the stack is. */
bool stack_in_handler(void);

#endif
