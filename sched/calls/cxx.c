/* SPDX-License-Identifier: MIT */
/* Static variables of C++ functions (Itanium C++ ABI 3.3.3): who finds one ready comes after who
 * made it. The compiler looks at the first byte itself, with an atomic load that hooks report, and
 * calls these only where it is not set. */
#include "sched/calls/front.h"

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

/* --- a result that is ready when its thread has ended (std::promise::set_value_at_thread_exit()):
 * libstdc++ says so with an atomic inside, which no hook reports. Its shapes (<future>: _Make_ready,
 * _State_baseV2) are part of its ABI. */

struct state {
    void *vtable, *result;
    unsigned status; /* _M_status: what get() looks at */
};

struct make_ready {
    struct make_ready *next;
    void (*run)(void *self); /* at the end of the thread */
    struct state *state;     /* a weak pointer, */
    struct {
        void *vtable;
        int uses; /* none: it is gone */
    } * counts;
};

static void (*make_ready)(void *self);

static void release_and_make_ready(void *opaque)
{
    const struct make_ready *m = opaque;

    if (m->counts && __atomic_load_n(&m->counts->uses, __ATOMIC_RELAXED) > 0) {
        front_flag_release(&m->state->status, (uintptr_t)make_ready);
    }
    make_ready(opaque);
}

extern void _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv(struct make_ready *m);
SCHED_EXPORT void _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv(struct make_ready *m)
{
    REAL_NEAR(_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv, TURN_CALLER)(m);
    make_ready = m->run;
    m->run = release_and_make_ready;
}
