/* SPDX-License-Identifier: MIT */
/* Ends well, but waits for nothing: one finding in every run. */
#include <cuda_runtime.h>

__global__ void produce(int *data)
{
    data[threadIdx.x] = (int)threadIdx.x;
}

int main()
{
    int *data;

    cudaMalloc(&data, 32 * sizeof(*data));
    for (int i = 0; i < 8; i++) {
        produce<<<1, 32>>>(data);
    }
    return 0;
}
