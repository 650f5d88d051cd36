/* SPDX-License-Identifier: MIT */
/* What GLib's main loops and thread pools order; its locks and queues: glib.c.
 *
 * A source that one thread attaches is dispatched by another's loop. Only a loop that sleeps is
 * woken through its eventfd, so that read is no order to rely on. But a loop asks for the callback
 * of each source before it calls it; for sources that have none of ours it asks poll(2), which it
 * does before it looks what is ready (measured: GLib 2.74). All contexts are one object.
 *
 * Arguments that GLib refuses go to GLib. */
#include "sched/calls/application.h"
#include "sched/calls/front.h"

#include <link.h>
#include <stdlib.h>

typedef int (*source_function)(void *data);
typedef void (*data_function)(void *data);
typedef void (*pool_function)(void *data, void *user_data);

static void *glib_main_memory(size_t bytes)
{
    void *p = malloc(bytes);

    if (!p) {
        abort(); /* as GLib does */
    }
    return p;
}

/* --- main loops ------------------------------------------------------------------------------- */

static char sources; /* stands for all that was attached */
static _Atomic uintptr_t glib_start, glib_end;

/* Before a source is attached by @function of libglib. */
static void glib_main_attach(uintptr_t function, uintptr_t pc)
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

/* Sources with descriptors always wake the loop (g_main_context_add_poll()). */
extern unsigned g_source_attach(void *source, void *context);
SCHED_EXPORT unsigned g_source_attach(void *source, void *context)
{
    glib_main_attach((uintptr_t)REAL_NEAR(g_source_attach, TURN_CALLER), TURN_CALLER);
    return REAL_NEAR(g_source_attach, TURN_CALLER)(source, context);
}

/**
 * struct callback - what a source calls
 * @once: it says nothing, and the source ends
 */
struct callback {
    atomic_uint users;
    source_function function;
    data_function once;
    void *data;
    data_function end;
};

/* GSourceCallbackFuncs (gmain.h). */
struct callback_functions {
    void (*ref)(void *callback), (*unref)(void *callback);
    void (*get)(void *callback, void *source, source_function *f, void **data);
};

static void glib_main_ref(void *callback)
{
    atomic_fetch_add(&((struct callback *)callback)->users, 1);
}

static void glib_main_unref(void *callback)
{
    struct callback *c = callback;

    if (atomic_fetch_sub(&c->users, 1) == 1) {
        if (c->end) {
            application_data(c->end, c->data);
        }
        free(c);
    }
}

/* The function that is called next on this thread; @data is the program's, which looks for it. */
static _Thread_local data_function called_once __attribute__((tls_model("initial-exec")));

static int run_once(void *data)
{
    application_data(called_once, data);
    return 0; /* G_SOURCE_REMOVE */
}

/* It is about to be called, or compared with another. */
static void glib_main_get(void *callback, void *source, source_function *f, void **data)
{
    const struct callback *c = callback;

    (void)source;
    front_acquire(&sources, c->once ? (uintptr_t)c->once : (uintptr_t)c->function);
    called_once = c->once;
    *f = c->once ? run_once : c->function;
    *data = c->data;
}

extern void g_source_set_callback_indirect(void *source, void *callback,
                                           struct callback_functions *functions);

/* @pc: of the program; ours is not near what it has loaded. */
static void set_callback(void *source, const struct callback *what, uintptr_t pc)
{
    static struct callback_functions functions = { glib_main_ref, glib_main_unref, glib_main_get };
    struct callback *c = glib_main_memory(sizeof(*c));

    *c = *what;
    atomic_init(&c->users, 1);
    REAL_NEAR(g_source_set_callback_indirect, pc)(source, c, &functions);
}

extern void g_source_set_callback(void *source, source_function f, void *data, data_function end);
SCHED_EXPORT void g_source_set_callback(void *source, source_function f, void *data,
                                        data_function end)
{
    if (source && f) {
        set_callback(source, &(struct callback){ .function = f, .data = data, .end = end },
                     TURN_CALLER);
    } else {
        REAL_NEAR(g_source_set_callback, TURN_CALLER)(source, f, data, end);
    }
}

