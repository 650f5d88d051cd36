/* SPDX-License-Identifier: MIT */
/* Threads that cannot go on: who waits for whom, in words; where threads take turns also the end of
 * the process. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sched/calls/front.h"
#include "sched/object/graph.h"
#include "sched/turn/roster.h"
#include "sched/turn/stuck.h"

#define TEXT_ROOM ((size_t)8192) /* at first */

/* As long as it has to be; in memory of its own: malloc() itself may use locks. */
struct text {
    char *s;
    size_t len, room;
};

static void room_make(struct text *t, size_t needed)
{
    size_t room = t->room ? t->room : TEXT_ROOM;
    char *more;

    while (room <= needed) {
        room *= 2;
    }
    if (room == t->room) {
        return;
    }
    more = t->s ? mremap(t->s, t->room, room, MREMAP_MAYMOVE)
                : mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (more == MAP_FAILED) {
        abort();
    }
    t->s = more;
    t->room = room;
}

static __attribute__((format(printf, 2, 3))) void stuck_add(struct text *t, const char *format, ...)
{
    va_list args, again;
    int n;

    va_start(args, format);
    va_copy(again, args);
    n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n >= 0) {
        room_make(t, t->len + (size_t)n);
        vsnprintf(t->s + t->len, t->room - t->len, format, again);
        t->len += (size_t)n;
    }
    va_end(again);
}

static void stuck_cut(struct text *t, size_t len)
{
    if (len < t->len) {
        t->len = len;
        t->s[len] = '\0';
    }
}

