// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define N 4096

int main(int argc, char **)
{
    bool fixed = argc > 1;
    int *in, *copy, *result;
    cudaStream_t stream;
    long sum = 0;

    cudaStreamCreate(&stream);
    if (fixed) {
        in = (int *)malloc(N * sizeof(int)); /* pageable: staged before the call returns */
    } else {
        cudaMallocHost((void **)&in, N * sizeof(int));
    }
    cudaMallocHost((void **)&result, N * sizeof(int));
    cudaMalloc((void **)&copy, N * sizeof(int));
    for (int i = 0; i < N; i++) {
        in[i] = 1;
    }
    cudaMemcpyAsync(copy, in, N * sizeof(int), cudaMemcpyHostToDevice, stream);
    for (int i = 0; i < N; i++) {
        in[i] = 2; /* <-- found here */
    }
    cudaMemcpyAsync(result, copy, N * sizeof(int), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    for (int i = 0; i < N; i++) {
        sum += result[i];
    }
    printf("sum %ld of %d\n", sum, N);
    return sum != N;
}
