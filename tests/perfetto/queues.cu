// SPDX-License-Identifier: MIT
// Two kernels of two streams want the SMs, and a copy of a third one the DRAM that they stream through.
#include <cuda_runtime.h>

#define N (4u << 20)

__global__ void stretch(float *a)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
        a[i] = a[i] * 2 + 1;
    }
}

int main()
{
    cudaStream_t s[3];
    float *a, *b, *c, *h;

    for (int i = 0; i < 3; i++) {
        cudaStreamCreate(&s[i]);
    }
    cudaMalloc(&a, N * 4);
    cudaMalloc(&b, N * 4);
    cudaMalloc(&c, N * 4);
    cudaMallocHost(&h, N * 4);
    cudaDeviceSynchronize();
    stretch<<<64, 256, 0, s[0]>>>(a);
    stretch<<<64, 256, 0, s[1]>>>(b);
    cudaMemcpyAsync(c, h, N * 4, cudaMemcpyHostToDevice, s[2]);
    return cudaDeviceSynchronize() != cudaSuccess;
}
