// SPDX-License-Identifier: MIT
// Reads managed memory, first in order and then too early: the board ends the program. What it has read before counts.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void fill(int *out)
{
    out[threadIdx.x] = threadIdx.x;
}

int main()
{
    int *out, sum = 0;

    cudaMallocManaged(&out, 256 * sizeof(int));
    fill<<<1, 256>>>(out);
    cudaDeviceSynchronize();
    for (int i = 0; i < 256; i++) {
        sum += out[i];
    }
    std::printf("%d\n", sum);
    fill<<<1, 256>>>(out);
    return out[0];
}
