/* SPDX-License-Identifier: MIT */
/* What GLib's main loops and thread pools order; its locks and queues: glib.c.
 *
 * A source that one thread attaches is dispatched by another's loop. Only a loop that sleeps is
 * woken through its eventfd, so that read is no order to rely on. But a loop asks for the callback
 * of each source before it calls it; for those that have none it asks poll(2), which it does before
 * it looks what is ready (measured: GLib 2.74). All contexts are one object. */
#include "runtime/sched/application.h"
#include "runtime/sched/front.h"

#include <link.h>
#include <stdlib.h>

typedef int (*source_function)(void *data);
typedef void (*data_function)(void *data);
typedef void (*pool_function)(void *data, void *user_data);

/* --- main loops ------------------------------------------------------------------------------- */

static char sources; /* stands for all that was attached */
static _Atomic uintptr_t glib_start, glib_end;

/* Before a source is attached by @function of libglib. */
static void attach(uintptr_t function, uintptr_t pc)
{
    struct dl_find_object found;

    if (!atomic_load(&glib_end) && _dl_find_object((void *)function, &found) == 0) {
        atomic_store(&glib_start, (uintptr_t)found.dlfo_map_start);
        atomic_store(&glib_end, (uintptr_t)found.dlfo_map_end);
    }
    front_release(&sources, pc);
}

void front_polled(uintptr_t pc)
{
    int error = errno;

    if (pc < atomic_load(&glib_end) && pc >= atomic_load(&glib_start)) {
        front_acquire(&sources, pc);
    }
    errno = error;
}

extern unsigned g_source_attach(void *source, void *context);
SCHED_EXPORT unsigned g_source_attach(void *source, void *context)
{
    attach((uintptr_t)REAL_NEAR(g_source_attach, TURN_CALLER), TURN_CALLER);
    return REAL_NEAR(g_source_attach, TURN_CALLER)(source, context);
}

/* What is public of GSource and GSourceCallbackFuncs (gmain.h). */
struct callback_functions {
    void (*ref)(void *callback), (*unref)(void *callback);
    void (*get)(void *callback, void *source, source_function *f, void **data);
};

struct source {
    void *callback;
    struct callback_functions *functions;
};

static struct callback_functions of_glib, ours;

/* It is about to be called, or compared with another. */
static void get(void *callback, void *source, source_function *f, void **data)
{
    of_glib.get(callback, source, f, data);
    front_acquire(&sources, (uintptr_t)*f);
}

static void callbacks_find(const struct source *source)
{
    static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;

    REAL(pthread_mutex_lock)(&once);
    if (!ours.get) {
        of_glib = ours = *source->functions;
        ours.get = get;
    }
    REAL(pthread_mutex_unlock)(&once);
}

extern void g_source_set_callback(void *source, source_function f, void *data, data_function end);
SCHED_EXPORT void g_source_set_callback(void *source, source_function f, void *data,
                                        data_function end)
{
    struct source *s = source;

    REAL_NEAR(g_source_set_callback, TURN_CALLER)(source, f, data, end);
    callbacks_find(s);
    __atomic_store_n(&s->functions, &ours, __ATOMIC_RELEASE);
}

extern void *g_idle_source_new(void);
extern void *g_timeout_source_new(unsigned ms);
extern void *g_timeout_source_new_seconds(unsigned s);
extern void g_source_set_priority(void *source, int priority);
extern void g_source_unref(void *source);

/* As libglib itself makes them, but that our g_source_set_callback() hears of it. */
static unsigned add(void *source, void *context, int priority, source_function f, void *data,
                    data_function end, uintptr_t pc)
{
    unsigned id;

    REAL_NEAR(g_source_set_priority, pc)(source, priority);
    g_source_set_callback(source, f, data, end);
    attach((uintptr_t)REAL_NEAR(g_source_attach, pc), pc);
    id = REAL_NEAR(g_source_attach, pc)(source, context);
    REAL_NEAR(g_source_unref, pc)(source);
    return id;
}

#define IDLE(priority, f, data, end) \
    add(REAL_NEAR(g_idle_source_new, TURN_CALLER)(), NULL, priority, f, data, end, TURN_CALLER)
#define TIMEOUT(priority, ms, f, data, end) \
    add(REAL_NEAR(g_timeout_source_new, TURN_CALLER)(ms), NULL, priority, f, data, end, TURN_CALLER)
#define SECONDS(priority, s, f, data, end)                                                     \
    add(REAL_NEAR(g_timeout_source_new_seconds, TURN_CALLER)(s), NULL, priority, f, data, end, \
        TURN_CALLER)
#define ADD(name, params, source)     \
    extern unsigned name params;      \
    SCHED_EXPORT unsigned name params \
    {                                 \
        return source;                \
    }
#define DEFAULT 0 /* G_PRIORITY_DEFAULT */
#define DEFAULT_IDLE 200

ADD(g_idle_add, (source_function f, void *data), IDLE(DEFAULT_IDLE, f, data, NULL))
ADD(g_idle_add_full, (int priority, source_function f, void *data, data_function end),
    IDLE(priority, f, data, end))
ADD(g_timeout_add, (unsigned ms, source_function f, void *data),
    TIMEOUT(DEFAULT, ms, f, data, NULL))
ADD(g_timeout_add_full,
    (int priority, unsigned ms, source_function f, void *data, data_function end),
    TIMEOUT(priority, ms, f, data, end))
ADD(g_timeout_add_seconds, (unsigned s, source_function f, void *data),
    SECONDS(DEFAULT, s, f, data, NULL))
ADD(g_timeout_add_seconds_full,
    (int priority, unsigned s, source_function f, void *data, data_function end),
    SECONDS(priority, s, f, data, end))

