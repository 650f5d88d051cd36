/* SPDX-License-Identifier: MIT */
/* Calls that may block in the kernel. A call that would not block is made at once; one that would
 * waits for its turn until it would not. What comes from outside the process (a terminal, a
 * network) comes when it comes. */
#include "runtime/track/track.h"
#include "sched/calls/front.h"
#include "sched/object/handover.h"
#include "sched/processes/round.h"
#include "sched/turn/world.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/**
 * struct fds_wait - a wait for descriptors
 * @signals: one of them ends it, too, when it is pending for the thread @tid, though it is blocked;
 * NULL: none does. What poll(2) says of a signalfd(2) is what is pending for whoever asks
 */
struct fds_wait {
    struct pollfd *fds;
    nfds_t nfds;
    const sigset_t *signals;
    pid_t tid;
};

static bool fds_ready(void *opaque)
{
    struct fds_wait *w = opaque;
    int error = errno;
    int n = REAL(poll)(w->fds, w->nfds, 0);

    errno = error;
    return n != 0 || (w->signals && front_signal_pending(w->tid, w->signals));
}

/* proc_pid_status(5), proc_pid_fdinfo(5): a set as a hexadecimal number after @name; into @set. */
static void signals_add(const char *path, const char *name, sigset_t *set)
{
    char text[4096];
    const char *at;
    uint64_t bits;
    ssize_t n = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd >= 0) {
        n = REAL(read)(fd, text, sizeof(text) - 1);
        close(fd);
    }
    text[n > 0 ? n : 0] = '\0';
    at = strstr(text, name);
    bits = at ? strtoull(at + strlen(name), NULL, 16) : 0;
    for (int sig = 1; sig <= 64; sig++) {
        if (bits >> (sig - 1) & 1) {
            sigaddset(set, sig);
        }
    }
}

/* Not sigisemptyset(3): glibc's overlooks real-time signals (it makes an int of the 64 bits). */
static bool is_any(const sigset_t *set)
{
    int sig = 1;

    while (sig < _NSIG && sigismember(set, sig) != 1) {
        sig++;
    }
    return sig < _NSIG;
}

bool front_signal_in(pid_t tid, const char *line, const sigset_t *set)
{
    char path[64];
    sigset_t in;

    sigemptyset(&in);
    snprintf(path, sizeof(path), "/proc/self/task/%d/status", (int)tid);
    signals_add(path, line, &in);
    sigandset(&in, &in, set);
    return is_any(&in);
}

bool front_signal_pending(pid_t tid, const sigset_t *set)
{
    return front_signal_in(tid, "\nShdPnd:", set) || front_signal_in(tid, "\nSigPnd:", set);
}

#define SIGNALFDS_MAX 16u /* more descriptors are not looked at */

/* Those of signalfd(2) among @fds, into @set. */
static void signals_of_fds(const struct pollfd *fds, nfds_t n, sigset_t *set)
{
    char path[64];

    for (nfds_t i = 0; i < n && n <= SIGNALFDS_MAX; i++) {
        snprintf(path, sizeof(path), "/proc/thread-self/fdinfo/%d", fds[i].fd);
        signals_add(path, "sigmask:", set);
    }
}

/* What comes when @mask is the thread's, and is not ignored then, into @set. */
static void signals_let_in(const sigset_t *mask, sigset_t *set)
{
    struct sigaction action;

    for (int sig = 1; sig < _NSIG; sig++) {
        bool quiet = sig == SIGCHLD || sig == SIGURG || sig == SIGWINCH || sig == SIGCONT;

        if (sigismember(mask, sig) == 0 && sigaction(sig, NULL, &action) == 0 &&
            action.sa_handler != SIG_IGN && !(action.sa_handler == SIG_DFL && quiet)) {
            sigaddset(set, sig);
        }
    }
}

