/* SPDX-License-Identifier: MIT */
/* Turns: one thread of the application runs, all others wait for their turn.
 *
 * Whoever has the turn does the scheduler's work on its own stack: at a switch point it asks the
 * decision source, hands the turn over and waits on a futex of its own. Nothing here needs a lock.
 * A thread that waits for a mutex, a condition, a descriptor, a time ... is not enabled until the
 * waker, or its own question, says so.
 */
#ifndef SCHED_TURN_H
#define SCHED_TURN_H

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/decide.h"
#include "sched/sched.h"
#include "sched/object/stack.h"

enum wait_kind {
    WAIT_NONE,
    WAIT_MUTEX,
    WAIT_COND,
    WAIT_RWLOCK,
    WAIT_SPINLOCK,
    WAIT_BARRIER,
    WAIT_SEM,
    WAIT_ONCE,
    WAIT_JOIN,
    WAIT_FUTEX,
    WAIT_SLEEP,
    WAIT_FD,
    WAIT_CHILD,
    WAIT_SEMOP,       /* ipc.c, as the next three */
    WAIT_MESSAGE,     /* of System V */
    WAIT_FLOCK,       /* of flock() */
    WAIT_RECORD_LOCK, /* of lockf() */
    WAIT_BOARD,
    WAIT_SERVICE, /* for others that need it */
    WAIT_KINDS
};

#define TURN_FOREVER UINT64_MAX

/**
 * struct turn_wait - what a thread waits for
 * @key: turn_wake() of the same key ends it; may be NULL
 * @until_ns: virtual time at which it ends anyway, TURN_FOREVER
 * @ready: asked at every switch point, may be NULL
 * @fds, @nfds: what poll(2) would end it, for when no thread can go on; may be NULL
 * @what: words for the report, constant; NULL: by kind. @pc: the waiting call of the application
 * @holder: the thread that could end it; -1 unknown
 * @firm: WAIT_BOARD: it does not end because nothing can go on
 */
struct turn_wait {
    enum wait_kind kind;
    const void *key;
    uint64_t until_ns;
    bool (*ready)(void *arg);
    void *arg;
    struct pollfd *fds;
    nfds_t nfds;
    const char *what;
    uint64_t object;
    uintptr_t pc;
    bool firm;
    bool interrupts; /* a signal handler ends it, as signal(7) has it even with SA_RESTART */
};

enum thread_state { THREAD_ENABLED, THREAD_WAITS, THREAD_OUTSIDE, THREAD_DONE };

#define SPIN_STATES 8
#define SPIN_PLACES 32
#define SPIN_WORDS 64
#define SPIN_MEMORY 16384
struct thread_spin { /* spin.c */
    uint64_t events, hash[SPIN_STATES];
    unsigned seen[SPIN_STATES], next, rounds;
    bool sure;            /* it loops */
    unsigned ticks;       /* since the last event */
    unsigned clock_ticks; /* in a row, with many looks at a clock; many of them: overdue */
    atomic_uint clock_looks;
    atomic_bool overdue;
    unsigned places, samples, again;
    uint64_t varied; /* bit per word that was not the same at the same place */
};
struct spin_room { /* spin.c: of a thread that is watched; most of what a thread takes */
    struct spin_place {
        uintptr_t pc;
        uint64_t word[SPIN_WORDS];
    } place[SPIN_PLACES];
    uint64_t memory[SPIN_MEMORY / sizeof(uint64_t)]; /* room for a look at memory */
};
struct thread_loop { /* free.c */
    uint64_t work;
    unsigned turns, rounds;
};

/**
 * struct thread - one thread of the application
 * @go: futex: it is this thread's turn
 * @inside: in the scheduler itself, where pthread functions are the C library's
 * @outcome: how its last wait ended
 * @leaving: cleanups of thread exit still to come before it is done
 * @in_application: see struct vtegra_sched, application
 * @watch: loads of few places, nothing else: a loop that waits
 * @wants, @wants_at: ring.c: the mutex that it is about to lock, or waits for; NULL: none
 * @locks: where it waits in the C library while threads run freely: addresses of locks of the
 *         program's; NULL: nowhere
 * @stack_size: that of its stack
 * @waits_at: of @wait, where that is known better than by its pc
 */
