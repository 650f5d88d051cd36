/* SPDX-License-Identifier: MIT */
/* The lock for calls of EGL and OpenGL, which may come before CUDA is initialised. */
#include <pthread.h>

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/turns.h"
#include "runtime/driver/interop/egl/egl_internal.h"

static _Thread_local int cancel_state;

void egl_lock(void)
{
    int state;

    sched_call();
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    core_lock();
    cancel_state = state;
}

void egl_unlock(void)
{
    int state = cancel_state;

    core_unlock();
    pthread_setcancelstate(state, NULL);
}
