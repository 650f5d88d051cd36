/* SPDX-License-Identifier: MIT */
/* What the checker hears of an access that no hook has seen. */
#ifndef RUNTIME_OBSERVE_UNHOOKED_H
#define RUNTIME_OBSERVE_UNHOOKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "model/values.h"

struct check;

/* The instruction in @context is about to access [@at, @at + @len). The place is the program's: of
 * an access in a library of the system that of the call. Not reported: accesses of our own code,
 * and those from where a hook would not report. @in_use: work on its way may touch the memory, so
 * that other threads and that work may go first. Runs in a signal handler. */
void unhooked_access(struct check *c, const void *at, size_t len, enum access_kind kind,
                     const ucontext_t *context, bool in_use);
/* The same of a call that returns to @pc. */
void unhooked_call(struct check *c, const void *at, size_t len, enum access_kind kind,
                   uintptr_t pc);

#endif
