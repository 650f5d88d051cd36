// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 4096

__global__ void count(int *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    static int result[N];
    cudaStream_t stream;
    long sum = 0;
    int *data;

    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMalloc((void **)&data, N * sizeof(int));
    if (fixed) {
        cudaMemsetAsync(data, 0, N * sizeof(int), stream);
    } else {
        cudaMemset(data, 0, N * sizeof(int));
    }
    count<<<N / 256, 256, 0, stream>>>(data);
    cudaDeviceSynchronize();
    cudaMemcpy(result, data, sizeof(result), cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) {
        sum += result[i];
    }
    printf("sum %ld of %d\n", sum, N);
    return sum != N;
}
