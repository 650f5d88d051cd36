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
    int supported = 1, *data, *mapped, seen;

    if (fixed) {
        cudaDeviceGetAttribute(&supported, cudaDevAttrHostRegisterSupported, 0);
    }
    data = supported ? (int *)aligned_alloc(4096, N * sizeof(int)) : NULL;
    if (!supported) {
        cudaMallocHost((void **)&data, N * sizeof(int));
    } else if (cudaHostRegister(data, N * sizeof(int), cudaHostRegisterMapped) != cudaSuccess) { /* <-- found here */
        return 0;
    }
    data[5] = 6;
    cudaHostGetDevicePointer((void **)&mapped, data, 0);
    add_one<<<N / 256, 256>>>(mapped);
    if (fixed) {
        cudaDeviceSynchronize();
    }
    seen = data[5]; /* <-- found here */
    cudaDeviceSynchronize();
    printf("%d\n", seen);
    return seen != 7;
}
