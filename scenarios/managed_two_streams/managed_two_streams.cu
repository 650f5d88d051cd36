// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 4096

__global__ void add_one(int *data)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    cudaStream_t stream[2];
    int *a, *b;

    cudaStreamCreate(&stream[0]);
    cudaStreamCreate(&stream[1]);
    cudaMallocManaged((void **)&a, N * sizeof(int));
    cudaMallocManaged((void **)&b, N * sizeof(int));
    if (fixed) {
        cudaStreamAttachMemAsync(stream[0], a, 0, cudaMemAttachSingle);
        cudaStreamAttachMemAsync(stream[1], b, 0, cudaMemAttachSingle);
        cudaDeviceSynchronize();
    }
    for (int i = 0; i < N; i++) {
        a[i] = 1;
    }
    add_one<<<N / 256, 256, 0, stream[0]>>>(a);
    for (int i = 0; i < N; i++) {
        b[i] = 2; /* <-- found here */
    }
    add_one<<<N / 256, 256, 0, stream[1]>>>(b);
    cudaDeviceSynchronize();
    printf("%d %d\n", a[N - 1], b[N - 1]);
    return a[N - 1] != 2 || b[N - 1] != 3;
}
