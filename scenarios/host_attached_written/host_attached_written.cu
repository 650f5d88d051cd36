// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 1024

__global__ void fill(int *data)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] = 1; /* <-- found here */
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    cudaStream_t stream;
    int *data;

    cudaStreamCreate(&stream);
    cudaMallocManaged((void **)&data, N * sizeof(int), cudaMemAttachHost);
    data[0] = 0;
    if (fixed) {
        cudaStreamAttachMemAsync(stream, data, 0, cudaMemAttachSingle);
    }
    fill<<<N / 256, 256, 0, stream>>>(data);
    printf("%s\n", cudaGetErrorName(cudaStreamSynchronize(stream)));
    return data[0] != 1;
}