/* @mask: of ppoll(2) and its kind, or NULL. Return: false when the time is over. */
static bool fds_wait(struct thread *self, struct pollfd *fds, nfds_t n, uint64_t until_ns,
                     uintptr_t pc, bool interrupts, const sigset_t *mask)
{
    struct fds_wait f = { .fds = fds, .nfds = n, .tid = self->tid };
    struct turn_wait w = { .kind = WAIT_FD, .until_ns = until_ns, .fds = fds, .nfds = n, .pc = pc };
    sigset_t signals;
    bool ended;

    w.interrupts = interrupts;
    w.ready = fds_ready;
    w.arg = &f;
    front_point(self, pc);
    if (!fds_ready(&f)) {
        sigemptyset(&signals);
        signals_of_fds(fds, n, &signals);
        if (mask) {
            signals_let_in(mask, &signals);
        }
        f.signals = is_any(&signals) ? &signals : NULL;
    }
    if (fds_ready(&f)) {
        turn_progress(self);
        return true;
    }
    ended = turn_block(self, &w);
    pthread_testcancel();
    return ended;
}

static void fd_wait(int fd, short events, uintptr_t pc)
{
    struct thread *self = turn_thread();
    struct pollfd one = { .fd = fd, .events = events };

    if (self && !front_is_ours(pc)) {
        fds_wait(self, &one, 1, TURN_FOREVER, pc, false, NULL);
    }
}

/* Where threads run freely: a descriptor that does not block is asked in a loop. */
static void free_fd_end(bool in_vain, uintptr_t pc)
{
    if (in_vain && errno == EAGAIN) {
        free_loop(FREE_LOOK, pc);
        errno = EAGAIN;
    }
}

/* The compiler hooks, which may stand between the program and us: of each object that has any. */
static struct vtegra_track_caller *track_callers;

/* Objects are loaded one after the other. */
SCHED_EXPORT void vtegra_track_enlist_caller(struct vtegra_track_caller *caller)
{
    caller->next = track_callers;
    __atomic_store_n(&track_callers, caller, __ATOMIC_RELEASE);
}

uintptr_t front_program(uintptr_t pc)
{
    const struct vtegra_track_caller *caller = __atomic_load_n(&track_callers, __ATOMIC_ACQUIRE);
    uintptr_t program = pc;

    for (; caller && program == pc; caller = caller->next) {
        program = caller->program(pc);
    }
    return program;
}

/* @call reads from @fd, at @pc. */
#define READ(fd, pc, call)                              \
    (__extension__({                                    \
        __typeof__(call) read_result;                   \
                                                        \
        if (!turn_thread()) {                           \
            read_result = FREE_WAIT(WAIT_FD, pc, call); \
            free_fd_end(read_result < 0, pc);           \
        } else {                                        \
            if (!is_nonblocking(fd)) {                  \
                fd_wait(fd, POLLIN, pc);                \
            }                                           \
            read_result = (call);                       \
        }                                               \
        if (read_result >= 0) {                         \
            handover_take(fd, pc);                      \
        }                                               \
        read_result;                                    \
    }))
#define READS(type, name, params, args)            \
    SCHED_EXPORT type name params                  \
    {                                              \
        uintptr_t pc = front_program(TURN_CALLER); \
                                                   \
        return READ(fd, pc, REAL(name) args);      \
    }
#define WRITES(type, name, params, args)            \
    SCHED_EXPORT type name params                   \
    {                                               \
        handover_give(fd, TURN_CALLER);             \
        if (turn_thread() && !is_nonblocking(fd)) { \
            fd_wait(fd, POLLOUT, TURN_CALLER);      \
        }                                           \
        return REAL(name) args;                     \
    }

/* Such a call never blocks; but a program that asks again and again must let others go on. */
static bool is_nonblocking(int fd)
{
    int flags = fcntl(fd, F_GETFL);

    if (flags >= 0 && flags & O_NONBLOCK && turn_thread()) {
        world_asked(fd);
        turn_yield(turn_self);
        return true;
    }
    return flags < 0;
}

