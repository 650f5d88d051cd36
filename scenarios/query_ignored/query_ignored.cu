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
    int *in, *out;
    cudaStream_t stream;
    cudaError_t ready;
    long sum = 0;

    cudaStreamCreate(&stream);
    cudaMallocHost((void **)&in, N * sizeof(int));
    cudaMallocHost((void **)&out, N * sizeof(int));
    for (int i = 0; i < N; i++) {
        in[i] = 1;
        out[i] = 0;
    }
    scale<<<N / 256, 256, 0, stream>>>(out, in, 3);
    ready = cudaStreamQuery(stream);
    while (fixed && ready == cudaErrorNotReady) {
        ready = cudaStreamQuery(stream);
    }
    for (int i = 0; i < N; i++) {
        sum += out[i]; /* <-- found here */
    }
    cudaStreamSynchronize(stream);
    printf("sum %ld of %d\n", sum, 3 * N);
    return sum != 3 * N;
}
