/* SPDX-License-Identifier: MIT */
/* The application of test_track.c: compiled with -fsanitize=thread by gcc and by clang. Each case
 * makes accesses that can be counted by hand; the counts stand in the test. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/test_check_board.h"

#define N 1000

struct mixed {
    char c;
    short s;
    int i;
    double d;
};
struct __attribute__((packed)) crooked {
    char c;
    long l;
    int i;
};
struct big {
    char bytes[64];
};

/* 3 x N stores of 4 bytes, N loads. */
static int loops(void)
{
    volatile int sum = 0;
    int *p = cudaMallocManaged(N * sizeof(int));

    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < N; i++) {
            p[i] = i + round; /* MARK stores */
            __asm__ volatile("" ::: "memory");
        }
    }
    for (int i = 0; i < N; i++) {
        sum += p[i]; /* MARK loads */
    }
    return sum == N * (N - 1) / 2 + 2 * N ? 0 : 1;
}

/* One store of each size, one load of each: 1 + 2 + 4 + 8 bytes each way. */
static int sizes(void)
{
    struct mixed *m = cudaMallocManaged(sizeof(*m));
    volatile struct mixed copy;

    m->c = 1;
    m->s = 2;
    m->i = 3;
    m->d = 4;
    __asm__ volatile("" ::: "memory");
    copy.c = m->c;
    copy.s = m->s;
    copy.i = m->i;
    copy.d = m->d;
    return copy.c + copy.s + copy.i + (int)copy.d == 10 ? 0 : 1;
}

/* Unaligned: a store of 8 and one of 4 bytes, a load of 8. */
static int unaligned(void)
{
    struct crooked *m = cudaMallocManaged(sizeof(*m));

    m->l = 77;
    m->i = 1;
    __asm__ volatile("" ::: "memory");
    return ((volatile struct crooked *)m)->l == 77 ? 0 : 1;
}

/* 10 read-modify-writes that are not atomic: each is a load and a store. */
static int compound(void)
{
    int *p = cudaMallocManaged(64);

    for (int i = 0; i < 10; i++) {
        p[i] += 3;
        __asm__ volatile("" ::: "memory");
    }
    return 0;
}

/* 32-bit atomics: 9 read-modify-writes, 1 load and 1 store. 64 bits: 1, 16 bits: 1, 8 bits: 1. */
static int atomics(void)
{
    char *p = cudaMallocManaged(64);
    _Atomic int *a = (_Atomic int *)p;
    _Atomic long *l = (_Atomic long *)(p + 8);
    _Atomic short *s = (_Atomic short *)(p + 16);
    _Atomic char *c = (_Atomic char *)(p + 24);
    int expected = 3;

    atomic_store(a, 1);                                 /* 1 */
    atomic_fetch_add(a, 6);                             /* 7 */
    atomic_fetch_sub(a, 2);                             /* 5 */
    atomic_fetch_or(a, 8);                              /* 13 */
    atomic_fetch_and(a, 7);                             /* 5 */
    atomic_fetch_xor(a, 1);                             /* 4 */
    __atomic_fetch_nand((int *)a, 6, __ATOMIC_SEQ_CST); /* ~4 */
    atomic_exchange(a, 3);
    atomic_compare_exchange_strong(a, &expected, 9); /* 9 */
    expected = 1;
    atomic_compare_exchange_strong(a, &expected, 2); /* fails, expected = 9 */
    atomic_fetch_add(l, 5);
    atomic_fetch_add(s, 5);
    atomic_fetch_add(c, 5);
    return atomic_load(a) == 9 && expected == 9 ? 0 : 1;
}

/* 100 bytes copied from private memory to offset 8, 50 set at 256, 40 moved from 8 to 512. */
static int ranges(void)
{
    static char from[128];
    volatile size_t hundred = 100, fifty = 50, forty = 40; /* so that the compiler makes calls */
    char *p = cudaMallocManaged(1024);

    memcpy(p + 8, from, hundred);
    memset(p + 256, 1, fifty);
    memmove(p + 512, p + 8, forty);
    return 0;
}

