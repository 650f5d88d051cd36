/* SPDX-License-Identifier: MIT */
/* System calls that code makes with instructions of its own: libgomp's futexes, and those of all
 * code but the C library's once memory may be closed (range.h).
 *
 * Linux lets a thread have the system calls of a range of code as a signal (SIGSYS) instead
 * (Documentation/admin-guide/syscall-user-dispatch.rst; x86-64). In the handler libgomp's futex is
 * what syscall() makes of it, everything else is done as asked. Kernels older than 5.11 do not have
 * it, nor do other machines: there watch.c notices a thread that sleeps, and such a call on closed
 * memory fails.
 */
#ifndef SCHED_DISPATCH_H
#define SCHED_DISPATCH_H

#include <stdbool.h>

/* On each thread, when it begins. Nothing is caught yet. */
void dispatch_begin(void);
/* Such a library may have been loaded since: look again. */
void dispatch_look(void);
bool dispatch_on(void);
/* Memory may be closed from now on: calls are caught. Those that were made before count, too. */
void dispatch_closing(void);
/* SIGSYS is not to be blocked. */
bool dispatch_armed(void);
/* The program wants SIGSYS for itself. */
void dispatch_off(void);

#endif
