// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>
#include <cuda_pipeline.h>

#define N 256
#define TILES 4

/* Turns each tile round while the next one is on its way. */
__global__ void reverse(int *data, bool fixed)
{
#if __CUDA_ARCH__ >= 800 /* others have no such instruction */
    __shared__ int tile[2][N];
    int i = threadIdx.x;

    __pipeline_memcpy_async(&tile[0][i], &data[i], sizeof(int));
    __pipeline_commit();
    for (int t = 0; t < TILES; t++) {
        if (t + 1 < TILES) {
            __pipeline_memcpy_async(&tile[(t + 1) % 2][i], &data[(t + 1) * N + i], sizeof(int));
        }
        __pipeline_commit();
        if (fixed) {
            __pipeline_wait_prior(1); /* all but the youngest group */
        } else {
            __pipeline_wait_prior(2);
        }
        __syncthreads();
        data[t * N + i] = tile[t % 2][N - 1 - i]; /* <-- found here */
        __syncthreads();
    }
    __pipeline_wait_prior(0);
#endif
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    int *data, host[TILES * N], bad = 0;

    for (int i = 0; i < TILES * N; i++) {
        host[i] = i;
    }
    cudaMalloc((void **)&data, sizeof(host));
    cudaMemcpy(data, host, sizeof(host), cudaMemcpyHostToDevice);
    reverse<<<1, N>>>(data, fixed);
    cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost);
    for (int i = 0; i < TILES * N; i++) {
        bad += host[i] != i / N * N + (N - 1 - i % N);
    }
    printf("%d wrong\n", bad);
    cudaFree(data);
    return bad != 0;
}
