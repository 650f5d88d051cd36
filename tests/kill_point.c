/* SPDX-License-Identifier: MIT */
/* Linked into a test program: it dies, or kills its board, at a moment that is counted in packets
 * of the board, not in time. VTEGRA_KILL="WHERE N PID":
 *
 *   send      before packet N goes to the board
 *   receive   after it, before its reply is read: the board is at it
 *   cpu       after N microseconds of CPU time of the program, anywhere
 *
 * PID 0: the program itself. VTEGRA_KILL_COUNT=FILE: how many packets it has sent is written there
 * when it ends. */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

static atomic_uint sent;
static unsigned send_at, receive_at;
static pid_t victim;

static void strike(void)
{
    kill(victim ? victim : getpid(), SIGKILL);
}

static void on_cpu(int number)
{
    (void)number;
    strike();
}

static void __attribute__((constructor)) kill_point_read(void)
{
    const char *what = getenv("VTEGRA_KILL");
    char where[16];
    unsigned n;
    int pid;

    if (!what || sscanf(what, "%15s %u %d", where, &n, &pid) != 3) {
        return;
    }
    victim = (pid_t)pid;
    send_at = strcmp(where, "send") ? 0 : n;
    receive_at = strcmp(where, "receive") ? 0 : n;
    if (!strcmp(where, "cpu")) {
        struct itimerval after = { .it_value = { n / 1000000, n % 1000000 + 1 } };

        signal(SIGPROF, on_cpu);
        setitimer(ITIMER_PROF, &after, NULL);
    }
}

static void __attribute__((destructor)) kill_point_write(void)
{
    const char *path = getenv("VTEGRA_KILL_COUNT");
    FILE *file = path ? fopen(path, "w") : NULL;

    if (file) {
        fprintf(file, "%u\n", atomic_load(&sent));
        fclose(file);
    }
}

/* The board's client sends by number; its calls come here, since the program's symbols are found
 * first. */
__attribute__((visibility("default"))) long syscall(long number, ...)
{
    static long (*next)(long, ...);
    long a[6], result;
    unsigned n;
    va_list more;

    va_start(more, number);
    for (unsigned i = 0; i < 6; i++) {
        a[i] = va_arg(more, long);
    }
    va_end(more);
    if (!next) {
        *(void **)&next = dlsym(RTLD_NEXT, "syscall");
    }
    if (number != SYS_sendmsg) {
        return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    }
    n = atomic_fetch_add(&sent, 1) + 1;
    if (n == send_at) {
        strike();
    }
    result = next(number, a[0], a[1], a[2]);
    if (n == receive_at) {
        strike();
    }
    return result;
}
