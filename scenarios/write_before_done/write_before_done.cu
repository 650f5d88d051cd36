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
    int *in, *out, *result;
    cudaStream_t stream;
    long sum = 0;

    cudaStreamCreate(&stream);
    cudaMallocHost((void **)&in, N * sizeof(int));
    cudaMallocHost((void **)&result, N * sizeof(int));
    cudaMalloc((void **)&out, N * sizeof(int));
    for (int i = 0; i < N; i++) {
        in[i] = 1;
    }
    scale<<<N / 256, 256, 0, stream>>>(out, in, 3);
    if (fixed) {
        cudaStreamSynchronize(stream);
    }
    for (int i = 0; i < N; i++) {
        in[i] = 2; /* <-- found here */
    }
    cudaMemcpyAsync(result, out, N * sizeof(int), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    for (int i = 0; i < N; i++) {
        sum += result[i];
    }
    printf("sum %ld of %d\n", sum, 3 * N);
    return sum != 3 * N;
}
