/* SPDX-License-Identifier: MIT */
/* Memory that a call of the program gives to the kernel, or to the C library for it. Where work of
 * the board may touch it, it is closed to the CPU (sched_board.mapped): the kernel would answer
 * EFAULT, or move less. The call gets another mapping of the same bytes, and the board hears of it.
 */
#ifndef SCHED_RANGE_H
#define SCHED_RANGE_H

#include <sys/types.h>
#include <sys/uio.h>

#include "sched/turn/turn.h"

static inline void *range_mapped(void *at, size_t len)
{
    return turn_board && turn_board->mapped ? turn_board->mapped(at, len) : at;
}

/* Around a call whose memory is not looked for: all is open meanwhile. */
static inline void range_opened(bool on)
{
    if (turn_board && turn_board->opened) {
        turn_board->opened(on);
    }
}

/* Before a call that reads @at: where it may. */
static inline const void *range_out(const void *at, size_t len, uintptr_t pc)
{
    const void *there = range_mapped((void *)at, len);

    if (there != at) {
        turn_board->touched(at, len, false, pc);
    }
    return there;
}

/* After one that was to write at most @len bytes to @at, at @there, and answered @result; recv(2)
 * of MSG_TRUNC answers more than it stored. */
static inline void range_came(const void *at, const void *there, ssize_t result, size_t len,
                              uintptr_t pc)
{
    if (there != at && result > 0) {
        turn_board->touched(at, (size_t)result < len ? (size_t)result : len, true, pc);
    }
}

/* The same of vectors: @mapped has room for @n. Return: @v, or @mapped. */
const struct iovec *range_vector(const struct iovec *v, size_t n, struct iovec *mapped);
const struct iovec *range_vector_out(const struct iovec *v, size_t n, struct iovec *mapped,
                                     uintptr_t pc);
void range_vector_came(const struct iovec *v, const struct iovec *there, size_t n, ssize_t result,
                       uintptr_t pc);
/* As syscall(2). */
long range_syscall(long number, const long a[6], uintptr_t pc);
#define RANGE_VECTOR 64u /* longer ones are given as they are */

#endif
