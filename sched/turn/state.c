/* SPDX-License-Identifier: MIT */
/* What every file of sched/ asks: apart from turn.c, so that a file that only asks does not need
 * all of the scheduler to be linked. */
#include "sched/turn/turn.h"

bool turn_on;
_Thread_local struct thread *turn_self __attribute__((tls_model("initial-exec")));
const struct sched_board *turn_board;
const struct sched_board *turn_left;
