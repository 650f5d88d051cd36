/* SPDX-License-Identifier: MIT */
/* Threads of one kernel that race, and with an argument the same without the race: kernel_races KIND [good] */
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

#define N 64

/* Each thread adds its neighbour's value; the neighbour is of the other warp. */
__global__ void neighbour(int *out, int barrier)
{
    __shared__ int tile[N];

    tile[threadIdx.x] = (int)threadIdx.x; /* stored */
    if (barrier) {
        __syncthreads();
    }
    out[threadIdx.x] = tile[threadIdx.x ^ 32]; /* loaded */
}

/* Blocks count what they find; the scope of the counter is a block's. */
__global__ void count(int *counter, int wide)
{
    wide ? atomicAdd(counter, 1) : atomicAdd_block(counter, 1); /* counted */
}

/* Block 0 gives block 1 a value behind a flag. */
__global__ void hand_over(int *data, volatile int *flag, int *out, int given, int taken)
{
    if (blockIdx.x == 0) {
        *data = 42; /* given */
        if (given) {
            __threadfence();
        }
        *flag = 1;
    } else {
        while (*flag == 0) {
        }
        if (taken) {
            __threadfence();
        }
        *out = *data; /* taken */
    }
}

/* Many atomic operations of lanes on scattered words: they cost the most to check, where what they
 * read is used */
__global__ void histogram(int *out, int turns)
{
    __shared__ int bin[N];

    bin[threadIdx.x] = 0;
    __syncthreads();
    for (int i = 0; i < turns; i++) {
        if (atomicAdd(&bin[(threadIdx.x * 7 + i) % N], 1) < 0) { /* never; what it reads is used */
            break;
        }
    }
    __syncthreads();
    atomicAdd(out + threadIdx.x, bin[threadIdx.x]);
}

int main(int argc, char **argv)
{
    int good = argc > 2, *memory;

    if (argc < 2 || cudaMalloc(&memory, 4 * N) || cudaMemset(memory, 0, 4 * N)) {
        return 2;
    }
    if (!strcmp(argv[1], "block")) {
        neighbour<<<1, N>>>(memory, good);
    } else if (!strcmp(argv[1], "scope")) {
        count<<<2, 1>>>(memory, good);
    } else if (!strcmp(argv[1], "long")) {
        for (int i = 0; i < 16; i++) {
            histogram<<<64, N>>>(memory, 128);
        }
        count<<<2, 1>>>(memory, 0); /* a kernel that comes late */
    } else {
        int given = good || !strcmp(argv[1], "taker");

        hand_over<<<2, 1>>>(memory, memory + 32, memory + 48, given, good);
    }
    puts(cudaDeviceSynchronize() == cudaSuccess ? "done" : "failed");
    return 0;
}
