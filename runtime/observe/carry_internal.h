/* SPDX-License-Identifier: MIT */
/* Shared by carry.c, carry_lanes.c and carry_run.c. */
#ifndef RUNTIME_OBSERVE_CARRY_INTERNAL_H
#define RUNTIME_OBSERVE_CARRY_INTERNAL_H

#include <string.h>

#include "runtime/observe/carry.h"

/* Before the first fault; not in a signal handler. */
void carry_lanes_open(void);

#ifdef __x86_64__
/* The context's names of the general registers, in the order of their numbers in instructions */
extern const int carry_gregs[16];

/* Which parts of the vector registers a signal's frame has: bits as in XCR0; 0: none. */
static inline uint64_t carry_state_parts(const struct _libc_fpstate *fp)
{
    struct { /* <asm/sigcontext.h>, _fpx_sw_bytes */
        uint32_t magic, size;
        uint64_t parts;
    } more;

    memcpy(&more, (const char *)fp + 464, sizeof(more));
    return more.magic == 0x46505853 && (uintptr_t)fp % 64 == 0 ? more.parts : 0;
}
#endif

#endif
