// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define N 4096

__global__ void add_one(int *data)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    int supported = 1, *data, *mapped;

    if (fixed) {
        cudaDeviceGetAttribute(&supported, cudaDevAttrHostRegisterSupported, 0);
    }
    if (supported) {
        data = (int *)aligned_alloc(4096, N * sizeof(int));
        if (cudaHostRegister(data, N * sizeof(int), cudaHostRegisterMapped) != cudaSuccess) {
            printf("no registration\n");
            return 0;
        }
    } else {
        cudaMallocHost((void **)&data, N * sizeof(int));
    }
    data[5] = 6;
    cudaHostGetDevicePointer((void **)&mapped, data, 0);
    add_one<<<N / 256, 256>>>(mapped);
    cudaDeviceSynchronize();
    printf("%d\n", data[5]);
    return data[5] != 7;
}
