/* SPDX-License-Identifier: MIT */
/* Virtual time: the board's, and what passes without the board. */
#include "sched/processes/round.h"
#include "sched/turn/turn_internal.h"

uint64_t turn_now_ns(void)
{
    uint64_t board = turn_board ? turn_board->time_ns() : 0;

    return round_on ? round_time_ns(turn_board ? &board : NULL) : turn_state.base_ns + board;
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
    if (turn_board) {
        turn_board->advance(ns);
    } else {
        time_base_add(ns);
    }
}
