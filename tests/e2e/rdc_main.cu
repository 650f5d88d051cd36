// SPDX-License-Identifier: MIT
// Two files of relocatable device code: a function, a variable and a kernel cross the border.
#include <stdio.h>

extern __device__ int offset;
__device__ int twice(int x);

__global__ void fill(int *p)
{
    p[threadIdx.x] = twice((int)threadIdx.x) + offset;
}

__global__ void other_fill(int *p);

int main()
{
    int *p, value = 100;
    long sum = 0;

    if (cudaMallocManaged(&p, 64 * sizeof(int)) || cudaMemcpyToSymbol(offset, &value, sizeof(value))) {
        return 1;
    }
    fill<<<1, 32>>>(p);
    other_fill<<<1, 32>>>(p + 32);
    cudaError_t err = cudaDeviceSynchronize();
    for (int i = 0; i < 64; i++) {
        sum += p[i];
    }
    printf("%s %ld\n", cudaGetErrorName(err), sum); // 2 * 496 + 3200 and 3 * 496 - 3200
    return sum != 2480;
}
