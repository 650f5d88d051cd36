/* SPDX-License-Identifier: MIT */
/* What the CPU does in stream order: the application's host functions, and actions of our own.
 *
 * The stream is given two submissions: an empty one whose fence says "everything before has run",
 * and one that waits for a syncpoint which the CPU increments when the function has returned. The
 * functions run on one thread of ours, one at a time, in the order in which they were queued among
 * those that are due. A thread that waits for the board (wait.c) or asks it (a query) starts them
 * and waits for their end: so a run is the same each time.
 *
 * CUDA Driver API, cuLaunchHostFunc: the start of a function counts as a synchronisation of its
 * stream, and work queued behind it does not make the GPU active before it has run (hostop_hold).
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "runtime/check/sched.h"
#include "runtime/driver/core.h"
#include "runtime/driver/sched.h"

/* In records: what the thread that queued a function did comes before the function. */
#define OBJECT(op) (UINT64_C(1) << 48 | (op)->serial)

struct hostop {
    uint64_t serial;
    struct context *context;
    struct channel *channel;
    CUstream stream;
    struct fence after;
    uint32_t threshold; /* of the channel's host syncpoint */
    GArray *known;
    CUhostFn fn;
    CUstreamCallback callback;
    hostop_fn *internal;
    void *data;
    CUresult status;
    bool held_kernel, held_work;
    uint32_t held_kernel_mark, held_work_mark, held_grid;
};

static GQueue queue = G_QUEUE_INIT;
static struct hostop *running; /* handed to the thread */
static bool thread_started;
static uint64_t last_serial;
static pthread_cond_t work_ready = PTHREAD_COND_INITIALIZER;
static pthread_cond_t work_done = PTHREAD_COND_INITIALIZER;

static void hostop_free(struct hostop *op)
{
    if (op->known) {
        g_array_free(op->known, TRUE);
    }
    g_free(op);
}

/* The function has returned: its stream goes on, and what was queued behind it counts as active. */
static void finish(struct hostop *op)
{
    struct channel *ch = op->channel;

    if (ch) {
        if (op->held_kernel) {
            ch->kernel_mark = op->held_kernel_mark;
            ch->grid_id = op->held_grid;
        }
        if (op->held_work) { /* the CPU had the memory once more: hand it over again */
            ch->work_mark = op->held_work_mark;
            coherency_before_kernel(ch);
            managed_update();
        }
        hal_write32(core.hal, HAL_UNIT_HOST1X, HOST1X_SYNCPT_CPU_INCR + ch->host_syncpt / 32 * 4,
                    UINT32_C(1) << ch->host_syncpt % 32);
    }
    hostop_free(op);
}

/* What the function may rely on: its stream up to here, and whoever queued it. */
static void tell_order(const struct hostop *op)
{
    if (check_sched()) {
        hal_note(core.hal, HAL_NOTE_THREAD, check_sched()->thread(), 0);
    }
    hal_note(core.hal, HAL_NOTE_ACQUIRE, OBJECT(op), 0);
    clock_synced(op->known);
}

/* Lets the lock go meanwhile. */
static void run_user(struct hostop *op)
{
    if (op->channel) {
        tell_order(op);
    }
    pthread_mutex_unlock(&core.lock);
    if (op->callback) {
        op->callback(op->stream, op->status, op->data);
    } else {
        op->fn(op->data);
    }
    pthread_mutex_lock(&core.lock);
    running = NULL;
    finish(op);
    pthread_cond_broadcast(&work_done);
}

static void *thread_main(void *unused)
{
    (void)unused;
    core_in_callback(true);
    pthread_mutex_lock(&core.lock);
    for (;;) {
        if (running) {
            run_user(running);
        } else {
            pthread_cond_wait(&work_ready, &core.lock);
        }
    }
    return NULL;
}

/* Waits at most @seconds of real time: a host function may itself wait for the thread we are on. */
static void wait_done(unsigned seconds)
{
    struct hostop *op = running;
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += seconds;
    core_yield_begin();
    while (running == op && running &&
           pthread_cond_timedwait(&work_done, &core.lock, &until) != ETIMEDOUT) {
    }
    core_yield_end();
}

