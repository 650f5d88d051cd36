/* SPDX-License-Identifier: MIT */
/* What the checker hears of an access that no hook has seen. */
#ifndef RUNTIME_OBSERVE_UNHOOKED_H
#define RUNTIME_OBSERVE_UNHOOKED_H

#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "model/values.h"

struct check;

/* The instruction in @context is about to access [@at, @at + @len). The place is the program's: of
 * an access in a library of the system that of the call. Not reported: accesses of our own code,
 * and those from where a hook would not report. Runs in a signal handler. */
void unhooked_access(struct check *c, const void *at, size_t len, enum access_kind kind,
                     const ucontext_t *context);
/* The same of a call that returns to @pc. */
void unhooked_call(struct check *c, const void *at, size_t len, enum access_kind kind,
                   uintptr_t pc);

#endif
