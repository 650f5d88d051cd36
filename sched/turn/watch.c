/* SPDX-License-Identifier: MIT */
#include "sched/turn/watch.h"

#include <link.h>
#include <stdio.h>
#include <string.h>

#include "sched/turn/asleep.h"
#include "sched/turn/roster.h"

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
static void watch_report(const struct thread *t)
{
    static bool reported;
    unsigned long pc = 0;
    struct dl_find_object found;
    const char *name = "?", *slash, *last;
    char text[256];
    long number = -1;

    if (reported) {
        return;
    }
    reported = true;
    if (asleep_file(t->tid, "syscall", text, sizeof(text)) && sscanf(text, "%ld", &number) == 1 &&
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
    bool followed =
        owner && atomic_load(&owner->holds); /* as it was: it may come back any moment */
    uint64_t state;

    if (!owner || owner == self || (owner->inside && !atomic_load(&owner->holds)) ||
        atomic_load(&owner->state) != THREAD_ENABLED || !others_may_go(owner) ||
        !(state = asleep_state(owner->tid))) {
        self->looked.seen = NULL;
        return;
    }
    if (self->looked.seen != owner || self->looked.state != state) {
        self->looked.seen = owner;
        self->looked.state = state;
        return;
    }
    self->looked.seen = NULL;
    if (turn_take_over(self, owner) && !followed) {
        watch_report(owner);
    }
}
