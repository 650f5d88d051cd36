/* SPDX-License-Identifier: MIT */
/* Which thread or channel runs next: the decision source is asked. */
#include "sched/processes/round.h"
#include "sched/turn/outside.h"
#include "sched/turn/roster.h"
#include "sched/turn/turn_internal.h"

#include <stdlib.h>
#include <string.h>

#define SPIN_ROUNDS 300u /* more than there are channels and queues */

struct turn_state turn_state = { .outside_event = -1 };

struct decide *turn_decide(void)
{
    return turn_state.decide;
}

void turn_progress(struct thread *self)
{
    turn_state.fruitless = 0;
    turn_state.fruitless_since = 0;
    turn_state.jumps = 0;
    turn_state.looks = 0;
    if (round_on) {
        round_progress();
    }
    outside_answered();
    if (self) {
        self->watch.fruitless = 0;
    }
}

void choice_thread_enable(struct thread *t, int outcome)
{
    t->outcome = outcome;
    t->wait.kind = WAIT_NONE;
    atomic_store(&t->state, THREAD_ENABLED);
}

/* Waits that end by a look: time, descriptors, the board. */
static void choice_waits_refresh(void)
{
    uint64_t now = 0;

    for (unsigned i = 0; i < roster.n; i++) {
        struct thread *t = roster.live[i];

        if (atomic_load(&t->state) != THREAD_WAITS) {
            continue;
        }
        if (t->wait.ready && t->wait.ready(t->wait.arg)) {
            choice_thread_enable(t, WAIT_ENDED);
        } else if (t->wait.interrupts && atomic_load(&t->signals) != t->wait_signals) {
            choice_thread_enable(t, WAIT_INTERRUPTED);
        } else if (t->wait.until_ns != TURN_FOREVER) {
            now = now ? now : turn_now_ns();
            if (t->wait.until_ns <= now) {
                choice_thread_enable(t, WAIT_TIMED_OUT);
            }
        }
    }
}

unsigned choice_agents_collect(const uint32_t *agent, unsigned n)
{
    unsigned threads = 0;

    if (turn_state.cap_agent < roster.n + n) {
        turn_state.cap_agent = (roster.n + n) * 2;
        turn_state.agent =
            realloc(turn_state.agent, turn_state.cap_agent * sizeof(*turn_state.agent));
        if (!turn_state.agent) {
            abort();
        }
    }
    for (unsigned i = 0; i < roster.n; i++) {
        if (atomic_load(&roster.live[i]->state) == THREAD_ENABLED) {
            turn_state.agent[threads++] = roster.live[i]->number;
        }
    }
    if (n) {
        memcpy(turn_state.agent + threads, agent, n * sizeof(*agent));
    }
    return threads;
}

/* Return: an index of @agent, or -1: turn_state.chosen is the thread that goes on, NULL if none
 * can. */
static int choice_agent_choose(const uint32_t *agent, unsigned n)
{
    unsigned threads = choice_agents_collect(agent, n), i;

    turn_state.chosen = NULL;
    if (threads + n == 0) {
        return -1;
    }
    i = decide_pick(turn_state.decide, turn_state.agent, threads + n, turn_state.current);
    turn_state.current = turn_state.agent[i];
    if (i >= threads) {
        turn_state.stepped = turn_state.current;
        return (int)(i - threads);
    }
    turn_state.chosen = roster_by_number(turn_state.current);
    return -1;
}

int turn_choose(const uint32_t *agent, unsigned n)
{
    return n ? choice_agent_choose(agent, n) : -1;
}

/* Which thread runs next: the board runs as long as it is the board's turn. NULL: none can. */
static struct thread *choice_own_pick(void)
{
    bool rested = false;

    for (unsigned rounds = 0;;) {
        round_point(turn_state.yields);
        turn_state.yields = false;
        choice_waits_refresh();
        turn_state.chosen = NULL;
        turn_state.stepped = 0;
        if (turn_board && turn_board->step() != SCHED_STANDS) {
            turn_progress(NULL);
            round_runs(0);
            rounds = 0;
            continue;
        }
        if (turn_state.chosen) {
            return turn_state.chosen;
        }
        if (turn_state.stepped) { /* a kernel that only spins on memory */
            decide_demote(turn_state.decide, turn_state.stepped);
            if (rounds++ < SPIN_ROUNDS) {
                continue;
            }
        }
        choice_agent_choose(NULL, 0);
        if (turn_state.chosen || rested) {
            return turn_state.chosen;
        }
        rested = true; /* a kernel that spun looks again now: a thread may have written since */
    }
}

struct thread *choice_pick(void)
{
    struct thread *next = choice_own_pick();

    if (next) {
        round_runs(next->tid);
    }
    return next;
}
