// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

int main(int argc, char **)
{
    bool fixed = argc > 1;
    int supported = 1;
    void *data;

    if (fixed) {
        cudaDeviceGetAttribute(&supported, cudaDevAttrHostRegisterSupported, 0);
    }
    if (supported) {
        data = aligned_alloc(4096, 4096);
        printf("%s\n", cudaGetErrorName(cudaHostRegister(data, 4096, cudaHostRegisterDefault)));
    } else {
        printf("%s\n", cudaGetErrorName(cudaMallocHost(&data, 4096)));
    }
    return 0;
}
