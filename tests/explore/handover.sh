#!/bin/sh
# SPDX-License-Identifier: MIT
# What threads hand each other through the kernel, GLib and one-time initialisation is ordered, under every policy: a program that is
# right is not accused, and one that is wrong is. Usage: handover.sh BUILD_DIR WORK_DIR [long]
. "$(dirname "$0")/lib.sh"
glib=
if pkg-config --exists glib-2.0; then
    glib="g_mutex g_until g_rec_mutex g_rw_lock g_async_queue g_async_try g_once_init g_once g_once_call g_reader_first pool pool_full loop_quit
        loop_idle loop_idle_full loop_idle_once loop_timeout loop_timeout_full loop_timeout_once loop_seconds loop_seconds_full loop_invoke
        loop_invoke_full loop_source loop_source_high loop_plain loop_priority loop_once_tail loop_invoke_own loop_invoke_other loop_invoke_within loop_invoke_data loop_found loop_again loop_fd loop_users loop_invoke_end pool_refused
        pool_tail"
fi
# shellcheck disable=SC2046
by_clang handover --track -g -O1 -std=c++20 ${glib:+-DWITH_GLIB $(pkg-config --cflags glib-2.0)} "$here/handover.cu" -lpthread \
    ${glib:+$(pkg-config --libs glib-2.0)}
by_clang plain -g -O1 -std=c++20 "$here/handover.cu" -lpthread

# --- a heap with locks of its own, as jemalloc is: they are not the program's, and to tell of them would take memory
cat >heap.c <<'CODE'
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *malloc(size_t n)
{
    void *p;

    pthread_mutex_lock(&lock);
    p = __libc_malloc(n);
    pthread_mutex_unlock(&lock);
    return p;
}

void *calloc(size_t n, size_t size)
{
    void *p;

    pthread_mutex_lock(&lock);
    p = __libc_calloc(n, size);
    pthread_mutex_unlock(&lock);
    return p;
}
CODE
build libjemalloc.so.2 cc -shared -fPIC heap.c
for policy in lazy "seeded --seed 3"; do
    # shellcheck disable=SC2086
    expect "heap $policy" 0 "pipe: done" env LD_PRELOAD="$work/libjemalloc.so.2" timeout 60 "$vtegra" run --policy $policy -- ./handover pipe
    also "heap $policy" "Findings none"
done

right="pipe vector socket message read_chk recvfrom_chk eventfd epoll poll_only queue sysv flock sigwait sigqueue tgkill signalfd rawkill killpg end_of_pipe end_of_socket connected static
    once call_once guard_once guard_abort_once at_thread_exit callback kernels $glib"
# shellcheck disable=SC2086 # words
for way in $(some 3 $right); do
    for policy in lazy eager "seeded --seed 3" "seeded --seed 11 --strategy random"; do
        in_turn 4 || continue
        # shellcheck disable=SC2086
        expect "$way $policy" 0 "$way: done" timeout 60 "$vtegra" run --policy $policy -- ./handover $way
        also "$way $policy" "Findings none"
    done
done
for way in pipe queue ${glib:+g_mutex}; do
    expect "$way explored" 0 "5 runs, 0 failed" "$vtegra" explore --runs 5 -- ./handover $way
done
# --- a signal handler that interrupts malloc() may write and post all the same
for way in handler_pipe handler_post; do
    for policy in lazy eager; do
        in_turn 2 || continue
        expect "$way $policy" 0 "$way: done" timeout 60 "$vtegra" run --policy $policy -- ./handover $way
        also "$way $policy" "Findings none"
    done
done
# --- it may do so what hooks see, too: atomics of its own, pinned memory. It comes into hooks, the board, the checker, malloc()
for way in $(some 2 handler_flag handler_pinned handler_call handler_fork); do
    for policy in lazy eager "seeded --seed 3"; do
        in_turn 3 || continue
        # shellcheck disable=SC2086
        expect "$way $policy" 0 "$way: done" timeout 60 "$vtegra" run --policy $policy -- ./handover $way
        also "$way $policy" "Findings none"
    done
done
# --- it may leave malloc() by longjmp(), and hooks are heard again; a hook that it leaves so is left for good, which is said
expect jump_late 0 "jump_late: done" timeout 60 "$vtegra" run --policy eager -- ./handover jump_late
also jump_late "rule race"
expect handler_leaves 0 "has left a CUDA call or a hook of --track by longjmp()" timeout 60 "$vtegra" run -- ./handover handler_leaves
# --- they order threads, not what a kernel does behind their back
# shellcheck disable=SC2046 # words
for way in $(some 3 pipe_late socket_late queue_late sigwait_late signalfd_late ${glib:+g_mutex_late g_async_queue_late g_readers pool_behind}); do
    for policy in eager "seeded --seed 3"; do
        in_turn 2 || continue
        # shellcheck disable=SC2086
        expect "$way $policy" 0 "" timeout 60 "$vtegra" run --policy $policy -- ./handover $way
        also "$way $policy" "rule race"
    done
done
# --- without hooks nobody sees the atomics of threads: what they do in calls is ordered as it happened, and no more
for policy in lazy eager "seeded --seed 3" "seeded --seed 11 --strategy random"; do
    [ "$thorough" = long ] || case $policy in eager | *random) continue ;; esac
    # shellcheck disable=SC2086
    expect "plain kernels $policy" 0 "kernels: done" timeout 60 "$vtegra" run --check on --policy $policy -- ./plain kernels
    also "plain kernels $policy" "Findings none"
    # shellcheck disable=SC2086
    expect "plain kernels_late $policy" 0 "kernels_late: done" timeout 60 "$vtegra" run --check on --policy $policy -- ./plain kernels_late
    also "plain kernels_late $policy" "rule race"
done
# --- what nobody has waited for is still told, behind a function that was
expect callback_more 0 "callback_more: done" "$vtegra" run -- ./handover callback_more
also callback_more "unfinished-work"
finish
