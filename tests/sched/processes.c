/* SPDX-License-Identifier: MIT */
/* Processes that take turns, without CUDA: processes WHAT. Each prints what POSIX says. */
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int status_of(pid_t child)
{
    int status;

    return waitpid(child, &status, 0) == child ? status : -1;
}

/* A byte goes to the child and back, a thousand times. */
static int pipes(void)
{
    int there[2], back[2];
    unsigned char c = 0;
    pid_t child;

    if (pipe(there) || pipe(back)) {
        return 1;
    }
    child = fork();
    for (int i = 0; i < 1000; i++) {
        if (child == 0 && read(there[0], &c, 1) == 1) {
            c++;
            if (write(back[1], &c, 1) != 1) {
                _exit(1);
            }
        } else if (child && (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)) {
            return 1;
        }
    }
    if (child == 0) {
        _exit(7);
    }
    printf("%u %d\n", c, WEXITSTATUS(status_of(child)));
    return 0;
}

/* The child spins on memory until the parent writes, and the other way round. */
static int spin(void)
{
    volatile int *flag =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t child = fork();

    if (child == 0) {
        while (*flag == 0) {
        }
        *flag = 2;
        _exit(0);
    }
    usleep(10);
    *flag = 1;
    while (*flag != 2) {
    }
    printf("%d\n", status_of(child));
    return 0;
}

/* abort(3): SIGABRT is 6 on Linux. */
static int crash(void)
{
    pid_t child = fork();

    if (child == 0) {
        abort();
    }
    printf("%d\n", WTERMSIG(status_of(child)));
    return 0;
}

static int mutex(void)
{
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    return 0;
}

/* Two that count a variable up without a lock: increments may be lost. */
static int lost(void)
{
    volatile int *n = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t child[2];

    for (int i = 0; i < 2; i++) {
        child[i] = fork();
        if (child[i] == 0) {
            for (int k = 0; k < 20; k++) {
                int before = *n;

                getppid();
                usleep(0);
                *n = before + 1;
            }
            _exit(0);
        }
    }
    printf("%d %d ", status_of(child[0]), status_of(child[1]));
    printf("%d\n", *n);
    return 0;
}

/* The children are loaded while the parent learns their numbers. */
static int spawn(void)
{
    char *argv[] = { "true", NULL };
    extern char **environ;
    int status = 0;
    pid_t child;

    for (int i = 0; i < 100; i++) {
        if (posix_spawnp(&child, "true", NULL, NULL, argv, environ) != 0) {
            return 1;
        }
        status |= status_of(child);
    }
    printf("%d\n", status);
    return 0;
}

static int shell(void)
{
    printf("%d\n", WEXITSTATUS(system("exit 3")));
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } ways[] = { { "pipes", pipes }, { "spin", spin },   { "crash", crash }, { "mutex", mutex },
                 { "lost", lost },   { "shell", shell }, { "spawn", spawn } };

    for (size_t i = 0; argc > 1 && i < sizeof(ways) / sizeof(ways[0]); i++) {
        if (!strcmp(argv[1], ways[i].name)) {
            return ways[i].run();
        }
    }
    return 2;
}
