/* SPDX-License-Identifier: MIT */
/* A library that passes for libgomp by its name, and makes system calls with instructions of its
 * own, as libgomp does: they do what Linux's manual says. Usage: raw_library ./libgomp.so.raw
 * [handler]; with -DLIBRARY it is the library. */
#ifdef LIBRARY

#ifdef __x86_64__
/* raw_call(number, 6 arguments): what the kernel returned.
 * raw_child(number, flags, stack, status): the child ends at once with this status. */
__asm__(".globl raw_call, raw_child\n"
        ".type raw_call, @function\n"
        ".type raw_child, @function\n"
        "raw_call:\n"
        "    mov %rdi, %rax\n"
        "    mov %rsi, %rdi\n"
        "    mov %rdx, %rsi\n"
        "    mov %rcx, %rdx\n"
        "    mov %r8, %r10\n"
        "    mov %r9, %r8\n"
        "    mov 8(%rsp), %r9\n"
        "    syscall\n"
        "    ret\n"
        "raw_child:\n"
        "    push %rbx\n"
        "    mov %rdi, %rax\n"
        "    mov %rsi, %rdi\n"
        "    mov %rdx, %rsi\n"
        "    mov %rcx, %rbx\n"
        "    xor %edx, %edx\n"
        "    xor %r10d, %r10d\n"
        "    xor %r8d, %r8d\n"
        "    syscall\n"
        "    test %rax, %rax\n"
        "    jnz 1f\n"
        "    mov %rbx, %rdi\n"
        "    mov $60, %eax\n" /* exit */
        "    syscall\n"
        "1:  pop %rbx\n"
        "    ret\n"
        ".section .note.GNU-stack,\"\",@progbits\n");
#endif

#else

#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

typedef long raw_call_fn(long number, long a, long b, long c, long d, long e, long f);
typedef long raw_child_fn(long number, long flags, void *stack, long status);

static raw_call_fn *raw_call;
static uint32_t word;

static void *wake(void *x)
{
    __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
    raw_call(SYS_futex, (long)&word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
    return x;
}

static void waits(void)
{
    pthread_t t;

    CHECK(pthread_create(&t, NULL, wake, NULL) == 0);
    while (!__atomic_load_n(&word, __ATOMIC_SEQ_CST)) {
        long r = raw_call(SYS_futex, (long)&word, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);

        CHECK(r == 0 || r == -EAGAIN);
    }
    CHECK(pthread_join(t, NULL) == 0);
}

/* The kernel tells by what it returns, and knows no errno. */
static void results(void)
{
    errno = ERANGE;
    CHECK(raw_call(SYS_futex, (long)&word, FUTEX_WAIT_PRIVATE, word + 1, 0, 0, 0) == -EAGAIN);
    CHECK(raw_call(SYS_close, -1, 0, 0, 0, 0, 0) == -EBADF);
    CHECK(raw_call(SYS_getpid, 0, 0, 0, 0, 0, 0) == getpid());
    CHECK(errno == ERANGE);
}

/* Signal(7): the default action for this one is to end the process, whatever sends it. */
static void sent(void)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        kill(getpid(), SIGSYS);
        _exit(0);
    }
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
}

static volatile int handled;

static void handle(int sig)
{
    handled = sig;
}

/* The signal is the program's, and no system call comes as one. */
static void handler(void)
{
    CHECK(signal(SIGSYS, handle) != SIG_ERR);
    CHECK(raw_call(SYS_getpid, 0, 0, 0, 0, 0, 0) == getpid());
    CHECK(!handled && raise(SIGSYS) == 0 && handled == SIGSYS);
}

/* The child shares the memory, and has a stack of its own. */
static void clones(raw_child_fn *raw_child)
{
    char *stack = malloc(65536);
    int status;
    long pid = raw_child(SYS_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, stack + 65536, 7);

    CHECK(pid > 0 && waitpid((pid_t)pid, &status, 0) == pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    free(stack);
}

int main(int argc, char **argv)
{
    void *library = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW);
    raw_child_fn *raw_child;

#ifndef __x86_64__
    return 0;
#endif
    CHECK(library && (raw_call = (raw_call_fn *)dlsym(library, "raw_call")));
    CHECK((raw_child = (raw_child_fn *)dlsym(library, "raw_child")));
    waits();
    if (argc > 2) {
        handler();
        return 0;
    }
    results();
    sent();
    clones(raw_child);
    CHECK(raw_call(SYS_getpid, 0, 0, 0, 0, 0, 0) == getpid());
    return 0;
}

#endif
