/* SPDX-License-Identifier: MIT */
#include "runtime/observe/inside.h"

_Thread_local volatile unsigned check_inside;
_Thread_local uintptr_t hook_pc;
_Thread_local uintptr_t check_function;
