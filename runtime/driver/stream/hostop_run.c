/* SPDX-License-Identifier: MIT */
/* Host functions that are due: their queue, and how each of them runs.
 *
 * Each wait for the board comes here (notify_pump()), so nothing here waits for the board or gives
 * it work: hostop.c does, which queues the functions and has the thread that runs them. */
#include <stdatomic.h>
#include <time.h>

#include "checker/hb/hb.h"
#include "runtime/driver/core/channel.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/idle.h"
#include "runtime/driver/core/notifier.h"
#include "runtime/driver/core/turns.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/memory/memory.h"
#include "runtime/driver/memory/pending.h"
#include "runtime/driver/stream/hostop_internal.h"
#include "runtime/observe/inside.h"
#include "runtime/observe/sched_lookup.h"

static GQueue queue = G_QUEUE_INIT;
static atomic_bool busy;        /* a function of the application runs; read without the lock */
static atomic_uint users;       /* functions of the application in the queue */
static atomic_bool sleeper;     /* a thread has said that it will wait */
static struct hostop *function; /* the application's that runs, or NULL */
static unsigned doze_looks;     /* since a function ran */
static pthread_cond_t work_ready = PTHREAD_COND_INITIALIZER;
static pthread_cond_t work_done = PTHREAD_COND_INITIALIZER;

void hostop_function_set(struct hostop *op)
{
    function = op;
    core_function_set(op ? &op->end : NULL);
}

void hostop_free(struct hostop *op)
{
    if (op->known) {
        g_array_free(op->known, TRUE);
    }
    g_free(op->hold);
    g_free(op);
}

/* The function has returned: its stream resumes, and work queued behind it counts as active. */
static void hostop_run_finish(struct hostop *op)
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
static void hostop_run_begun(const struct hostop *op)
{
    if (op->launch) {
        channel_launched_seen(op->channel, op->launch);
    }
}

/* What the function may rely on: its stream up to here, and whoever queued it. */
static void report_order(const struct hostop *op)
{
    if (check_sched()) {
        hal_note(core_hal(), HAL_NOTE_THREAD, check_sched()->thread(), 0);
    }
    hal_note(core_hal(), HAL_NOTE_ACQUIRE, HB_HOST_FUNCTION(op->serial), 0);
    hal_note(core_hal(), HAL_NOTE_RELEASE, HB_HOST_FUNCTION(op->serial), 1);
    clock_synced(op->known);
}

/* Where such a function ends in a call, a compiler makes a jump of it: what is called then returns
 * here, and is the application's all the same. The scheduler knows the place by its section. */
static __attribute__((noinline, section("calls_of_application"))) void call(const struct hostop *op)
{
    check_function = op->callback ? (uintptr_t)op->callback : (uintptr_t)op->fn;
    if (op->callback) {
        op->callback(op->stream, op->status, op->data);
    } else {
        op->fn(op->data);
    }
    __asm__ volatile("" ::: "memory"); /* so that no call above is the last thing, and a jump */
    check_function = 0;
}

/* Lets the lock go meanwhile. */
void hostop_run_user(struct hostop *op)
{
    if (op->channel) {
        hostop_run_begun(op);
        report_order(op);
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
    hostop_function_set(NULL);
    hostop_run_finish(op);
    pthread_cond_broadcast(&work_done);
}

#define LOOK_NS 5000000 /* between two looks at a program that is busy, or a function that runs */
#define ASLEEP_LOOKS 4u

static void look_wait(pthread_cond_t *cond)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOOK_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    core_lock_wait(cond, &until);
}

bool hostop_waits(void)
{
    return users && !function;
}

bool hostop_queued(void)
{
    return users != 0;
}

struct hostop *hostop_running(void)
{
    return function;
}

struct hostop *hostop_oldest(void)
{
    return queue.head->data;
}

bool hostop_sleeper(void)
{
    return atomic_exchange(&sleeper, false);
}

unsigned hostop_dozed(void)
{
    return ++doze_looks;
}

void hostop_look(void)
{
    look_wait(&work_ready);
}

void hostop_sleep(void)
{
    core_lock_wait(&work_ready, NULL);
}

void hostop_queue(struct hostop *op)
{
    g_queue_push_tail(&queue, op);
    op->hold = channel_hold_begin(op->channel);
    users += !op->internal;
    pthread_cond_signal(&work_ready);
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
        look_wait(&work_done);
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

static void hostop_run_start(struct hostop *op)
{
    hostop_function_set(op);
    pthread_cond_signal(&work_ready);
    wait_done(5);
}

void hostop_run_internal(struct hostop *op)
{
    op->internal(op->context, op->data, op->status);
    hostop_run_finish(op);
}

/* The oldest operation that may run now; @user: functions of the application, too. */
struct hostop *hostop_due(bool user)
{
    for (GList *l = queue.head; l; l = l->next) {
        struct hostop *op = l->data;

        if ((op->internal || (user && !function)) && (!op->channel || fence_reached(op->after))) {
            return op;
        }
    }
    return NULL;
}

void hostop_begin(struct hostop *op)
{
    g_queue_remove(&queue, op);
    users -= !op->internal;
    if (op->channel && !op->internal) {
        clock_waited(op->known); /* the thread that serves it has waited for nothing */
        op->covered(op->context);
    }
}

bool hostop_pump(void)
{
    bool user = !sched_active();
    struct hostop *op;
    bool any = false;

    while ((op = hostop_due(user)) != NULL) {
        hostop_begin(op);
        any = true;
        if (op->internal) {
            hostop_run_internal(op);
            continue;
        }
        hostop_run_start(op);
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
