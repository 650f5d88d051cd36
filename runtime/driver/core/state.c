/* SPDX-License-Identifier: MIT */
/* The lock, the life of the driver, its board, and the checker that observes it. Needs no other
 * file of the driver, so that each may ask. */
#include "runtime/driver/core/core.h"

#include <errno.h>
#include <stdatomic.h>
#include <unistd.h>

#include "runtime/driver/core/fence.h"

/**
 * struct core
 * @owner_pid: of the process that has brought the board up
 * @inside: threads in a call of the driver
 * @leaving: a thread that exits waits for the lock
 * @signal: has come and waits for notify_signal(); 0: none
 * @function_runs: a host function of the application runs; @function_end: behind it
 * @threads: of ours
 */
static struct core {
    pthread_mutex_t lock;
    enum core_life life;
    CUresult error;
    int owner_pid;
    atomic_int inside;
    atomic_bool leaving;
    atomic_int signal;
    bool function_runs;
    struct fence function_end;
    unsigned threads;
    enum hal_policy policy;
    uint64_t step_limit;
    struct hal *hal;
    struct check *check;
} core = { .lock = PTHREAD_MUTEX_INITIALIZER };

void core_lock(void)
{
    pthread_mutex_lock(&core.lock);
}

bool core_lock_try(void)
{
    return pthread_mutex_trylock(&core.lock) == 0;
}

bool core_lock_until(const struct timespec *until)
{
    return pthread_mutex_clocklock(&core.lock, CLOCK_MONOTONIC, until) == 0;
}

void core_unlock(void)
{
    pthread_mutex_unlock(&core.lock);
}

bool core_lock_wait(pthread_cond_t *cond, const struct timespec *until)
{
    return (until ? pthread_cond_timedwait(cond, &core.lock, until)
                  : pthread_cond_wait(cond, &core.lock)) == 0;
}

enum core_life core_life(void)
{
    return core.life;
}

bool core_is_up(void)
{
    return core.life == CORE_UP;
}

void core_begins(void)
{
    core.owner_pid = getpid();
}

bool core_is_owner(void)
{
    return getpid() == core.owner_pid;
}

void core_began(CUresult error)
{
    core.error = error;
    core.life = error ? CORE_FAILED : CORE_UP;
}

void core_ends(void)
{
    core.life = CORE_DOWN;
}

void core_forked(void)
{
    if (core.life == CORE_UP) {
        core.life = CORE_FORKED;
    }
}

bool core_lost(void)
{
    return core.hal && hal_lost(core.hal);
}

CUresult core_state(void)
{
    switch (core.life) {
    case CORE_UP:
        return core_lost() ? CUDA_ERROR_DEVICE_UNAVAILABLE : CUDA_SUCCESS;
    case CORE_FAILED:
        return core.error;
    case CORE_DOWN:
        return CUDA_ERROR_DEINITIALIZED;
    default: /* a child of fork() has to call cuInit itself, and cannot: the board is the parent's
              */
        return CUDA_ERROR_NOT_INITIALIZED;
    }
}

int core_inside(void)
{
    return atomic_load(&core.inside);
}

void core_inside_add(int threads)
{
    atomic_fetch_add(&core.inside, threads);
}

bool core_leaving(void)
{
    return atomic_load_explicit(&core.leaving, memory_order_relaxed);
}

void core_leaving_set(void)
{
    atomic_store(&core.leaving, true);
}

int core_signal(void)
{
    return atomic_load(&core.signal);
}

void core_signal_set(int sig)
{
    atomic_store(&core.signal, sig);
}

bool core_function_runs(void)
{
    return core.function_runs;
}

void core_function_set(const struct fence *end)
{
    core.function_runs = end != NULL;
    core.function_end = end ? *end : (struct fence){ 0 };
}

bool core_function_before(const struct fence *fence)
{
    return core.function_runs && core.function_end.id && fence->id == core.function_end.id &&
           (int32_t)(fence->threshold - core.function_end.threshold) >= 0;
}

unsigned core_threads(void)
{
    return core.threads;
}

void core_threads_set(unsigned threads)
{
    core.threads = threads;
}

enum hal_policy core_policy(void)
{
    return core.policy;
}

uint64_t core_step_limit(void)
{
    return core.step_limit;
}

void core_run_set(enum hal_policy policy, uint64_t step_limit)
{
    core.policy = policy;
    core.step_limit = step_limit;
}

struct hal *core_hal(void)
{
    return core.hal;
}

bool core_hal_open(const struct hal_config *config)
{
    core.hal = hal_open(config);
    return core.hal != NULL;
}

struct check *core_check(void)
{
    return core.check;
}

void core_check_open(const struct check_config *config)
{
    core.check = check_open(config);
}
