/* SPDX-License-Identifier: MIT */
/* syscall(): futexes, which C++ and GLib make their locks of. System calls that a library makes
 * with instructions of its own come here from dispatch.c (libgomp), or not at all (Go): watch.c. */
#include "sched/calls/front.h"
#include "sched/calls/range.h"
#include "sched/object/handover.h"

#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Still there? The kernel asks under its lock, we at our turn. */
static long wait_on(struct thread *self, uint32_t *word, uint32_t value, uint64_t until_ns,
                    uint32_t bits, uintptr_t pc)
{
    bool woken;

    front_point(self, pc);
    if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != value) {
        errno = EAGAIN;
        return -1;
    }
    if (!bits) {
        errno = EINVAL;
        return -1;
    }
    self->futex_bits = bits;
    woken = turn_block(self, &(struct turn_wait){ .kind = WAIT_FUTEX,
                                                  .key = word,
                                                  .until_ns = until_ns,
                                                  .object = object_number(word, pc),
                                                  .pc = pc });
    if (!woken) {
        errno = ETIMEDOUT;
        return -1;
    }
    front_acquire(word, pc);
    return 0;
}

/* Return: true if it was one of ours, *@result then. */
static bool futex_futex(struct thread *self, const long a[6], uintptr_t pc, long *result)
{
    uint32_t *word = (uint32_t *)a[0], value = (uint32_t)a[2];
    const struct timespec *t = (const struct timespec *)a[3];
    clockid_t clock = a[1] & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;

    switch (a[1] & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
        *result = wait_on(self, word, value, front_after(t), UINT32_MAX, pc);
        return true;
    case FUTEX_WAIT_BITSET:
        *result = wait_on(self, word, value, front_until(clock, t), (uint32_t)a[5], pc);
        return true;
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
        front_release(word, pc);
        *result = turn_wake(self, word, value >= INT32_MAX ? TURN_ALL : value,
                            (a[1] & FUTEX_CMD_MASK) == FUTEX_WAKE ? UINT32_MAX : (uint32_t)a[5]);
        return true;
    default:
        return false;
    }
}

static bool is_futex_wait(long number, const long a[6])
{
    long what = a[1] & FUTEX_CMD_MASK;

    return number == SYS_futex && (what == FUTEX_WAIT || what == FUTEX_WAIT_BITSET);
}

/* Programs older than tgkill() of the C library send signals so. */
static void signal_give(long number, const long a[6], uintptr_t pc)
{
    switch (number) {
    case SYS_kill:
    case SYS_tkill:
    case SYS_rt_sigqueueinfo:
        handover_signal_give((int)a[1], pc);
        break;
    case SYS_tgkill:
    case SYS_rt_tgsigqueueinfo:
        handover_signal_give((int)a[2], pc);
        break;
    default:
        break;
    }
}

static long wait_free(long number, const long a[6], uintptr_t pc)
{
    range_wait((const void *)a[0], sizeof(int));
    return range_syscall(number, a, pc);
}

long front_syscall(struct thread *self, long number, const long a[6], uintptr_t pc)
{
    long result;

    signal_give(number, a, pc);
    if (self && number == SYS_futex && futex_futex(self, a, pc, &result)) {
        return result;
    }
    if (number == SYS_sched_yield) {
        front_loop(self, pc);
    }
    if (self && number == SYS_sched_yield) {
        return 0;
    }
    if (!self && is_futex_wait(number, a)) {
        return FREE_WAIT(WAIT_FUTEX, pc, wait_free(number, a, pc));
    }
    return range_syscall(number, a, pc);
}

/* Reads six arguments, as the C library's does, also where the caller gave fewer: what is read then
 * lies in the caller's frame, and ASan is not to say so. */
__attribute__((no_sanitize("address"))) SCHED_EXPORT long syscall(long number, ...)
{
    va_list args;
    long a[6];

    va_start(args, number);
    for (unsigned i = 0; i < 6; i++) {
        a[i] = va_arg(args, long);
    }
    va_end(args);
    return front_syscall(turn_thread(), number, a, TURN_CALLER);
}