ssize_t front_read(int fd, void *buf, size_t n, uintptr_t pc)
{
    return READ(fd, pc, REAL(read)(fd, buf, n));
}

SCHED_EXPORT ssize_t read(int fd, void *buf, size_t n)
{
    return front_read(fd, buf, n, front_program(TURN_CALLER));
}

READS(ssize_t, readv, (int fd, const struct iovec *v, int n), (fd, v, n))

READS(ssize_t, recv, (int fd, void *buf, size_t n, int flags), (fd, buf, n, flags))
READS(ssize_t, recvfrom,
      (int fd, void *restrict buf, size_t n, int flags, struct sockaddr *restrict from,
       socklen_t *restrict len),
      (fd, buf, n, flags, from, len))
/* The board's answers come so. */
SCHED_EXPORT ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
    uintptr_t pc = front_program(TURN_CALLER);
    bool served = round_on && front_is_ours(pc);
    ssize_t n;

    if (served) {
        round_served(true);
    }
    n = READ(fd, pc, REAL(recvmsg)(fd, m, flags));
    if (served) {
        round_served(false);
    }
    return n;
}

READS(int, accept, (int fd, struct sockaddr *restrict a, socklen_t *restrict len), (fd, a, len))
READS(int, recvmmsg, (int fd, struct mmsghdr *m, unsigned n, int flags, struct timespec *timeout),
      (fd, m, n, flags, timeout))
READS(int, accept4, (int fd, struct sockaddr *restrict a, socklen_t *restrict len, int flags),
      (fd, a, len, flags))

/* As _FORTIFY_SOURCE calls them: the C library ends the program where @room is too small. */
extern ssize_t __read_chk(int fd, void *buf, size_t n, size_t room);
extern ssize_t __recv_chk(int fd, void *buf, size_t n, size_t room, int flags);
extern ssize_t __recvfrom_chk(int fd, void *restrict buf, size_t n, size_t room, int flags,
                              struct sockaddr *restrict from, socklen_t *restrict len);
READS(ssize_t, __read_chk, (int fd, void *buf, size_t n, size_t room), (fd, buf, n, room))
READS(ssize_t, __recv_chk, (int fd, void *buf, size_t n, size_t room, int flags),
      (fd, buf, n, room, flags))
READS(ssize_t, __recvfrom_chk,
      (int fd, void *restrict buf, size_t n, size_t room, int flags, struct sockaddr *restrict from,
       socklen_t *restrict len),
      (fd, buf, n, room, flags, from, len))

/* As much as goes now, to a pipe or a socket. poll(2) is no help: it says that a socket whose queue
 * is a quarter full cannot be written, and that a pipe with one free page can. */
static ssize_t write_now(int fd, bool is_socket, const void *buf, size_t n, int flags)
{
    const struct iovec v = { (void *)buf, n };

    return is_socket ? REAL(send)(fd, buf, n, flags | MSG_DONTWAIT)
                     : pwritev2(fd, &v, 1, -1, RWF_NOWAIT);
}

/* The whole of it, as a blocking descriptor takes it: others go on where it is full. Return: what
 * write(2) would; -2: it is none of those, or the kernel has no such call. */
static ssize_t write_whole(int fd, const void *buf, size_t n, int flags, uintptr_t pc)
{
    struct thread *self = turn_thread();
    struct pollfd one = { .fd = fd, .events = POLLOUT };
    size_t done = 0;
    struct stat st;

    if (front_is_ours(pc) || fstat(fd, &st) != 0 ||
        (!S_ISFIFO(st.st_mode) && !S_ISSOCK(st.st_mode))) {
        return -2;
    }
    front_point(self, pc);
    while (done < n) {
        ssize_t r = write_now(fd, S_ISSOCK(st.st_mode), (const char *)buf + done, n - done, flags);

        if (r > 0) {
            done += (size_t)r;
            turn_progress(self);
        } else if (r < 0 && errno == EAGAIN) {
            fds_wait(self, &one, 1, TURN_FOREVER, pc, false, NULL);
        } else if (r < 0 && errno == EOPNOTSUPP) {
            return -2;
        } else {
            return done ? (ssize_t)done : r;
        }
    }
    return (ssize_t)done;
}

