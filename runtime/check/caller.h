/* SPDX-License-Identifier: MIT */
#ifndef RUNTIME_CHECK_CALLER_H
#define RUNTIME_CHECK_CALLER_H

#include "runtime/check/check.h"

/* Is this a library of ours, or one that a call of ours comes through? */
bool caller_name_is_ours(const char *path);

/* Does an address lie in one of our libraries? */
bool caller_pc_is_ours(uintptr_t pc);

/* Inside a signal handler: the instruction that was interrupted and who called it. */
struct check_caller caller_from_signal(uintptr_t pc);

#endif
