/* SPDX-License-Identifier: MIT */
/* The board as the scheduler's agent (sched/). */
#ifndef RUNTIME_DRIVER_CORE_BOARD_AGENT_H
#define RUNTIME_DRIVER_CORE_BOARD_AGENT_H

#include "runtime/hal.h"

/* Who decides, before the board is opened. */
void sched_configure(struct hal_config *config);
/* The board is up, or goes down. */
void sched_board_up(void);
void sched_board_down(void);

#endif
