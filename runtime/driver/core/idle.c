/* SPDX-License-Identifier: MIT */
/* The board goes on by itself while every thread of the application sleeps in the kernel.
 *
 * Where threads run freely the board advances in calls of the application. One that waits in the C
 * library for what a host function does (sem_wait, a condition, a pipe) makes no such call any
 * more. So the thread that runs host functions (hostop.c) looks, as long as some are queued: when
 * all others sleep, and none of them only for a time, it waits for the board in their place. The
 * state of the program at that moment is the same in each run, however long the look took: no
 * thread can do anything before the board does.
 */
#include "runtime/driver/core/idle.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/notifier.h"
#include "sched/sched.h"

#define FALLS_ASLEEP 50u /* looks at a thread that is about to, and the time between them */
#define FALLS_ASLEEP_NS 20000

/* Its sum is another number whenever one of them has run. Return: false if one is awake, or wakes
 * up by itself. */
static bool idle_look(struct idle *idle)
{
    GDir *dir = g_dir_open("/proc/self/task", 0, NULL);
    pid_t self = gettid();
    bool asleep = dir != NULL, dozes = false;
    const char *name;

    idle->sum = 0;
    while (asleep && (name = g_dir_read_name(dir)) != NULL) {
        pid_t tid = atoi(name);
        uint64_t state = tid == self ? 1 : asleep_state(tid);

        asleep = state != 0;
        dozes |= tid != self && asleep_for_a_time(tid);
        idle->sum = (idle->sum ^ state ^ (uint64_t)tid) * UINT64_C(0x100000001b3);
    }
    if (dir) {
        g_dir_close(dir);
    }
    idle->dozes = asleep && dozes;
    return asleep && !dozes;
}

bool idle_begin(struct idle *idle, bool soon)
{
    struct timespec moment = { .tv_nsec = FALLS_ASLEEP_NS };
    bool asleep;

    core_unlock();
    asleep = idle_look(idle);
    for (unsigned i = 0; soon && !asleep && i < FALLS_ASLEEP; i++) {
        nanosleep(&moment, NULL);
        asleep = idle_look(idle);
    }
    core_lock();
    return asleep && core_is_up();
}

/* Who sleeps because we hold the lock has run since the first look. Who waits in a call of the
 * driver's advances the board there. */
bool idle_still(const struct idle *idle)
{
    struct idle now;

    return idle_look(&now) && now.sum == idle->sum && !core_inside();
}

bool idle_since(struct idle *idle)
{
    uint64_t before = idle->sum;

    return idle_look(idle) && idle->sum == before;
}
