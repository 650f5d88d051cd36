/* SPDX-License-Identifier: MIT */
#ifndef RUNTIME_DRIVER_CORE_IDLE_H
#define RUNTIME_DRIVER_CORE_IDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/driver/core/fence.h"

/* What the threads of the process were doing at a look. */
struct idle {
    uint64_t sum;
    bool dozes; /* all sleep, and one of them for a time only */
};

/* Does every thread but the calling one sleep, and wait for another? @soon: one is about to. The
 * lock is free meanwhile. */
bool idle_begin(struct idle *idle, bool soon);
/* Has none of them run since, and is none in a call of the driver? */
bool idle_still(const struct idle *idle);

/* Has every other thread slept since the last question, for something else than a time? */
bool idle_since(struct idle *idle);

#endif
