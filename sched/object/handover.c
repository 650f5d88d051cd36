/* SPDX-License-Identifier: MIT */
#include "sched/object/handover.h"

#include <signal.h>
#include <sys/stat.h>

#include "sched/calls/front.h"

static const char descriptors; /* the object that all of them are */
static const char signals[_NSIG];

enum what { NO_ORDER, A_PIPE, ANY_OTHER };

/* Is there a board to notify, and anything to report? */
static bool handover_matters(uintptr_t pc)
{
    return turn_board && turn_self && turn_threads() > 1 && !front_is_ours(pc);
}

/* @key: no address of the program's, so no object of its own either. */
static enum what what_is(int fd, const void **key, uintptr_t pc)
{
    enum what what = NO_ORDER;
    int error = errno;
    struct stat st;

    if (!handover_matters(pc)) {
        return NO_ORDER;
    }
    if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) &&
        !S_ISCHR(st.st_mode) && !S_ISBLK(st.st_mode)) {
        what = S_ISFIFO(st.st_mode) ? A_PIPE : ANY_OTHER;
        *key = (const void *)(UINTPTR_MAX << 63 | (uintptr_t)st.st_dev << 48 |
                              (uintptr_t)st.st_ino << 1);
    }
    errno = error;
    return what != NO_ORDER && stack_in_handler() ? NO_ORDER : what;
}

void handover_give(int fd, uintptr_t pc)
{
    const void *key;
    enum what what = what_is(fd, &key, pc);

    if (what == A_PIPE) {
        front_release(key, pc);
    }
    if (what != NO_ORDER) {
        front_release(&descriptors, pc);
    }
}

void handover_take(int fd, uintptr_t pc)
{
    const void *key;
    enum what what = what_is(fd, &key, pc);

    if (what != NO_ORDER) {
        front_acquire(what == A_PIPE ? key : &descriptors, pc);
    }
}

void handover_seen(int n, uintptr_t pc)
{
    if (n > 0 && handover_matters(pc) && !stack_in_handler()) {
        front_acquire(&descriptors, pc);
    }
}

static bool signal_matters(int sig, uintptr_t pc)
{
    return sig > 0 && sig < _NSIG && handover_matters(pc) && !stack_in_handler();
}

void handover_signal_give(int sig, uintptr_t pc)
{
    if (signal_matters(sig, pc)) {
        front_release(&signals[sig], pc);
        front_release(&descriptors, pc);
    }
}

void handover_signal_take(int sig, uintptr_t pc)
{
    if (signal_matters(sig, pc)) {
        front_acquire(&signals[sig], pc);
    }
}
