// SPDX-License-Identifier: MIT
// A cooperative launch: every block sees what every other one wrote before the grid's barrier.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <stdio.h>

#define CHECK(call)                                                                                 \
    do {                                                                                            \
        cudaError_t err_ = (call);                                                                  \
        if (err_ != cudaSuccess) {                                                                  \
            printf("%s: %s\n", #call, cudaGetErrorName(err_));                                      \
            return 1;                                                                               \
        }                                                                                           \
    } while (0)

__global__ void rotate(int *p, int n, int rounds)
{
    auto grid = cooperative_groups::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    for (int r = 0; r < rounds; r++) {
        int next = p[(i + blockDim.x) % n] + 1; // of the next block

        grid.sync();
        p[i] = next;
        grid.sync();
    }
}

int main()
{
    const int blocks = 2, threads = 64, rounds = 5;
    int n = blocks * threads, *p;
    void *args[3];
    int r = rounds, can;

    CHECK(cudaMallocManaged(&p, n * sizeof(int)));
    for (int i = 0; i < n; i++) {
        p[i] = i;
    }
    args[0] = &p;
    args[1] = &n;
    args[2] = &r;
    CHECK(cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, 0));
    if (!can) { // below compute capability 6.0
        cudaError_t refused = cudaLaunchCooperativeKernel((void *)rotate, dim3(blocks), dim3(threads), args, 0, 0);
        printf("no grid sync on this board: %s\n", cudaGetErrorName(refused));
        return refused != cudaErrorNotSupported;
    }
    CHECK(cudaLaunchCooperativeKernel((void *)rotate, dim3(blocks), dim3(threads), args, 0, 0));
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) {
        if (p[i] != (i + rounds * threads) % n + rounds) {
            printf("p[%d] = %d\n", i, p[i]);
            return 1;
        }
    }
    cudaError_t err = cudaLaunchCooperativeKernel((void *)rotate, dim3(100000), dim3(threads), args, 0, 0);
    printf("grid sync ok, too large a grid: %s\n", cudaGetErrorName(err));
    return err != cudaErrorCooperativeLaunchTooLarge;
}
