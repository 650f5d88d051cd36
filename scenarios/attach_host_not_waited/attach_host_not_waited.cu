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
    int *result, seen;

    cudaStreamCreate(&stream);
    cudaMallocManaged((void **)&result, N * sizeof(int));
    square<<<N / 256, 256, 0, stream>>>(result);
    if (fixed) {
        cudaStreamSynchronize(stream); /* and no callback thread: scenario attach_after_launch */
    }
    cudaStreamAttachMemAsync(stream, result, 0, cudaMemAttachHost);
    if (fixed) {
        cudaStreamSynchronize(stream);
    }
    seen = result[9]; /* <-- found here */
    cudaStreamSynchronize(stream);
    printf("%d\n", seen);
    return seen != 81;
}
