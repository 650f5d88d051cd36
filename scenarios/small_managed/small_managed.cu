// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

__global__ void step(int *state)
{
    state[threadIdx.x] += state[15];
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    int *state;

    if (fixed) {
        cudaMallocHost((void **)&state, 16 * sizeof(int));
    } else {
        cudaMallocManaged((void **)&state, 16 * sizeof(int));
    }
    for (int i = 0; i < 16; i++) {
        state[i] = 0;
    }
    for (int frame = 0; frame < 10; frame++) {
        state[15] = frame;
        step<<<1, 15>>>(state);
        cudaDeviceSynchronize();
    }
    printf("%d\n", state[0]);
    return state[0] != 45;
}
