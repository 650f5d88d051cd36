/* SPDX-License-Identifier: MIT */
/* The two signals that the scheduler uses itself, for the functions of runtime/preload. */
#include "sched/calls/dispatch.h"
#include "sched/calls/range.h"
#include "sched/sched.h"
#include "sched/turn/spin.h"

void sched_signal_release(int sig)
{
    if (sig == SIGSYS && dispatch_on()) {
        range_unseen("a handler of its own for SIGSYS");
        dispatch_off();
    }
    spin_give_up(sig);
}

void sched_signals_keep_open(sigset_t *mask)
{
    if (dispatch_armed()) {
        sigdelset(mask, SIGSYS); /* blocked, it would end the process */
    }
    if (spin_signal()) {
        sigdelset(mask, spin_signal());
    }
}
