// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 4096

__global__ void scale(int *out, const int *in, int factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = in[i] * factor;
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    int *in, *out, *next;

    cudaMallocManaged((void **)&in, N * sizeof(int));
    cudaMallocManaged((void **)&out, N * sizeof(int));
    cudaMallocManaged((void **)&next, N * sizeof(int));
    for (int i = 0; i < N; i++) {
        in[i] = 1;
    }
    scale<<<N / 256, 256>>>(out, in, 3);
    if (fixed) {
        cudaDeviceSynchronize();
    }
    next[0] = 7; /* <-- found here */
    cudaDeviceSynchronize();
    printf("%d %d\n", out[0], next[0]);
    return out[0] != 3 || next[0] != 7;
}
