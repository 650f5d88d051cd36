/* SPDX-License-Identifier: MIT */
/* Waits for descriptors: a call that would not block is made at once; one that would waits for its
 * turn until it would not. What comes from outside the process (a terminal, a network) comes when
 * it comes. */
#include "sched/calls/descriptor.h"

#include "sched/calls/front.h"
#include "sched/turn/outside.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/**
 * struct descriptors_wait - a wait for descriptors
 * @signals: one of them ends it, too, when it is pending for the thread @tid, though it is blocked;
 * NULL: none does. What poll(2) says of a signalfd(2) is what is pending for whoever asks
 */
struct descriptors_wait {
    struct pollfd *fds;
    nfds_t nfds;
    const sigset_t *signals;
    pid_t tid;
};

static bool descriptors_ready(void *opaque)
{
    struct descriptors_wait *w = opaque;
    int error = errno;
    int n = REAL(poll)(w->fds, w->nfds, 0);

    errno = error;
    return n != 0 || (w->signals && front_signal_pending(w->tid, w->signals));
}

/* proc_pid_status(5), proc_pid_fdinfo(5): a set as a hexadecimal number after @name; into @set. */
static void descriptor_signals_add(const char *path, const char *name, sigset_t *set)
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
static bool descriptor_signals_any(const sigset_t *set)
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
    descriptor_signals_add(path, line, &in);
    sigandset(&in, &in, set);
    return descriptor_signals_any(&in);
}

bool front_signal_pending(pid_t tid, const sigset_t *set)
{
    return front_signal_in(tid, "\nShdPnd:", set) || front_signal_in(tid, "\nSigPnd:", set);
}

/* Those of signalfd(2) among @fds, into @set. */
static void descriptor_signals_of(const struct pollfd *fds, nfds_t n, sigset_t *set)
{
    char path[64];

    for (nfds_t i = 0; i < n; i++) {
        snprintf(path, sizeof(path), "/proc/thread-self/fdinfo/%d", fds[i].fd);
        descriptor_signals_add(path, "sigmask:", set);
    }
}

void descriptor_signals_let_in(const sigset_t *mask, sigset_t *set)
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

bool descriptors_wait(struct thread *self, struct pollfd *fds, nfds_t n, uint64_t until_ns,
                      uintptr_t pc, bool interrupts, const sigset_t *mask)
{
    struct descriptors_wait f = { .fds = fds, .nfds = n, .tid = self->tid };
    struct turn_wait w = { .kind = WAIT_FD, .until_ns = until_ns, .fds = fds, .nfds = n, .pc = pc };
    sigset_t signals;
    bool ended;

    w.interrupts = interrupts;
    w.ready = descriptors_ready;
    w.arg = &f;
    front_point(self, pc);
    if (!descriptors_ready(&f)) {
        sigemptyset(&signals);
        descriptor_signals_of(fds, n, &signals);
        if (mask) {
            descriptor_signals_let_in(mask, &signals);
        }
        f.signals = descriptor_signals_any(&signals) ? &signals : NULL;
    }
    if (descriptors_ready(&f)) {
        turn_progress(self);
        return true;
    }
    ended = turn_block(self, &w);
    pthread_testcancel();
    return ended;
}

void descriptor_wait(int fd, short events, uintptr_t pc)
{
    struct thread *self = turn_thread();
    struct pollfd one = { .fd = fd, .events = events };

    if (self && !front_is_ours(pc)) {
        descriptors_wait(self, &one, 1, TURN_FOREVER, pc, false, NULL);
    }
}

bool descriptor_is_nonblocking(int fd)
{
    int flags = fcntl(fd, F_GETFL);

    if (flags >= 0 && flags & O_NONBLOCK && turn_thread()) {
        outside_asked(fd);
        turn_yield(turn_self);
        return true;
    }
    return flags < 0;
}
