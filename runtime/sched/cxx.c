/* SPDX-License-Identifier: MIT */
/* Static variables of C++ functions (Itanium C++ ABI 3.3.3): who finds one ready comes after who
 * made it. The compiler looks at the first byte itself, with an atomic load that hooks tell of, and
 * calls these only where it is not set. */
#include "runtime/sched/front.h"

extern int __cxa_guard_acquire(uint64_t *guard);
extern void __cxa_guard_release(uint64_t *guard);
extern void __cxa_guard_abort(uint64_t *guard);

SCHED_EXPORT int __cxa_guard_acquire(uint64_t *guard)
{
    int r = REAL_NEAR(__cxa_guard_acquire, TURN_CALLER)(guard);

    front_flag_acquire(guard, TURN_CALLER);
    return r;
}

SCHED_EXPORT void __cxa_guard_release(uint64_t *guard)
{
    front_flag_release(guard, TURN_CALLER);
    REAL_NEAR(__cxa_guard_release, TURN_CALLER)(guard);
}

/* The next one tries again. */
SCHED_EXPORT void __cxa_guard_abort(uint64_t *guard)
{
    front_flag_release(guard, TURN_CALLER);
    REAL_NEAR(__cxa_guard_abort, TURN_CALLER)(guard);
}