/* A structure of 64 bytes copied inside the arena. */
static int structure(void)
{
    struct big *p = cudaMallocManaged(2 * sizeof(*p));

    p[1] = p[0];
    return 0;
}

/* GNU atomics on uncached pinned memory: three at one line, one at another. */
static int pinned_atomics(void)
{
    int *p = cudaMallocHost(4096);

    for (int i = 0; i < 3; i++) {
        __sync_fetch_and_add(p, 1); /* MARK atomic */
    }
    __sync_fetch_and_add(p + 1, 1);
    return p[0] == 3 && p[1] == 1 ? 0 : 1;
}

/* 100 stores to memory that is registered, 50 to memory beside it that is not, 10 after it went. */
static int registered(void)
{
    static int heap[4096] __attribute__((aligned(4096)));
    int *arena = cudaMallocManaged(64);

    arena[0] = 1;
    cudaHostRegister(heap, 4096);
    for (int i = 0; i < 100; i++) {
        heap[i] = i;
        __asm__ volatile("" ::: "memory");
    }
    for (int i = 2048; i < 2098; i++) {
        heap[i] = i;
        __asm__ volatile("" ::: "memory");
    }
    cudaFree(heap);
    for (int i = 0; i < 10; i++) {
        heap[i] = i;
        __asm__ volatile("" ::: "memory");
    }
    return 0;
}

/* Of two registered ranges the first goes: 10 stores to each, then 5 more. */
static int two_registered(void)
{
    static int one[1024] __attribute__((aligned(4096))), two[1024] __attribute__((aligned(4096)));
    int *const both[] = { one, two };

    cudaMallocManaged(64);
    cudaHostRegister(one, 4096);
    cudaHostRegister(two, 4096);
    for (int i = 0; i < 30; i++) {
        if (i == 20) {
            cudaFree(one);
        }
        both[i % 2][i] = i;
        __asm__ volatile("" ::: "memory");
    }
    return 0;
}

static void *thread_main(void *opaque)
{
    int *p = opaque;

    for (int i = 0; i < N; i++) {
        p[i] = i;
        __asm__ volatile("" ::: "memory");
    }
    return NULL;
}

/* 4 threads, N stores each. */
static int threads(void)
{
    int *p = cudaMallocManaged(4 * N * sizeof(int));
    pthread_t thread[4];

    for (int i = 0; i < 4; i++) {
        pthread_create(&thread[i], NULL, thread_main, p + i * N);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(thread[i], NULL);
    }
    return 0;
}

/* Nothing of the board's is touched; private memory is. */
static int private_only(void)
{
    int *p = malloc(N * sizeof(int));
    int sum = 0;

    cudaMallocManaged(64);
    for (int i = 0; i < N; i++) {
        p[i] = i;
        __asm__ volatile("" ::: "memory");
        sum += p[i];
    }
    free(p);
    return sum == N * (N - 1) / 2 ? 0 : 1;
}

/* ns per private access, for a human: test_track_app speed */
static int speed(void)
{
    enum { COUNT = 1 << 20, ROUNDS = 64 };
    int *p = malloc(COUNT * sizeof(int));
    struct timespec a, b;
    long sum = 0;

    cudaMallocManaged(64);
    memset(p, 0, COUNT * sizeof(int));
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < COUNT; i++) {
            p[i] += i;
            __asm__ volatile("" ::: "memory");
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &b);
    for (int i = 0; i < COUNT; i++) {
        sum += p[i];
    }
    printf("%.3f ns a private access (checksum %ld)\n",
           ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / 2 / ROUNDS /
               COUNT,
           sum);
    return 0;
}

static const struct {
    const char *name;
    int (*run)(void);
} cases[] = {
    { "loops", loops },           { "sizes", sizes },
    { "unaligned", unaligned },   { "atomics", atomics },
    { "compound", compound },     { "ranges", ranges },
    { "structure", structure },   { "pinned_atomics", pinned_atomics },
    { "registered", registered }, { "two_registered", two_registered },
    { "threads", threads },       { "private_only", private_only },
    { "speed", speed },
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (argc == 2 && strcmp(argv[1], cases[i].name) == 0) {
            return cases[i].run();
        }
    }
    return 99;
}
