/* SPDX-License-Identifier: MIT */
/* std::mutex::lock() and std::thread's constructor stand between a call of the C library and the
 * line that a programmer wrote, and frame pointers are not to be had: so the unwinder of libgcc is
 * asked. It also knows the frames of signal handlers. It takes no lock and no memory where glibc
 * has _dl_find_object() (2.35). */
#include "sched/object/stack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#include "sched/turn/turn.h"

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

/* The unwinder calls pthread_once() the first time, which orders nothing of the program's. */
static void stack_unwind(_Unwind_Trace_Fn each, void *opaque)
{
    struct thread *self = turn_self;
    bool outer = self && self->inside;
    int error = errno;

    if (self) {
        self->inside = true;
    }
    _Unwind_Backtrace(each, opaque);
    if (self) {
        self->inside = outer;
    }
    errno = error;
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

    if (pc && places_wanted()) {
        stack_unwind(walk_frame, &w);
    }
    return stack;
}

static _Unwind_Reason_Code look_for_handler(struct _Unwind_Context *context, void *opaque)
{
    int interrupted = 0;

    _Unwind_GetIPInfo(context, &interrupted);
    *(bool *)opaque = interrupted;
    return interrupted ? _URC_END_OF_STACK : _URC_NO_REASON;
}

bool stack_in_handler(void)
{
    bool handler = false;

    stack_unwind(look_for_handler, &handler);
    return handler;
}