/* " at app.c:12"; without a board the call's offset in its file, for addr2line; the function. */
static void add_place(struct text *t, const char *how, const struct sched_stack *where)
{
    uintptr_t pc = where->pc[0];
    char *place = turn_board && pc ? turn_board->place(where) : NULL;
    Dl_info info;

    if (place) {
        stuck_add(t, " %s %s", how, place);
    } else if (pc && dladdr((void *)(pc - 1), &info) && info.dli_fname) {
        const char *slash = strrchr(info.dli_fname, '/');

        stuck_add(t, " %s %s+0x%" PRIxPTR, how, slash ? slash + 1 : info.dli_fname,
                  pc - 1 - (uintptr_t)info.dli_fbase);
        if (info.dli_sname) {
            stuck_add(t, " (%s)", info.dli_sname);
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
    [WAIT_SEMOP] = "semop()",          [WAIT_MESSAGE] = "msgsnd() or msgrcv()",
    [WAIT_FLOCK] = "flock()",          [WAIT_RECORD_LOCK] = "lockf()",
};

static void add_thread(struct text *t, const struct thread *thread)
{
    const struct turn_wait *w = &thread->wait;
    const struct object *o;
    size_t before = t->len;

    stuck_add(t, "%sthread %" PRIu32, t->len ? "; " : "", thread->number);
    if (w->kind == WAIT_SERVICE) {
        stuck_cut(t, before);
        return;
    }
    if (thread->created_at.pc[0]) {
        add_place(t, "(created at", &thread->created_at);
        stuck_add(t, ")");
    }
    if (thread->in_application) {
        stuck_add(t, ", in a host function,");
    }
    if (atomic_load(&thread->state) != THREAD_WAITS) {
        stuck_add(t, " only loops");
        return;
    }
    stuck_add(t, " waits for %s", w->what ? w->what : kind_names[w->kind]);
    if (w->object && !w->what) {
        stuck_add(t, " %" PRIu64, w->object);
    }
    add_place(t, "at", &thread->waits_at);
    o = w->kind == WAIT_JOIN ? NULL : object_by_number(w->object);
    if (o && o->holder) {
        stuck_add(t, ", which thread %" PRIu32 " has held", o->holder->number);
        add_place(t, "since", &o->held_at);
    }
}

static struct text free_text;

static void add_free(struct thread *thread)
{
    const struct turn_wait *w = &thread->wait;

    if (w->kind != WAIT_NONE) {
        stuck_add(&free_text, "%sthread %" PRIu32 " waits for %s", free_text.len ? "; " : "",
                  thread->number, kind_names[w->kind]);
        add_place(&free_text, "at", &thread->waits_at);
    }
}

char *stuck_who_waits(void)
{
    stuck_cut(&free_text, 0);
    roster_each(add_free);
    return free_text.len ? strdup(free_text.s) : NULL;
}

#define DEADLOCK_TODO "take the locks in one order everywhere"

void stuck_ring_report(struct thread *const *ring, unsigned n)
{
    static struct text t;
    unsigned first = 0;

    for (unsigned i = 1; i < n; i++) { /* whoever has closed the ring */
        first = ring[i]->number < ring[first]->number ? i : first;
    }
    for (unsigned i = 0; i < n; i++) {
        const struct thread *thread = ring[(first + i) % n];

        stuck_add(&t, "%sthread %" PRIu32, t.len ? "; " : "", thread->number);
        if (thread->created_at.pc[0]) {
            add_place(&t, "(created at", &thread->created_at);
            stuck_add(&t, ")");
        }
        stuck_add(&t, " waits for mutex");
        add_place(&t, "at", &thread->wants_at);
        if (n == 1) {
            stuck_add(&t, ", which it holds itself");
        } else {
            stuck_add(&t, ", which thread %" PRIu32 " holds", ring[(first + i + 1) % n]->number);
        }
    }
    turn_board->finding("deadlock", t.s, DEADLOCK_TODO, &ring[first]->wants_at);
}

#define BOARD_TODO                                                                              \
    DEADLOCK_TODO ", and do not wait for a stream while holding a lock that its host function " \
                  "takes"

static void add_number(struct text *t, const struct thread *thread)
{
    stuck_add(t, "%sthread %" PRIu32, t->len ? "; " : "", thread->number);
    if (thread->created_at.pc[0] && !thread->in_application) { /* that one is the driver's */
        add_place(t, "(created at", &thread->created_at);
        stuck_add(t, ")");
    }
}

_Noreturn void stuck_board_end(const struct thread *self, const struct sched_stack *where,
                               struct thread *const *ring, unsigned n)
{
    static struct text t;

    add_number(&t, self);
    add_place(&t, "waits at", where);
    stuck_add(&t, " for work of the board, which waits for a host function");
    for (unsigned i = 0; i < n; i++) {
        add_number(&t, ring[i]);
        stuck_add(&t, "%s waits for mutex", i ? "" : ", in a host function,");
        add_place(&t, "at", &ring[i]->wants_at);
        stuck_add(&t, ", which thread %" PRIu32 " holds",
                  i + 1 < n ? ring[i + 1]->number : self->number);
    }
    turn_board->finding("deadlock", t.s, BOARD_TODO, where);
    fflush(NULL);
    _exit(SCHED_EXIT_STUCK);
}

static const char *const lock_names[] = {
    [GRAPH_MUTEX] = "mutex", [GRAPH_RWLOCK] = "read-write lock", [GRAPH_SPINLOCK] = "spin lock"
};

/* Locks have letters: their numbers would depend on who came first. */
static void add_lock(struct text *t, const struct graph_lock *lock, unsigned letter,
                     const struct sched_stack *at)
{
    stuck_add(t, "%s %c%s", lock_names[lock->kind], 'A' + (int)letter,
              lock->read ? " as reader" : "");
    add_place(t, "at", at);
}

void stuck_order_report(const struct graph_ring *ring)
{
    static struct text t;

    stuck_cut(&t, 0);
    stuck_add(&t, "no thread had to wait in this run, but these threads can deadlock: ");
    for (unsigned i = 0; i < ring->n; i++) {
        const struct graph_edge *e = &ring->edge[i];

        stuck_add(&t, "%sthread %" PRIu32, i ? "; " : "", e->thread);
        if (e->created_at && e->created_at->pc[0]) {
            add_place(&t, "(created at", e->created_at);
            stuck_add(&t, ")");
        }
        stuck_add(&t, " takes ");
        add_lock(&t, &e->from, i, &e->from_at);
        stuck_add(&t, " and, holding it, ");
        add_lock(&t, &e->to, (i + 1) % ring->n, &e->to_at);
    }
    turn_board->warning("lock-order", "POSIX, pthread_mutex_lock", t.s,
                        DEADLOCK_TODO ", or together: std::scoped_lock, std::lock()",
                        &ring->edge[0].to_at);
}

void stuck_order_given_up_report(unsigned rings)
{
    fprintf(stderr,
            "vtegra: lock-order: this program has too many locks, or takes them in too many ways: "
            "after %u finding%s not all of it was checked\n",
            rings, rings == 1 ? "" : "s");
}

/* Are only the driver's threads left? */
static bool is_nobodys(void)
{
    struct thread *thread;

    for (unsigned i = 0; (thread = turn_thread_at(i)) != NULL; i++) {
        if (thread->wait.kind != WAIT_SERVICE) {
            return false;
        }
    }
    return true;
}

static _Noreturn void stuck_end(const char *rule, const char *what, const char *todo)
{
    static struct text t;
    char *streams = turn_board ? turn_board->streams() : NULL;
    struct thread *first = turn_thread_at(0), *thread;

    turn_self->inside = true;
    stuck_add(&t, "%s", "");
    for (unsigned i = 0; (thread = turn_thread_at(i)) != NULL; i++) {
        add_thread(&t, thread);
    }
    if (is_nobodys()) { /* measured: NVIDIA's driver on an H200 does so, too */
        stuck_add(&t,
                  "every thread of the program has ended, main() by pthread_exit(), and the CUDA "
                  "driver's own thread keeps the process for ever");
    }
    if (streams) {
        stuck_add(&t, "; %s", streams);
    }
    if (turn_board) {
        turn_board->finding(rule, t.s, todo, first ? &first->waits_at : NULL);
    } else {
        fprintf(stderr, "vtegra: %s: %s\n  To do: %s\n", what, t.s, todo);
    }
    fflush(NULL);
    _exit(SCHED_EXIT_STUCK);
}

/* Does a thread wait so? */
static bool waits_for(enum wait_kind kind)
{
    struct thread *thread;

    for (unsigned i = 0; (thread = turn_thread_at(i)) != NULL; i++) {
        if (thread->wait.kind == kind && atomic_load(&thread->state) == THREAD_WAITS) {
            return true;
        }
    }
    return false;
}

static bool waits_in_host_function(void)
{
    struct thread *thread;

    for (unsigned i = 0; (thread = turn_thread_at(i)) != NULL; i++) {
        if (thread->in_application && atomic_load(&thread->state) == THREAD_WAITS) {
            return true;
        }
    }
    return false;
}

/* A lost signal is no matter of locks. */
static const char *deadlock_todo(void)
{
    if (is_nobodys()) {
        return "end the process: call exit(), or let main() join its threads and return";
    }
    if (waits_in_host_function() && waits_for(WAIT_MUTEX)) {
        return BOARD_TODO;
    }
    if (waits_for(WAIT_MUTEX) || waits_for(WAIT_RWLOCK) || waits_for(WAIT_SPINLOCK)) {
        return DEADLOCK_TODO ", or wake the waiting thread";
    }
    if (waits_for(WAIT_COND)) {
        return "wake the waiting thread: a condition does not keep a signal, so set a flag under "
               "the lock before the signal, and wait in a loop that tests the flag";
    }
    return waits_for(WAIT_FUTEX)
               ? "wake the waiting thread: semaphores, barriers, latches and atomic waits of C++ "
                 "use futexes, so find the missing release(), arrival or notify"
               : "wake the waiting thread";
}

_Noreturn void turn_deadlock(void)
{
    stuck_end("deadlock", "deadlock", deadlock_todo());
}

_Noreturn void turn_livelock(void)
{
    stuck_end("livelock", "livelock: every thread only waits in a loop",
              "find the thread that should change the values for which the loops wait");
}
