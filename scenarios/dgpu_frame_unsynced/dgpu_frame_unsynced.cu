// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define WIDTH 256
#define HEIGHT 64

__global__ void correct(unsigned char *frame)
{
    int i = blockIdx.x * WIDTH + threadIdx.x;

    frame[i] = 255 - frame[i];
}

__global__ void shrink(unsigned char *small, const unsigned char *frame)
{
    small[blockIdx.x * WIDTH / 2 + threadIdx.x] = frame[2 * blockIdx.x * WIDTH + 2 * threadIdx.x];
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    unsigned char *frame, *small;
    cudaEvent_t corrected;
    int wrong = 0;

    cudaSetDevice(0); // the discrete GPU
    cudaMallocHost(&frame, WIDTH * HEIGHT);
    cudaMallocHost(&small, WIDTH * HEIGHT / 4);
    cudaEventCreateWithFlags(&corrected, cudaEventDisableTiming);
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        frame[i] = (unsigned char)(i % 100);
    }
    correct<<<HEIGHT, WIDTH>>>(frame);
    cudaEventRecord(corrected, 0);
    cudaSetDevice(1); // the integrated one
    if (fixed) {
        cudaStreamWaitEvent(0, corrected, 0);
    }
    shrink<<<HEIGHT / 2, WIDTH / 2>>>(small, frame);
    cudaDeviceSynchronize();
    for (int i = 0; i < WIDTH / 2; i++) {
        wrong += small[i] != 255 - 2 * i % 100;
    }
    cudaSetDevice(0);
    cudaDeviceSynchronize();
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
