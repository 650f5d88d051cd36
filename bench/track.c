/* SPDX-License-Identifier: MIT */
/* What seeing every access costs: ns for a load and a store of a 4-byte element, best of several
 * rounds. The same source is built with and without hooks (track.sh). */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS 7

static double now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double access_ns(int *p, size_t count, unsigned repeat)
{
    double best = 1e18;

    for (unsigned round = 0; round < ROUNDS; round++) {
        double start = now_ns(), ns;

        for (unsigned r = 0; r < repeat; r++) {
            for (size_t i = 0; i < count; i++) {
                p[i] += (int)i;
                __asm__ volatile("" ::: "memory"); /* element by element, as the hooks see it */
            }
        }
        ns = (now_ns() - start) / (double)count / repeat / 2;
        best = ns < best ? ns : best;
    }
    return best;
}

int main(int argc, char **argv)
{
    unsigned repeat = argc > 1 ? (unsigned)atoi(argv[1]) : 16;
    size_t count = 1 << 14;
    int *own = calloc(count, sizeof(*own)), *shared;

    if (!own || cudaHostAlloc((void **)&shared, count * sizeof(*shared), cudaHostAllocMapped)) {
        return 1;
    }
    printf("%.3f %.3f\n", access_ns(own, count, repeat * 8), access_ns(shared, count, repeat));
    return 0;
}
