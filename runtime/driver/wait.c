/* SPDX-License-Identifier: MIT */
/* Waiting: the one place where the board advances, host functions run, faults are serviced and a
 * deadlock is seen. */
#include <errno.h>
#include <time.h>

#include "runtime/driver/core.h"
#include "runtime/driver/dla.h"

uint32_t syncpt_value(uint32_t id)
{
    return hal_read32(core.hal, HAL_UNIT_HOST1X, HOST1X_SYNCPT + id * 4);
}

bool fence_reached(struct fence fence)
{
    return !fence.id || (int32_t)(syncpt_value(fence.id) - fence.threshold) >= 0;
}

/* Threads that could still do what the board waits for: all but this one and the driver's own. */
static bool others_may_act(void)
{
    GDir *dir = g_dir_open("/proc/self/task", 0, NULL);
    unsigned n = 0;

    while (dir && g_dir_read_name(dir)) {
        n++;
    }
    if (dir) {
        g_dir_close(dir);
    }
    return n > 1 + hostop_threads();
}

/* The lock is free for a moment, so that another thread of the application may act. */
static void let_others(void)
{
    struct timespec pause = { .tv_nsec = 200000 };

    core_yield_begin();
    pthread_mutex_unlock(&core.lock);
    nanosleep(&pause, NULL);
    pthread_mutex_lock(&core.lock);
    core_yield_end();
}

/* The board stands still and waits for the CPU. Return: an error when nobody can help. */
static CUresult stuck(struct context *context, struct fence fence, bool spinning, unsigned *rounds)
{
    if (hostop_pump()) {
        return CUDA_SUCCESS;
    }
    if (hostop_running()) {
        hostop_wait();
        return CUDA_SUCCESS;
    }
    if (dla_hangs()) {
        dla_hang_break();
        return CUDA_SUCCESS;
    }
    if (!others_may_act()) {
        return fault_deadlock(context, fence, spinning);
    }
    if (++*rounds == 50000) { /* about ten seconds: a board would hang just so */
        fault_warn_stuck(fence, spinning);
    }
    let_others();
    return CUDA_SUCCESS;
}

CUresult wait_fence(struct context *context, struct fence fence)
{
    unsigned rounds = 0;
    CUresult error = CUDA_SUCCESS;

    while (!error && !context->error && !fence_reached(fence)) {
        if (hostop_pump()) {
            continue;
        }
        switch (hal_wait(core.hal, fence.id, fence.threshold, 0)) {
        case 0:
            break;
        case -EIO:
            fault_service();
            dla_service();
            break;
        case -EAGAIN:
            error = stuck(context, fence, true, &rounds);
            break;
        default:
            error = stuck(context, fence, false, &rounds);
            break;
        }
    }
    hostop_pump(); /* those that became due with this fence */
    return context->error ? context->error : error;
}

void wait_poll(bool must_progress)
{
    hal_poll(core.hal, must_progress);
    fault_service();
    dla_service();
    hostop_pump();
}
