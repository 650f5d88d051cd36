/* SPDX-License-Identifier: MIT */
/* Processes come to a run and go: round.h. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/calls/real.h"
#include "sched/processes/page.h"
#include "sched/turn/asleep.h"
#include "sched/turn/turn.h"

#define KILL_LOOKS 10000u /* of a millisecond */

static uint32_t child = NONE; /* slot of the one that is being made */

/* --- processes come and go -------------------------------------------------------------------- */

/* Return: NONE: there are too many. */
static uint32_t slot_take(pid_t pid)
{
    for (uint32_t i = 0; i < SLOTS; i++) {
        uint32_t expected = SLOT_FREE;

        if (atomic_compare_exchange_strong(&page->slot[i].state, &expected, SLOT_AWAY)) {
            struct slot *s = &page->slot[i];

            atomic_store(&s->pid, pid);
            atomic_store(&s->tid, pid);
            atomic_store(&s->served, false);
            s->number = atomic_fetch_add(&page->born, 1);
            s->parent = NONE;
            s->asked = 0;
            s->why = 0;
            s->until_ns = TURN_FOREVER;
            atomic_store(&s->state, SLOT_LIVE);
            return i;
        }
    }
    return NONE;
}

static uint32_t slot_of(pid_t pid)
{
    for (uint32_t i = 0; i < SLOTS; i++) {
        if (atomic_load(&page->slot[i].state) != SLOT_FREE &&
            atomic_load(&page->slot[i].pid) == pid) {
            return i;
        }
    }
    return NONE;
}

void round_child_new(void)
{
    page_turn_ensure();
    page_ran = true;
    child = slot_take(0);
    atomic_store(&page->spawning, child);
    if (child == NONE) {
        fprintf(stderr,
                "vtegra: a run has %u processes at most: a child takes no part in its turns\n",
                SLOTS);
    } else {
        page->slot[child].parent = page_me;
    }
}

void round_child_is(pid_t pid)
{
    if (child != NONE) {
        atomic_store(&page->slot[child].pid, pid);
    }
    atomic_store(&page->spawning, NONE);
    child = NONE;
}

void round_child_none(void)
{
    if (child != NONE) {
        atomic_store(&page->slot[child].state, SLOT_FREE);
    }
    round_child_is(0);
}

bool round_child(void)
{
    if (child == NONE) {
        round_on = false;
        return false;
    }
    page_me = child;
    child = NONE;
    atomic_store(&page->slot[page_me].pid, getpid());
    page_turn_get();
    return true;
}

bool round_has_child(void)
{
    for (uint32_t i = 0; i < SLOTS; i++) {
        if (page_is_live(i) && page->slot[i].parent == page_me) {
            return true;
        }
    }
    return false;
}

static _Noreturn void join_refuse(const char *why)
{
    fprintf(stderr,
            "vtegra: --shared with --policy seeded: this process does not have the run's turn: %s. "
            "Start it without closing descriptors, or use --policy lazy or eager\n",
            why);
    _exit(125);
}

static bool is_page(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == ROUND_BYTES;
}

/* A program may close what its children are not to have (Python's subprocess does): then it is open
 * in the parent still, and becomes this process's again, for its own children. */
static int page_of_parent(int number)
{
    char path[64], text[16];
    int opened, fd;

    snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getppid(), number);
    opened = open(path, O_RDWR | O_CLOEXEC);
    fd = opened < 0 ? -1 : fcntl(opened, F_DUPFD, number);
    if (fd < 0 || !is_page(fd)) {
        join_refuse("descriptor " ROUND_VARIABLE
                    " is closed, or is another file, in its parent, too");
    }
    close(opened);
    snprintf(text, sizeof(text), "%d", fd);
    setenv(ROUND_VARIABLE, text, 1);
    return fd;
}

static void page_map(const char *number)
{
    char *end;
    long fd = strtol(number, &end, 10);

    if (*end || fd < 0) {
        join_refuse(ROUND_VARIABLE " is no number");
    }
    if (!is_page((int)fd)) {
        fd = page_of_parent((int)fd);
    }
    page = mmap(NULL, ROUND_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, 0);
    if (page == MAP_FAILED) {
        join_refuse(strerror(errno));
    }
}

/* The program that `vtegra run` starts: all others are its children. */
static void run_begin(void)
{
    const char *seed = getenv("VTEGRA_SEED"), *strategy = getenv("VTEGRA_STRATEGY");

    page->random = (seed ? strtoull(seed, NULL, 0) : 0) ^ UINT64_C(0x70726f6365737365);
    page->never = strategy && strcmp(strategy, "none") == 0;
    page->generation = 1;
    atomic_store(&page->spawning, NONE);
    page_me = slot_take(getpid());
    atomic_store(&page->holder, page_me);
    atomic_store(&page->ready, true);
}

/* A child of posix_spawn() may be here before its parent knows its number. */
static void place_find(void)
{
    bool spawning = true;

    page_me = NONE;
    while (page_me == NONE && spawning) {
        spawning = atomic_load(&page->spawning) != NONE; /* first: the parent clears it last */
        page_me = slot_of(getpid());
        if (page_me == NONE && spawning) {
            REAL(nanosleep)(&(struct timespec){ 0, 100000 }, NULL);
        }
    }
    if (page_me != NONE) {
        return;
    }
    fprintf(stderr,
            "vtegra: process %d was started in a way that vtegra does not follow: when it "
            "begins is not the seed's\n",
            (int)getpid());
    page_me = slot_take(getpid());
    if (page_me == NONE) {
        join_refuse("too many processes");
    }
}

void round_join(void)
{
    const char *number = getenv(ROUND_VARIABLE);

    if (page || !number || !*number) {
        return;
    }
    page_map(number);
    if (!atomic_load(&page->ready)) {
        run_begin();
    } else {
        place_find();
    }
    round_on = true;
    page_turn_get();
    page_ran = true;
}

/* --- signals ---------------------------------------------------------------------------------- */

/* Does @sig end the process? It has no handler for it, does not ignore it and lets it in. */
static bool is_deadly(pid_t pid, int sig)
{
    static const int harmless[] = { SIGCHLD, SIGURG,  SIGWINCH, SIGCONT,
                                    SIGSTOP, SIGTSTP, SIGTTIN,  SIGTTOU };
    uint64_t kept = 0;

    for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++) {
        if (sig == harmless[i]) {
            return false;
        }
    }
    return sig == SIGKILL || (asleep_signals(pid, &kept) && sig <= 64 && !(kept >> (sig - 1) & 1));
}

static bool is_meant(uint32_t i, pid_t pid)
{
    pid_t own = atomic_load(&page->slot[i].pid);

    return atomic_load(&page->slot[i].state) != SLOT_FREE && own > 0 && i != page_me &&
           (pid > 0     ? own == pid
            : pid == 0  ? getpgid(own) == getpgrp()
            : pid == -1 ? true
                        : getpgid(own) == -pid);
}

void round_killed(pid_t pid, int sig)
{
    for (uint32_t i = 0; i < SLOTS; i++) {
        pid_t own = atomic_load(&page->slot[i].pid);
        unsigned looks = 0;

        if (!is_meant(i, pid) || sig <= 0 || !is_deadly(own, sig)) {
            continue;
        }
        while (!page_has_ended(own) && looks++ < KILL_LOOKS) {
            REAL(nanosleep)(&(struct timespec){ 0, 1000000 }, NULL);
        }
        if (looks <= KILL_LOOKS) {
            atomic_store(&page->slot[i].state, SLOT_FREE);
        }
    }
    page_ran = true;
}
