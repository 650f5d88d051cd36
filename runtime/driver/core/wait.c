/* SPDX-License-Identifier: MIT */
/* Waiting: the one place where the board advances, host functions run, faults are serviced and a
 * deadlock is seen. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "runtime/driver/core/channel_internal.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/fence.h"
#include "runtime/driver/core/notifier.h"
#include "runtime/driver/core/others.h"
#include "runtime/driver/core/turns.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/device/devices.h"
#include "sched/sched.h"

/* Threads that could still do what the board waits for: all but this one and the driver's own. The
 * first stays in the list when it has ended (pthread_exit() in main()). */
static bool others_may_act(void)
{
    GDir *dir = g_dir_open("/proc/self/task", 0, NULL);
    const char *name;
    unsigned n = 0;

    while (dir && (name = g_dir_read_name(dir)) != NULL) {
        n += !asleep_for_good(atoi(name));
    }
    if (dir) {
        g_dir_close(dir);
    }
    return n > 1 + core_threads();
}

#define ROUNDS_MAX 50000u  /* about ten seconds: a board would hang just so */
#define ROUNDS_ASLEEP 250u /* what a wait for a host function counts if everybody sleeps */

/* Once a wait. */
static void stuck_report(struct fence fence, bool spinning, unsigned *rounds, unsigned more)
{
    struct check_caller caller = check_caller_get();

    if (*rounds < ROUNDS_MAX && *rounds + more >= ROUNDS_MAX) {
        notify_stuck(fence, spinning, &caller);
    }
    *rounds += more;
}

static CUresult wait_deadlock(struct context *context, struct fence fence, bool spinning)
{
    notify_deadlock(context, fence, spinning);
    return context_error(context);
}

/* The board stands still and waits for the CPU. Return: an error when nothing can end that. */
static CUresult wait_stuck(struct context *context, struct fence fence, bool spinning,
                           unsigned *rounds)
{
    if (notify_pump()) {
        return CUDA_SUCCESS;
    }
    if (core_function_runs()) {
        bool asleep = notify_function_wait();

        if ((asleep && !spinning) || core_function_before(&fence)) {
            sched_held();
        }
        stuck_report(fence, spinning, rounds, asleep ? ROUNDS_ASLEEP : 0);
        return CUDA_SUCCESS;
    }
    if (notify_release()) {
        return CUDA_SUCCESS;
    }
    if (spinning && core_step_limit()) { /* which ends it */
        return CUDA_SUCCESS;
    }
    if (!others_may_act()) {
        return wait_deadlock(context, fence, spinning);
    }
    stuck_report(fence, spinning, rounds, 1);
    core_let_others();
    return CUDA_SUCCESS;
}

#define ROUNDS_ELSEWHERE 5u /* a wait at the board is so much longer than core_let_others() */

/* The board stands, and another process that shares it may act; or a thread of this one. */
static void elsewhere(struct fence fence, unsigned *rounds)
{
    if (!notify_pump() && !core_function_runs() && !notify_release()) {
        stuck_report(fence, false, rounds, ROUNDS_ELSEWHERE);
    }
    core_let_others();
}

/* --- where threads take turns: others and the board go on until there is something to see
 * ------------ */

struct look {
    const struct context *context;
    struct fence fence;
};

static bool look_ready(void *opaque)
{
    const struct look *look = opaque;

    return context_error(look->context) || fence_reached(look->fence) || core_signal() ||
           devices_interrupted() || core_lost();
}

static bool kernel_spins(void)
{
    for (unsigned i = 0; i < channel_count(); i++) {
        const struct channel *ch = channel_nth(i);
        uint32_t status = channel_status(ch);

        if (status == CHAN_SPINNING || status == CHAN_READY) {
            return true;
        }
    }
    return false;
}

#define WORK "work of the board"

/* Nothing else can go on. A step limit ends a kernel that spins; an error interrupt of another
 * engine may be the reason. */
static CUresult turn_stuck(struct context *context, struct fence fence, struct look *look)
{
    bool spins = kernel_spins();

    if (!spins || core_step_limit()) {
        int r = hal_wait(core_hal(), fence.id, fence.threshold, 0);

        if (r == 0 || r == -EIO || r == -EINTR || r == -ECANCELED || (r == -EAGAIN && spins)) {
            return CUDA_SUCCESS;
        }
    }
    if (notify_pump()) {
        return CUDA_SUCCESS;
    }
    if (notify_release()) {
        return CUDA_SUCCESS;
    }
    if (core_function_runs()) { /* threads of the program wait for each other, one in its function
                                 */
        sched_wait(look_ready, look, WORK, true);
        return CUDA_SUCCESS;
    }
    return wait_deadlock(context, fence, spins);
}

