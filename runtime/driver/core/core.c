/* SPDX-License-Identifier: MIT */
/* The lock, the calling thread's stack of contexts, and who may come in. */
#include "runtime/driver/core/core.h"

#include <time.h>

#include "runtime/driver/core/again.h"
#include "runtime/driver/core/handle.h"
#include "runtime/driver/core/notifier.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/core/turns.h"
#include "runtime/driver/device/context.h"

/* What belongs to one application thread. */
struct thread {
    unsigned number; /* 1, 2 ... by first call */
    bool in_callback, inside, calls;
    int cancel_state, cancel_type; /* of the program, while inside */
    GArray *stack;                 /* CUcontext, the current one last */
};

static pthread_key_t thread_key; /* for the thread's end; while it lives, @own says the same */
static _Thread_local struct thread *own;
static pthread_once_t thread_once = PTHREAD_ONCE_INIT;
static unsigned thread_last;

static void thread_end(void *opaque)
{
    struct thread *t = opaque;

    if (core_is_up()) {
        core_lock();
        if (core_is_up()) {
            notify_thread_gone(t->number);
        }
        core_unlock();
    }
    own = NULL;
    g_array_free(t->stack, TRUE);
    g_free(t);
}

static void thread_key_make(void)
{
    pthread_key_create(&thread_key, thread_end);
}

static struct thread *thread_self(void)
{
    if (!own) {
        pthread_once(&thread_once, thread_key_make);
        own = g_new0(struct thread, 1);
        own->number = __atomic_add_fetch(&thread_last, 1, __ATOMIC_RELAXED);
        own->stack = g_array_new(FALSE, FALSE, sizeof(CUcontext));
        pthread_setspecific(thread_key, own);
    }
    return own;
}

unsigned core_thread(void)
{
    return thread_self()->number;
}

void core_in_callback(bool in)
{
    thread_self()->in_callback = in;
}

void core_context_push(CUcontext handle)
{
    g_array_append_val(thread_self()->stack, handle);
}

bool core_context_pop(CUcontext *handle)
{
    GArray *stack = thread_self()->stack;

    if (!stack->len) {
        return false;
    }
    *handle = g_array_index(stack, CUcontext, stack->len - 1);
    g_array_set_size(stack, stack->len - 1);
    return true;
}

CUcontext core_context_top(void)
{
    GArray *stack = thread_self()->stack;

    return stack->len ? g_array_index(stack, CUcontext, stack->len - 1) : NULL;
}

struct context *core_context(CUcontext handle, CUresult *error)
{
    bool current = !handle;
    struct context *context;

    if (current) {
        handle = core_context_top();
    }
    context = handle ? handle_find(HANDLE_CONTEXT, handle) : NULL;
    /* Destroyed while it was current here: its own code (driver reference, cuCtxDestroy). */
    *error = context             ? CUDA_SUCCESS
             : current && handle ? CUDA_ERROR_CONTEXT_IS_DESTROYED
                                 : CUDA_ERROR_INVALID_CONTEXT;
    return context;
}

/* CUDA names no call as a cancellation point; a thread that ended in one would take the lock with
 * it. Restored with the type last: where the state lets a thread of asynchronous type be cancelled,
 * glibc 2.36 ends it without PTHREAD_CANCELED. */
static void core_begin(struct thread *t)
{
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &t->cancel_state);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &t->cancel_type);
    core_inside_add(1);
    t->inside = true;
    core_lock();
}

/* Out of a call, with the lock. */
static void leave(void)
{
    struct thread *t = thread_self();
    int state = t->cancel_state, type = t->cancel_type; /* a handler may make a call now */

    core_unlock();
    t->inside = false;
    core_inside_add(-1);
    pthread_setcancelstate(state, NULL);
    pthread_setcanceltype(type, NULL);
}

static void caller_count(struct thread *t)
{
    if (!t->calls && !t->in_callback) {
        t->calls = true;
        core_caller_add();
    }
}

static CUresult enter(bool in_callback, bool posted)
{
    CUresult error;

    report_forget();
    if (core_life() == CORE_NEW) {
        return CUDA_ERROR_NOT_INITIALIZED;
    }
    if (core_life() == CORE_DOWN) { /* the lock may be this thread's, which exits in a handler */
        return core_state();
    }
    if (thread_self()->in_callback && !in_callback) {
        return CUDA_ERROR_NOT_PERMITTED;
    }
    caller_count(thread_self());
    sched_call();
    core_begin(thread_self());
    error = core_state();
    if (error) {
        leave();
    } else if (!posted) {
        hal_settle(core_hal());
    }
    return error;
}

CUresult core_enter(void)
{
    return enter(false, false);
}

CUresult core_enter_any(void)
{
    return enter(true, false);
}

CUresult core_enter_posted(void)
{
    return enter(true, true);
}

CUresult core_enter_context(struct context **context)
{
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    *context = core_context(NULL, &error);
    if (!error) {
        error = context_error((*context));
    }
    if (error) {
        leave();
    }
    return error;
}

/* Under the eager policy work has run when its submission returns: host functions then run too, as
 * they would on a board that is never late. */
CUresult core_leave(CUresult result)
{
    if (core_policy() == HAL_POLICY_EAGER) {
        notify_pump();
    }
    notify_signal();
    if (core_lost()) { /* whatever the call has seen of it was no result */
        notify_lost();
        result = CUDA_ERROR_DEVICE_UNAVAILABLE;
    }
    leave();
    return result;
}

#define LEAVE_S 2 /* a call ends, or lets the lock go, after one step of the board */

/* Waiters ask core_leaving(): the lock is not fair, and they would take it again at once. */
bool core_lock_to_exit(void)
{
    struct timespec until;
    bool locked = core_lock_try();

    if (!locked && !thread_self()->inside && !sched_active()) {
        core_leaving_set();
        hal_interrupt(core_hal(), true);
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_sec += LEAVE_S;
        locked = core_lock_until(&until);
        hal_interrupt(core_hal(), false);
    }
    return locked;
}
