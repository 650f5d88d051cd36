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
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
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
#include "runtime/driver/stream/stream_internal.h"
#include "runtime/observe/sched_lookup.h"

struct hostop {
    uint64_t serial, launch; /* launch: struct launched, order; 0: none of the application's */
    struct context *context;
    struct channel *channel;
    CUstream stream;
    struct fence after, end;
    uint32_t threshold; /* of the channel's host syncpoint */
    GArray *known;
    CUhostFn fn;
    CUstreamCallback callback;
    hostop_fn *internal;
    void *data;
    CUresult status;
    struct channel_hold *hold; /* NULL: it never was in a channel */
};

static GQueue queue = G_QUEUE_INIT;
static bool thread_ready;
static atomic_bool busy;    /* a function of the application is under way, for who has no lock */
static atomic_uint users;   /* functions of the application in the queue */
static atomic_bool sleeper; /* a thread has said that it will wait */
static uint64_t last_serial;
static struct hostop *function; /* the application's that runs, or NULL */
static pthread_cond_t work_ready = PTHREAD_COND_INITIALIZER;
static pthread_cond_t work_done = PTHREAD_COND_INITIALIZER;

static void function_set(struct hostop *op)
{
    function = op;
    core_function_set(op != NULL);
}

static void hostop_free(struct hostop *op)
{
    if (op->known) {
        g_array_free(op->known, TRUE);
    }
    g_free(op->hold);
    g_free(op);
}

/* The function has returned: its stream goes on, and what was queued behind it counts as active. */
static void finish(struct hostop *op)
{
    struct channel *ch = op->channel;

    if (ch) {
        if (channel_hold_end(ch, op->hold)) { /* the CPU had the memory: hand it over again */
            coherency_before_kernel(ch);
            managed_update();
        }
        channel_host_signal(ch);
    }
    hostop_free(op);
}

/* Its stream has come so far, and whoever sees what the function does knows it: it need not be
 * waited for. Before the function, because its caller may end the program before it returns. */
static void begun(const struct hostop *op)
{
    if (op->launch) {
        channel_launched_seen(op->channel, op->launch);
    }
}

/* What the function may rely on: its stream up to here, and whoever queued it. */
static void tell_order(const struct hostop *op)
{
    if (check_sched()) {
        hal_note(core_hal(), HAL_NOTE_THREAD, check_sched()->thread(), 0);
    }
    hal_note(core_hal(), HAL_NOTE_ACQUIRE, HB_HOST_FUNCTION(op->serial), 0);
    clock_synced(op->known);
}

/* Where such a function ends in a call, a compiler makes a jump of it: what is called then returns
 * here, and is the application's all the same. The scheduler knows the place by its section. */
static __attribute__((noinline, section("calls_of_application"))) void call(const struct hostop *op)
{
    if (op->callback) {
        op->callback(op->stream, op->status, op->data);
    } else {
        op->fn(op->data);
    }
    __asm__ volatile("" ::: "memory"); /* so that no call above is the last thing, and a jump */
}

static unsigned doze_looks; /* since a function ran */

/* Lets the lock go meanwhile. */
static void run_user(struct hostop *op)
{
    if (op->channel) {
        begun(op);
        tell_order(op);
        pending_function_begins(op->end);
    }
    doze_looks = 0;
    busy = true;
    core_unlock();
    if (check_sched()) {
        check_sched()->application(true);
    }
    call(op);
    if (check_sched()) {
        check_sched()->application(false);
    }
    core_lock();
    busy = false;
    function_set(NULL);
    finish(op);
    pthread_cond_broadcast(&work_done);
}

static struct hostop *due(bool user);
static void begin(struct hostop *op);
static void run_internal(struct hostop *op);

#define LOOK_NS 5000000 /* between two looks at a program that is busy, or a function that runs */
#define STUCK_S 3       /* so long has nothing gone on, in real time: a board would hang just so */
#define ASLEEP_LOOKS 4u
#define DOZE_LOOKS 400u /* two seconds, at least */

static void wait_a_look(pthread_cond_t *cond)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOOK_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    core_lock_wait(cond, &until);
}

/* For the function that is due, or for the board. */
static enum sched_progress serve(bool *spins)
{
    struct hostop *op = due(true);

    if (!op) {
        op = queue.head->data;
        return idle_step(op->after, spins) ? SCHED_WENT : SCHED_STANDS;
    }
    begin(op);
    if (op->internal) {
        run_internal(op);
        return SCHED_WENT;
    }
    function_set(op);
    run_user(op);
    return SCHED_CALLED; /* it may have woken somebody: look anew */
}

/* Once a standstill: who waits for whom. */
static void tell_stuck(enum sched_progress p, bool spins)
{
    static time_t since; /* 0: it goes on; -1: told */
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    if (p != SCHED_STANDS) {
        since = 0;
    } else if (since == 0) {
        since = now.tv_sec;
    } else if (since > 0 && now.tv_sec - since >= STUCK_S) {
        since = -1;
        notify_stuck(((struct hostop *)queue.head->data)->after, spins, NULL);
    }
}

/* So long, all in all, the application was found in sleeps for a time alone since a function ran: a
 * loop of sleeps, in which nobody lets the board go on (sched/turn/free.c would). */
static bool dozes_for_long(const struct idle *idle)
{
    return idle->dozes && core_is_up() && users && !function && !core_inside() &&
           ++doze_looks >= DOZE_LOOKS;
}

