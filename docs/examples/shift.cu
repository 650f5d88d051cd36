// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 256
#define BY 32 /* a warp */

__global__ void shift(int *data)
{
    __shared__ int tile[N];
    int i = threadIdx.x;

    tile[i] = data[i];
    data[i] = i < BY ? 0 : tile[i - BY];
}

int main()
{
    int *data, wrong = 0;

    cudaMallocManaged((void **)&data, N * sizeof(int));
    for (int i = 0; i < N; i++) {
        data[i] = i + BY;
    }
    shift<<<1, N>>>(data);
    cudaDeviceSynchronize();
    for (int i = 0; i < N; i++) {
        wrong += data[i] != (i < BY ? 0 : i);
    }
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