ssize_t front_write(int fd, const void *buf, size_t n, uintptr_t pc)
{
    handover_give(fd, pc);
    if (turn_thread() && n && !is_nonblocking(fd)) {
        ssize_t r = write_whole(fd, buf, n, 0, pc);

        if (r != -2) {
            return r;
        }
        fd_wait(fd, POLLOUT, pc);
    }
    return REAL(write)(fd, buf, n);
}

SCHED_EXPORT ssize_t write(int fd, const void *buf, size_t n)
{
    return front_write(fd, buf, n, TURN_CALLER);
}

SCHED_EXPORT ssize_t send(int fd, const void *buf, size_t n, int flags)
{
    handover_give(fd, TURN_CALLER);
    if (turn_thread() && n && !(flags & MSG_DONTWAIT) && !is_nonblocking(fd)) {
        ssize_t r = write_whole(fd, buf, n, flags, TURN_CALLER);

        if (r != -2) {
            return r;
        }
        fd_wait(fd, POLLOUT, TURN_CALLER);
    }
    return REAL(send)(fd, buf, n, flags);
}

WRITES(ssize_t, writev, (int fd, const struct iovec *v, int n), (fd, v, n))
WRITES(ssize_t, sendto,
       (int fd, const void *buf, size_t n, int flags, const struct sockaddr *to, socklen_t len),
       (fd, buf, n, flags, to, len))
WRITES(int, sendmmsg, (int fd, struct mmsghdr *m, unsigned n, int flags), (fd, m, n, flags))
WRITES(ssize_t, sendmsg, (int fd, const struct msghdr *m, int flags), (fd, m, flags))

/* --- several at once -------------------------------------------------------------------------- */

/* @n: ready now. A handler that ran meanwhile is told only when nothing is. */
static int interrupted(struct thread *self, int n, uintptr_t pc)
{
    handover_seen(n, pc);
    if (n == 0 && self->outcome == WAIT_INTERRUPTED) {
        self->outcome = WAIT_ENDED;
        errno = EINTR;
        return -1;
    }
    return n;
}

/* Where threads run freely: @r is ready of what a loop asks for, at once or after a time. */
static int free_poll_end(int r, bool sleeps, uintptr_t pc)
{
    handover_seen(r, pc);
    if (r == 0) {
        free_loop(sleeps ? FREE_SLEEP : FREE_LOOK, pc);
    }
    return r;
}

static uint64_t until_ms(int timeout)
{
    return timeout < 0 ? TURN_FOREVER : turn_now_ns() + (uint64_t)timeout * 1000000;
}

SCHED_EXPORT int poll(struct pollfd *fds, nfds_t n, int timeout)
{
    struct thread *self = turn_thread();
    int r;

    if (!self) {
        r = free_poll_end(FREE_WAIT(WAIT_FD, TURN_CALLER, REAL(poll)(fds, n, timeout)), timeout > 0,
                          TURN_CALLER);
        front_polled(TURN_CALLER);
        return r;
    }
    if (timeout == 0) {
        for (nfds_t i = 0; i < n; i++) {
            world_asked(fds[i].fd);
        }
        turn_yield(self);
    } else {
        fds_wait(self, fds, n, until_ms(timeout), TURN_CALLER, true, NULL);
    }
    r = interrupted(self, REAL(poll)(fds, n, 0), TURN_CALLER);
    front_polled(TURN_CALLER);
    return r;
}

