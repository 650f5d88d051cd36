/* SPDX-License-Identifier: MIT */
#include "runtime/sched/watch.h"

#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <unistd.h>

#include "runtime/sched/real.h"
#include "runtime/sched/roster.h"

/* A file of the thread in /proc. Return: its length, 0: none. */
static size_t proc_read(pid_t tid, const char *name, char *text, size_t size)
{
    ssize_t n = 0;
    int fd;

    snprintf(text, size, "/proc/self/task/%d/%s", (int)tid, name);
    fd = open(text, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        n = REAL(read)(fd, text, size - 1);
        close(fd);
    }
    text[n > 0 ? n : 0] = '\0';
    return n > 0 ? (size_t)n : 0;
}

/* A number that changes whenever the thread has run; 0: it does not sleep now. proc_pid_stat(5):
 * state, then among others the times; schedstat: time on the CPU, in ns. */
static uint64_t sleep_state(pid_t tid)
{
    char text[1024];
    const char *state;
    uint64_t hash = 1;

    if (!proc_read(tid, "stat", text, sizeof(text)) || !(state = strrchr(text, ')')) ||
        state[1] != ' ' || state[2] != 'S') {
        return 0;
    }
    for (int i = 0; i < 2; i++) {
        for (const char *c = i ? text : state; *c; c++) {
            hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
        }
        proc_read(tid, "schedstat", text, sizeof(text));
    }
    return hash | 1;
}

/* Could anybody but @thread go on? */
static bool others_may_go(const struct thread *thread)
{
    for (unsigned i = 0; i < roster.n; i++) {
        const struct thread *t = roster.live[i];
        enum thread_state state = atomic_load(&t->state);

        if (t != thread &&
            (state == THREAD_ENABLED || (state == THREAD_WAITS && t->wait.kind != WAIT_SERVICE &&
                                         (t->wait.ready || t->wait.until_ns != TURN_FOREVER)))) {
            return true;
        }
    }
    return false;
}

/* "libc.so.6": whose code it sleeps in. */
static void tell(const struct thread *t)
{
    static bool told;
    unsigned long pc = 0;
    struct dl_find_object found;
    const char *name = "?", *slash, *last;
    char text[256];
    long number = -1;

    if (told) {
        return;
    }
    told = true;
    if (proc_read(t->tid, "syscall", text, sizeof(text)) && sscanf(text, "%ld", &number) == 1 &&
        (last = strrchr(text, ' ')) && sscanf(last, "%lx", &pc) == 1 &&
        _dl_find_object((void *)pc, &found) == 0 && found.dlfo_link_map) {
        slash = strrchr(found.dlfo_link_map->l_name, '/');
        name = slash ? slash + 1 : found.dlfo_link_map->l_name;
    }
    fprintf(stderr,
            "vtegra: thread %u sleeps in system call %ld of %s, which vtegra does not follow: "
            "others go "
            "on, and from here on the order is not the seed's alone\n",
            t->number, number, *name ? name : "the program");
}

void watch_look(struct thread *self)
{
    struct thread *owner = turn_owner();
    uint64_t state;

    if (!owner || owner == self || owner->inside || atomic_load(&owner->state) != THREAD_ENABLED ||
        !others_may_go(owner) || !(state = sleep_state(owner->tid))) {
        self->looked.seen = NULL;
        return;
    }
    if (self->looked.seen != owner || self->looked.state != state) {
        self->looked.seen = owner;
        self->looked.state = state;
        return;
    }
    self->looked.seen = NULL;
    if (turn_take_over(self, owner)) {
        tell(owner);
    }
}
