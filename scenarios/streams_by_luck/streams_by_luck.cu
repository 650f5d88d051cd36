// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 64

__global__ void produce(int *data)
{
    data[threadIdx.x] = (int)threadIdx.x + 1;
}

__global__ void consume(const int *data, int *sum)
{
    atomicAdd(sum, data[threadIdx.x]);
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    int *data, *sum, *scratch, host = -1;
    cudaStream_t first, second;
    cudaEvent_t done;

    cudaMallocHost((void **)&scratch, 20 * sizeof(int));
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    cudaMalloc((void **)&data, N * sizeof(int));
    cudaMalloc((void **)&sum, sizeof(int));
    cudaMemset(data, 0, N * sizeof(int));
    cudaMemset(sum, 0, sizeof(int));
    cudaDeviceSynchronize();
    produce<<<1, N, 0, first>>>(data); /* <-- found here */
    cudaEventRecord(done, first);
    for (int i = 0; i < 20; i++) {
        scratch[i] = i; /* work of the CPU, and time for the first kernel */
    }
    if (fixed) {
        cudaStreamWaitEvent(second, done, 0);
    }
    consume<<<1, N, 0, second>>>(data, sum); /* <-- found here */
    cudaDeviceSynchronize();
    cudaMemcpy(&host, sum, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%d of %d\n", host, N * (N + 1) / 2);
    return host != N * (N + 1) / 2;
}
