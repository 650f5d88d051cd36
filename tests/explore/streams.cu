/* SPDX-License-Identifier: MIT */
/* A kernel on one stream reads what a kernel on another stream writes. -DFIXED: behind an event. */
#include <cuda_runtime.h>
#include <stdio.h>

#define N 64

__global__ void produce(int *data)
{
    data[threadIdx.x] = (int)threadIdx.x + 1;
}

__global__ void consume(const int *data, int *sum)
{
    atomicAdd(sum, data[threadIdx.x]);
}

int main()
{
    int *data, *sum, host = -1;
    cudaStream_t a, b;

    cudaMalloc(&data, N * sizeof(*data));
    cudaMalloc(&sum, sizeof(*sum));
    cudaMemset(data, 0, N * sizeof(*data));
    cudaMemset(sum, 0, sizeof(*sum));
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaDeviceSynchronize();
    produce<<<1, N, 0, a>>>(data);
#ifdef FIXED
    cudaEvent_t done;

    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    cudaEventRecord(done, a);
    cudaStreamWaitEvent(b, done, 0);
#endif
    consume<<<1, N, 0, b>>>(data, sum);
    cudaDeviceSynchronize();
    cudaMemcpy(&host, sum, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%d\n", host);
    return host == N * (N + 1) / 2 ? 0 : 1;
}
