/* SPDX-License-Identifier: MIT */
/* System V's semaphores and messages, and locks of files.
 *
 * Nothing shows when such a call would not block any more: another process may be the reason. So a
 * call is made in its form that never blocks, and where it would have blocked the thread waits, and
 * the call is repeated for it at every switch point. Of several threads that wait for the same, the
 * one with the lowest number is served first. */
#include "sched/calls/front.h"

#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <unistd.h>

/* One object each for the checker: which queue or file it is cannot be asked for all of them. */
static const char sysv, file_locks;

/**
 * struct ipc_call - one call of the program
 * @kind: what it waits for
 * @attempt: the call in the form that never blocks, with the program's arguments in @args. Return:
 * as the call; errno EAGAIN where the call would have blocked
 * @until_ns: semtimedop()'s, TURN_FOREVER
 * @restarts: signal(7): a handler with SA_RESTART does not end it
 * @blocked: the thread has waited for it
 * @over, @result, @error: the call has been made, what it returned, and its errno
 */
struct ipc_call {
    enum wait_kind kind;
    ssize_t (*attempt)(const void *args);
    const void *args;
    uint64_t until_ns;
    bool restarts;
    bool blocked;
    bool over;
    ssize_t result;
    int error;
};

/* A question of struct turn_wait: runs on any thread. */
static bool ipc_call_over(void *opaque)
{
    struct ipc_call *call = opaque;
    int error = errno;

    if (!call->over) {
        call->result = call->attempt(call->args);
        /* Removed meanwhile: semop(2) and msgop(2) have another error for a call that waits. */
        call->error = call->blocked && errno == EINVAL ? EIDRM : errno;
        call->over = call->result >= 0 || call->error != EAGAIN;
    }
    errno = error;
    return call->over;
}

/* Has the program a handler that ends calls which others restart? Which one ran is not known. */
static bool ipc_handler_interrupts(void)
{
    struct sigaction now;

    for (int sig = 1; sig < _NSIG; sig++) {
        if (sigaction(sig, NULL, &now) == 0 && now.sa_handler != SIG_DFL &&
            now.sa_handler != SIG_IGN && !(now.sa_flags & SA_RESTART) &&
            !front_is_ours((uintptr_t)now.sa_handler)) {
            return true;
        }
    }
    return false;
}

/* Wait once. Return: 0, or the error that ends the call without its having been made. */
static int ipc_call_block(struct thread *self, struct ipc_call *call, uintptr_t pc)
{
    call->blocked = true;
    turn_block(self, &(struct turn_wait){ .kind = call->kind,
                                          .until_ns = call->until_ns,
                                          .ready = ipc_call_over,
                                          .arg = call,
                                          .pc = pc,
                                          .interrupts = true });
    if (call->over) {
        return 0;
    }
    if (call->kind == WAIT_MESSAGE || call->kind == WAIT_RECORD_LOCK) { /* as pthreads(7) has it */
        pthread_testcancel();
    }
    if (self->outcome == WAIT_TIMED_OUT) {
        return EAGAIN;
    }
    return self->outcome == WAIT_INTERRUPTED && (!call->restarts || ipc_handler_interrupts())
               ? EINTR
               : 0;
}

/* The call of a thread that takes turns: as the blocking one. */
static ssize_t ipc_call_make(struct thread *self, struct ipc_call *call, uintptr_t pc)
{
    front_point(self, pc);
    while (!ipc_call_over(call)) {
        int error = ipc_call_block(self, call, pc);

        if (error) {
            errno = error;
            return -1;
        }
    }
    if (call->result >= 0) {
        turn_progress(self);
    }
    errno = call->error;
    return call->result;
}

/* The same where the program asks not to wait: a loop may do so again and again. */
static ssize_t ipc_call_once(struct thread *self, struct ipc_call *call, uintptr_t pc)
{
    front_point(self, pc);
    ipc_call_over(call);
    if (call->result >= 0) {
        turn_progress(self);
    } else if (call->error == EAGAIN) {
        turn_yield(self);
    }
    errno = call->error;
    return call->result;
}

