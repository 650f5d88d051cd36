/* SPDX-License-Identifier: MIT */
/* Shared by the files that stand in front of the C library: lock.c, robust.c, cond.c, thread.c,
 * read_write.c, poll.c, clock.c, futex.c and their neighbours.
 *
 * Each function begins alike: where threads run freely, or the scheduler itself is at work, the C
 * library's function does it; else it is a switch point and may not block for real. */
#ifndef SCHED_FRONT_H
#define SCHED_FRONT_H

#include <errno.h>
#include <signal.h>
#include <time.h>

#include "sched/calls/real.h"
#include "sched/object/object.h"
#include "sched/turn/free.h"
#include "sched/turn/turn.h"

/* Is this code of vtegra's own libraries? Their locks order nothing that the program may rely on,
 * and are no switch points. */
bool front_is_ours(uintptr_t pc);

/* struct vtegra_sched, called. */
bool front_called(uintptr_t pc, struct sched_called *out);

/* A switch point of the program's own code. */
static inline void front_point(struct thread *self, uintptr_t pc)
{
    if (!front_is_ours(pc)) {
        turn_point(self);
    }
}

/* A call that waited in vain, as a loop makes it again and again. @self NULL: threads run freely.
 */
static inline void front_loop(struct thread *self, uintptr_t pc)
{
    if (self) {
        turn_yield(self);
    } else {
        free_loop(FREE_LOOK, pc);
    }
}

/* Edges for the checker. Return: see object_release(). */
static inline uint64_t front_release(const void *object, uintptr_t pc)
{
    return turn_board && !front_is_ours(pc) ? object_release(object) : 0;
}

static inline void front_acquire(const void *object, uintptr_t pc)
{
    if (turn_board && !front_is_ours(pc)) {
        object_acquire(object);
    }
}

/* The same for a flag that the program's own code looks at with atomics, too. */
static inline void front_flag_release(const void *flag, uintptr_t pc)
{
    if (turn_board && !front_is_ours(pc)) {
        object_flag(flag, true);
    }
}

static inline void front_flag_acquire(const void *flag, uintptr_t pc)
{
    if (turn_board && !front_is_ours(pc)) {
        object_flag(flag, false);
    }
}

/* mutex of lock.c, for conditions. Return: 0 or an error number. */
int front_mutex_lock(struct thread *self, pthread_mutex_t *m, uint64_t until_ns, uintptr_t pc);
int front_mutex_unlock(struct thread *self, pthread_mutex_t *m, uintptr_t pc);

/* lock.c: a read-write lock, of GLib's, too. */
void front_rwlock_acquire(const void *lock, bool write, uintptr_t pc);
/* Another lock from now on. */
void front_rwlock_forget(const void *lock, size_t size);
void front_rwlock_release(const void *lock, bool write, uintptr_t pc);

/* robust.c, pthread_mutexattr_setrobust(3). */
bool front_is_robust(const pthread_mutex_t *m);
/* @m was locked with @r: 0 or EOWNERDEAD. */
void front_robust_took(int r, const pthread_mutex_t *m, uintptr_t pc);
/* It was tried in turns, and is lost for ever: all hear so. */
void front_lost(const struct thread *self, pthread_mutex_t *m);
/* The calling thread ends. */
void front_owner_ends(void);
/* It has the turn: who waits for one that it holds goes on. */
void front_owner_ended(struct thread *self);

/* The functions of the C library with these names (pthread_mutex_lock and so on), called at @pc. */
int front_lock(pthread_mutex_t *m, uintptr_t pc);
int front_trylock(pthread_mutex_t *m, uintptr_t pc);
int front_timedlock(pthread_mutex_t *m, const struct timespec *until, uintptr_t pc);
int front_unlock(pthread_mutex_t *m, uintptr_t pc);
int front_cond_wait(pthread_cond_t *c, pthread_mutex_t *m, uintptr_t pc);
int front_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *at,
                         uintptr_t pc);
int front_cond_signal(pthread_cond_t *c, uintptr_t pc);
int front_cond_broadcast(pthread_cond_t *c, uintptr_t pc);
int front_once(pthread_once_t *once, void (*routine)(void), uintptr_t pc);
int front_create(pthread_t *handle, const pthread_attr_t *attr, void *(*start)(void *), void *arg,
                 uintptr_t pc);
int front_yield(uintptr_t pc);
ssize_t front_read(int fd, void *buf, size_t n, uintptr_t pc);
ssize_t front_write(int fd, const void *buf, size_t n, uintptr_t pc);
int front_join(struct thread *self, pthread_t handle, void **result, uint64_t until_ns,
               uintptr_t pc);
/* futex.c: a system call of the program. @self NULL: it is made as it is. */
long front_syscall(struct thread *self, long number, const long a[6], uintptr_t pc);
/* clock.c: until a virtual time. Return: ns left when a signal handler ended it, else 0. */
uint64_t front_sleep(struct thread *self, uint64_t until_ns, uintptr_t pc);

/* An object that other processes share, or a call of which nothing can be asked: the C library
 * waits, the thread's turn is over meanwhile. One that is cancelled there takes turns again before
 * the program's cleanup handlers run. */
#define FRONT_OUTSIDE(self, call)                              \
    (__extension__({                                           \
        __typeof__(call) outside_result;                       \
        int outside_error;                                     \
                                                               \
        turn_outside_begin(self);                              \
        pthread_cleanup_push(front_outside_cancelled, (self)); \
        outside_result = (call);                               \
        outside_error = errno;                                 \
        pthread_cleanup_pop(0);                                \
        turn_outside_end(self);                                \
        errno = outside_error;                                 \
        outside_result;                                        \
    }))

void front_outside_cancelled(void *self);

/* glib_main.c: poll(2) called at @pc is about to return. */
void front_polled(uintptr_t pc);
/* descriptor.c: is one of @set in this line ("\nSigPnd:") of /proc/self/task/TID/status? */
bool front_signal_in(pid_t tid, const char *line, const sigset_t *set);
/* Is one of @set pending for the process, or for its thread @tid? */
bool front_signal_pending(pid_t tid, const sigset_t *set);
/* clock.c: @until_ns as the real time of @clock, for it. NULL: for ever. */
const struct timespec *front_real_until(clockid_t clock, uint64_t until_ns, struct timespec *out);

/* clock.c: an absolute time as virtual time; TURN_FOREVER for NULL. */
uint64_t front_until(clockid_t clock, const struct timespec *at);
/* From now on. */
uint64_t front_after(const struct timespec *how_long);
bool front_time_valid(const struct timespec *t);

/* caller.c: the program's place of a call, where compiler hooks stand between it and us. */
uintptr_t front_program(uintptr_t pc);

#endif
