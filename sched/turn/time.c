/* SPDX-License-Identifier: MIT */
/* Virtual time: the board's, and what passes without the board. */
#include "sched/processes/round.h"
#include "sched/turn/turn_internal.h"

uint64_t turn_now_ns(void)
{
    const struct sched_board *board = turn_board;
    uint64_t now = board ? board->time_ns() : 0;

    return round_on ? round_time_ns(board ? &now : NULL) : turn_state.base_ns + now;
}

void time_base_add(uint64_t ns)
{
    if (round_on) {
        round_time_add(ns);
    } else {
        turn_state.base_ns += ns;
    }
}

void time_advance(uint64_t ns)
{
    const struct sched_board *board = turn_board;

    if (board) {
        board->advance(ns);
    } else {
        time_base_add(ns);
    }
}
