// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 4096

__global__ void produce(int *frame)
{
    frame[blockIdx.x * blockDim.x + threadIdx.x] = 3;
}

__global__ void consume(int *out, const int *frame)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = frame[i] + 1; /* <-- found here */
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    int *out, *frame;
    cudaStream_t first, second;
    cudaEvent_t produced, consumed;
    long sum = 0;

    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&produced, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&consumed, cudaEventDisableTiming);
    cudaMallocHost((void **)&out, N * sizeof(int));
    cudaMallocAsync((void **)&frame, N * sizeof(int), first);
    produce<<<N / 256, 256, 0, first>>>(frame);
    cudaEventRecord(produced, first);
    cudaStreamWaitEvent(second, produced, 0);
    consume<<<N / 256, 256, 0, second>>>(out, frame);
    if (fixed) {
        cudaEventRecord(consumed, second);
        cudaStreamWaitEvent(first, consumed, 0);
    }
    cudaFreeAsync(frame, first); /* <-- found here */
    cudaStreamSynchronize(second);
    for (int i = 0; i < N; i++) {
        sum += out[i];
    }
    cudaDeviceSynchronize();
    printf("sum %ld of %d\n", sum, 4 * N);
    return sum != 4 * N;
}
