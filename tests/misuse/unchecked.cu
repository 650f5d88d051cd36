// SPDX-License-Identifier: MIT
// A copy that its call does not wait for, and a kernel in a stream that does not wait for it either.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

__device__ float weights[1024];

__global__ void mean(float *out)
{
    float sum = 0;

    for (float w : weights) {
        sum += w;
    }
    *out = sum / 1024;
}

int main(int argc, char **argv)
{
    static float host[1024];
    float *device, result = -1;
    cudaStream_t stream;

    for (float &w : host) {
        w = 2;
    }
    cudaMalloc(&device, sizeof(float));
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMemcpyToSymbol(weights, host, sizeof(host)); // MARK copy
    if (argc > 1 && strcmp(argv[1], "right") == 0) {
        cudaStreamSynchronize(0);
    }
    mean<<<1, 1, 0, stream>>>(device);
    cudaMemcpyAsync(&result, device, sizeof(float), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    if (argc > 1 && strcmp(argv[1], "later") == 0) {
        cudaDeviceSynchronize();
    }
    printf("mean %f\n", result);
    return 0;
}
