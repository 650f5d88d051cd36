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

/* Of a child of fork(), too, which has no board, but pages that are closed. */
static inline const struct sched_board *range_board(void)
{
    const struct sched_board *board = turn_board;

    return board ? board : turn_left;
}

static inline void *range_mapped(void *at, size_t len)
{
    const struct sched_board *board = range_board();

    return board && board->mapped ? board->mapped(at, len) : at;
}

/* A lock of the C library's, for its call: it waits in futex(2), which answers EFAULT where the
 * page is closed, and the C library ends the program then. Whether it is closed now or not: futexes
 * of one process are known by their addresses, so who waits and who wakes has to give the same one.
 */
static inline void *range_lock(const void *lock, size_t size)
{
    return range_closing ? range_mapped((void *)lock, size) : (void *)lock;
}

#define RANGE_LOCK(lock) ((__typeof__(lock))range_lock((lock), sizeof(*(lock))))

/* The same for a call within FREE_WAIT() that may wait there: memory in which a thread waits
 * already is not closed from then on (roster_waits_in). Noted before it is looked where the lock
 * is: memory that is closed after that finds the note. */
static inline void *range_wait(const void *lock, size_t size)
{
    if (turn_self) {
        atomic_store(&turn_self->locks[turn_self->locks[0] != NULL], lock);
    }
    return range_lock(lock, size);
}

#define RANGE_WAIT(lock) ((__typeof__(lock))range_wait((lock), sizeof(*(lock))))

/* Around a call whose memory is not looked for: all is open meanwhile. */
static inline void range_opened(bool on)
{
    const struct sched_board *board = range_board();

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
