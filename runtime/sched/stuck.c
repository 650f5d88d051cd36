/* SPDX-License-Identifier: MIT */
/* Threads that cannot go on: who waits for whom, in words; where threads take turns also the end of
 * the process. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/sched/front.h"
#include "runtime/sched/roster.h"
#include "runtime/sched/stuck.h"

#define TEXT_MAX 8192

struct text {
    char s[TEXT_MAX];
    size_t len;
};

static __attribute__((format(printf, 2, 3))) void add(struct text *t, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(t->s + t->len, sizeof(t->s) - t->len, format, args);
    va_end(args);
    t->len += n > 0 ? (size_t)n : 0;
    if (t->len >= sizeof(t->s)) {
        t->len = sizeof(t->s) - 1;
    }
}

/* " at app.c:12"; without a board, or debug information, the function. */
static void add_place(struct text *t, const char *how, uintptr_t pc)
{
    char *place = turn_board && pc ? turn_board->place(pc) : NULL;
    Dl_info info;

    if (place) {
        add(t, " %s %s", how, place);
    } else if (pc && dladdr((void *)(pc - 1), &info) && info.dli_fname) {
        const char *slash = strrchr(info.dli_fname, '/');

        add(t, " %s %s+0x%" PRIxPTR, how, slash ? slash + 1 : info.dli_fname,
            pc - (uintptr_t)info.dli_fbase);
        if (info.dli_sname) {
            add(t, " (%s)", info.dli_sname);
        }
    }
    free(place);
}

static const char *const kind_names[WAIT_KINDS] = {
    [WAIT_NONE] = "nothing",           [WAIT_MUTEX] = "mutex",
    [WAIT_COND] = "condition",         [WAIT_RWLOCK] = "read-write lock",
    [WAIT_SPINLOCK] = "spin lock",     [WAIT_BARRIER] = "barrier",
    [WAIT_SEM] = "semaphore",          [WAIT_ONCE] = "pthread_once() call",
    [WAIT_JOIN] = "the end of thread", [WAIT_FUTEX] = "futex",
    [WAIT_SLEEP] = "a time",           [WAIT_FD] = "a file descriptor",
    [WAIT_CHILD] = "a child process",  [WAIT_BOARD] = "the board",
};

static void add_thread(struct text *t, const struct thread *thread)
{
    const struct turn_wait *w = &thread->wait;
    const struct object *o;
    size_t before = t->len;

    add(t, "%sthread %" PRIu32, t->len ? "; " : "", thread->number);
    if (w->kind == WAIT_SERVICE) {
        t->len = before;
        return;
    }
    if (thread->created_pc) {
        add_place(t, "(created at", thread->created_pc);
        add(t, ")");
    }
    if (atomic_load(&thread->state) != THREAD_WAITS) {
        add(t, " only loops");
        return;
    }
    add(t, " waits for %s", w->what ? w->what : kind_names[w->kind]);
    if (w->object && !w->what) {
        add(t, " %" PRIu64, w->object);
    }
    add_place(t, "at", w->pc);
    o = w->kind == WAIT_JOIN ? NULL : object_by_number(w->object);
    if (o && o->holder) {
        add(t, ", which thread %" PRIu32 " has held since", o->holder->number);
        add_place(t, "", o->holder_pc);
    }
}

static struct text free_text;

static void add_free(struct thread *thread)
{
    const struct turn_wait *w = &thread->wait;

    if (w->kind != WAIT_NONE) {
        add(&free_text, "%sthread %" PRIu32 " waits for %s", free_text.len ? "; " : "",
            thread->number, kind_names[w->kind]);
        add_place(&free_text, "at", w->pc);
    }
}

char *stuck_who_waits(void)
{
    free_text.len = 0;
    roster_each(add_free);
    return free_text.len ? strdup(free_text.s) : NULL;
}

#define DEADLOCK_TODO "take the locks in one order everywhere"

void stuck_tell_ring(struct thread *const *ring, unsigned n)
{
    static struct text t;
    unsigned first = 0;

    for (unsigned i = 1; i < n; i++) { /* whoever has closed the ring */
        first = ring[i]->number < ring[first]->number ? i : first;
    }
    for (unsigned i = 0; i < n; i++) {
        const struct thread *thread = ring[(first + i) % n];

        add(&t, "%sthread %" PRIu32, t.len ? "; " : "", thread->number);
        if (thread->created_pc) {
            add_place(&t, "(created at", thread->created_pc);
            add(&t, ")");
        }
        add(&t, " waits for mutex");
        add_place(&t, "at", thread->wants_pc);
        if (n == 1) {
            add(&t, ", which it holds itself");
        } else {
            add(&t, ", which thread %" PRIu32 " holds", ring[(first + i + 1) % n]->number);
        }
    }
    turn_board->finding("deadlock", t.s, DEADLOCK_TODO, ring[first]->wants_pc);
}

static _Noreturn void end(const char *rule, const char *what, const char *todo)
{
    static struct text t;
    char *streams = turn_board ? turn_board->streams() : NULL;
    struct thread *first = turn_thread_at(0), *thread;

    turn_self->inside = true;
    add(&t, "%s", "");
    for (unsigned i = 0; (thread = turn_thread_at(i)) != NULL; i++) {
        add_thread(&t, thread);
    }
    if (streams) {
        add(&t, "; %s", streams);
    }
    if (turn_board) {
        turn_board->finding(rule, t.s, todo, first ? first->wait.pc : 0);
    } else {
        fprintf(stderr, "vtegra: %s: %s\n  To do: %s\n", what, t.s, todo);
    }
    fflush(NULL);
    _exit(SCHED_EXIT_STUCK);
}

_Noreturn void turn_deadlock(void)
{
    end("deadlock", "deadlock", DEADLOCK_TODO ", or wake the waiting thread");
}

_Noreturn void turn_livelock(void)
{
    end("livelock", "livelock: every thread only waits in a loop",
        "look for the thread that should change what the loops wait for");
}
