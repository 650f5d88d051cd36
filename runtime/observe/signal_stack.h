/* SPDX-License-Identifier: MIT */
/* A stack of ours for a signal handler: the program's may be an alternate one of 4 KiB, or the rest
 * of a small thread's. */
#ifndef RUNTIME_OBSERVE_SIGNAL_STACK_H
#define RUNTIME_OBSERVE_SIGNAL_STACK_H

/* Runs @function(@data) on one of these, from which it must return. Async-signal-safe. A call on
 * such a stack stays there; where all are in use, or there is no memory, it is the caller's. The
 * call stack can be walked through it. */
void signal_stack_call(void (*function)(void *data), void *data);

#endif
