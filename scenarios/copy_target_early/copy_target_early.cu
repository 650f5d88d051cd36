// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 4096

int main(int argc, char **)
{
    bool fixed = argc > 1;
    int *data, *result;
    cudaStream_t stream;
    cudaEvent_t done;
    long sum = 0;

    cudaStreamCreate(&stream);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    cudaMalloc((void **)&data, N * sizeof(int));
    cudaMallocHost((void **)&result, N * sizeof(int));
    for (int i = 0; i < N; i++) {
        result[i] = 0;
    }
    cudaMemsetAsync(data, 1, N * sizeof(int), stream);
    cudaMemcpyAsync(result, data, N * sizeof(int), cudaMemcpyDeviceToHost, stream);
    cudaEventRecord(done, stream);
    if (fixed) {
        cudaEventSynchronize(done);
    }
    for (int i = 0; i < N; i++) {
        sum += result[i] == 0x01010101; /* <-- found here */
    }
    cudaStreamSynchronize(stream);
    printf("%ld of %d\n", sum, N);
    return sum != N;
}
