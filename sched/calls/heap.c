/* SPDX-License-Identifier: MIT */
#include "sched/calls/heap.h"

#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "sched/calls/front.h"

static _Thread_local volatile unsigned depth __attribute__((tls_model("initial-exec")));

bool heap_busy(void)
{
    return depth > 0;
}

void heap_begin(void)
{
    depth++;
    atomic_signal_fence(memory_order_seq_cst);
}

void heap_end(void)
{
    atomic_signal_fence(memory_order_seq_cst);
    depth--;
}

/* --- leaving by longjmp() --------------------------------------------------------------------- */

/* A handler that has come into malloc() and leaves so (a test's of SIGABRT, say) never ends it. Our
 * own jumps leave nothing. */
static void heap_leave(uintptr_t pc)
{
    const struct sched_board *board = turn_board;

    if (front_is_ours(pc)) {
        return;
    }
    depth = 0;
    if (board) {
        board->left();
    }
}

#define LEAVES(name)                                          \
    extern _Noreturn void name(struct __jmp_buf_tag *, int);  \
    SCHED_EXPORT void name(struct __jmp_buf_tag *to, int how) \
    {                                                         \
        heap_leave(TURN_CALLER);                              \
        REAL(name)(to, how);                                  \
        abort();                                              \
    }

LEAVES(longjmp)
LEAVES(_longjmp)
LEAVES(siglongjmp)
LEAVES(__longjmp_chk) /* what -D_FORTIFY_SOURCE makes of them */

/* fork() takes the heap's locks. */
static __attribute__((constructor)) void heap_call_begin(void)
{
    pthread_atfork(heap_begin, heap_end, heap_end);
}

/* --- malloc() and its kind -------------------------------------------------------------------- */

/* reallocarray() calls realloc(). Sanitizers' heaps have locks of their own, and want to be the
 * first to be asked. */
#ifdef __has_feature
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif
#if !SANITIZED

#define INSIDE(call)                    \
    (__extension__({                    \
        __typeof__(call) inside_result; \
                                        \
        heap_begin();                   \
        inside_result = (call);         \
        heap_end();                     \
        inside_result;                  \
    }))

SCHED_EXPORT void *malloc(size_t n)
{
    return INSIDE(REAL(malloc)(n));
}

SCHED_EXPORT void *calloc(size_t n, size_t size)
{
    return INSIDE(REAL(calloc)(n, size));
}

SCHED_EXPORT void *realloc(void *p, size_t n)
{
    return INSIDE(REAL(realloc)(p, n));
}

SCHED_EXPORT void *memalign(size_t alignment, size_t n)
{
    return INSIDE(REAL(memalign)(alignment, n));
}

SCHED_EXPORT void *aligned_alloc(size_t alignment, size_t n)
{
    return INSIDE(REAL(aligned_alloc)(alignment, n));
}

SCHED_EXPORT int posix_memalign(void **p, size_t alignment, size_t n)
{
    return INSIDE(REAL(posix_memalign)(p, alignment, n));
}

#endif
