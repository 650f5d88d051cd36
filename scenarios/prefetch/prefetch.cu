// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 4096

__global__ void add_one(int *data)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    cudaMemLocation device = { cudaMemLocationTypeDevice, 0 };
    cudaStream_t stream;
    int *data;

    cudaStreamCreate(&stream);
    cudaMallocManaged((void **)&data, N * sizeof(int), cudaMemAttachGlobal);
    data[3] = 4;
    if (fixed) {
        cudaStreamAttachMemAsync(stream, data, 0, cudaMemAttachGlobal);
    } else {
        cudaMemPrefetchAsync(data, N * sizeof(int), device, 0, stream);
    }
    add_one<<<N / 256, 256, 0, stream>>>(data);
    cudaStreamSynchronize(stream);
    printf("%d\n", data[3]);
    return data[3] != 5;
}
