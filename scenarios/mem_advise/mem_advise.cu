// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 4096

int main(int argc, char **)
{
    bool fixed = argc > 1;
    cudaMemLocation device = { cudaMemLocationTypeDevice, 0 };
    int concurrent = 1;
    int *data;

    cudaMallocManaged((void **)&data, N * sizeof(int));
    if (fixed) {
        cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, 0);
    }
    if (concurrent) {
        cudaMemAdvise(data, N * sizeof(int), cudaMemAdviseSetPreferredLocation, device);
    }
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    return 0;
}
