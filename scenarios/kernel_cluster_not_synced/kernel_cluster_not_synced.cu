// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 64

__device__ static void cluster_sync()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
#endif
}

/* Each block fills its row, and writes out that of the other block of its cluster. */
__global__ void swap_rows(int *data, bool fixed)
{
#if __CUDA_ARCH__ >= 900 /* others have no clusters */
    __shared__ int row[N];
    int *there, i = threadIdx.x;

    cluster_sync(); /* both blocks have begun */
    row[i] = data[blockIdx.x * N + i]; /* <-- found here */
    if (fixed) {
        cluster_sync();
    } else {
        __syncthreads();
    }
    asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(row), "r"(blockIdx.x ^ 1));
    data[(2 + blockIdx.x) * N + i] = there[i]; /* <-- found here */
    cluster_sync(); /* neither ends while the other one reads */
#endif
}

int main(int argc, char **)
{
    cudaLaunchAttribute cluster = {};
    cudaLaunchConfig_t config = {};
    bool fixed = argc > 1;
    int *data, host[4 * N], bad = 0;

    for (int i = 0; i < 4 * N; i++) {
        host[i] = i;
    }
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = 2;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    config.gridDim = dim3(2);
    config.blockDim = dim3(N);
    config.attrs = &cluster;
    config.numAttrs = 1;
    cudaMalloc((void **)&data, sizeof(host));
    cudaMemcpy(data, host, sizeof(host), cudaMemcpyHostToDevice);
    cudaLaunchKernelEx(&config, swap_rows, data, fixed);
    cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 2 * N; i++) {
        bad += host[2 * N + i] != (i < N ? N + i : i - N);
    }
    printf("%d wrong\n", bad);
    cudaFree(data);
    return bad != 0;
}