extern void *g_idle_source_new(void);
extern void *g_timeout_source_new(unsigned ms);
extern void *g_timeout_source_new_seconds(unsigned s);
extern void g_source_set_priority(void *source, int priority);
extern void g_source_unref(void *source);

/* As libglib itself makes them. */
static unsigned glib_main_add(void *source, void *context, int priority,
                              const struct callback *what, uintptr_t pc)
{
    unsigned id;

    REAL_NEAR(g_source_set_priority, pc)(source, priority);
    set_callback(source, what, pc);
    glib_main_attach((uintptr_t)REAL_NEAR(g_source_attach, pc), pc);
    id = REAL_NEAR(g_source_attach, pc)(source, context);
    REAL_NEAR(g_source_unref, pc)(source);
    return id;
}

#define IDLE() REAL_NEAR(g_idle_source_new, TURN_CALLER)()
#define TIMEOUT(ms) REAL_NEAR(g_timeout_source_new, TURN_CALLER)(ms)
#define SECONDS(s) REAL_NEAR(g_timeout_source_new_seconds, TURN_CALLER)(s)
#define CALL .function = f, .data = data
#define DEFAULT 0 /* G_PRIORITY_DEFAULT */
#define DEFAULT_IDLE 200
#define ADD(name, params, args, source, priority, ...)                                      \
    extern unsigned name params;                                                            \
    SCHED_EXPORT unsigned name params                                                       \
    {                                                                                       \
        return f ? glib_main_add(source, NULL, priority, &(struct callback){ __VA_ARGS__ }, \
                                 TURN_CALLER)                                               \
                 : REAL_NEAR(name, TURN_CALLER) args;                                       \
    }

ADD(g_idle_add, (source_function f, void *data), (f, data), IDLE(), DEFAULT_IDLE, CALL)
ADD(g_idle_add_full, (int priority, source_function f, void *data, data_function end),
    (priority, f, data, end), IDLE(), priority, CALL, .end = end)
ADD(g_idle_add_once, (data_function f, void *data), (f, data), IDLE(), DEFAULT_IDLE, .once = f,
    .data = data)
ADD(g_timeout_add, (unsigned ms, source_function f, void *data), (ms, f, data), TIMEOUT(ms),
    DEFAULT, CALL)
ADD(g_timeout_add_full,
    (int priority, unsigned ms, source_function f, void *data, data_function end),
    (priority, ms, f, data, end), TIMEOUT(ms), priority, CALL, .end = end)
ADD(g_timeout_add_once, (unsigned ms, data_function f, void *data), (ms, f, data), TIMEOUT(ms),
    DEFAULT, .once = f, .data = data)
ADD(g_timeout_add_seconds, (unsigned s, source_function f, void *data), (s, f, data), SECONDS(s),
    DEFAULT, CALL)
ADD(g_timeout_add_seconds_full,
    (int priority, unsigned s, source_function f, void *data, data_function end),
    (priority, s, f, data, end), SECONDS(s), priority, CALL, .end = end)

extern void *g_main_context_default(void);
extern void *g_main_context_get_thread_default(void);
extern int g_main_context_acquire(void *context);
extern void g_main_context_release(void *context);

/* Whose context it is calls the function itself. */
static bool glib_main_acquire(void *context, uintptr_t pc)
{
    void *standard = REAL_NEAR(g_main_context_default, pc)();
    void *own = REAL_NEAR(g_main_context_get_thread_default, pc)();

    return context == (own ? own : standard) && REAL_NEAR(g_main_context_acquire, pc)(context);
}

extern int g_main_context_is_owner(void *context);
extern void g_main_context_invoke_full(void *context, int priority, source_function f, void *data,
                                       data_function end);

