/* SPDX-License-Identifier: MIT */
/* Objects that end while another thread may still hold a pointer to them. */
#include "runtime/driver/core/core.h"

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
