// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 4096

__global__ void scale(int *out, const int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = in[i] * 3;
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    static int frame[N], result[N];
    cudaStream_t stream;
    int *in, *out;
    long sum = 0;

    for (int i = 0; i < N; i++) {
        frame[i] = 2;
    }
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMalloc((void **)&in, sizeof(frame));
    cudaMalloc((void **)&out, sizeof(result));
    cudaMemset(in, 0, sizeof(frame));
    cudaDeviceSynchronize();
    if (fixed) {
        cudaMemcpyAsync(in, frame, sizeof(frame), cudaMemcpyHostToDevice, stream);
    } else {
        cudaMemcpy(in, frame, sizeof(frame), cudaMemcpyHostToDevice); /* <-- found here */
    }
    scale<<<N / 256, 256, 0, stream>>>(out, in); /* <-- found here */
    cudaStreamSynchronize(stream);
    cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) {
        sum += result[i];
    }
    printf("sum %ld of %d\n", sum, 6 * N);
    return sum != 6 * N;
}
