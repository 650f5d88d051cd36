// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 4096

__global__ void square(int *data)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    data[i] = i * i;
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    cudaStream_t stream;
    int *result;

    cudaStreamCreate(&stream);
    cudaMallocManaged((void **)&result, N * sizeof(int));
    square<<<N / 256, 256, 0, stream>>>(result);
    if (fixed) {
        cudaStreamSynchronize(stream);
    }
    cudaStreamAttachMemAsync(stream, result, 0, cudaMemAttachHost);
    cudaStreamSynchronize(stream);
    printf("%d\n", result[9]);
    return result[9] != 81;
}
