/* SPDX-License-Identifier: MIT */
/* Inside the driver core: the lock, the life of the driver, and what every room asks of it.
 *
 * One lock covers all state of the driver and every call on the HAL. A public function begins with
 * core_enter*() and ends with core_leave(). Only hostop.c lets the lock go in between, to run the
 * application's host functions: what may have changed meanwhile is looked up again by handle.
 *
 * What a room knows beside that lies in a file of the room, and others ask its functions.
 */
#ifndef RUNTIME_DRIVER_CORE_CORE_H
#define RUNTIME_DRIVER_CORE_CORE_H

#include <glib.h>
#include <pthread.h>
#include <time.h>

#include "include/cuda.h"
#include "model/regs/regs.h"
#include "runtime/driver/core/handle.h"
#include "runtime/hal.h"
#include "runtime/observe/check.h"

struct context;
struct fence;

/* --- state.c ---------------------------------------------------------------------------------- */

void core_lock(void);
bool core_lock_try(void);
bool core_lock_until(const struct timespec *until); /* CLOCK_MONOTONIC */
void core_unlock(void);
/* For @cond, until @until of CLOCK_REALTIME (NULL: for any time); the lock is free meanwhile.
 * Return: it was signalled. */
bool core_lock_wait(pthread_cond_t *cond, const struct timespec *until);

enum core_life { CORE_NEW, CORE_UP, CORE_FAILED, CORE_DOWN, CORE_FORKED };
enum core_life core_life(void);
bool core_is_up(void);
bool core_lost(void); /* the board is gone: notify_lost() */
CUresult
core_state(void); /* CUDA_SUCCESS once rt_init() has succeeded, and while there is a board */
bool core_is_owner(void); /* this process has brought the board up: no child of fork() */
void core_begins(void);   /* in this process */
void core_began(CUresult error);
void core_ends(void);
void core_forked(void);

/* Threads in a call of the driver. */
int core_inside(void);
void core_inside_add(int threads);
/* A thread that exits waits for the lock: it is not fair, so that others let it go for a moment. */
bool core_leaving(void);
void core_leaving_set(void);
/* A signal has come and waits for notify_signal(); 0: none. From a handler, too. */
int core_signal(void);
void core_signal_set(int sig);
/* A host function of the application runs (hostop.c). */
bool core_function_runs(void);
void core_function_set(const struct fence *end);      /* of its stream behind it; NULL: none runs */
bool core_function_before(const struct fence *fence); /* one runs in that stream, and before it */
/* Of ours. */
unsigned core_threads(void);
void core_threads_set(unsigned threads);

/* What the run was started with. @step_limit: warp instructions of a kernel; 0: none */
enum hal_policy core_policy(void);
uint64_t core_step_limit(void);
void core_run_set(enum hal_policy policy, uint64_t step_limit);

/* NULL before rt_init() */
struct hal *core_hal(void);
struct check *core_check(void);
bool core_hal_open(const struct hal_config *config); /* false: no board */
void core_check_open(const struct check_config *config);

/* --- core.c ----------------------------------------------------------------------------------- */

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

/* --- callers.c -------------------------------------------------------------------------------- */

void core_caller_add(void); /* a thread that makes its first call */
/* Threads that took no turns have made calls: the report names the command that tries orders. */
void core_free_report(void);

/* --- yield.c ---------------------------------------------------------------------------------- */

void core_bury(void *object); /* g_free() once no thread can hold it any more */
void core_yield_begin(void);  /* the lock is let go around these: others may come in */
void core_yield_end(void);
/* The lock is free for a moment, so that another thread of the application may act. Return: it has
 * called wait_acted(). */
bool core_let_others(void);
void wait_acted(void); /* a thread has done what others may wait for: they look again at once */

#endif
