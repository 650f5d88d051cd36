// SPDX-License-Identifier: MIT
#include <atomic>
#include <cstdio>
#include <cuda_runtime.h>
#include <pthread.h>
#include <sched.h>

#define N 4096

__global__ void scale(int *out, const int *in, int factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = in[i] * factor;
}

static int *plain;
static std::atomic<int *> posted;
static bool fixed;
static long sum;

static void *consumer(void *)
{
    int *frame;

    while (!(frame = fixed ? posted.load() : *(int *volatile *)&plain)) {
        sched_yield();
    }
    for (int i = 0; i < N; i++) {
        sum += frame[i]; /* <-- found here */
    }
    return NULL;
}

int main(int argc, char **)
{
    int *in, *out;
    pthread_t thread;

    fixed = argc > 1;
    cudaMallocHost((void **)&in, N * sizeof(int));
    cudaMallocHost((void **)&out, N * sizeof(int));
    for (int i = 0; i < N; i++) {
        in[i] = 1;
        out[i] = 0;
    }
    pthread_create(&thread, NULL, consumer, NULL);
    scale<<<N / 256, 256>>>(out, in, 3);
    cudaDeviceSynchronize();
    if (fixed) {
        posted.store(out);
    } else {
        plain = out;
    }
    pthread_join(thread, NULL);
    printf("sum %ld of %d\n", sum, 3 * N);
    return sum != 3 * N;
}
