/* SPDX-License-Identifier: MIT */
/* The lock is free for a moment in the middle of a call: what other threads then do, and objects
 * that end while a thread may still hold a pointer to them. */
#include <time.h>

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/fence.h"

/* A thread that lets the lock go in the middle of a call still holds pointers to streams and
 * contexts. An application that destroys them meanwhile is wrong, and must not crash us. */
static GPtrArray *graves; /* freed streams and contexts */
static unsigned yielding; /* threads in core_yield_begin() that may hold one of them */

void core_bury(void *object)
{
    if (yielding) {
        if (!graves) {
            graves = g_ptr_array_new_with_free_func(g_free);
        }
        g_ptr_array_add(graves, object);
    } else {
        g_free(object);
    }
}

void core_yield_begin(void)
{
    yielding++;
}

void core_yield_end(void)
{
    if (--yielding == 0 && graves) {     /* OpenGL's ends wait before rt_init(), too */
        g_ptr_array_set_size(graves, 0); /* frees them */
    }
}

static pthread_cond_t acted = PTHREAD_COND_INITIALIZER;

void wait_acted(void)
{
    pthread_cond_broadcast(&acted);
}

/* The lock is free for a moment, so that another thread of the application may act. Return: it has
 * called wait_acted(). */
bool core_let_others(void)
{
    struct timespec until;
    bool called;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 200000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    core_yield_begin();
    called = core_lock_wait(&acted, &until);
    core_yield_end();
    return called;
}
