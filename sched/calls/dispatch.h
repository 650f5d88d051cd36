/* SPDX-License-Identifier: MIT */
/* Futexes by libraries that make system calls with instructions of their own: libgomp.
 *
 * Linux lets a thread have the system calls of a range of code as a signal (SIGSYS) instead
 * (Documentation/admin-guide/syscall-user-dispatch.rst; x86-64). In the handler a futex is what
 * syscall() makes of it, everything else is done as asked. Kernels older than 5.11 do not have it,
 * nor do other machines: there watch.c notices a thread that sleeps.
 */
#ifndef SCHED_DISPATCH_H
#define SCHED_DISPATCH_H

#include <stdbool.h>

/* On each thread that takes turns, when it begins. Nothing where no such library is loaded. */
void dispatch_begin(void);
/* Such a library may have been loaded since: look again. */
void dispatch_look(void);
bool dispatch_on(void);
/* The program wants SIGSYS for itself. */
void dispatch_off(void);

#endif
