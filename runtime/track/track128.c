/* SPDX-License-Identifier: MIT */
/* 128-bit atomics, by cmpxchg16b (compile with -mcx16). On Arm they all are exclusive pairs, loads
 * and stores too: each counts as an atomic. */
#include "runtime/track/track_internal.h"

__extension__ typedef unsigned __int128 track_u128;

static track_u128 swap_if(volatile track_u128 *a, track_u128 expected, track_u128 v)
{
    return __sync_val_compare_and_swap(a, expected, v);
}

static track_u128 track128_load(const volatile track_u128 *a)
{
    return swap_if((volatile track_u128 *)(uintptr_t)a, 0, 0);
}

static inline void track128_report(const volatile track_u128 *a, uintptr_t pc)
{
    if (track_inside(a)) {
        track_report(a, sizeof(*a), VTEGRA_TRACK_ATOMIC, pc);
    }
}

#define FETCH(name, result)                                                                   \
    TRACK_EXPORT track_u128 name(volatile track_u128 *a, track_u128 v, int order);            \
    TRACK_EXPORT track_u128 name(volatile track_u128 *a, track_u128 v, int order)             \
    {                                                                                         \
        track_u128 old, seen;                                                                 \
                                                                                              \
        (void)order;                                                                          \
        track128_report(a, TRACK_CALLER);                                                     \
        track_order(a, VTEGRA_TRACK_RELEASE);                                                 \
        for (old = track128_load(a); (seen = swap_if(a, old, (result))) != old; old = seen) { \
        }                                                                                     \
        track_order(a, VTEGRA_TRACK_ACQUIRE);                                                 \
        return old;                                                                           \
    }

FETCH(__tsan_atomic128_fetch_add, old + v)
FETCH(__tsan_atomic128_fetch_sub, old - v)
FETCH(__tsan_atomic128_fetch_and, old &v)
FETCH(__tsan_atomic128_fetch_or, old | v)
FETCH(__tsan_atomic128_fetch_xor, old ^ v)
FETCH(__tsan_atomic128_fetch_nand, ~(old &v))
FETCH(__tsan_atomic128_exchange, v)

TRACK_EXPORT track_u128 __tsan_atomic128_load(const volatile track_u128 *a, int order);
TRACK_EXPORT track_u128 __tsan_atomic128_load(const volatile track_u128 *a, int order)
{
    track_u128 v;

    (void)order;
    track128_report(a, TRACK_CALLER);
    v = track128_load(a);
    track_order(a, VTEGRA_TRACK_ACQUIRE);
    return v;
}

TRACK_EXPORT void __tsan_atomic128_store(volatile track_u128 *a, track_u128 v, int order);
TRACK_EXPORT void __tsan_atomic128_store(volatile track_u128 *a, track_u128 v, int order)
{
    track_u128 old, seen;

    (void)order;
    track128_report(a, TRACK_CALLER);
    track_order(a, VTEGRA_TRACK_RELEASE);
    for (old = track128_load(a); (seen = swap_if(a, old, v)) != old; old = seen) {
    }
}

TRACK_EXPORT track_u128 __tsan_atomic128_compare_exchange_val(volatile track_u128 *a,
                                                              track_u128 expected, track_u128 v,
                                                              int order, int failure);
TRACK_EXPORT track_u128 __tsan_atomic128_compare_exchange_val(volatile track_u128 *a,
                                                              track_u128 expected, track_u128 v,
                                                              int order, int failure)
{
    (void)order, (void)failure;
    track128_report(a, TRACK_CALLER);
    track_order(a, VTEGRA_TRACK_RELEASE);
    expected = swap_if(a, expected, v);
    track_order(a, VTEGRA_TRACK_ACQUIRE);
    return expected;
}

#define COMPARE(name)                                                                            \
    TRACK_EXPORT int name(volatile track_u128 *a, track_u128 *expected, track_u128 v, int order, \
                          int failure);                                                          \
    TRACK_EXPORT int name(volatile track_u128 *a, track_u128 *expected, track_u128 v, int order, \
                          int failure)                                                           \
    {                                                                                            \
        track_u128 seen;                                                                         \
                                                                                                 \
        (void)order, (void)failure;                                                              \
        track128_report(a, TRACK_CALLER);                                                        \
        track_order(a, VTEGRA_TRACK_RELEASE);                                                    \
        seen = swap_if(a, *expected, v);                                                         \
        track_order(a, VTEGRA_TRACK_ACQUIRE);                                                    \
        if (seen == *expected) {                                                                 \
            return 1;                                                                            \
        }                                                                                        \
        *expected = seen;                                                                        \
        return 0;                                                                                \
    }

COMPARE(__tsan_atomic128_compare_exchange_strong)
COMPARE(__tsan_atomic128_compare_exchange_weak)
