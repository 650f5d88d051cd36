// SPDX-License-Identifier: MIT
// assert() in a kernel: the message on stderr, cudaErrorAssert from then on, results of before kept.
#include <assert.h>
#include <stdio.h>

__global__ void store(int *p)
{
    p[threadIdx.x] = 5;
}

__global__ void checked(int limit)
{
    assert((int)threadIdx.x < limit);
}

int main()
{
    int *p;

    if (cudaMallocHost(&p, 32 * sizeof(int))) {
        return 1;
    }
    store<<<1, 32>>>(p);
    checked<<<1, 32>>>(32);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    checked<<<1, 32>>>(31);
    cudaError_t err = cudaDeviceSynchronize();
    printf("%s %d %s\n", cudaGetErrorName(err), p[31], cudaGetErrorName(cudaMalloc(&p, 4)));
    return err != cudaErrorAssert;
}
