// SPDX-License-Identifier: MIT
// Two threads: capture() alone calls CUDA. encode() reads pinned memory between each launch and its wait, and calls nothing.
// Both only sleep in between, so no lock and no flag of theirs says that the turn has changed.
#include <cuda_runtime.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { FRAMES = 4, READS = 40, LINE = 16 };

static int *frame;

__global__ void fill(int *p, int n)
{
    p[threadIdx.x] = n;
}

static void *capture(void *stream)
{
    for (int i = 0; i < FRAMES; i++) {
        fill<<<1, 32, 0, (cudaStream_t)stream>>>(frame, i);
        usleep(1000);
        cudaStreamSynchronize((cudaStream_t)stream);
    }
    return NULL;
}

static void *encode(void *sum)
{
    for (int i = 0; i < READS; i++) {
        *(int *)sum += frame[i * LINE];
        usleep(100);
    }
    return NULL;
}

int main()
{
    pthread_t captures, encodes;
    cudaStream_t stream;
    int sum = 0;

    cudaStreamCreate(&stream);
    cudaMallocHost((void **)&frame, READS * LINE * sizeof(*frame));
    pthread_create(&captures, NULL, capture, stream);
    pthread_create(&encodes, NULL, encode, &sum);
    pthread_join(captures, NULL);
    pthread_join(encodes, NULL);
    printf("%d\n", sum);
    return 0;
}
