// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 4096

__global__ void produce(int *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = 3;
}

__global__ void consume(int *out, const int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = in[i] + 1;
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    static int result[N];
    int *a, *b, frame = 0;
    cudaStream_t first, second;
    cudaEvent_t done;
    long sum = 0;

    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    cudaMalloc((void **)&a, N * sizeof(int));
    cudaMalloc((void **)&b, N * sizeof(int));
    cudaMemset(a, 0, N * sizeof(int));
    cudaDeviceSynchronize();
    produce<<<N / 256, 256, 0, first>>>(a); /* <-- found here */
    if (frame > 0 || fixed) {
        cudaEventRecord(done, first);
    }
    cudaStreamWaitEvent(second, done, 0); /* nothing to wait for: it succeeds */
    consume<<<N / 256, 256, 0, second>>>(b, a); /* <-- found here */
    cudaDeviceSynchronize();
    cudaMemcpy(result, b, sizeof(result), cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) {
        sum += result[i];
    }
    printf("sum %ld of %d\n", sum, 4 * N);
    return sum != 4 * N;
}