/* --- semaphores ------------------------------------------------------------------------------- */

struct semop_args {
    int id;
    struct sembuf *ops;
    size_t n;
};

#define SEMOPS_MAX 500u /* SEMOPM of Linux: more are E2BIG, semop(2) */

static ssize_t semop_attempt(const void *opaque)
{
    const struct semop_args *a = opaque;
    struct sembuf ops[SEMOPS_MAX];

    for (size_t i = 0; i < a->n; i++) {
        ops[i] = a->ops[i];
        ops[i].sem_flg |= IPC_NOWAIT;
    }
    return REAL(semop)(a->id, ops, a->n);
}

/* How many of the operations are not to wait? */
static size_t semops_nowait(const struct sembuf *ops, size_t n)
{
    size_t nowait = 0;

    for (size_t i = 0; i < n; i++) {
        nowait += (ops[i].sem_flg & IPC_NOWAIT) != 0;
    }
    return nowait;
}

/* Where only some are not to wait the kernel alone knows which one stands in the way. */
static int semop_in_turn(struct thread *self, const struct semop_args *a, const struct timespec *t,
                         uintptr_t pc)
{
    struct ipc_call call = {
        .kind = WAIT_SEMOP, .attempt = semop_attempt, .args = a, .until_ns = front_after(t)
    };
    size_t nowait = a->n <= SEMOPS_MAX ? semops_nowait(a->ops, a->n) : 0;

    if (a->n > SEMOPS_MAX || (t && !front_time_valid(t))) {
        return REAL(semtimedop)(a->id, a->ops, a->n, t);
    }
    if (nowait == 0) {
        return (int)ipc_call_make(self, &call, pc);
    }
    return nowait == a->n ? (int)ipc_call_once(self, &call, pc)
                          : FRONT_OUTSIDE(self, REAL(semtimedop)(a->id, a->ops, a->n, t));
}

static int semop_at(int id, struct sembuf *ops, size_t n, const struct timespec *t, uintptr_t pc)
{
    struct thread *self = turn_thread();
    int r;

    front_release(&sysv, pc);
    r = self ? semop_in_turn(self, &(struct semop_args){ id, ops, n }, t, pc)
             : FREE_WAIT(WAIT_SEMOP, pc, REAL(semtimedop)(id, ops, n, t));
    if (r >= 0) {
        front_acquire(&sysv, pc);
    }
    return r;
}

SCHED_EXPORT int semop(int id, struct sembuf *ops, size_t n)
{
    return semop_at(id, ops, n, NULL, TURN_CALLER);
}

SCHED_EXPORT int semtimedop(int id, struct sembuf *ops, size_t n, const struct timespec *t)
{
    return semop_at(id, ops, n, t, TURN_CALLER);
}

/* --- messages --------------------------------------------------------------------------------- */

struct message_args {
    int id;
    void *m; /* msgsnd() only reads it */
    size_t n;
    long type;
    int flags;
};

static ssize_t send_attempt(const void *opaque)
{
    const struct message_args *a = opaque;

    return REAL(msgsnd)(a->id, a->m, a->n, a->flags | IPC_NOWAIT);
}

/* ENOMSG where the call would have blocked, and also where it is not to. */
static ssize_t receive_attempt(const void *opaque)
{
    const struct message_args *a = opaque;
    ssize_t r = REAL(msgrcv)(a->id, a->m, a->n, a->type, a->flags | IPC_NOWAIT);

    errno = r < 0 && errno == ENOMSG ? EAGAIN : errno;
    return r;
}

static ssize_t message_in_turn(struct thread *self, ssize_t (*attempt)(const void *args),
                               const struct message_args *a, uintptr_t pc)
{
    struct ipc_call call = {
        .kind = WAIT_MESSAGE, .attempt = attempt, .args = a, .until_ns = TURN_FOREVER
    };

    return a->flags & IPC_NOWAIT ? ipc_call_once(self, &call, pc) : ipc_call_make(self, &call, pc);
}