static CUresult wait_turns(struct context *context, struct fence fence)
{
    struct look look = { context, fence };
    CUresult error = CUDA_SUCCESS;

    while (!error && !context_error(context) && !fence_reached(fence)) {
        if (notify_pump()) {
            continue;
        }
        if (!sched_wait(look_ready, &look, WORK, false)) {
            error = turn_stuck(context, fence, &look);
        }
        notify_signal();
        notify_service();
    }
    return error;
}

/* --- work that never ends
 * ---------------------------------------------------------------------------- */

#define PATIENCE 64u     /* chunks without an end of anything, then one line */
#define CHUNK_STEPS 256u /* of 16384 warp instructions (inproc), seeded of 1024 */

struct patience {
    uint64_t ends;
    unsigned chunks;
};

/* What has ended so far, on all channels. */
static uint64_t wait_ends(void)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < channel_count(); i++) {
        sum += syncpt_value(((const struct channel *)channel_nth(i))->syncpt);
    }
    return sum;
}

/* Counted in steps of the board: the same in each run. */
static void patience_chunk(struct patience *p)
{
    unsigned most = core_policy() == HAL_POLICY_SEEDED ? PATIENCE * 16 : PATIENCE;
    static bool said;
    uint64_t now = wait_ends();

    p->chunks = now == p->ends ? p->chunks + 1 : 0;
    p->ends = now;
    if (p->chunks == most && !said && !core_step_limit()) {
        said = true;
        fputs("vtegra: the board has run 268 million warp instructions, and no kernel has ended. "
              "If one "
              "never does: Ctrl-C ends the program with a report that says where it is, and "
              "`vtegra run --steps N` stops a kernel after N warp instructions\n",
              stderr);
    }
}

CUresult wait_fence(struct context *context, struct fence fence)
{
    struct patience patience = { 0 };
    unsigned rounds = 0;
    CUresult error = CUDA_SUCCESS;

    if (sched_active()) {
        error = wait_turns(context, fence);
    } else if (!context_error(context) && !fence_reached(fence)) {
        others_first(fence);
    }
    while (!error && !context_error(context) && !fence_reached(fence)) {
        notify_signal();
        if (core_leaving()) {
            core_let_others();
        }
        if (notify_pump()) {
            continue;
        }
        switch (hal_wait(core_hal(), fence.id, fence.threshold, CHUNK_STEPS)) {
        case 0:
        case -ECANCELED:
            break;
        case -ETIMEDOUT:
            patience_chunk(&patience);
            break;
        case -EIO:
            notify_service();
            break;
        case -EBUSY:
            elsewhere(fence, &rounds);
            break;
        case -EAGAIN:
            error = wait_stuck(context, fence, true, &rounds);
            break;
        default:
            error = wait_stuck(context, fence, false, &rounds);
            break;
        }
    }
    notify_pump(); /* those that became due with this fence */
    return context_error(context) ? context_error(context) : error;
}

/* --- without a context, and with a limit ------------------------------------------------------ */

struct limit {
    struct fence fence;
    uint64_t until_ns; /* of the board's time */
    int64_t until_us;  /* of the host's: other threads live in that */
    bool limited;
    bool looks; /* hal_look_wait(): reached is seen there */
    bool turns; /* the processes of the run take turns: others may pass this one's time by */
};

static bool over(const struct limit *l)
{
    return l->limited && hal_time_ns(core_hal()) >= l->until_ns;
}

static bool limit_ready(void *opaque)
{
    const struct limit *l = opaque;

    return fence_reached(l->fence) || core_lost() || core_signal() || devices_interrupted() ||
           (l->turns && over(l));
}

/* The board stands, and no thread will do anything: the time passes, or there is no end. */
static int limit_stands(const struct limit *l)
{
    uint64_t now = hal_time_ns(core_hal());

    if (!l->limited) {
        notify_deadlock(NULL, l->fence, false);
        return -EDEADLK;
    }
    if (now < l->until_ns) {
        hal_time_advance(core_hal(), l->until_ns - now);
    }
    return -ETIMEDOUT;
}

/* Return: 0: look again. */
static int limit_stuck(const struct limit *l)
{
    if (notify_pump() || notify_release()) {
        return 0;
    }
    if (sched_active()) {
        return sched_wait(limit_ready, (void *)l, WORK, false) ? 0 : limit_stands(l);
    }
    /* First a moment: who else may act is a question to the kernel, which takes longer. */
    if (core_let_others() || fence_reached(l->fence)) {
        return 0;
    }
    if (!others_may_act() || (l->limited && g_get_monotonic_time() >= l->until_us)) {
        return limit_stands(l);
    }
    return 0;
}