static void glib_main_invoke(void *context, int priority, const struct callback *what, uintptr_t pc)
{
    void *c = context ? context : REAL_NEAR(g_main_context_default, pc)();
    bool own = !what->function || REAL_NEAR(g_main_context_is_owner, pc)(c);

    if (own) {
        REAL_NEAR(g_main_context_invoke_full, pc)
        (c, priority, what->function, what->data, what->end);
    } else if (glib_main_acquire(c, pc)) {
        while (application_start_c11(what->function, what->data)) {
        }
        REAL_NEAR(g_main_context_release, pc)(c);
        if (what->end) {
            application_data(what->end, what->data);
        }
    } else {
        glib_main_add(REAL_NEAR(g_idle_source_new, pc)(), c, priority, what, pc);
    }
}

SCHED_EXPORT void g_main_context_invoke_full(void *context, int priority, source_function f,
                                             void *data, data_function end)
{
    glib_main_invoke(context, priority, &(struct callback){ CALL, .end = end }, TURN_CALLER);
}

extern void g_main_context_invoke(void *context, source_function f, void *data);
SCHED_EXPORT void g_main_context_invoke(void *context, source_function f, void *data)
{
    glib_main_invoke(context, DEFAULT, &(struct callback){ CALL }, TURN_CALLER);
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

/* The program's; its address stands for what was pushed, the next for what was done. It stays: who
 * can say when the last thread has gone that may call it? */
struct job {
    pool_function function;
    void *user_data;
};

static const void *glib_main_done(const struct job *job)
{
    return (const char *)job + 1;
}

static void glib_main_run(void *data, void *opaque)
{
    const struct job *job = opaque;

    front_acquire(job, (uintptr_t)job->function);
    application_pool(job->function, data, job->user_data);
    front_release(glib_main_done(job), (uintptr_t)job->function);
}

static struct job *job_new(pool_function function, void *user_data)
{
    struct job *job = glib_main_memory(sizeof(*job));

    *job = (struct job){ function, user_data };
    return job;
}

/* NULL: the pool has come by another way. */
static struct job *job_of(const struct pool *pool)
{
    return pool && pool->function == glib_main_run ? pool->user_data : NULL;
}

extern void *g_thread_pool_new(pool_function f, void *data, int n, int exclusive, void **error);
SCHED_EXPORT void *g_thread_pool_new(pool_function f, void *data, int n, int exclusive,
                                     void **error)
{
    return f ? REAL_NEAR(g_thread_pool_new, TURN_CALLER)(glib_main_run, job_new(f, data), n,
                                                         exclusive, error)
             : REAL_NEAR(g_thread_pool_new, TURN_CALLER)(f, data, n, exclusive, error);
}

extern void *g_thread_pool_new_full(pool_function f, void *data, data_function item_free, int n,
                                    int exclusive, void **error);
SCHED_EXPORT void *g_thread_pool_new_full(pool_function f, void *data, data_function item_free,
                                          int n, int exclusive, void **error)
{
    void *job = f ? job_new(f, data) : data;

    return REAL_NEAR(g_thread_pool_new_full, TURN_CALLER)(f ? glib_main_run : f, job, item_free, n,
                                                          exclusive, error);
}

extern int g_thread_pool_push(void *pool, void *data, void **error);
SCHED_EXPORT int g_thread_pool_push(void *pool, void *data, void **error)
{
    const struct job *job = job_of(pool);

    if (job) {
        front_release(job, TURN_CALLER);
    }
    return REAL_NEAR(g_thread_pool_push, TURN_CALLER)(pool, data, error);
}

extern void g_thread_pool_free(void *pool, int immediate, int wait);
SCHED_EXPORT void g_thread_pool_free(void *pool, int immediate, int wait)
{
    const struct job *job = job_of(pool);

    REAL_NEAR(g_thread_pool_free, TURN_CALLER)(pool, immediate, wait);
    if (job && wait) {
        front_acquire(glib_main_done(job), TURN_CALLER);
    }
}