struct thread {
    uint32_t number;
    pthread_t handle;
    pid_t tid;
    _Atomic unsigned go;
    _Atomic enum thread_state state;
    atomic_bool inside; /* watch.c looks from another thread */
    atomic_bool holds; /* it has the turn in a call that waits for real: no other thread was runnable then */
    bool reported, joined, detached;
    bool cancelled;   /* pthread_cancel(), which no wait has ended at yet */
    int cancel_state, cancel_type; /* the program's; in the scheduler nothing ends it */
    bool suppressed;    /* its lock operations are not recorded, in any library: see struct vtegra_sched */
    bool inside_before; /* suppressed: the value of inside before that */
    enum { WAIT_ENDED, WAIT_TIMED_OUT, WAIT_INTERRUPTED, WAIT_HOPELESS } outcome;
    atomic_uint signals; /* handlers of the program that ran while it waited */
    atomic_uint awaits;  /* how often it has come out of the kernel while it waited for its turn */
    atomic_bool killed;  /* turn_signal() counts this one */
    atomic_uint ticks;   /* signals of spin.c's */
    unsigned wait_signals;
    struct turn_wait wait;
    uint32_t futex_bits;
    void *(*start)(void *);
    void *arg;
    struct sched_stack created_at, waits_at;
    size_t stack_size;
    struct order *order; /* order.c; NULL: it has locked nothing yet */
    unsigned destructor_rounds;
    struct vtegra_track_watch watch;
    struct thread_spin spin;
    timer_t spin_timer;
    atomic_bool spin_watched; /* by whoever came first */
    bool spin_ticks;          /* there is a timer */
    uint64_t spin_looked_ns;  /* its CPU time when the last look was over */
    struct spin_room *spin_room; /* goes when the thread is forgotten; the rest of this stays */
    struct thread_loop loop;
    const pthread_mutex_t *_Atomic wants;
    struct sched_stack wants_at;
    const void *_Atomic locks[2];
    uint64_t work; /* how often it gave the board something to do */
    bool in_application;
    uint64_t events;      /* calls and accesses of its own that were seen */
    struct thread_watch { /* watch.c: what it saw of the one with the turn */
        const struct thread *seen;
        uint64_t state;
    } looked;
};

/* state.c */
extern bool turn_on; /* the policy is seeded */
extern _Thread_local struct thread *turn_self __attribute__((tls_model("initial-exec")));

/* The calling thread, if this call is the scheduler's business. */
static inline struct thread *turn_thread(void)
{
    struct thread *self = turn_self;

    return __builtin_expect(turn_on, 0) && self && !self->inside ? self : NULL;
}

#define TURN_CALLER ((uintptr_t)__builtin_return_address(0))

void turn_init(const struct decide_config *config, const char *schedule, int record);

/* A switch point: perhaps another thread goes first. */
void turn_point(struct thread *self);
/* The same for a thread that only waits in a loop: others go first if they can. */
void turn_yield(struct thread *self);
/* The same, noticed by time: it has looped for long. */
void turn_spin(struct thread *self);
/* It may have, or it computes: others go first, and nothing is made of it. */
void turn_pass(struct thread *self);
/* Something happened that others may have waited for in a loop. */
void turn_progress(struct thread *self);

/* Wait. Return: true if it ended; false if the time is over (or, WAIT_BOARD: nothing can go on). */
bool turn_block(struct thread *self, const struct turn_wait *wait);

/* Up to @n of the threads that wait for @key with one of the futex @bits can go on; which, the
 * decision source says. Return: how many. */
#define TURN_ALL UINT32_MAX
unsigned turn_wake(struct thread *self, const void *key, unsigned n, uint32_t bits);

/* Our own code may be a cancellation point and holds locks: around it, once at a time, with
 * self->inside set before the one and taken back by the other. */
void turn_cancel_off(struct thread *self);
void turn_leave(struct thread *self);

/* The thread makes a call that blocks in the kernel, and of which nothing can be known. */
void turn_outside_begin(struct thread *self);
void turn_outside_end(struct thread *self);

/* The thread with the turn sleeps where the scheduler does not see it: @self, which waits for its turn, goes on
 * for it. Return: another thread has done it, or none is runnable. */
bool turn_take_over(struct thread *self, struct thread *from);
struct thread *turn_owner(void);

/* @send(@arg) sends @t, which waits for its turn, a signal that a handler of the program's takes:
 * the handler is over when this returns, and the wait that it interrupts has ended. */
int turn_signal(struct thread *t, int (*send)(void *arg), void *arg);

/* What the thread was seen to do: changes with each. */
uint64_t turn_events(const struct thread *self);

/* Virtual time since the start of the run; a look at a clock at @pc takes a little of it, and is a
 * turn of a loop that waits where @self does nothing else. */
uint64_t turn_now_ns(void);
uint64_t turn_clock_look(struct thread *self, uintptr_t pc);

/* Threads come and go. */
struct thread *turn_thread_new(void);
void turn_thread_enter(struct thread *self);        /* first thing on the new thread */
void turn_thread_leave(struct thread *self);        /* last thing */
void turn_thread_cancel_new(struct thread *thread); /* it could not be started */
void turn_interrupt(struct thread *thread);         /* cancelled: its wait, or the next, ends */
struct thread *turn_thread_find(pthread_t handle);
/* Its handle may be used again. Return: one that was forgotten long before and that no record names
 * any more; NULL. */
struct thread *turn_thread_forget(struct thread *thread);
unsigned turn_threads(void);
struct thread *turn_thread_at(unsigned i);

/* The board and its notes. */
/* state.c. NULL: it is down, at any time where threads do not take turns: who uses it there reads
 * it once. */
extern const struct sched_board *turn_board;
/* In a child of fork(), of the parent's: its @mapped and @opened; else NULL. */
extern const struct sched_board *turn_left;
struct decide *turn_decide(void);
void turn_board_set(const struct sched_board *board); /* NULL: it is down; time goes on */
/* See struct vtegra_sched, choose. */
int turn_choose(const uint32_t *agent, unsigned n);

/* No thread is runnable. stuck.c. Ends the process. */
_Noreturn void turn_deadlock(void);
_Noreturn void turn_livelock(void);

#endif
