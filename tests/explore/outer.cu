/* SPDX-License-Identifier: MIT */
/* Accesses in templates of the C++ library, at -O0 functions of a header: each is told at the line of
 * the program that called, also where the same function of the header was called from elsewhere just
 * before, at the same depth, or from deep inside. Ends with 0. */
#include <algorithm>
#include <cuda_runtime.h>

#define N 64

static int *p;

__global__ void produce(int *to)
{
    to[threadIdx.x] = (int)(N - threadIdx.x);
}

static void former()
{
    std::fill(p, p + N, 7);
}

static void latter()
{
    std::fill(p, p + N, 8);
}

static void deeply()
{
    std::sort(p, p + N);
}

/* Each without a wait, in memory of its own: one finding for each. */
static void race(void (*access)())
{
    cudaMallocHost(&p, N * sizeof(*p));
    produce<<<1, N>>>(p);
    access();
    cudaDeviceSynchronize();
}

int main()
{
    race(former);
    race(latter);
    race(deeply);
    return 0;
}