SCHED_EXPORT int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
                       const sigset_t *mask)
{
    static const struct timespec now;
    struct thread *self = turn_thread();
    int r;

    if (!self) {
        r = free_poll_end(FREE_WAIT(WAIT_FD, TURN_CALLER, REAL(ppoll)(fds, n, timeout, mask)), true,
                          TURN_CALLER);
        front_polled(TURN_CALLER);
        return r;
    }
    fds_wait(self, fds, n, front_after(timeout), TURN_CALLER, true, mask);
    r = interrupted(self, REAL(ppoll)(fds, n, &now, mask), TURN_CALLER);
    front_polled(TURN_CALLER);
    return r;
}

/* The sets of select() as poll() has them. Return: how many. */
static nfds_t sets_to_fds(int n, const fd_set *r, const fd_set *w, const fd_set *x,
                          struct pollfd *fds)
{
    nfds_t count = 0;

    for (int fd = 0; fd < n && fd < FD_SETSIZE; fd++) {
        short events = 0;

        events |= r && FD_ISSET(fd, r) ? POLLIN : 0;
        events |= w && FD_ISSET(fd, w) ? POLLOUT : 0;
        events |= x && FD_ISSET(fd, x) ? POLLPRI : 0;
        if (events) {
            fds[count++] = (struct pollfd){ .fd = fd, .events = events };
        }
    }
    return count;
}

static void select_wait(struct thread *self, int n, const fd_set *r, const fd_set *w,
                        const fd_set *x, uint64_t until_ns, uintptr_t pc, const sigset_t *mask)
{
    struct pollfd fds[FD_SETSIZE];
    nfds_t count = sets_to_fds(n, r, w, x, fds);

    fds_wait(self, fds, count, until_ns, pc, true, mask);
}

SCHED_EXPORT int select(int n, fd_set *restrict r, fd_set *restrict w, fd_set *restrict x,
                        struct timeval *restrict timeout)
{
    struct thread *self = turn_thread();
    struct timeval now = { 0, 0 };
    struct timespec t;

    if (!self) {
        return free_poll_end(FREE_WAIT(WAIT_FD, TURN_CALLER, REAL(select)(n, r, w, x, timeout)),
                             true, TURN_CALLER);
    }
    if (timeout) {
        t = (struct timespec){ timeout->tv_sec, timeout->tv_usec * 1000 };
    }
    select_wait(self, n, r, w, x, front_after(timeout ? &t : NULL), TURN_CALLER, NULL);
    return interrupted(self, REAL(select)(n, r, w, x, &now), TURN_CALLER);
}

SCHED_EXPORT int pselect(int n, fd_set *restrict r, fd_set *restrict w, fd_set *restrict x,
                         const struct timespec *restrict timeout, const sigset_t *restrict mask)
{
    static const struct timespec now;
    struct thread *self = turn_thread();

    if (!self) {
        return free_poll_end(
            FREE_WAIT(WAIT_FD, TURN_CALLER, REAL(pselect)(n, r, w, x, timeout, mask)), true,
            TURN_CALLER);
    }
    select_wait(self, n, r, w, x, front_after(timeout), TURN_CALLER, mask);
    return interrupted(self, REAL(pselect)(n, r, w, x, &now, mask), TURN_CALLER);
}

static void epoll_await(struct thread *self, int fd, int timeout, uintptr_t pc,
                        const sigset_t *mask)
{
    struct pollfd one = { .fd = fd, .events = POLLIN };

    if (timeout == 0) {
        world_asked(fd);
        turn_yield(self);
    } else {
        fds_wait(self, &one, 1, until_ms(timeout), pc, true, mask);
    }
}

SCHED_EXPORT int epoll_wait(int fd, struct epoll_event *events, int n, int timeout)
{
    struct thread *self = turn_thread();

    if (!self) {
        return free_poll_end(
            FREE_WAIT(WAIT_FD, TURN_CALLER, REAL(epoll_wait)(fd, events, n, timeout)), timeout > 0,
            TURN_CALLER);
    }
    epoll_await(self, fd, timeout, TURN_CALLER, NULL);
    return interrupted(self, REAL(epoll_wait)(fd, events, n, 0), TURN_CALLER);
}

