// SPDX-License-Identifier: MIT
// Operations of a warp in code that diverges. Usage: lanes vote | shuffle | barrier
#include <cuda_runtime.h>
#include <cstdio>
#include <cstring>

// Both arms vote with all lanes: true in the first one, false in the second.
__global__ void vote(int *out)
{
    int lane = threadIdx.x;

    if (lane < 16) {
        out[lane] = __all_sync(0xffffffff, lane >= 0);
    } else {
        out[lane] = __all_sync(0xffffffff, lane < 0);
    }
}

// Each arm has its value from the other one.
__global__ void shuffle(int *out)
{
    int lane = threadIdx.x;

    if (lane < 16) {
        out[lane] = __shfl_xor_sync(0xffffffff, 100 + lane, 16);
    } else {
        out[lane] = __shfl_xor_sync(0xffffffff, 200 + lane, 16);
    }
}

// The lower lanes wait for the upper ones, which wait for them at the block's barrier.
__global__ void barrier(int *out)
{
    int lane = threadIdx.x;

    if (lane < 16) {
        out[lane] = __shfl_sync(0xffffffff, lane, 31);
    }
    __syncthreads();
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int *out, host[32], sum = 0;

    cudaMalloc(&out, sizeof(host));
    if (strcmp(what, "vote") == 0) {
        vote<<<1, 32>>>(out);
    } else if (strcmp(what, "shuffle") == 0) {
        shuffle<<<1, 32>>>(out);
    } else {
        barrier<<<1, 32>>>(out);
    }
    cudaError_t error = cudaDeviceSynchronize();
    if (error == cudaSuccess) {
        cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
        for (int v : host) {
            sum += v;
        }
    }
    printf("%s, sum %d\n", cudaGetErrorName(error), sum);
    return 0;
}
