/* SPDX-License-Identifier: MIT */
/* The door of libvtegra_track: compiler hooks (-fsanitize=thread) that report accesses to the
 * virtual board's memory.
 *
 * The library is linked into the program, the runtime is a shared library. They find each other
 * when the program starts: the hooks look for the runtime's vtegra_track_register() and hand it
 * their vtegra_track_attach(). A runtime that is loaded later looks for vtegra_track_attach()
 * itself, which a program then has to export (-Wl,--export-dynamic-symbol=vtegra_track_attach).
 */
#ifndef RUNTIME_TRACK_TRACK_H
#define RUNTIME_TRACK_TRACK_H

#include <stddef.h>
#include <stdint.h>

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

#define VTEGRA_TRACK_VERSION 2
#define VTEGRA_TRACK_RANGES 64

struct vtegra_track_range {
    uint64_t base, size;
};

/**
 * struct vtegra_track_client - who wants to know
 * @version: VTEGRA_TRACK_VERSION
 * @arena: memory whose accesses are told; size 0: none
 * @range: more of it, @ranges entries (registered by the application)
 * @access: an access is about to happen; @pc: the instruction behind the hook
 * @order: an atomic (or volatile) access elsewhere, which may order threads: a release before it
 * happens, an acquire afterwards; NULL: nobody wants to know
 */
struct vtegra_track_client {
    uint32_t version, ranges;
    struct vtegra_track_range arena, range[VTEGRA_TRACK_RANGES];
    void (*access)(const void *cpu, size_t len, enum vtegra_track_access access, uintptr_t pc);
    void (*order)(const void *address, enum vtegra_track_order order);
};

/* Replaces the client; its content is copied. NULL: nobody wants to know any more. */
typedef void vtegra_track_attach_fn(const struct vtegra_track_client *client);
vtegra_track_attach_fn vtegra_track_attach;

/* The runtime's side. */
typedef void vtegra_track_register_fn(vtegra_track_attach_fn *attach);
vtegra_track_register_fn vtegra_track_register;

#endif
