/* SPDX-License-Identifier: MIT */
#include "sched/calls/dispatch.h"

#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/ucontext.h>
#include <unistd.h>

#include "sched/calls/front.h"

/* <linux/prctl.h>, <linux/syscall_user_dispatch> of Linux 5.11; the inclusive form is newer. */
#define SET_DISPATCH 59
#define DISPATCH_ALL_BUT 1
#define DISPATCH_ONLY 2
#define CODE_DISPATCHED 2 /* SYS_USER_DISPATCH */
enum { LET_PASS = 0, CATCH = 1 };

static struct {
    uintptr_t start, len; /* code of libgomp; 0: not loaded */
    uintptr_t libc_start, libc_len;
    volatile char selector; /* of all threads */
} dispatch;

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

/* Calls that cannot be made for another thread. */
static bool must_pass(long number)
{
    return number == SYS_clone || number == SYS_clone3 || number == SYS_fork ||
           number == SYS_vfork || number == SYS_rt_sigreturn || number == SYS_exit;
}

static void on_call(int sig, siginfo_t *info, void *opaque)
{
    greg_t *r = ((ucontext_t *)opaque)->uc_mcontext.gregs;
    const long a[6] = { r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9] };
    uintptr_t pc = (uintptr_t)r[REG_RIP];
    int error = errno;
    long result;

    if (info->si_code != CODE_DISPATCHED) { /* it was sent, or seccomp */
        signal(sig, SIG_DFL);
        raise(sig);
        return;
    }
    if (must_pass(info->si_syscall)) { /* again, and nothing is caught any more */
        dispatch_off();
        r[REG_RIP] -= 2; /* the instruction's length */
        return;
    }
    result = front_syscall(turn_thread(), info->si_syscall, a, pc);
    r[REG_RAX] = result == -1 ? -errno : result;
    errno = error;
}

/* Return: SIGSYS is ours. */
static bool dispatch_claim(void)
{
    struct sigaction before, ours = { .sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER };

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

void dispatch_begin(void)
{
    sigset_t unblock;

    if (!dispatch.start || !dispatch_claim()) {
        return;
    }
    sigemptyset(&unblock);
    sigaddset(&unblock, SIGSYS);
    pthread_sigmask(SIG_UNBLOCK, &unblock, NULL); /* blocked, it would end the process */
    if (prctl(SET_DISPATCH, DISPATCH_ONLY, dispatch.start, dispatch.len, &dispatch.selector) == 0 ||
        prctl(SET_DISPATCH, DISPATCH_ALL_BUT, dispatch.libc_start, dispatch.libc_len,
              &dispatch.selector) == 0) {
        dispatch.selector = CATCH;
    }
}

void dispatch_look(void)
{
    if (!dispatch.start) {
        dl_iterate_phdr(look_at, NULL);
        dispatch_begin();
    }
}

#else

void dispatch_begin(void)
{
}

void dispatch_look(void)
{
}

#endif
