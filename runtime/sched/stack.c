/* SPDX-License-Identifier: MIT */
/* std::mutex::lock() and std::thread's constructor stand between a call of the C library and the
 * line that somebody wrote, and frame pointers are not to be had: so the unwinder of libgcc is
 * asked. It takes no lock and no memory where glibc has _dl_find_object() (2.35). */
#include "runtime/sched/stack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#define OURS_MAX 64 /* frames of our own, at most */

struct walk {
    struct sched_stack *stack;
    uintptr_t pc;
    unsigned count, before;
};

static _Unwind_Reason_Code walk_frame(struct _Unwind_Context *context, void *opaque)
{
    struct walk *w = opaque;
    uintptr_t pc = _Unwind_GetIP(context);

    if (w->count == 0 && pc != w->pc) {
        return w->before++ < OURS_MAX ? _URC_NO_REASON : _URC_END_OF_STACK;
    }
    if (pc == 0) {
        return _URC_END_OF_STACK;
    }
    w->stack->pc[w->count++] = pc;
    return w->count < SCHED_FRAMES ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static bool places_wanted(void)
{
    static int wanted = -1;

    if (wanted < 0) {
        const char *places = getenv("VTEGRA_PLACES");

        wanted = !places || strcmp(places, "0") != 0;
    }
    return wanted;
}

struct sched_stack stack_take(uintptr_t pc)
{
    struct sched_stack stack = { .pc = { pc } };
    struct walk w = { .stack = &stack, .pc = pc };
    int error = errno;

    if (pc && places_wanted()) {
        _Unwind_Backtrace(walk_frame, &w);
        errno = error;
    }
    return stack;
}
