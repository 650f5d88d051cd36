/* SPDX-License-Identifier: MIT */
/* faults shared | atomic | wrapper: faults whose words once named something else. */
#include <stdio.h>
#include <string.h>

extern __shared__ int dynamic[];

__global__ void overrun(int *p)
{
    dynamic[threadIdx.x + 200] = 1;
    __syncthreads();
    *p = dynamic[0];
}

__global__ void misaligned(char *p)
{
    atomicAdd((int *)(p + 1), 1);
}

/* The application's, though it begins as the API's do. */
__attribute__((noinline)) static int cudaMyWrapper()
{
    return cudaDeviceGetHostAtomicCapabilities(nullptr, nullptr, 0, 0);
}

int main(int argc, char **argv)
{
    int *p;

    if (argc != 2 || cudaMalloc(&p, 128)) {
        return 1;
    }
    if (!strcmp(argv[1], "wrapper")) {
        printf("%d\n", cudaMyWrapper());
        return 0;
    }
    if (!strcmp(argv[1], "shared")) {
        overrun<<<1, 32, 128>>>(p);
    } else {
        misaligned<<<1, 1>>>((char *)p);
    }
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
