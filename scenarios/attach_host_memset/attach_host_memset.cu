// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

#define N 4096

int main(int argc, char **)
{
    bool fixed = argc > 1;
    cudaError_t error = cudaSuccess;
    char *data;

    cudaMallocManaged((void **)&data, N, cudaMemAttachHost);
    if (fixed) {
        memset(data, 5, N);
    } else {
        error = cudaMemset(data, 5, N);
        cudaDeviceSynchronize();
    }
    printf("%s\n", cudaGetErrorName(error));
    return 0;
}
