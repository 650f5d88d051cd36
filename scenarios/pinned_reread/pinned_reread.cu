// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 32768

__global__ void blur(int *out, const int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;

    for (int d = -4; d <= 4; d++) {
        sum += in[(i + d) & (N - 1)];
    }
    out[i] = sum;
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    int *in, *out;

    if (fixed) {
        cudaMallocManaged((void **)&in, N * sizeof(int));
        cudaMallocManaged((void **)&out, N * sizeof(int));
    } else {
        cudaMallocHost((void **)&in, N * sizeof(int));
        cudaMallocHost((void **)&out, N * sizeof(int));
    }
    for (int i = 0; i < N; i++) {
        in[i] = 1;
    }
    blur<<<N / 256, 256>>>(out, in);
    cudaDeviceSynchronize();
    printf("%d\n", out[100]);
    return out[100] != 9;
}
