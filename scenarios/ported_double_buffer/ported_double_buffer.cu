// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 4096
#define FRAMES 4

__global__ void add(int *frame, int value)
{
    frame[blockIdx.x * blockDim.x + threadIdx.x] += value;
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    cudaStream_t stream[2];
    int *frame[2], sum = 0;

    for (int i = 0; i < 2; i++) {
        cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking);
        cudaMallocManaged((void **)&frame[i], N * sizeof(int));
        if (fixed) {
            cudaStreamAttachMemAsync(stream[i], frame[i], 0, cudaMemAttachSingle);
            cudaStreamSynchronize(stream[i]);
        }
    }
    for (int f = 0; f < FRAMES; f++) {
        int *at = frame[f % 2];

        cudaStreamSynchronize(stream[f % 2]); /* the frame before the last */
        sum += f > 1 ? at[0] : 0;
        for (int i = 0; i < N; i++) {
            at[i] = f; /* <-- found here */
        }
        add<<<N / 256, 256, 0, stream[f % 2]>>>(at, 10);
    }
    for (int i = 0; i < 2; i++) {
        cudaStreamSynchronize(stream[i]);
    }
    sum += frame[0][0] + frame[1][0];
    printf("%d\n", sum);
    return sum != 10 + 11 + 12 + 13;
}
