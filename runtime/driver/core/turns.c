/* SPDX-License-Identifier: MIT */
/* The core's switch points: where another thread of the application may go on (sched/). */
#include "runtime/driver/core/turns.h"

#include <string.h>

#include "runtime/driver/core/channel.h"
#include "runtime/driver/core/core.h"
#include "runtime/observe/sched_lookup.h"

bool sched_active(void)
{
    const struct vtegra_sched *s = check_sched();

    return s && s->active();
}

void sched_call(void)
{
    if (check_sched()) {
        check_sched()->point(SCHED_CALL, NULL, 0);
    }
}

static void lock_free_begin(void)
{
    core_yield_begin();
    core_unlock();
}

static void lock_free_end(void)
{
    core_lock();
    core_yield_end();
}

void sched_work(void)
{
    if (check_sched()) {
        check_sched()->point(SCHED_WORK, NULL, 0);
    }
}

void sched_not_yet(void)
{
    lock_free_begin();
    check_sched()->point(SCHED_QUERY, NULL, 0);
    lock_free_end();
}

bool sched_wait(bool (*ready)(void *arg), void *arg, const char *what, bool firm)
{
    uintptr_t pc = check_caller_pc();
    bool ended;

    lock_free_begin();
    ended = check_sched()->wait(ready, arg, what, firm, pc);
    lock_free_end();
    return ended;
}

void sched_held(void)
{
    struct check_caller caller = check_caller_get();
    struct sched_stack where = { .pc = { 0 } };

    if (check_sched()) {
        _Static_assert(sizeof(where.pc) == sizeof(caller.pc), "as many frames");
        memcpy(where.pc, caller.pc, sizeof(where.pc));
        lock_free_begin();
        check_sched()->held(&where);
        lock_free_end();
    }
}

unsigned sched_threads(void)
{
    return check_sched() ? check_sched()->threads() : 1;
}

void sched_orders_note(void)
{
    if (check_sched()) {
        check_sched()->orders();
    }
}

/* NVIDIA documents nothing of the kind: on a board work goes on by itself. */
void sched_host_timed(const char *why, uintptr_t pc)
{
    static bool told;
    g_autofree char *text = g_strdup_printf("%s, and the board went on. At which turn of the "
                                            "program that was depends on the speed of this "
                                            "computer: from here on a second run may differ",
                                            why);
    struct check_finding f;

    if (told) {
        return;
    }
    told = true;
    f = check_finding_of(CHECK_RULE_HOST_TIMED);
    f.text = text;
    f.caller.pc[0] = pc;
    check_finding(core_check(), &f);
}

static uint32_t first; /* index + 1 of the channel that goes first; 0: none */

void sched_channel_first(const struct channel *channel)
{
    first = channel ? channel_index(channel) + 1 : 0;
}

bool sched_channel_is_first(uint32_t index)
{
    return first == index + 1;
}
