// SPDX-License-Identifier: MIT
// Launches, waits and reads, again and again. Usage: alone TIMES
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void add(int *p)
{
    p[threadIdx.x]++;
}

int main(int, char **argv)
{
    int times = atoi(argv[1]), *p;
    cudaStream_t stream;

    cudaMallocHost((void **)&p, 4096);
    for (int i = 0; i < 64; i++)
        p[i] = 0;
    cudaStreamCreate(&stream);
    for (int n = 1; n <= times; n++) {
        add<<<1, 64, 0, stream>>>(p);
        cudaStreamSynchronize(stream);
        if (p[5] != n)
            return 1;
    }
    cudaStreamDestroy(stream);
    cudaFreeHost(p);
    return 0;
}
