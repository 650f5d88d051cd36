// SPDX-License-Identifier: MIT
__device__ int offset = 1;

__device__ int twice(int x)
{
    return 2 * x;
}

__global__ void other_fill(int *p)
{
    p[threadIdx.x] = twice((int)threadIdx.x) + (int)threadIdx.x - offset;
}
