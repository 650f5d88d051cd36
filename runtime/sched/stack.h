/* SPDX-License-Identifier: MIT */
#ifndef RUNTIME_SCHED_STACK_H
#define RUNTIME_SCHED_STACK_H

#include "runtime/sched/sched.h"

/* Where the program called us: @pc is the return address there. About 2 us; only @pc where nobody
 * will read places (VTEGRA_PLACES=0). */
struct sched_stack stack_take(uintptr_t pc);

#endif
