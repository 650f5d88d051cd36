// SPDX-License-Identifier: MIT
// The part of nvcc_places_main.cpp that nvcc compiles, without hooks.
#include <cuda_runtime.h>

__global__ void one(int *p) { p[threadIdx.x] = 1; }

void run_one(int *p)
{
    one<<<1, 32>>>(p);
    cudaDeviceSynchronize();
}
