/* SPDX-License-Identifier: MIT */
/* Inside the driver core: its objects, and who may touch them.
 *
 * One lock (core.lock) covers everything here and every call on the HAL. A public function begins
 * with core_enter*() and ends with core_leave(). Only hostop.c lets the lock go in between, to run
 * the application's host functions: what may have changed meanwhile is looked up again by handle.
 */
#ifndef RUNTIME_DRIVER_CORE_CORE_H
#define RUNTIME_DRIVER_CORE_CORE_H

#include <glib.h>
#include <pthread.h>
#include <stdatomic.h>

#include "include/cuda.h"
#include "model/regs/regs.h"
#include "runtime/driver/core/handle.h"
#include "runtime/hal.h"
#include "runtime/observe/check.h"

struct context;
struct hostop;

enum core_state { CORE_NEW, CORE_UP, CORE_FAILED, CORE_DOWN, CORE_FORKED };

struct core {
    pthread_mutex_t lock;
    enum core_state state;
    CUresult init_error;
    int owner_pid;
    atomic_bool leaving; /* a thread that exits waits for the lock */
    atomic_int inside;   /* threads in a call of the driver */
    atomic_int signal;   /* has come and waits for notify_signal(); 0: none */
    enum hal_policy policy;
    uint64_t step_limit;
    GTree *regions; /* by address: struct region */
    GArray *freed;  /* struct freed: the newest last */
    GPtrArray *managed;
    GPtrArray *contexts;
    GPtrArray *physicals; /* struct physical */
    GArray *reservations; /* struct reservation */
    GArray *synced;       /* struct fence: what the CPU has waited for */
    struct context *primary;
    unsigned primary_refs, primary_flags;
    uint64_t used_bytes, vidmem_used; /* room.h */
    uint64_t next_serial, next_context, launches;
    uint32_t next_grid;
    uint32_t told_target; /* newest .target beyond the SoC's that the report knows of */
    uint32_t halting;     /* index + 1 of the channel whose grid is being ended: it goes first */
    GPtrArray *channels;
    uint64_t binds;    /* of channels, so far */
    GPtrArray *graves; /* freed streams and contexts that a thread in core_yield() may hold */
    unsigned yielding;
    struct hostop *function; /* the application's host function that runs, or NULL */
    unsigned threads;        /* of ours */
    struct pool *pool_default, *pool_current;
    GPtrArray *pools;
    GPtrArray *libraries;
    unsigned graph_lane; /* lanes of contexts that instances of graphs were given */
};
extern struct core core;

/* state.c: NULL before rt_init() */
struct hal *core_hal(void);
struct check *core_check(void);
bool core_hal_open(const struct hal_config *config); /* false: no board */
void core_check_open(const struct check_config *config);

/* core.c */
CUresult
core_state(void);     /* CUDA_SUCCESS once rt_init() has succeeded, and while there is a board */
bool core_lost(void); /* the board is gone: notify_lost() */
CUresult core_enter(void);
CUresult core_enter_any(void); /* of host functions, too: calls that are not CUDA's */
/* As core_enter_any(), before hal_settle(): what the call reports it has by requests. */
CUresult core_enter_posted(void);
CUresult core_enter_context(struct context **context);
CUresult core_leave(CUresult result);
/* At exit, which may come in a signal handler or beside calls of other threads. Return: false if
 * the lock cannot be had, because this thread is in a call or another one stays in one. */
bool core_lock_to_exit(void);
unsigned core_thread(void); /* number of the calling thread, by first call */
struct context *core_context(CUcontext handle, CUresult *error); /* NULL: the current one */
void core_context_push(CUcontext handle);
bool core_context_pop(CUcontext *handle);
CUcontext core_context_top(void);
void core_in_callback(bool in);
void core_bury(void *object); /* g_free() once no thread can hold it any more */
void core_yield_begin(void);  /* the lock is let go around these: others may come in */
void core_yield_end(void);

#endif
