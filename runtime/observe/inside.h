/* SPDX-License-Identifier: MIT */
/* What the calling thread is doing in this library. */
#ifndef RUNTIME_OBSERVE_INSIDE_H
#define RUNTIME_OBSERVE_INSIDE_H

#include <stdatomic.h>
#include <stdint.h>

/* Between the two no hook is heard: the calling thread has a lock that hooks take, or is in one,
 * and a signal handler has come in between. */
extern _Thread_local volatile unsigned check_inside __attribute__((tls_model("initial-exec")));

static inline void check_enter(void)
{
    check_inside++;
    atomic_signal_fence(memory_order_seq_cst);
}

static inline void check_leave(void)
{
    atomic_signal_fence(memory_order_seq_cst);
    check_inside--;
}

/* The function of the program that the board runs in the calling thread, a host function; 0: none.
 */
extern _Thread_local uintptr_t check_function __attribute__((tls_model("initial-exec")));

/* Where the current hooked access is in the program, for findings made from its records; thread
 * local. */
extern _Thread_local uintptr_t hook_pc __attribute__((tls_model("initial-exec")));

#endif