/* A function that is called once and says nothing. */
struct once {
    data_function function;
    void *data;
};

static void *once_new(data_function function, void *data)
{
    struct once *once = malloc(sizeof(*once));

    if (!once) {
        abort(); /* as GLib does */
    }
    *once = (struct once){ function, data };
    return once;
}

static int once_run(void *opaque)
{
    const struct once *once = opaque;

    front_acquire(&sources, (uintptr_t)once->function);
    application_data(once->function, once->data);
    return 0; /* G_SOURCE_REMOVE */
}

ADD(g_idle_add_once, (data_function f, void *data),
    IDLE(DEFAULT_IDLE, once_run, once_new(f, data), free))
ADD(g_timeout_add_once, (unsigned ms, data_function f, void *data),
    TIMEOUT(DEFAULT, ms, once_run, once_new(f, data), free))

extern void *g_main_context_default(void);
extern void *g_main_context_get_thread_default(void);
extern int g_main_context_acquire(void *context);
extern void g_main_context_release(void *context);

/* Whose context it is calls the function itself. */
static bool acquire(void *context, uintptr_t pc)
{
    void *standard = REAL_NEAR(g_main_context_default, pc)();
    void *own = REAL_NEAR(g_main_context_get_thread_default, pc)();

    return context == (own ? own : standard) && REAL_NEAR(g_main_context_acquire, pc)(context);
}

extern int g_main_context_is_owner(void *context);
extern void g_main_context_invoke_full(void *context, int priority, source_function f, void *data,
                                       data_function end);

static void invoke(void *context, int priority, source_function f, void *data, data_function end,
                   uintptr_t pc)
{
    void *c = context ? context : REAL_NEAR(g_main_context_default, pc)();

    if (REAL_NEAR(g_main_context_is_owner, pc)(c)) {
        REAL_NEAR(g_main_context_invoke_full, pc)(c, priority, f, data, end);
    } else if (acquire(c, pc)) {
        REAL_NEAR(g_main_context_invoke_full, pc)(c, priority, f, data, end);
        REAL_NEAR(g_main_context_release, pc)(c);
    } else {
        add(REAL_NEAR(g_idle_source_new, pc)(), c, priority, f, data, end, pc);
    }
}

SCHED_EXPORT void g_main_context_invoke_full(void *context, int priority, source_function f,
                                             void *data, data_function end)
{
    invoke(context, priority, f, data, end, TURN_CALLER);
}

extern void g_main_context_invoke(void *context, source_function f, void *data);
SCHED_EXPORT void g_main_context_invoke(void *context, source_function f, void *data)
{
    invoke(context, DEFAULT, f, data, NULL, TURN_CALLER);
}

extern void g_main_loop_quit(void *loop);
SCHED_EXPORT void g_main_loop_quit(void *loop)
{
    front_release(loop, TURN_CALLER);
    REAL_NEAR(g_main_loop_quit, TURN_CALLER)(loop);
}

extern void g_main_loop_run(void *loop);
SCHED_EXPORT void g_main_loop_run(void *loop)
{
    REAL_NEAR(g_main_loop_run, TURN_CALLER)(loop);
    front_acquire(loop, TURN_CALLER);
}

/* --- thread pools ----------------------------------------------------------------------------- */

/* What is public of GThreadPool (gthreadpool.h). */
struct pool {
    pool_function function;
    void *user_data;
    int exclusive;
};

/* The program's; its address stands for what was pushed, the next for what was done. */
struct job {
    pool_function function;
    void *user_data;
};

static const void *done(const struct job *job)
{
    return (const char *)job + 1;
}

static void run(void *data, void *opaque)
{
    const struct job *job = opaque;

    front_acquire(job, (uintptr_t)job->function);
    application_pool(job->function, data, job->user_data);
    front_release(done(job), (uintptr_t)job->function);
}

static void *job_new(pool_function function, void *user_data)
{
    struct job *job = malloc(sizeof(*job));

    if (!job) {
        abort(); /* as GLib does */
    }
    *job = (struct job){ function, user_data };
    return job;
}

extern void *g_thread_pool_new(pool_function f, void *data, int n, int exclusive, void **error);
SCHED_EXPORT void *g_thread_pool_new(pool_function f, void *data, int n, int exclusive,
                                     void **error)
{
    return REAL_NEAR(g_thread_pool_new, TURN_CALLER)(run, job_new(f, data), n, exclusive, error);
}

extern void *g_thread_pool_new_full(pool_function f, void *data, data_function item_free, int n,
                                    int exclusive, void **error);
SCHED_EXPORT void *g_thread_pool_new_full(pool_function f, void *data, data_function item_free,
                                          int n, int exclusive, void **error)
{
    return REAL_NEAR(g_thread_pool_new_full, TURN_CALLER)(run, job_new(f, data), item_free, n,
                                                          exclusive, error);
}

extern int g_thread_pool_push(void *pool, void *data, void **error);
SCHED_EXPORT int g_thread_pool_push(void *pool, void *data, void **error)
{
    front_release(((const struct pool *)pool)->user_data, TURN_CALLER);
    return REAL_NEAR(g_thread_pool_push, TURN_CALLER)(pool, data, error);
}

/* Who does not wait for its end leaves threads that may still need the job. */
extern void g_thread_pool_free(void *pool, int immediate, int wait);
SCHED_EXPORT void g_thread_pool_free(void *pool, int immediate, int wait)
{
    struct job *job = ((const struct pool *)pool)->user_data;

    REAL_NEAR(g_thread_pool_free, TURN_CALLER)(pool, immediate, wait);
    if (wait) {
        front_acquire(done(job), TURN_CALLER);
        object_forget(job);
        object_forget(done(job));
        free(job);
    }
}
