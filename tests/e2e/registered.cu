/* SPDX-License-Identifier: MIT */
/* registered.cu BUFFERS WHICH: registers so many buffers, and reads one of them before the kernel
 * that writes it has ended. */
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#define BYTES 4096u

__global__ void fill(int *p)
{
    p[threadIdx.x] = 7;
}

int main(int argc, char **argv)
{
    int buffers = argc > 2 ? atoi(argv[1]) : 0, which = argc > 2 ? atoi(argv[2]) : 0, *device;
    char *all = (char *)aligned_alloc(BYTES, (size_t)BYTES * (size_t)buffers);

    for (int i = 0; i < buffers; i++) {
        if (cudaHostRegister(all + (size_t)i * BYTES, BYTES, cudaHostRegisterMapped)) {
            return 1;
        }
    }
    int *host = (int *)(all + (size_t)which * BYTES);
    if (cudaHostGetDevicePointer((void **)&device, host, 0)) {
        return 1;
    }
    fill<<<1, 32>>>(device);
    int early = host[3]; // READ
    cudaError_t e = cudaDeviceSynchronize();
    printf("%d then %d\n", early, host[3]);
    return e != cudaSuccess;
}
