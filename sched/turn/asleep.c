/* SPDX-License-Identifier: MIT */
#include "sched/turn/asleep.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of process @pid, 0: this one. pread(), because no function of ours stands in front of it. */
static size_t task_file(pid_t pid, pid_t tid, const char *name, char *text, size_t size)
{
    ssize_t n = 0;
    int fd;

    if (pid) {
        snprintf(text, size, "/proc/%d/task/%d/%s", (int)pid, (int)tid, name);
    } else {
        snprintf(text, size, "/proc/self/task/%d/%s", (int)tid, name);
    }
    fd = open(text, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        n = pread(fd, text, size - 1, 0);
        close(fd);
    }
    text[n > 0 ? n : 0] = '\0';
    return n > 0 ? (size_t)n : 0;
}

size_t asleep_file(pid_t tid, const char *name, char *text, size_t size)
{
    return task_file(0, tid, name, text, size);
}

static uint64_t hash_words(uint64_t hash, const char *text, unsigned words)
{
    for (const char *c = text; *c && words > 0; c++) {
        hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
        words -= *c == ' ';
    }
    return hash;
}

#define STAT_WORDS \
    13 /* of stat, from the state to the thread's times; what follows is the process's */

/* stat from its state on, into @text; "": there is no such thread. */
static const char *stat_of(pid_t pid, pid_t tid, char *text, size_t size)
{
    const char *end = task_file(pid, tid, "stat", text, size) ? strrchr(text, ')') : NULL;

    return end && end[1] == ' ' ? end + 2 : "";
}

bool asleep_for_good(pid_t tid)
{
    char text[1024];

    return *stat_of(0, tid, text, sizeof(text)) == 'Z';
}

/* schedstat: time on the CPU, in ns. */
static uint64_t state_of(pid_t pid, pid_t tid, const char *states)
{
    char text[1024];
    const char *state = stat_of(pid, tid, text, sizeof(text));
    uint64_t hash;

    if (!*state || !strchr(states, *state)) {
        return 0;
    }
    hash = hash_words(1, state, STAT_WORDS);
    task_file(pid, tid, "schedstat", text, sizeof(text));
    return hash_words(hash, text, UINT_MAX) | 1;
}

uint64_t asleep_state(pid_t tid)
{
    return state_of(0, tid, "SZ");
}

/* D: the parent of vfork(2), say. */
uint64_t asleep_process(pid_t pid, pid_t tid)
{
    return state_of(pid, tid, "SDZ");
}

bool asleep_signals(pid_t pid, uint64_t *kept)
{
    static const char *const lines[] = { "\nSigBlk:", "\nSigIgn:", "\nSigCgt:" };
    char text[4096];
    bool found = task_file(pid, pid, "status", text, sizeof(text)) > 0;

    *kept = 0;
    for (size_t i = 0; found && i < sizeof(lines) / sizeof(lines[0]); i++) {
        const char *at = strstr(text, lines[i]);

        found = at != NULL;
        *kept |= at ? strtoull(at + strlen(lines[i]), NULL, 16) : 0;
    }
    return found;
}

/* "7 0x7ffd... 0x0 0x64 ...": number and arguments. poll() and its kind of no descriptor at all
 * only sleep. */
bool asleep_for_a_time(pid_t tid)
{
    unsigned long first = 1, second = 1;
    char text[256];
    long number = -1;

    asleep_file(tid, "syscall", text, sizeof(text));
    if (sscanf(text, "%ld %lx %lx", &number, &first, &second) < 1) {
        return false;
    }
    switch (number) {
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
        return true;
#ifdef SYS_poll
    case SYS_poll:
#endif
    case SYS_ppoll:
        return second == 0;
#ifdef SYS_select
    case SYS_select:
#endif
    case SYS_pselect6:
        return first == 0;
    default:
        return false;
    }
}