/* Functions are queued: while the application sleeps the board goes on here. */
static void attend(void)
{
    enum sched_progress p = SCHED_WENT;
    struct idle idle;
    bool spins = false;

    if (idle_begin(&idle, atomic_exchange(&sleeper, false))) {
        while (p == SCHED_WENT && users && !function && idle_still(&idle)) {
            p = serve(&spins);
            tell_stuck(p, spins);
        }
    } else if (dozes_for_long(&idle)) {
        p = serve(&spins);
        if (p != SCHED_STANDS) {
            sched_host_timed("the program has slept again and again for two seconds while a host "
                             "function was queued",
                             0);
        }
    }
    if (p != SCHED_CALLED && users && !function) {
        wait_a_look(&work_ready);
    }
}

static void *thread_main(void *unused)
{
    (void)unused;
    core_in_callback(true);
    core_lock();
    thread_ready = true;
    pthread_cond_broadcast(&work_done);
    for (;;) {
        if (function) {
            run_user(function);
        } else if (users && core_is_up() && !core_leaving()) {
            attend();
        } else {
            core_lock_wait(&work_ready, NULL);
        }
    }
    return NULL;
}

void hostop_attend(void)
{
    if (users) {
        sleeper = true;
        pthread_cond_signal(&work_ready);
    }
}

/* For the end of the function that runs; at most @seconds of real time, and no longer once
 * everybody sleeps: it may wait for the thread that we are on. Return: everybody does. */
static bool wait_done(unsigned seconds)
{
    struct hostop *op = function;
    struct idle idle = { 0 };
    unsigned asleep = 0;

    core_yield_begin();
    for (unsigned n = seconds * (1000000000u / LOOK_NS); function == op && n > 0; n--) {
        wait_a_look(&work_done);
        asleep = idle_since(&idle) ? asleep + 1 : 0;
        if (asleep == ASLEEP_LOOKS) {
            break;
        }
    }
    core_yield_end();
    return asleep == ASLEEP_LOOKS;
}

/* What it is woken by is not the function's end: to that end the function goes on alone, so that a
 * run is the same each time. */
void hostop_finish(void)
{
    if (atomic_load(&busy)) {
        core_lock();
        if (function) {
            wait_done(5);
        }
        core_unlock();
    }
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
            core_lock_wait(&work_done, NULL);
        }
    }
    return core_threads() != 0;
}

static void start(struct hostop *op)
{
    function_set(op);
    pthread_cond_signal(&work_ready);
    wait_done(5);
}

static bool is_due(void *unused)
{
    (void)unused;
    return due(true) != NULL;
}

/* Where threads take turns this thread is one of them, and nobody waits for it but by an edge that
 * the application has drawn: so a callback that comes at a bad moment is found. */
static void *turns_main(void *unused)
{
    (void)unused;
    core_in_callback(true);
    core_lock();
    for (;;) {
        struct hostop *op = due(true);

        if (!op) {
            sched_wait(is_due, NULL, NULL, false);
        } else if (op->internal) {
            hostop_pump();
        } else {
            begin(op);
            function_set(op);
            run_user(op);
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
    op->context = s->context;
    op->channel = ch;
    op->stream = s == stream_legacy(s->context) ? NULL : s->handle;
    op->after = stream_end(s, p);
    clock_add(&op->known, op->after);
    clock_merge(&op->known, s->known);
    turn = channel_host_next(ch);
    op->threshold = turn.threshold;
    g_queue_push_tail(&queue, op);
    op->hold = channel_hold_begin(ch);
    users += !op->internal;
    pthread_cond_signal(&work_ready);
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

static void run_internal(struct hostop *op)
{
    op->internal(op->context, op->data, op->status);
    finish(op);
}

/* The oldest operation that may run now; @user: functions of the application, too. */
static struct hostop *due(bool user)
{
    for (GList *l = queue.head; l; l = l->next) {
        struct hostop *op = l->data;

        if ((op->internal || (user && !function)) && (!op->channel || fence_reached(op->after))) {
            return op;
        }
    }
    return NULL;
}

static void begin(struct hostop *op)
{
    g_queue_remove(&queue, op);
    users -= !op->internal;
    if (op->channel && !op->internal) {
        clock_waited(op->known); /* the thread that serves it has waited for nothing */
        sync_covered(op->context);
    }
}

bool hostop_pump(void)
{
    bool user = !sched_active();
    struct hostop *op;
    bool any = false;

    while ((op = due(user)) != NULL) {
        begin(op);
        any = true;
        if (op->internal) {
            run_internal(op);
            continue;
        }
        start(op);
    }
    return any;
}

static bool function_wait(void)
{
    return function && wait_done(1);
}

void hostop_init(void)
{
    notify_pump_add(hostop_pump);
    notify_function_wait_add(function_wait);
}

/* The channel is going away, or its context has failed: callbacks hear of it, host functions are
 * dropped (CUDA Driver API, cuLaunchHostFunc: not called in the event of an error). */
void hostop_drop(struct channel *ch, CUresult status)
{
    GList *next;

    channel_hold_drop(ch);
    if (function && function->channel == ch) {
        function->channel = NULL;
    }
    for (GList *l = queue.head; l; l = next) {
        struct hostop *op = l->data;

        next = l->next;
        if (op->channel != ch) {
            continue;
        }
        op->channel = NULL;
        op->status = status;
        if (!op->callback) {
            g_queue_delete_link(&queue, l);
            users -= !op->internal;
            if (op->internal) {
                op->internal(op->context, op->data, status);
            }
            hostop_free(op);
        }
    }
}
