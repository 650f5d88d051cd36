// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

int main(int argc, char **)
{
    bool fixed = argc > 1;
    cudaIpcMemHandle_t handle;
    cudaError_t error = cudaSuccess;
    int *data;

    cudaMalloc((void **)&data, 4096);
    if (!fixed) {
        error = cudaIpcGetMemHandle(&handle, data); /* <-- found here */
    }
    printf("%s\n", cudaGetErrorName(error));
    return 0;
}
