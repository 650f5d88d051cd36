/* SPDX-License-Identifier: MIT */
/* How many threads of the application have called the driver: with more than one, and no turns, a
 * run is not reproducible. */
#include "runtime/driver/core/core.h"

#include "runtime/driver/core/again.h"
#include "runtime/driver/core/turns.h"

static unsigned callers; /* threads */

void core_caller_add(void)
{
    __atomic_add_fetch(&callers, 1, __ATOMIC_RELAXED);
}

static unsigned callers_count(void)
{
    return __atomic_load_n(&callers, __ATOMIC_RELAXED);
}

void core_free_report(void)
{
    g_autofree char *explore = callers_count() > 1 && !sched_active() ? again_explore_text() : NULL;

    if (explore) {
        check_free_threads(core_check(), callers_count(), explore);
    }
}
