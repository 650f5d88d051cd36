/* SPDX-License-Identifier: MIT */
/* Processes that the program starts. They matter where processes take turns (round.h): there each
 * has its place in the run by the call that makes it. */
#include "sched/calls/front.h"
#include "sched/processes/round.h"

#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* turn.c has it before and after in handlers of pthread_atfork(). */
SCHED_EXPORT pid_t fork(void)
{
    struct thread *self = turn_thread();
    pid_t child = REAL(fork)();
    int error = errno;

    if (!round_on || child == 0) {
        return child;
    }
    if (child > 0) {
        round_child_is(child);
    } else {
        round_child_none();
    }
    if (self) {
        front_point(self, TURN_CALLER);
    }
    errno = error;
    return child;
}

/* POSIX let vfork() be fork(): a child that waits for its turn must not keep its parent from going
 * on. Else it is the C library's, which returns twice on one stack: only a jump can come before. */
#ifdef __x86_64__
typedef pid_t vfork_fn(void);
static vfork_fn *vfork_real __attribute__((used));

static __attribute__((constructor)) void vfork_find(void)
{
    vfork_real = REAL(vfork);
}

__attribute__((used)) static vfork_fn *vfork_which(void)
{
    return round_on || !vfork_real ? fork : vfork_real;
}

__asm__(".text\n"
        ".globl vfork\n"
        ".type vfork, @function\n"
        "vfork:\n"
        "    endbr64\n"
        "    sub $8, %rsp\n"
        "    call vfork_which\n"
        "    add $8, %rsp\n"
        "    jmp *%rax\n"
        ".size vfork, .-vfork\n");
#endif

/* The calling thread makes a child without fork(). */
static bool child_begin(void)
{
    bool follows = turn_thread() && round_on;

    if (follows) {
        round_child_new();
    }
    return follows;
}

static int child_made(bool follows, int r, pid_t child, pid_t *pid, uintptr_t pc)
{
    if (r == 0 && pid) {
        *pid = child;
    }
    if (follows && r == 0) {
        round_child_is(child);
        front_point(turn_self, pc);
    } else if (follows) {
        round_child_none();
    }
    return r;
}

SCHED_EXPORT int posix_spawn(pid_t *restrict pid, const char *restrict path,
                             const posix_spawn_file_actions_t *restrict actions,
                             const posix_spawnattr_t *restrict attr, char *const argv[restrict],
                             char *const envp[restrict])
{
    bool follows = child_begin();
    pid_t child = 0;
    int r = REAL(posix_spawn)(&child, path, actions, attr, argv, envp);

    return child_made(follows, r, child, pid, TURN_CALLER);
}

SCHED_EXPORT int posix_spawnp(pid_t *restrict pid, const char *restrict file,
                              const posix_spawn_file_actions_t *restrict actions,
                              const posix_spawnattr_t *restrict attr, char *const argv[restrict],
                              char *const envp[restrict])
{
    bool follows = child_begin();
    pid_t child = 0;
    int r = REAL(posix_spawnp)(&child, file, actions, attr, argv, envp);

    return child_made(follows, r, child, pid, TURN_CALLER);
}

/* The C library's waits for the shell where no function of ours stands in front of it. As POSIX has
 * system(): SIGINT and SIGQUIT are ignored, and SIGCHLD is blocked, until the shell has ended. */
static int system_in_turn(const char *command)
{
    struct sigaction ignore = { .sa_handler = SIG_IGN }, interrupt, quit;
    sigset_t block, before;
    int status = -1;
    pid_t shell;

    sigemptyset(&block);
    sigaddset(&block, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &block, &before);
    sigaction(SIGINT, &ignore, &interrupt);
    sigaction(SIGQUIT, &ignore, &quit);
    shell = fork();
    if (shell == 0) {
        sigaction(SIGINT, &interrupt, NULL);
        sigaction(SIGQUIT, &quit, NULL);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    while (shell > 0 && waitpid(shell, &status, 0) < 0 && errno == EINTR) {
    }
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGQUIT, &quit, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

SCHED_EXPORT int system(const char *command)
{
    return command && turn_thread() && round_on ? system_in_turn(command) : REAL(system)(command);
}