/* As elsewhere(), until the host's time is over: other processes live in that, too. */
static int limit_elsewhere(const struct limit *l)
{
    if (!notify_pump() && !notify_release()) {
        core_let_others();
    }
    return l->limited && !fence_reached(l->fence) && g_get_monotonic_time() >= l->until_us
               ? limit_stands(l)
               : 0;
}

enum { REACHED = 1 }; /* as hal_wait() has seen it: no interrupt pends either */

static int limit_step(const struct limit *l)
{
    if (sched_active() && sched_wait(limit_ready, (void *)l, WORK, false)) {
        return 0;
    }
    switch ((l->looks ? hal_look_wait : hal_wait)(core_hal(), l->fence.id, l->fence.threshold,
                                                  CHUNK_STEPS)) {
    case 0:
        return REACHED;
    case -ECANCELED:
    case -ETIMEDOUT:
        return 0;
    case -EIO:
        return core_lost() ? -EIO : 0;
    case -EBUSY:
        return limit_elsewhere(l);
    default:
        return limit_stuck(l);
    }
}

static int limit_round(const struct limit *l)
{
    int r = 0;

    notify_signal();
    if (core_leaving()) {
        core_let_others();
    }
    if (!notify_pump()) {
        r = over(l) ? -ETIMEDOUT : limit_step(l);
    }
    if (r != REACHED) {
        notify_service();
    }
    return r;
}

bool wait_looks(int64_t limit_us)
{
    return limit_us < 0 && !sched_active();
}

int wait_limit(struct fence fence, int64_t limit_us)
{
    int64_t us = CLAMP(limit_us, 0, INT64_MAX / 4000);
    struct limit l = { .fence = fence,
                       .limited = limit_us >= 0,
                       .looks = wait_looks(limit_us) && fence.id,
                       .turns = sched_active() && getenv("VTEGRA_TURN") };
    int r = 0;

    if (limit_us == 0) {
        wait_poll(true);
        return fence_reached(fence) ? 0 : -ETIMEDOUT;
    }
    if (!sched_active() && !fence_reached(fence)) {
        others_first(fence);
    }
    if (l.limited) {
        l.until_us = g_get_monotonic_time() + us;
        l.until_ns = hal_time_ns(core_hal()) + (uint64_t)us * 1000;
    }
    while (!r && (l.looks || !fence_reached(fence))) {
        r = limit_round(&l);
    }
    r = MIN(r, 0);
    if (!r && l.limited && hal_time_ns(core_hal()) > l.until_ns) {
        r = -ETIMEDOUT; /* it came, but too late: the program sees that */
    }
    notify_pump();
    return r;
}

void wait_poll(bool must_progress)
{
    if (!sched_active()) {
        hal_poll(core_hal(), must_progress);
    } else if (must_progress) { /* it asks again: others go first */
        sched_not_yet();
    }
    notify_service();
    notify_pump();
}

/* The time limit is the host's, as the threads are; the board's clock goes by it, too. @elsewhere:
 * another process may act. */
static bool wait_ready(bool (*ready)(void *arg), void *arg, const char *what, uint32_t limit_us,
                       bool elsewhere)
{
    int64_t until = limit_us == UINT32_MAX ? INT64_MAX : g_get_monotonic_time() + limit_us;

    if (ready(arg)) {
        return true;
    }
    if (limit_us && sched_active()) {
        sched_wait(ready, arg, what, false);
    }
    while (!ready(arg) && !sched_active() && g_get_monotonic_time() < until &&
           (elsewhere || others_may_act())) {
        core_let_others();
        notify_pump();
    }
    if (!ready(arg) && limit_us != UINT32_MAX && core_is_up()) {
        hal_time_advance(core_hal(), (uint64_t)limit_us * 1000);
    }
    return ready(arg);
}

bool wait_others(bool (*ready)(void *arg), void *arg, const char *what, uint32_t limit_us)
{
    return wait_ready(ready, arg, what, limit_us, false);
}

bool wait_elsewhere(bool (*ready)(void *arg), void *arg, const char *what, uint32_t limit_us)
{
    return wait_ready(ready, arg, what, limit_us, true);
}

#define STEP_STEPS 32u /* so that the program is looked at often */

bool wait_step(struct fence fence, bool *spins)
{
    int r = hal_wait(core_hal(), fence.id, fence.threshold, STEP_STEPS);

    notify_signal();
    *spins = r == -EAGAIN;
    switch (r) {
    case 0:
    case -ETIMEDOUT:
    case -ECANCELED:
        return true;
    case -EIO:
        notify_service();
        return true;
    default:
        return notify_release();
    }
}
