/* SPDX-License-Identifier: MIT */
#ifndef RUNTIME_OBSERVE_CALLER_H
#define RUNTIME_OBSERVE_CALLER_H

#include "runtime/observe/check.h"

/* Is this a library of ours, or one that a call of ours comes through? */
bool caller_name_is_ours(const char *path);

/* Does a return address lie in one of our libraries, or in code of ours in the program? */
bool caller_pc_is_ours(uintptr_t pc);

/* Inside a signal handler: the instruction that was interrupted and who called it. */
struct check_caller caller_from_signal(uintptr_t pc);

#endif
