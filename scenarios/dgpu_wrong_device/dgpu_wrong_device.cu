// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>
#include <thread>

#define N 1024

__global__ void add_one(int *data)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    int *data, result = 0;

    cudaSetDevice(1); // the integrated GPU
    cudaMalloc(&data, N * sizeof(int));
    cudaMemset(data, 0, N * sizeof(int));
    cudaDeviceSynchronize();
    std::thread helper([=] {
        if (fixed) {
            cudaSetDevice(1);
        }
        add_one<<<N / 256, 256>>>(data);
        printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    });
    helper.join();
    cudaMemcpy(&result, data + 3, sizeof(int), cudaMemcpyDeviceToHost);
    return result != 1;
}
