// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 1024

__global__ void squares(int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = i * i;
}

__global__ void double_of(int *out, const int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = 2 * in[i];
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    int *there, *here, *result, *in;

    cudaSetDevice(0); // the discrete GPU
    cudaMalloc(&there, N * sizeof(int));
    cudaMallocHost(&result, N * sizeof(int));
    squares<<<N / 256, 256>>>(there);
    cudaDeviceSynchronize();
    cudaSetDevice(1); // the integrated one
    cudaMalloc(&here, N * sizeof(int));
    in = there;
    if (fixed) {
        cudaMemcpyPeer(here, 1, there, 0, N * sizeof(int));
        in = here;
    }
    result[7] = 0;
    double_of<<<N / 256, 256>>>(result, in);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return result[7] != 98;
}
