/* SPDX-License-Identifier: MIT */
#include "sched/calls/dispatch.h"

#include <dirent.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/ucontext.h>
#include <unistd.h>

#include "sched/calls/front.h"
#include "sched/calls/range.h"

/* <linux/prctl.h>, <linux/syscall_user_dispatch> of Linux 5.11. */
#define SET_DISPATCH 59
#define DISPATCH_ALL_BUT 1
#define CODE_DISPATCHED 2 /* SYS_USER_DISPATCH */
enum { LET_PASS = 0, CATCH = 1 };

/* @start, @len: code of libgomp; 0: not loaded */
static struct {
    uintptr_t start, len;
    uintptr_t libc_start, libc_len;
    bool armed;             /* the kernel has it */
    volatile char selector; /* of all threads */
} dispatch;

bool dispatch_armed(void)
{
    return dispatch.armed;
}

bool dispatch_on(void)
{
    return dispatch.selector == CATCH;
}

void dispatch_off(void)
{
    dispatch.selector = LET_PASS;
}

#ifdef __x86_64__

/* The executable segment of a library. */
static void text_of(const struct dl_phdr_info *info, uintptr_t *start, uintptr_t *len)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];

        if (p->p_type == PT_LOAD && p->p_flags & PF_X) {
            *start = info->dlpi_addr + p->p_vaddr;
            *len = p->p_memsz;
        }
    }
}

static int look_at(struct dl_phdr_info *info, size_t size, void *opaque)
{
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *name = slash ? slash + 1 : info->dlpi_name;

    (void)size;
    (void)opaque;
    if (strncmp(name, "libgomp.so", 10) == 0) {
        text_of(info, &dispatch.start, &dispatch.len);
    } else if (strncmp(name, "libc.so", 7) == 0) {
        text_of(info, &dispatch.libc_start, &dispatch.libc_len);
    }
    return 0;
}

/* --- one call --------------------------------------------------------------------------------- */

struct call {
    long number;
    ucontext_t *context;
};

/* Calls that cannot be made for another place. */
static bool must_pass(long number)
{
    return number == SYS_clone || number == SYS_clone3 || number == SYS_fork ||
           number == SYS_vfork || number == SYS_rt_sigreturn || number == SYS_exit;
}

static bool is_of_gomp(uintptr_t pc)
{
    return turn_on && pc - dispatch.start < dispatch.len;
}

/* What the end of the handler would put back. */
static void keep_what_was_set(long number, ucontext_t *context)
{
    static const int faults[] = { SIGSEGV, SIGBUS, SIGTRAP, SIGSYS };

    if (number == SYS_rt_sigprocmask) {
        REAL(syscall)(number, SIG_BLOCK, NULL, &context->uc_sigmask, 8);
        for (unsigned i = 0; range_closing && i < sizeof(faults) / sizeof(faults[0]); i++) {
            sigdelset(&context->uc_sigmask, faults[i]);
        }
    } else if (number == SYS_sigaltstack) {
        REAL(syscall)(number, NULL, &context->uc_stack);
    }
}

/* The mask that the call sets is not to keep signals out that are ours. */
static long mask_call(const long a[6])
{
    sigset_t mask, *given = (sigset_t *)a[1];

    if (!given || a[3] != 8) {
        return REAL(syscall)(SYS_rt_sigprocmask, a[0], given, a[2], a[3]);
    }
    sigemptyset(&mask);
    memcpy(&mask, given, 8);
    if (a[0] != SIG_UNBLOCK) {
        sigdelset(&mask, SIGSEGV);
        sigdelset(&mask, SIGBUS);
        sigdelset(&mask, SIGTRAP);
        sigdelset(&mask, SIGSYS);
    }
    return REAL(syscall)(SYS_rt_sigprocmask, a[0], &mask, a[2], a[3]);
}

