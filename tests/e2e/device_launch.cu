// SPDX-License-Identifier: MIT
// A kernel that launches a kernel: what vtegra does not have has to be named.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void child(int *out)
{
    *out = 1;
}

__global__ void parent(int *out)
{
    child<<<1, 1>>>(out);
}

int main()
{
    int *out;

    cudaMallocManaged(&out, sizeof(*out));
    parent<<<1, 1>>>(out);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    return 0;
}
