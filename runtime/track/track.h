/* SPDX-License-Identifier: MIT */
/* The door of libvtegra_track: compiler hooks (-fsanitize=thread) that report accesses to the
 * virtual board's memory.
 *
 * The library is linked into the program and into each shared library that is compiled with hooks:
 * each such object has hooks of its own, with their own bounds of the board's memory beside them.
 * The runtime is a shared library. They find each other when the object is loaded: its hooks look
 * for the runtime's vtegra_track_enlist() and hand it their struct vtegra_track_object. A runtime
 * that is loaded later looks for these itself: a program has to export its own
 * (-Wl,--export-dynamic-symbol=vtegra_track_object).
 */
#ifndef RUNTIME_TRACK_TRACK_H
#define RUNTIME_TRACK_TRACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/track/ranges.h"

/* SYNC: or-ed to a load or store that is atomic or volatile in the program. */
enum vtegra_track_access {
    VTEGRA_TRACK_LOAD,
    VTEGRA_TRACK_STORE,
    VTEGRA_TRACK_ATOMIC,
    VTEGRA_TRACK_SYNC = 4
};
#define VTEGRA_TRACK_LOAD_SYNC (VTEGRA_TRACK_LOAD | VTEGRA_TRACK_SYNC)
#define VTEGRA_TRACK_STORE_SYNC (VTEGRA_TRACK_STORE | VTEGRA_TRACK_SYNC)

enum vtegra_track_order { VTEGRA_TRACK_RELEASE, VTEGRA_TRACK_ACQUIRE };

#define VTEGRA_TRACK_VERSION 5

/* Most accesses are to a line that the thread has just accessed, and would change nothing but
 * counts. The client says which lines these are, and the hooks count: in a book that each thread
 * has of its own. Only the thread itself counts and only its client's calls fill in lines and
 * sites; others may read counts and set vtegra_track_line.line to 0 at any time. */
#define VTEGRA_TRACK_LINES 1024u /* a power of two, as the next */
#define VTEGRA_TRACK_SITES 64u
#define VTEGRA_TRACK_RECENT 4u
enum { VTEGRA_TRACK_MAY_LOAD = 1, VTEGRA_TRACK_MAY_STORE = 2 };

/**
 * struct vtegra_track_line - 64 bytes
 * @line: their address, plus VTEGRA_TRACK_MAY_*; 0: each access is reported
 * @equal: NULL, or what they must be equal to, or a load is reported
 * @region: its number, times 2^32; @state: the client's
 */
struct vtegra_track_line {
    uintptr_t line;
    const void *equal;
    uint64_t region;
    void *state;
};

/**
 * struct vtegra_track_site - a hook in the program that accesses one region
 * @key: @region of its lines, plus the bytes of each access
 * @count: loads, stores
 */
struct vtegra_track_site {
    uintptr_t pc;
    uint64_t key;
    uint64_t count[2];
};

/**
 * struct vtegra_track_watch - what a loop that only waits is known by
 * @recent, @next: the last places that were loaded from
 * @fruitless: loads of these and of no others; so many of them are reported: VTEGRA_TRACK_FRUITLESS
 * @stores: their number
 */
#define VTEGRA_TRACK_FRUITLESS 64u
struct vtegra_track_watch {
    const volatile void *recent[VTEGRA_TRACK_RECENT];
    unsigned next, fruitless;
    uint64_t stores;
};

enum { VTEGRA_TRACK_LOADS = 1, VTEGRA_TRACK_STORES = 2 }; /* or both, in this order */

/**
 * struct vtegra_track_book
 * @watch: NULL: none
 * @access: NULL, or does the rest: counts the access, or has it reported
 */
struct vtegra_track_book {
    struct vtegra_track_watch *watch;
    void (*access)(struct vtegra_track_book *book, struct vtegra_track_line *line,
                   struct vtegra_track_site *site, uintptr_t address, unsigned what);
    struct vtegra_track_line line[VTEGRA_TRACK_LINES];
    struct vtegra_track_site site[VTEGRA_TRACK_SITES];
};

