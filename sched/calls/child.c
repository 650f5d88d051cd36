/* SPDX-License-Identifier: MIT */
/* Waits for children: wait, waitpid, waitid. */
#include "sched/calls/front.h"

#include <sys/resource.h>
#include <sys/wait.h>

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
    } while (!child_changed(&w)); /* another thread got its status */
}

static void child_pid_await(pid_t pid, int options, uintptr_t pc)
{
    idtype_t type = pid < -1 ? P_PGID : pid == -1 ? P_ALL : pid == 0 ? P_PGID : P_PID;
    id_t id = pid < -1 ? (id_t)-pid : pid > 0 ? (id_t)pid : 0;

    child_await(type, id,
                (options & (WNOHANG | WCONTINUED)) | WEXITED | (options & WUNTRACED ? WSTOPPED : 0),
                pc);
}

SCHED_EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
    child_pid_await(pid, options, TURN_CALLER);
    return REAL(waitpid)(pid, status, options);
}

SCHED_EXPORT pid_t wait(int *status)
{
    child_pid_await(-1, 0, TURN_CALLER);
    return REAL(wait)(status);
}

SCHED_EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
    child_pid_await(-1, options, TURN_CALLER);
    return REAL(wait3)(status, options, usage);
}

SCHED_EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
    child_pid_await(pid, options, TURN_CALLER);
    return REAL(wait4)(pid, status, options, usage);
}

SCHED_EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    child_await(type, id, options, TURN_CALLER);
    return REAL(waitid)(type, id, info, options);
}
