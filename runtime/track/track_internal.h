/* SPDX-License-Identifier: MIT */
/* Shared by track.c and track128.c. */
#ifndef RUNTIME_TRACK_TRACK_INTERNAL_H
#define RUNTIME_TRACK_TRACK_INTERNAL_H

#include <stdbool.h>

#include "runtime/track/track.h"

/* Protected: each object calls its own hooks, and code that was linked without any finds the
 * program's. */
#define TRACK_EXPORT __attribute__((visibility("protected")))
#define TRACK_HIDDEN __attribute__((visibility("hidden")))
#define TRACK_CALLER ((uintptr_t)__builtin_return_address(0))

/* One comparison decides: [base, base + size) holds the arena and every registered range. It is
 * exactly the arena while nothing is registered. */
extern TRACK_HIDDEN struct vtegra_track_range track_envelope;

static inline bool track_inside(const volatile void *address)
{
    return __builtin_expect((uintptr_t)address - track_envelope.base < track_envelope.size, 0);
}

/* The end of it. Stack, heap and data of a position-independent program lie above the arena, so
 * this is all that most accesses need; below, a closer look decides. vtegra_track.s compares, too.
 * Each object of `vtegra cc --track` wants it, so its name for the linker says what is missing when
 * another linker driver than vtegra cc (nvcc, g++) finds it undefined. */
extern TRACK_HIDDEN uintptr_t vtegra_track_end __asm__("vtegra_track_end__link_with_lvtegra_track");

static inline bool track_perhaps(const volatile void *address)
{
    return __builtin_expect((uintptr_t)address < vtegra_track_end, 0);
}

/* An atomic elsewhere: its two halves. */
TRACK_HIDDEN void track_order(const volatile void *address, enum vtegra_track_order order);

/* After track_perhaps(): count it in the thread's book, or report it to the client if the address
 * is really wanted. */
TRACK_HIDDEN void track_load(const volatile void *address, size_t len, uintptr_t pc);
TRACK_HIDDEN void track_store(const volatile void *address, size_t len, uintptr_t pc);
TRACK_HIDDEN void track_load_store(const volatile void *address, size_t len, uintptr_t pc);

/* Tell the client, if the address is really wanted. */
TRACK_HIDDEN void track_report(const volatile void *address, size_t len,
                               enum vtegra_track_access access, uintptr_t pc);

/* Might [p, p + n) touch the board's memory? */
static inline bool track_touches(const void *p, size_t n)
{
    uintptr_t at = (uintptr_t)p;

    return __builtin_expect(at < track_envelope.base + track_envelope.size, 0) &&
           (at >= track_envelope.base || n > track_envelope.base - at);
}

/* Each access of a loop over the bytes. */
TRACK_HIDDEN void track_loads(const void *p, size_t n, uintptr_t pc);
TRACK_HIDDEN void track_stores(const void *p, size_t n, uintptr_t pc);

#endif
