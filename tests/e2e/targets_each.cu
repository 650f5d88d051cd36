// SPDX-License-Identifier: MIT
// Which target's code each GPU of a board runs, and whether each has variables of its own.
#include <cstdio>
#include <cuda_runtime.h>

__device__ int added = 5;

__global__ void which(int *out)
{
#ifdef __CUDA_ARCH__
    *out = __CUDA_ARCH__ + added;
#endif
}

int main()
{
    for (int round = 0; round < 2; round++) {
        for (int d = 0; d < 2; d++) {
            cudaFuncAttributes a;
            int *p, h = -1;

            cudaSetDevice(d);
            cudaMalloc(&p, sizeof(*p));
            which<<<1, 1>>>(p);
            cudaMemcpy(&h, p, sizeof(h), cudaMemcpyDeviceToHost);
            cudaFuncGetAttributes(&a, which);
            printf("device %d: %d of %d, %s\n", d, h, a.ptxVersion,
                   cudaGetErrorName(cudaGetLastError()));
            h = d;
            cudaMemcpyToSymbol(added, &h, sizeof(h));
        }
    }
    return 0;
}
