// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define WANTED (96 * 1024)

extern __shared__ int tile[];

__global__ void turn(int *data, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        tile[i] = data[i];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        data[i] = tile[n - 1 - i];
    }
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    int most = WANTED, *data, n;

    if (fixed) {
        cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
        most = most < WANTED ? most : WANTED;
    }
    n = most / (int)sizeof(int);
    cudaMallocHost((void **)&data, WANTED);
    for (int i = 0; i < n; i++) {
        data[i] = i;
    }
    if (cudaFuncSetAttribute(turn, cudaFuncAttributeMaxDynamicSharedMemorySize, most) != cudaSuccess) {
        printf("no kernel with %d bytes of shared memory\n", most);
        return 0;
    }
    turn<<<1, 256, most>>>(data, n);
    cudaDeviceSynchronize();
    printf("%d\n", data[0]);
    return data[0] != n - 1;
}