static inline struct vtegra_track_line *vtegra_track_line_of(struct vtegra_track_book *book,
                                                             uintptr_t address)
{
    return &book->line[(address >> 6 ^ address >> 14) % VTEGRA_TRACK_LINES];
}

static inline struct vtegra_track_site *vtegra_track_site_of(struct vtegra_track_book *book,
                                                             uintptr_t pc)
{
    return &book->site[(pc ^ pc >> 5) % VTEGRA_TRACK_SITES];
}

/* Return: false if it looks as if the thread only waits: nothing was done. */
static inline bool vtegra_track_watch_load(struct vtegra_track_watch *w, uintptr_t address)
{
    const volatile void *at = (const volatile void *)address, **recent = w->recent;

    if (__builtin_expect(recent[0] == at || recent[1] == at || recent[2] == at || recent[3] == at,
                         0)) {
        if (w->fruitless + 1 >= VTEGRA_TRACK_FRUITLESS) {
            return false;
        }
        w->fruitless++;
        return true;
    }
    recent[w->next++ % VTEGRA_TRACK_RECENT] = at;
    w->fruitless = 0;
    return true;
}

/* Count the access. Return: false: it is to be reported. */
static inline bool vtegra_track_count(struct vtegra_track_book *book,
                                      struct vtegra_track_site *site, uintptr_t address,
                                      unsigned what)
{
    if (book->watch) {
        if ((what & VTEGRA_TRACK_LOADS) && !vtegra_track_watch_load(book->watch, address)) {
            return false;
        }
        book->watch->stores += what >> 1;
    }
    for (unsigned i = 0; i < 2; i++) { /* others may read them meanwhile */
        if (what >> i & 1) {
            __atomic_store_n(&site->count[i], site->count[i] + 1, __ATOMIC_RELAXED);
        }
    }
    return true;
}

/**
 * struct vtegra_track_client - who wants to know
 * @version: VTEGRA_TRACK_VERSION
 * @arena: memory whose accesses are reported; size 0: none
 * @ranges: more of it, registered by the application; NULL: none. The client changes it, and
 * attaches itself again when the envelope of all may have changed
 * @access: an access is about to happen; @pc: the instruction behind the hook; @book: the thread's
 * own, an empty one at first
 * @order: an atomic (or volatile) access elsewhere, which may order threads: a release before it
 * happens, an acquire afterwards; NULL: none
 */
struct vtegra_track_client {
    uint32_t version;
    struct vtegra_track_range arena;
    const struct vtegra_track_ranges *ranges;
    void (*access)(struct vtegra_track_book **book, const void *cpu, size_t len,
                   enum vtegra_track_access access, uintptr_t pc);
    void (*order)(const void *address, enum vtegra_track_order order);
};

/* Replaces the client; its content is copied, but for @ranges. NULL: no client any more.
 * Hooks on other threads miss no access while the same client attaches itself again. */
typedef void vtegra_track_attach_fn(const struct vtegra_track_client *client);
vtegra_track_attach_fn vtegra_track_attach;

/**
 * struct vtegra_track_object - a program or a shared library with hooks
 * @version: VTEGRA_TRACK_VERSION of its hooks: others are not attached
 * @next: belongs to whom it was enlisted with
 */
struct vtegra_track_object {
    uint32_t version;
    vtegra_track_attach_fn *attach;
    struct vtegra_track_object *next;
};
extern struct vtegra_track_object vtegra_track_object;

/* The runtime's side, and the preloaded library's. An object that was enlisted stays loaded. */
typedef void vtegra_track_enlist_fn(struct vtegra_track_object *object);
vtegra_track_enlist_fn vtegra_track_enlist;

/**
 * struct vtegra_track_caller - an object that makes calls for the program (track_libc.c)
 * @program: the program's call, where @pc is the return address of one that this object's hooks
 * make for it on this thread; else @pc
 */
struct vtegra_track_caller {
    uintptr_t (*program)(uintptr_t pc);
    struct vtegra_track_caller *next;
};

/* The preloaded library's side. */
typedef void vtegra_track_enlist_caller_fn(struct vtegra_track_caller *caller);
vtegra_track_enlist_caller_fn vtegra_track_enlist_caller;

#endif
