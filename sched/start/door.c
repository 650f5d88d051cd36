/* SPDX-License-Identifier: MIT */
/* The runtime's door to the scheduler: vtegra_sched(). */
#include "sched/calls/dispatch.h"
#include "sched/calls/front.h"
#include "sched/calls/heap.h"
#include "sched/calls/real.h"
#include "sched/object/object.h"
#include "sched/object/order.h"
#include "sched/object/ring.h"
#include "sched/start/start.h"
#include "sched/turn/free.h"
#include "sched/turn/roster.h"
#include "sched/turn/spin.h"
#include "sched/turn/stuck.h"
#include "sched/turn/turn.h"

static bool sched_active(void)
{
    return turn_on;
}

static void door_thread_report(struct thread *self)
{
    const struct sched_board *board = turn_board;

    if (!self->reported && board) {
        self->reported = true;
        board->note(SCHED_NOTE_THREAD, self->number);
    }
}

static void sched_attach(const struct sched_board *board)
{
    if (board) {
        roster_each(spin_watch);
    }
    turn_board_set(board);
}

static uint64_t sched_evict(enum decide_cache cache)
{
    struct decide *d = turn_decide();

    return d ? decide_evict(d, cache) : 0;
}

static uint32_t sched_order(void)
{
    struct decide *d = turn_decide();

    return d ? decide_order(d) : 0;
}

/* Loads of few places and nothing else: after a while it is a loop that waits for a change. */
static bool load_is_fruitless(struct thread *self, const volatile void *address)
{
    struct vtegra_track_watch *w = &self->watch;

    for (unsigned i = 0; i < VTEGRA_TRACK_RECENT; i++) {
        if (w->recent[i] == address) {
            return ++w->fruitless >= VTEGRA_TRACK_FRUITLESS;
        }
    }
    w->recent[w->next++ % VTEGRA_TRACK_RECENT] = address;
    w->fruitless = 0;
    return false;
}

static void sched_point(enum sched_point what, const volatile void *address, uintptr_t pc)
{
    struct thread *self = turn_self;
    bool loads = what == SCHED_LOAD || what == SCHED_LOOK;

    (void)pc;
    if (self && what == SCHED_WORK) {
        self->work++;
    }
    if (!self || self->inside || what == SCHED_WORK) {
        return;
    }
    self->events++;
    spin_watch(self);
    if (turn_board && turn_threads() > 1) {
        door_thread_report(self);
    }
    if (!turn_on) {
        if (loads && turn_board && load_is_fruitless(self, address)) {
            self->watch.fruitless = 0;
            free_go_on(self, 0); /* the memory it waits for may be written by pending work */
        }
        return;
    }
    if (what == SCHED_QUERY || (loads && load_is_fruitless(self, address))) {
        self->watch.fruitless = 0;
        turn_yield(self);
        return;
    }
    if (what == SCHED_LOOK) {
        return;
    }
    if (what == SCHED_STORE) {
        turn_progress(self);
    }
    turn_point(self);
}

static bool sched_wait(bool (*ready)(void *), void *arg, const char *what, bool firm, uintptr_t pc)
{
    struct thread *self = turn_thread();

    return !self || turn_block(self, &(struct turn_wait){ .kind = what ? WAIT_BOARD : WAIT_SERVICE,
                                                          .until_ns = TURN_FOREVER,
                                                          .ready = ready,
                                                          .arg = arg,
                                                          .what = what,
                                                          .firm = firm,
                                                          .pc = pc });
}

static uint32_t sched_thread(void)
{
    return turn_self ? turn_self->number : 0;
}

static struct vtegra_track_watch *sched_watch(void)
{
    return turn_self && !turn_on ? &turn_self->watch : NULL;
}

static bool sched_suppress(bool on)
{
    struct thread *self = turn_self;
    bool was = self && self->suppressed;

    if (was == on || !self) {
        return was;
    }
    self->suppressed = on;
    if (on) {
        self->inside_before = self->inside;
        self->inside = true;
    } else {
        self->inside = self->inside_before;
    }
    return was;
}

static void sched_application(bool in)
{
    if (turn_self) {
        turn_self->in_application = in;
    }
}

static bool sched_busy(void)
{
    return heap_busy() || object_busy();
}

SCHED_EXPORT const struct vtegra_sched *vtegra_sched(void)
{
    static const struct vtegra_sched table = {
        .version = VTEGRA_SCHED_VERSION,
        .active = sched_active,
        .attach = sched_attach,
        .choose = turn_choose,
        .evict = sched_evict,
        .order = sched_order,
        .point = sched_point,
        .wait = sched_wait,
        .thread = sched_thread,
        .watch = sched_watch,
        .suppress = sched_suppress,
        .application = sched_application,
        .orders = order_report,
        .held = ring_held,
        .threads = turn_threads,
        .who_waits = stuck_who_waits,
        .report_lost = sched_report_lost,
        .closing = dispatch_closing,
        .called = front_called,
        .waits_in = roster_waits_in,
        .busy = sched_busy,
    };

    return &table;
}