static bool thread_start(void *(*thread_function)(void *))
{
    pthread_t thread;
    pthread_attr_t attr;

    if (!thread_started) {
        pthread_attr_init(&attr);
        pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
        thread_started = !pthread_create(&thread, &attr, thread_function, NULL);
        pthread_attr_destroy(&attr);
    }
    return thread_started;
}

static bool start(struct hostop *op)
{
    if (!thread_start(thread_main)) {
        return false;
    }
    running = op;
    pthread_cond_signal(&work_ready);
    wait_done(5);
    return true;
}

static struct hostop *due(bool user);
static void begin(struct hostop *op);

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
    pthread_mutex_lock(&core.lock);
    for (;;) {
        struct hostop *op = due(true);

        if (!op) {
            sched_wait(is_due, NULL, NULL);
        } else if (op->internal) {
            hostop_pump();
        } else {
            begin(op);
            running = op;
            run_user(op);
        }
    }
    return NULL;
}

static CUresult push_op(struct stream *s, struct hostop *op)
{
    struct channel *ch = s->channel;
    struct push p;
    CUresult error;

    if (!channel_host_syncpt(ch)) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    error = stream_begin(s, &p);
    if (error) {
        return error;
    }
    op->context = s->context;
    op->channel = ch;
    op->stream = s == s->context->legacy ? NULL : s->handle;
    op->after = stream_end(s, &p);
    clock_add(&op->known, op->after);
    clock_merge(&op->known, s->known);
    op->threshold = ++ch->host_submitted;
    g_queue_push_tail(&queue, op);
    op->serial = ++last_serial;
    hal_note(core.hal, HAL_NOTE_RELEASE, OBJECT(op), 0);
    if (sched_active() && !thread_start(turns_main)) {
        return CUDA_ERROR_OPERATING_SYSTEM;
    }
    error = push_begin(&p, ch);
    if (!error) {
        push_wait(&p, (struct fence){ ch->host_syncpt, op->threshold });
        push_submit(&p);
    }
    return error;
}

CUresult hostop_push_user(struct stream *s, CUhostFn fn, CUstreamCallback callback, void *data)
{
    struct hostop *op = g_new0(struct hostop, 1);
    struct check_caller caller = check_caller_get();
    CUresult error;

    op->fn = fn;
    op->callback = callback;
    op->data = data;
    error = push_op(s, op);
    if (!error) {
        stream_launched(s, 0, &caller);
    } else if (!op->channel) {
        hostop_free(op);
    }
    return error;
}

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

        if ((op->internal || (user && !running)) && (!op->channel || fence_reached(op->after))) {
            return op;
        }
    }
    return NULL;
}

static void begin(struct hostop *op)
{
    g_queue_remove(&queue, op);
    if (op->channel && !op->internal) {
        clock_merge(&core.synced, op->known); /* the thread that serves it has waited for nothing */
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
        if (!start(op)) {
            finish(op); /* no thread to be had: the stream must go on all the same */
        }
    }
    return any;
}

bool hostop_running(void)
{
    return running != NULL;
}

bool hostop_pending(void)
{
    return queue.head != NULL;
}

unsigned hostop_threads(void)
{
    return thread_started ? 1 : 0;
}

void hostop_wait(void)
{
    if (running) {
        wait_done(1);
    }
}

/* The channel is going away, or its context has failed: callbacks hear of it, host functions are
 * dropped (CUDA Driver API, cuLaunchHostFunc: not called in the event of an error). */
void hostop_drop(struct channel *ch, CUresult status)
{
    GList *next;

    if (running && running->channel == ch) {
        running->channel = NULL;
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
            if (op->internal) {
                op->internal(op->context, op->data, status);
            }
            hostop_free(op);
        }
    }
}

static struct hostop *last_of(const struct channel *ch)
{
    for (GList *l = queue.tail; l; l = l->prev) {
        struct hostop *op = l->data;

        if (op->channel == ch) {
            return op;
        }
    }
    return running && running->channel == ch ? running : NULL;
}

bool hostop_holds(const struct channel *ch)
{
    return last_of(ch) != NULL;
}

bool hostop_hold(struct channel *ch, bool kernel, uint32_t mark, uint32_t grid_id)
{
    struct hostop *op = last_of(ch);

    if (!op) {
        return false;
    }
    op->held_work = true;
    op->held_work_mark = mark;
    if (kernel) {
        op->held_kernel = true;
        op->held_kernel_mark = mark;
        op->held_grid = grid_id;
    }
    return true;
}
