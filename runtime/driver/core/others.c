/* SPDX-License-Identifier: MIT */
/* Work is late for all threads: under the lazy policy a thread that waits for work lets the
 * program's other threads go first, as far as they come.
 *
 * Threads run freely there. Without this, work ran as soon as the thread that had submitted it
 * waited, most often microseconds later, and what another thread does meanwhile (it touches managed
 * memory that it has not attached, queues a host function) was a matter of luck. Here it happens
 * while the work is on its way, which is what lazy means.
 *
 * Waiting threads form a queue. The first one stays until every other thread sleeps or waits here;
 * then its work runs and it returns. The second one stays until the first sleeps or waits again,
 * and so on. The host's time limits this: a thread that computes for long is not waited for.
 */
#include "runtime/driver/core/others.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/turns.h"
#include "sched/sched.h"

#define LOOK_NS 50000     /* between two looks */
#define TURN_US 50000     /* so long at most for one wait */
#define BUDGET_US 1000000 /* for all waits of the first second; then one part in ... */
#define BUDGET_PART 20

static GArray *waiting; /* pid_t, in order of arrival; under the core's lock */

static bool is_waiting(const GArray *list, pid_t tid)
{
    for (guint i = 0; i < list->len; i++) {
        if (g_array_index(list, pid_t, i) == tid) {
            return true;
        }
    }
    return false;
}

/* Do all threads sleep that are not in @list? @sum: another number when one has run since. */
static bool others_look(const GArray *list, uint64_t *sum)
{
    GDir *dir = g_dir_open("/proc/self/task", 0, NULL);
    bool asleep = dir != NULL;
    const char *name;

    *sum = 0;
    while (asleep && (name = g_dir_read_name(dir)) != NULL) {
        pid_t tid = atoi(name);
        uint64_t state = is_waiting(list, tid) ? 1 : asleep_state(tid);

        asleep = state != 0;
        *sum = (*sum ^ state ^ (uint64_t)tid) * UINT64_C(0x100000001b3);
    }
    if (dir) {
        g_dir_close(dir);
    }
    return asleep;
}

/* More threads than this one and the driver's own? A folder has a link for each folder in it. */
static bool are_others(void)
{
    struct stat s;

    return sched_threads() > 1 && stat("/proc/self/task", &s) == 0 &&
           s.st_nlink > 2 + 1 + core_threads();
}

/* With the lock free. */
static bool look_twice(const GArray *list)
{
    const struct timespec moment = { .tv_nsec = LOOK_NS };
    uint64_t first, second;
    bool asleep = others_look(list, &first);

    nanosleep(&moment, NULL);
    return asleep && others_look(list, &second) && first == second;
}

static void turn_wait(struct fence fence, pid_t self, gint64 until)
{
    bool settled = false;

    core_yield_begin();
    while (!settled && !fence_reached(fence) && core_is_up() && !core_leaving() && !core_lost() &&
           g_get_monotonic_time() < until) {
        bool first = g_array_index(waiting, pid_t, 0) == self;
        GArray *list = g_array_sized_new(FALSE, FALSE, sizeof(pid_t), waiting->len);

        g_array_append_vals(list, waiting->data, waiting->len);
        core_unlock();
        settled = look_twice(list) && first;
        g_array_unref(list);
        core_lock();
    }
    core_yield_end();
}

void others_first(struct fence fence)
{
    static gint64 began, spent;
    gint64 now = g_get_monotonic_time();
    pid_t self = gettid();

    if (core_policy() != HAL_POLICY_LAZY || !are_others()) {
        return;
    }
    began = began ? began : now;
    if (spent > BUDGET_US + (now - began) / BUDGET_PART) {
        return;
    }
    waiting = waiting ? waiting : g_array_new(FALSE, FALSE, sizeof(pid_t));
    g_array_append_val(waiting, self);
    turn_wait(fence, self, now + TURN_US);
    for (guint i = waiting->len; i > 0; i--) {
        if (g_array_index(waiting, pid_t, i - 1) == self) {
            g_array_remove_index(waiting, i - 1);
        }
    }
    spent += g_get_monotonic_time() - now;
}
