/* SPDX-License-Identifier: MIT */
/* A stack of ours, for what needs more than a thread of the application may have:
 * dwarf_getsrclines() takes 150 KiB, and `ulimit -s` or pthread_attr_setstacksize() may leave less.
 */
#ifndef RUNTIME_OBSERVE_OWN_STACK_H
#define RUNTIME_OBSERVE_OWN_STACK_H

/* Runs @function(@data) on it, in this thread. Under the checker's lock. A call within such a call,
 * and one for which there is no memory, stays on the stack of the caller. */
void own_stack_call(void (*function)(void *data), void *data);

#endif
