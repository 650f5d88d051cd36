/* SPDX-License-Identifier: MIT */
/* With rdc_b.cu one program, compiled apart (-rdc=true). */
#include <cstdio>

extern __device__ int shared_counter;
extern __constant__ int table[4];
extern __device__ float scale(float);
__device__ int mine = 5;
__device__ int *pointer = &shared_counter;
static __device__ int local = 1;

static __device__ __noinline__ int helper(int a)
{
    return a + local;
}

template <class T> __device__ __noinline__ T square(T a)
{
    return a * a;
}

__global__ void kernel_a(float *out, int n)
{
    extern __shared__ float room[];

    room[n] = out[n];
    out[n] = scale(room[n]) + helper(n) + square(n) + table[n & 3];
    shared_counter++;
    mine++;
    *pointer += 1;
    printf("a %d\n", n);
}
