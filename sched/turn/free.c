/* SPDX-License-Identifier: MIT */
#include "sched/turn/free.h"

#include "sched/calls/front.h"

#define ROUNDS_MAX 10u /* 1024 steps of the board */

struct thread *free_thread(uintptr_t pc)
{
    struct thread *self = turn_self;

    return self && !turn_on && turn_board && !self->inside && !front_is_ours(pc) ? self : NULL;
}

/* What the board does may be a cancellation point, and locks are held there. Return: for
 * free_leave(). */
static bool free_enter(struct thread *self)
{
    bool outer = self->inside;

    if (!outer) {
        self->inside = true;
        turn_cancel_off(self);
    }
    return outer;
}

static void free_leave(struct thread *self, bool outer)
{
    if (!outer) {
        turn_leave(self);
    }
}

bool free_go_on(struct thread *self, unsigned rounds)
{
    const struct sched_board *board = turn_board;
    uint64_t n = UINT64_C(1) << (rounds < ROUNDS_MAX ? rounds : ROUNDS_MAX);
    enum sched_progress p = SCHED_WENT;
    bool outer = free_enter(self), any = false;
    int error = errno;

    while (board && n-- > 0 && p == SCHED_WENT) { /* a host function may be what it waits for */
        p = board->step();
        any |= p != SCHED_STANDS;
    }
    free_leave(self, outer);
    errno = error;
    return any;
}

void free_loop(unsigned turns, uintptr_t pc)
{
    struct thread *self = free_thread(pc);
    struct thread_loop *l;

    if (!self) {
        return;
    }
    l = &self->loop;
    if (l->work != self->work) {
        *l = (struct thread_loop){ .work = self->work };
    }
    l->turns += turns;
    if (l->turns >= FREE_TURNS) {
        l->turns = 0;
        free_go_on(self, l->rounds++);
    }
}

void free_clock(uintptr_t pc)
{
    struct thread *self = free_thread(pc);

    if (!self) {
        return;
    }
    self->spin.clock_looks++;
    if (self->spin.overdue && free_go_on(self, self->spin.rounds++)) {
        free_unsure(self, pc);
    }
}

void free_unsure(struct thread *self, uintptr_t pc)
{
    static atomic_flag reported = ATOMIC_FLAG_INIT;
    const struct sched_board *board = turn_board;
    int error = errno;

    if (board && !atomic_flag_test_and_set(&reported)) {
        bool outer = free_enter(self);

        board->unsure(self->number, pc);
        free_leave(self, outer);
    }
    errno = error;
}

bool free_wait_begin(enum wait_kind kind, uintptr_t pc)
{
    struct thread *self = free_thread(pc);
    const struct sched_board *board = turn_board;

    if (self && board) {
        bool outer = free_enter(self);

        self->wait = (struct turn_wait){ .kind = kind, .pc = pc };
        /* Calls that nearly always wait; the others may be fast. */
        self->waits_at = kind == WAIT_COND || kind == WAIT_JOIN
                             ? stack_take(pc)
                             : (struct sched_stack){ .pc = { pc } };
        board->waits();
        free_leave(self, outer);
    }
    return self && board;
}

void free_wait_cancelled(void *begun)
{
    free_wait_end(*(const bool *)begun);
}

void free_wait_end(bool begun)
{
    const struct sched_board *board = turn_board;
    struct thread *self = turn_self;
    int error = errno;

    if (self) {
        self->locks[0] = self->locks[1] = NULL;
    }
    if (begun && !turn_on) {
        self->wait.kind = WAIT_NONE;
        if (board && !self->in_application) {
            bool outer = free_enter(self);

            board->woke();
            free_leave(self, outer);
        }
    }
    errno = error;
}
