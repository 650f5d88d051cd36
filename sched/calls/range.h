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

/* Memory may be closed: from the first pinned memory on that can be. */
extern bool range_closing;

static inline void *range_mapped(void *at, size_t len)
{
    const struct sched_board *board = turn_board;

    return board && board->mapped ? board->mapped(at, len) : at;
}

/* Around a call whose memory is not looked for: all is open meanwhile. */
static inline void range_opened(bool on)
{
    const struct sched_board *board = turn_board;

    if (board && board->opened) {
        board->opened(on);
    }
}

/* The program is about to have memory accessed that no call will name: all is open from now on. */
static inline void range_unseen(const char *by)
{
    const struct sched_board *board = turn_board;

    if (range_closing && board && board->unseen) {
        board->unseen(by);
    }
}

/* A call of the program's, at @pc, has given memory this protection. */
void range_protected(const void *at, size_t len, int protection, uintptr_t pc);

/* Before a call that reads @at: where it may. */
static inline const void *range_out(const void *at, size_t len, uintptr_t pc)
{
    const void *there = range_mapped((void *)at, len);
    const struct sched_board *board = turn_board;

    if (there != at && board) {
        board->touched(at, len, false, pc);
    }
    return there;
}

/* After one that was to write at most @len bytes to @at, at @there, and answered @result; recv(2)
 * of MSG_TRUNC answers more than it stored. */
static inline void range_came(const void *at, const void *there, ssize_t result, size_t len,
                              uintptr_t pc)
{
    const struct sched_board *board = turn_board;

    if (there != at && result > 0 && board) {
        board->touched(at, (size_t)result < len ? (size_t)result : len, true, pc);
    }
}

#define RANGE_VECTOR 64u /* during a call with a longer one all is open */

/**
 * struct range_vector - the same of a vector, from begin to end of the call
 * @there: what the kernel is given
 */
struct range_vector {
    const struct iovec *given, *there;
    size_t n;
    bool in, opened;
    struct iovec mapped[RANGE_VECTOR];
};

/* @in: the call stores to it; else it reads it, at @pc. */
void range_vector_begin(struct range_vector *r, const struct iovec *v, size_t n, bool in,
                        uintptr_t pc);
void range_vector_end(struct range_vector *r, ssize_t result, uintptr_t pc);

/* As syscall(2). */
long range_syscall(long number, const long a[6], uintptr_t pc);

#endif