static void call_do(void *opaque)
{
    struct call *call = opaque;
    greg_t *r = call->context->uc_mcontext.gregs;
    const long a[6] = { r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9] };
    uintptr_t pc = (uintptr_t)r[REG_RIP];
    long result = is_of_gomp(pc) ? front_syscall(turn_thread(), call->number, a, pc)
                  : call->number == SYS_rt_sigprocmask ? mask_call(a)
                                                       : range_syscall(call->number, a, pc);

    r[REG_RAX] = result == -1 ? -errno : result;
    keep_what_was_set(call->number, call->context);
}

static void on_call(int sig, siginfo_t *info, void *opaque)
{
    const struct sched_board *board = turn_board;
    struct call call = { .context = opaque };
    int error = errno;

    if (info->si_code != CODE_DISPATCHED) { /* it was sent, or seccomp */
        signal(sig, SIG_DFL);
        raise(sig);
        return;
    }
    call.number = info->si_syscall;
    if (must_pass(call.number)) { /* again, and nothing is caught any more */
        range_unseen("threads or processes by system calls of its own");
        dispatch_off();
        call.context->uc_mcontext.gregs[REG_RIP] -= 2; /* the instruction's length */
    } else if (board && board->on_stack) {
        board->on_stack(call_do, &call);
    } else {
        call_do(&call);
    }
    errno = error;
}

/* --- beginning -------------------------------------------------------------------------------- */

/* Return: SIGSYS is ours. A goroutine's stack has no room for a signal. */
static bool dispatch_claim(void)
{
    struct sigaction before,
        ours = { .sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER | SA_ONSTACK };

    if (sigaction(SIGSYS, NULL, &before) != 0) {
        return false;
    }
    if (before.sa_flags & SA_SIGINFO) {
        return before.sa_sigaction == on_call;
    }
    ours.sa_sigaction = on_call;
    sigemptyset(&ours.sa_mask);
    return before.sa_handler == SIG_DFL && sigaction(SIGSYS, &ours, NULL) == 0;
}

static void catch_calls(void)
{
    if (dispatch.armed && dispatch_claim()) {
        dispatch.selector = CATCH;
    }
}

/* Blocked, the signal would end the process. */
static void dispatch_unblock(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGSYS);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

void dispatch_begin(void)
{
    if (!dispatch.libc_len || prctl(SET_DISPATCH, DISPATCH_ALL_BUT, dispatch.libc_start,
                                    dispatch.libc_len, &dispatch.selector) != 0) {
        return;
    }
    dispatch_unblock();
    dispatch.armed = true;
    if (turn_on && dispatch.start) {
        catch_calls();
    }
}

void dispatch_look(void)
{
    if (!dispatch.libc_len || (turn_on && !dispatch.start)) {
        dl_iterate_phdr(look_at, NULL);
        if (turn_on && dispatch.start) {
            dispatch_begin();
        }
    }
}

#else

void dispatch_begin(void)
{
}

void dispatch_look(void)
{
}

static void catch_calls(void)
{
}

#endif

/* --- memory that may be closed ---------------------------------------------------------------- */

static bool is_ring(const char *name)
{
    char path[sizeof("/proc/self/fd/") + NAME_MAX], target[64] = "";

    snprintf(path, sizeof(path), "/proc/self/fd/%s", name);
    return readlink(path, target, sizeof(target) - 1) > 0 && strstr(target, "[io_uring]");
}

static bool has_ring(void)
{
    DIR *dir = opendir("/proc/self/fd");
    struct dirent *entry;
    bool found = false;

    while (dir && !found && (entry = readdir(dir)) != NULL) {
        found = is_ring(entry->d_name);
    }
    if (dir) {
        closedir(dir);
    }
    return found;
}

static bool has_aio(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    bool found = false;
    char line[512];

    while (maps && !found && fgets(line, sizeof(line), maps)) {
        found = strstr(line, " /[aio]") != NULL;
    }
    if (maps) {
        fclose(maps);
    }
    return found;
}

void dispatch_closing(void)
{
    if (range_closing) {
        return;
    }
    range_closing = true;
    if (has_ring()) {
        range_unseen("io_uring");
    } else if (has_aio()) {
        range_unseen("io_submit()");
    }
    catch_calls();
}