SCHED_EXPORT int msgsnd(int id, const void *m, size_t n, int flags)
{
    struct message_args a = { .id = id, .m = (void *)m, .n = n, .flags = flags };
    struct thread *self = turn_thread();
    int r;

    front_release(&sysv, TURN_CALLER);
    r = self ? (int)message_in_turn(self, send_attempt, &a, TURN_CALLER)
             : FREE_WAIT(WAIT_MESSAGE, TURN_CALLER, REAL(msgsnd)(id, m, n, flags));
    if (r >= 0) {
        front_acquire(&sysv, TURN_CALLER);
    }
    return r;
}

SCHED_EXPORT ssize_t msgrcv(int id, void *m, size_t n, long type, int flags)
{
    struct message_args a = { id, m, n, type, flags };
    struct thread *self = turn_thread();
    ssize_t r;

    front_release(&sysv, TURN_CALLER);
    r = self ? message_in_turn(self, receive_attempt, &a, TURN_CALLER)
             : FREE_WAIT(WAIT_MESSAGE, TURN_CALLER, REAL(msgrcv)(id, m, n, type, flags));
    if (r >= 0) {
        front_acquire(&sysv, TURN_CALLER);
    } else if (self && errno == EAGAIN) {
        errno = ENOMSG; /* only with IPC_NOWAIT */
    }
    return r;
}

/* --- locks of files --------------------------------------------------------------------------- */

struct lock_args {
    int fd, operation;
    off_t n;
};

static ssize_t flock_attempt(const void *opaque)
{
    const struct lock_args *a = opaque;

    return REAL(flock)(a->fd, a->operation | LOCK_NB);
}

static ssize_t lockf_attempt(const void *opaque)
{
    const struct lock_args *a = opaque;

    return REAL(lockf)(a->fd, a->operation == F_LOCK ? F_TLOCK : a->operation, a->n);
}

static int flock_in_turn(struct thread *self, const struct lock_args *a, uintptr_t pc)
{
    struct ipc_call call = { .kind = WAIT_FLOCK,
                             .attempt = flock_attempt,
                             .args = a,
                             .until_ns = TURN_FOREVER,
                             .restarts = true };

    return (int)(a->operation & LOCK_NB ? ipc_call_once(self, &call, pc)
                                        : ipc_call_make(self, &call, pc));
}

/* Locks of lockf() are the process's: only another process stands in the way of one. The kernel
 * reports EDEADLK where two processes wait for each other; here such calls wait. */
static int lockf_in_turn(struct thread *self, const struct lock_args *a, uintptr_t pc)
{
    struct ipc_call call = { .kind = WAIT_RECORD_LOCK,
                             .attempt = lockf_attempt,
                             .args = a,
                             .until_ns = TURN_FOREVER,
                             .restarts = true };

    return (int)(a->operation == F_LOCK ? ipc_call_make(self, &call, pc)
                                        : ipc_call_once(self, &call, pc));
}

SCHED_EXPORT int flock(int fd, int operation)
{
    struct thread *self = turn_thread();
    int r;

    front_release(&file_locks, TURN_CALLER);
    r = self ? flock_in_turn(self, &(struct lock_args){ fd, operation, 0 }, TURN_CALLER)
             : REAL(flock)(fd, operation);
    if (r == 0) {
        front_acquire(&file_locks, TURN_CALLER);
    }
    return r;
}

SCHED_EXPORT int lockf(int fd, int what, off_t n)
{
    struct thread *self = turn_thread();
    int r;

    front_release(&file_locks, TURN_CALLER);
    r = self ? lockf_in_turn(self, &(struct lock_args){ fd, what, n }, TURN_CALLER)
             : FREE_WAIT(WAIT_RECORD_LOCK, TURN_CALLER, REAL(lockf)(fd, what, n));
    if (r >= 0) {
        front_acquire(&file_locks, TURN_CALLER);
    }
    return r;
}
