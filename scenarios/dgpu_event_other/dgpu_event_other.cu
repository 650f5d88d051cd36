// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 1024

__global__ void squares(int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = i * i;
}

__global__ void double_of(int *out, const int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = 2 * in[i];
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    int *between, *result;
    cudaStream_t first, second;
    cudaEvent_t written;

    cudaSetDevice(1); // the integrated GPU
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    if (!fixed) {
        cudaEventCreateWithFlags(&written, cudaEventDisableTiming);
    }
    cudaSetDevice(0); // the discrete one
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    if (fixed) {
        cudaEventCreateWithFlags(&written, cudaEventDisableTiming);
    }
    cudaMallocHost(&between, N * sizeof(int));
    cudaMallocHost(&result, N * sizeof(int));
    between[7] = 0;
    squares<<<N / 256, 256, 0, first>>>(between);
    cudaEventRecord(written, first);
    cudaSetDevice(1);
    cudaStreamWaitEvent(second, written, 0);
    double_of<<<N / 256, 256, 0, second>>>(result, between);
    cudaStreamSynchronize(second);
    cudaStreamSynchronize(first);
    printf("%d\n", result[7]);
    return result[7] != 98;
}
