/* SPDX-License-Identifier: MIT */
/* syscall(), and system calls by instructions of the program's own (dispatch.c), on memory that may
 * be closed to the CPU. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sched/calls/front.h"
#include "sched/calls/range.h"

enum form { OTHER, DATA, VECTOR, MESSAGE, PIPE, PROCESS, FUTEX, ASYNC, RING };

/* Where its memory is: DATA and VECTOR have it in the second argument. @in: the call stores to it.
 */
static enum form form_of(long number, bool *in)
{
    static const struct {
        long number;
        enum form form;
        bool in;
    } calls[] = {
#define NUMBER(name, form, in) { SYS_##name, form, in },
#include "sched/calls/calls.def"
    };

    *in = false;
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        if (calls[i].number == number) {
            *in = calls[i].in;
            return calls[i].form;
        }
    }
    return OTHER;
}

static long call_with(long number, const long a[6], long second)
{
    return REAL(syscall)(number, a[0], second, a[2], a[3], a[4], a[5]);
}

static long data_call(long number, const long a[6], bool in, uintptr_t pc)
{
    void *at = (void *)a[1];
    size_t len = (size_t)a[2];
    void *there = in ? range_mapped(at, len) : (void *)range_out(at, len, pc);
    long result = call_with(number, a, (long)there);

    if (in) {
        range_came(at, there, result, len, pc);
    }
    return result;
}

static long vector_call(long number, const long a[6], bool in, uintptr_t pc)
{
    struct range_vector r;
    long result;

    range_vector_begin(&r, (const struct iovec *)a[1], (size_t)a[2], in, pc);
    result = call_with(number, a, (long)r.there);
    range_vector_end(&r, result, pc);
    return result;
}

static bool message_fetch(struct msghdr *to, long from)
{
    struct iovec local = { to, sizeof(*to) }, remote = { (void *)from, sizeof(*to) };

    return REAL(process_vm_readv)(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)sizeof(*to);
}

/* Of a message that came the kernel says more in the program's header: its lengths and flags. */
static long message_call(long number, const long a[6], bool in, uintptr_t pc)
{
    struct msghdr *given = (struct msghdr *)a[1], mine;
    struct range_vector r;
    long result;

    if (!message_fetch(&mine, a[1])) {
        return call_with(number, a, a[1]);
    }
    range_vector_begin(&r, mine.msg_iov, mine.msg_iovlen, in, pc);
    mine.msg_iov = (struct iovec *)r.there;
    result = call_with(number, a, (long)&mine);
    range_vector_end(&r, result, pc);
    if (in && result >= 0) {
        given->msg_namelen = mine.msg_namelen;
        given->msg_controllen = mine.msg_controllen;
        given->msg_flags = mine.msg_flags;
    }
    return result;
}

/* As a call of the C library, which is in range.c. */
static long by_function(long number, const long a[6])
{
    const struct iovec *v = (const struct iovec *)a[1], *w = (const struct iovec *)a[3];

    switch (number) {
    case SYS_vmsplice:
        return vmsplice((int)a[0], v, (size_t)a[2], (unsigned)a[3]);
    case SYS_process_vm_readv:
        return process_vm_readv((pid_t)a[0], v, (unsigned long)a[2], w, (unsigned long)a[4],
                                (unsigned long)a[5]);
    default:
        return process_vm_writev((pid_t)a[0], v, (unsigned long)a[2], w, (unsigned long)a[4],
                                 (unsigned long)a[5]);
    }
}

static bool futex_has_second(long what)
{
    return what == FUTEX_REQUEUE || what == FUTEX_CMP_REQUEUE || what == FUTEX_WAKE_OP ||
           what == FUTEX_WAIT_REQUEUE_PI || what == FUTEX_CMP_REQUEUE_PI;
}

/* futex(2). Waiting, the kernel reads the word, and again after each signal. A private one is known
 * by its address, so all calls give the other mapping's; who has waited since before the memory
 * could be closed is at the program's. */
static long futex_call(long number, const long a[6])
{
    long what = a[1] & FUTEX_CMD_MASK, result, more;
    bool wakes = what == FUTEX_WAKE || what == FUTEX_WAKE_BITSET;
    void *word = range_lock((void *)a[0], sizeof(int)), *timeout = (void *)a[3];
    void *second = (void *)a[4];

    if (futex_has_second(what)) {
        second = range_lock(second, sizeof(int));
    } else if (!wakes) {
        timeout = range_lock(timeout, sizeof(struct timespec));
    }
    result = REAL(syscall)(number, word, a[1], a[2], timeout, second, a[5]);
    if (wakes && word != (void *)a[0] && result >= 0 && result < a[2]) {
        more = REAL(syscall)(number, a[0], a[1], a[2] - result, a[3], a[4], a[5]);
        result += more > 0 ? more : 0;
    }
    return result;
}

/* One that was kept out has done nothing: again with all open. */
static long other_call(long number, const long a[6], uintptr_t pc)
{
    long result = call_with(number, a, a[1]);

    if (number == SYS_mprotect && result == 0) {
        range_protected((void *)a[0], (size_t)a[1], (int)a[2], pc);
    }
    if (result == -1 && (errno == EFAULT || errno == ENOMEM)) {
        range_opened(true);
        result = call_with(number, a, a[1]);
        range_opened(false);
    }
    return result;
}

long range_syscall(long number, const long a[6], uintptr_t pc)
{
    bool in = false;
    enum form form = range_closing ? form_of(number, &in) : OTHER;

    if (!range_closing) {
        return call_with(number, a, a[1]);
    }
    switch (form) {
    case DATA:
        return data_call(number, a, in, pc);
    case VECTOR:
        return vector_call(number, a, in, pc);
    case MESSAGE:
        return message_call(number, a, in, pc);
    case PIPE:
    case PROCESS:
        return by_function(number, a);
    case FUTEX:
        return futex_call(number, a);
    case ASYNC:
    case RING:
        range_unseen(form == ASYNC ? "io_submit()" : "io_uring");
        return call_with(number, a, a[1]);
    default:
        return other_call(number, a, pc);
    }
}
