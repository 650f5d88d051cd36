/* SPDX-License-Identifier: MIT */
/* What the CPU does in stream order: the application's host functions, and actions of our own.
 *
 * The stream is given two submissions: an empty one whose fence says "everything before has run",
 * and one that waits for a syncpoint which the CPU increments when the function has returned. The
 * functions run on one thread of ours, one at a time, in the order in which they were queued among
 * those that are due. A thread that waits for the board (wait.c) or asks it (a query) starts them
 * and waits for their end: so a run is the same each time. When every thread of the application
 * sleeps, the thread of ours waits for the board itself (attend).
 *
 * CUDA Driver API, cuLaunchHostFunc: the start of a function counts as a synchronisation of its
 * stream, and work queued behind it does not make the GPU active before it has run (struct
 * channel_hold).
 */
#include <time.h>

#include "checker/hb/hb.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/fence.h"
#include "runtime/driver/core/idle.h"
#include "runtime/driver/core/notifier.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/core/turns.h"
#include "runtime/driver/core/work.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/memory/pending.h"
#include "runtime/driver/stream/hostop_internal.h"
#include "runtime/observe/sched_lookup.h"

static bool thread_ready;
static pthread_cond_t thread_up = PTHREAD_COND_INITIALIZER;
static uint64_t last_serial;

#define STUCK_S 3       /* so long has nothing gone on, in real time: a board would hang just so */
#define DOZE_LOOKS 400u /* two seconds, at least */

/* For the function that is due, or for the board. */
static enum sched_progress hostop_serve(bool *spins)
{
    struct hostop *op = hostop_due(true);

    if (!op) {
        op = hostop_oldest();
        return wait_step(op->after, spins) ? SCHED_WENT : SCHED_STANDS;
    }
    hostop_begin(op);
    if (op->internal) {
        hostop_run_internal(op);
        return SCHED_WENT;
    }
    hostop_function_set(op);
    hostop_run_user(op);
    return SCHED_CALLED; /* it may have woken a thread: look anew */
}

/* Once a standstill: who waits for whom. */
static void report_stuck(enum sched_progress p, bool spins)
{
    static time_t since; /* 0: it advances; -1: reported */
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    if (p != SCHED_STANDS) {
        since = 0;
    } else if (since == 0) {
        since = now.tv_sec;
    } else if (since > 0 && now.tv_sec - since >= STUCK_S) {
        since = -1;
        notify_stuck(hostop_oldest()->after, spins, NULL);
    }
}

/* So long, all in all, the application was found in sleeps for a time alone since a function ran: a
 * loop of sleeps, in which no call lets the board go on (sched/turn/free.c would). */
static bool dozes_for_long(const struct idle *idle)
{
    return idle->dozes && core_is_up() && hostop_waits() && !core_inside() &&
           hostop_dozed() >= DOZE_LOOKS;
}

/* Functions are queued: while the application sleeps the board goes on here. */
static void attend(void)
{
    enum sched_progress p = SCHED_WENT;
    struct idle idle;
    bool spins = false;

    if (idle_begin(&idle, hostop_sleeper())) {
        while (p == SCHED_WENT && hostop_waits() && idle_still(&idle)) {
            p = hostop_serve(&spins);
            report_stuck(p, spins);
        }
    } else if (dozes_for_long(&idle)) {
        p = hostop_serve(&spins);
        if (p != SCHED_STANDS) {
            sched_host_timed("the program has slept again and again for two seconds while a host "
                             "function was queued",
                             0);
        }
    }
    if (p != SCHED_CALLED && hostop_waits()) {
        hostop_look();
    }
}

static void *thread_main(void *unused)
{
    (void)unused;
    core_in_callback(true);
    core_lock();
    thread_ready = true;
    pthread_cond_broadcast(&thread_up);
    for (;;) {
        if (hostop_running()) {
            hostop_run_user(hostop_running());
        } else if (hostop_queued() && core_is_up() && !core_leaving()) {
            attend();
        } else {
            hostop_sleep();
        }
    }
    return NULL;
}

static bool thread_start(void *(*thread_function)(void *))
{
    pthread_t thread;
    pthread_attr_t attr;

    if (!core_threads()) {
        pthread_attr_init(&attr);
        pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
        core_threads_set(!pthread_create(&thread, &attr, thread_function, NULL));
        pthread_attr_destroy(&attr);
        while (core_threads() && !thread_ready &&
               !sched_active()) { /* its first records, in order */
            core_lock_wait(&thread_up, NULL);
        }
    }
    return core_threads() != 0;
}

static bool is_due(void *unused)
{
    (void)unused;
    return hostop_due(true) != NULL;
}

/* Where threads take turns this thread is one of them, and what waits for it does so by an edge
 * that the application has drawn: so a callback that comes at a bad moment is found. */
static void *turns_main(void *unused)
{
    (void)unused;
    core_in_callback(true);
    core_lock();
    for (;;) {
        struct hostop *op = hostop_due(true);

        if (!op) {
            sched_wait(is_due, NULL, NULL, false);
        } else if (op->internal) {
            hostop_pump();
        } else {
            hostop_begin(op);
            hostop_function_set(op);
            hostop_run_user(op);
        }
    }
    return NULL;
}

static CUresult push_op(struct stream *s, struct hostop *op)
{
    struct channel *ch = s->channel;
    struct fence turn;
    struct push *p;
    CUresult error;

    error = channel_bind(ch);
    if (error) {
        return error;
    }
    if (!channel_host_syncpt(ch)) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (sched_active() ? !thread_start(turns_main) : !op->internal && !thread_start(thread_main)) {
        return CUDA_ERROR_OPERATING_SYSTEM;
    }
    error = stream_begin(s, &p);
    if (error) {
        return error;
    }
    op->context = s->base.context;
    op->channel = ch;
    op->stream = s == stream_legacy(s->base.context) ? NULL : s->base.handle;
    op->after = stream_end(s, p);
    clock_add(&op->known, op->after);
    clock_merge(&op->known, s->known);
    turn = channel_host_next(ch);
    op->threshold = turn.threshold;
    op->covered = sync_covered;
    hostop_queue(op);
    op->serial = ++last_serial;
    hal_note(core_hal(), HAL_NOTE_RELEASE, HB_HOST_FUNCTION(op->serial), 0);
    error = push_begin(&p, ch);
    if (!error) {
        push_wait(p, turn);
        op->end = push_submit(p);
    }
    return error;
}

static CUresult host_work(struct stream *s, const struct work *work)
{
    struct hostop *op = g_new0(struct hostop, 1);
    struct check_caller caller = report_caller();
    CUresult error;

    op->fn = work->host.fn;
    op->callback = work->host.callback;
    op->data = work->host.user;
    report_note(CHECK_NOTE_FUNCTION, "cuLaunchHostFunc", NULL, NULL, 0, s);
    error = push_op(s, op);
    if (!error) {
        pending_function(op->data, op->end);
        stream_launched(s, 0, &caller);
        op->launch = channel_launched(s->channel)->order;
    } else if (!op->channel) {
        hostop_free(op);
    }
    return error;
}

const struct work_kind work_host = { CU_GRAPH_NODE_TYPE_HOST, host_work };

CUresult hostop_push_internal(struct stream *s, hostop_fn *fn, void *data)
{
    struct hostop *op = g_new0(struct hostop, 1);
    CUresult error;

    op->internal = fn;
    op->data = data;
    error = push_op(s, op);
    if (error && !op->channel) {
        hostop_free(op);
    }
    return error;
}
