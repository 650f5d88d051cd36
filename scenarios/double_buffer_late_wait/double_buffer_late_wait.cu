// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 1024
#define FRAMES 6

__global__ void sum_up(int *total, const int *frame)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    atomicAdd(total, frame[i]);
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    int *frame[2], *total, expected = 0;
    cudaStream_t stream[2];
    cudaEvent_t done[2];

    cudaMallocHost((void **)&total, sizeof(int));
    *total = 0;
    for (int b = 0; b < 2; b++) {
        cudaStreamCreateWithFlags(&stream[b], cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&done[b], cudaEventDisableTiming);
        cudaEventRecord(done[b], stream[b]);
        cudaMallocHost((void **)&frame[b], N * sizeof(int));
    }
    for (int f = 0; f < FRAMES; f++) {
        int b = f % 2;

        if (f > 2 || fixed) {
            cudaEventSynchronize(done[b]);
        }
        for (int i = 0; i < N; i++) {
            frame[b][i] = f; /* <-- found here */
        }
        sum_up<<<N / 256, 256, 0, stream[b]>>>(total, frame[b]);
        cudaEventRecord(done[b], stream[b]);
        expected += f * N;
    }
    cudaDeviceSynchronize();
    printf("%d of %d\n", *total, expected);
    return *total != expected;
}