SCHED_EXPORT int epoll_pwait(int fd, struct epoll_event *events, int n, int timeout,
                             const sigset_t *mask)
{
    static const struct timespec now;
    struct thread *self = turn_thread();
    int r;

    if (!self) {
        return free_poll_end(
            FREE_WAIT(WAIT_FD, TURN_CALLER, REAL(epoll_pwait)(fd, events, n, timeout, mask)),
            timeout > 0, TURN_CALLER);
    }
    epoll_await(self, fd, timeout, TURN_CALLER, mask);
    r = REAL(epoll_pwait)(fd, events, n, 0, mask); /* with 0 it lets no signal in */
    if (r == 0 && mask && REAL(ppoll)(NULL, 0, &now, mask) < 0) {
        return -1;
    }
    return interrupted(self, r, TURN_CALLER);
}

/* --- children and signals --------------------------------------------------------------------- */

struct child_wait {
    idtype_t type;
    id_t id;
    int options;
};

static bool child_changed(void *opaque)
{
    const struct child_wait *w = opaque;
    siginfo_t info = { .si_pid = 0 };
    int error = errno;
    bool changed = REAL(waitid)(w->type, w->id, &info, w->options | WNOHANG | WNOWAIT) != 0 ||
                   info.si_pid != 0;

    errno = error;
    return changed;
}

static void child_await(idtype_t type, id_t id, int options, uintptr_t pc)
{
    struct thread *self = turn_thread();
    struct child_wait w = { type, id, options & ~WNOHANG };

    if (options & WNOHANG) {
        front_loop(self, pc);
        return;
    }
    if (!self) {
        return;
    }
    do { /* whether it has changed by now is luck: the steps are the same */
        turn_block(self, &(struct turn_wait){ .kind = WAIT_CHILD,
                                              .until_ns = TURN_FOREVER,
                                              .ready = child_changed,
                                              .arg = &w,
                                              .pc = pc });
        pthread_testcancel();
    } while (!child_changed(&w)); /* somebody else was told */
}

static void pid_await(pid_t pid, int options, uintptr_t pc)
{
    idtype_t type = pid < -1 ? P_PGID : pid == -1 ? P_ALL : pid == 0 ? P_PGID : P_PID;
    id_t id = pid < -1 ? (id_t)-pid : pid > 0 ? (id_t)pid : 0;

    child_await(type, id,
                (options & (WNOHANG | WCONTINUED)) | WEXITED | (options & WUNTRACED ? WSTOPPED : 0),
                pc);
}

SCHED_EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
    pid_await(pid, options, TURN_CALLER);
    return REAL(waitpid)(pid, status, options);
}

SCHED_EXPORT pid_t wait(int *status)
{
    pid_await(-1, 0, TURN_CALLER);
    return REAL(wait)(status);
}

SCHED_EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
    pid_await(-1, options, TURN_CALLER);
    return REAL(wait3)(status, options, usage);
}

SCHED_EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
    pid_await(pid, options, TURN_CALLER);
    return REAL(wait4)(pid, status, options, usage);
}

SCHED_EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    child_await(type, id, options, TURN_CALLER);
    return REAL(waitid)(type, id, info, options);
}

struct signal_wait {
    const sigset_t *set;
    pid_t tid;
};

static bool signal_pending(void *opaque)
{
    const struct signal_wait *w = opaque;

    return front_signal_pending(w->tid, w->set);
}

/* As sigwaitinfo(2). What was pending may be somebody else's by then: it is waited for again. */
static int signal_take(struct thread *self, const sigset_t *set, siginfo_t *info, uint64_t until_ns,
                       uintptr_t pc)
{
    static const struct timespec now;
    struct signal_wait w = { set, self->tid };
    bool ended;
    int r;

    front_point(self, pc);
    do {
        ended = signal_pending(&w) || turn_block(self, &(struct turn_wait){ .kind = WAIT_CHILD,
                                                                            .until_ns = until_ns,
                                                                            .ready = signal_pending,
                                                                            .arg = &w,
                                                                            .pc = pc });
        r = REAL(sigtimedwait)(set, info, &now);
    } while (r < 0 && errno == EAGAIN && ended);
    handover_signal_take(r, pc);
    return r;
}

SCHED_EXPORT int sigwait(const sigset_t *restrict set, int *restrict sig)
{
    struct thread *self = turn_thread();
    int r;

    if (self) {
        r = signal_take(self, set, NULL, TURN_FOREVER, TURN_CALLER);
        *sig = r > 0 ? r : *sig;
        return r > 0 ? 0 : errno;
    }
    r = REAL(sigwait)(set, sig);
    if (r == 0) {
        handover_signal_take(*sig, TURN_CALLER);
    }
    return r;
}

SCHED_EXPORT int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
    struct thread *self = turn_thread();
    int r;

    if (self) {
        return signal_take(self, set, info, TURN_FOREVER, TURN_CALLER);
    }
    r = REAL(sigwaitinfo)(set, info);
    handover_signal_take(r, TURN_CALLER);
    return r;
}

SCHED_EXPORT int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
                              const struct timespec *restrict timeout)
{
    struct thread *self = turn_thread();
    int r;

    if (self) {
        return signal_take(self, set, info, front_after(timeout), TURN_CALLER);
    }
    r = REAL(sigtimedwait)(set, info, timeout);
    handover_signal_take(r, TURN_CALLER);
    return r;
}

/* --- calls of which nothing can be asked ------------------------------------------------------ */

/* Until a signal comes that @mask lets in. Where processes take turns the one that sends it may be
 * of the run; a child that ends is. */
static int signal_await(struct thread *self, const sigset_t *mask, uintptr_t pc)
{
    struct signal_wait w = { .tid = self->tid };
    sigset_t in;

    sigemptyset(&in);
    signals_let_in(mask, &in);
    w.set = &in;
    front_point(self, pc);
    while (!signal_pending(&w)) {
        turn_block(self,
                   &(struct turn_wait){ .kind = sigismember(&in, SIGCHLD) ? WAIT_CHILD : WAIT_FD,
                                        .what = "a signal",
                                        .until_ns = TURN_FOREVER,
                                        .ready = signal_pending,
                                        .arg = &w,
                                        .pc = pc,
                                        .interrupts = true });
        pthread_testcancel();
        if (self->outcome == WAIT_INTERRUPTED) { /* it came in by the thread's own mask */
            self->outcome = WAIT_ENDED;
            errno = EINTR;
            return -1;
        }
    }
    return REAL(sigsuspend)(mask);
}

SCHED_EXPORT int sigsuspend(const sigset_t *mask)
{
    struct thread *self = turn_thread();

    return !self      ? REAL(sigsuspend)(mask)
           : round_on ? signal_await(self, mask, TURN_CALLER)
                      : FRONT_OUTSIDE(self, REAL(sigsuspend)(mask));
}

SCHED_EXPORT int pause(void)
{
    struct thread *self = turn_thread();
    sigset_t mask;

    if (self && round_on) {
        pthread_sigmask(SIG_SETMASK, NULL, &mask);
        return signal_await(self, &mask, TURN_CALLER);
    }
    return self ? FRONT_OUTSIDE(self, REAL(pause)()) : REAL(pause)();
}

/* That of a local socket does not wait, but where its queue of calls is full. */
static int connect_outside(int fd, const struct sockaddr *a, socklen_t len)
{
    struct thread *self = turn_thread();

    if (self && round_on && a && a->sa_family == AF_UNIX) {
        return REAL(connect)(fd, a, len);
    }
    return self ? FRONT_OUTSIDE(self, REAL(connect)(fd, a, len)) : REAL(connect)(fd, a, len);
}

SCHED_EXPORT int connect(int fd, const struct sockaddr *a, socklen_t len)
{
    handover_give(fd, TURN_CALLER);
    return connect_outside(fd, a, len);
}
