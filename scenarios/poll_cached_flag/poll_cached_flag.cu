// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

__global__ void work(volatile int *progress)
{
    for (int i = 1; i <= 10; i++) {
        *progress = i;
        __threadfence_system();
    }
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    cudaStream_t idle, busy;
    volatile int *progress;
    int seen = 0;

    cudaStreamCreate(&idle);
    cudaStreamCreate(&busy);
    if (fixed) {
        cudaMallocHost((void **)&progress, sizeof(int));
    } else {
        cudaMallocManaged((void **)&progress, sizeof(int), cudaMemAttachHost);
        cudaStreamAttachMemAsync(idle, (void *)progress, 0, cudaMemAttachSingle);
        cudaStreamSynchronize(idle);
    }
    *progress = 0;
    work<<<1, 1, 0, busy>>>(progress);
    for (int i = 0; i < 1000 && seen < 10; i++) {
        seen = *progress; /* <-- found here */
    }
    cudaStreamSynchronize(busy);
    seen = *progress; /* <-- found here */
    printf("%d of 10\n", seen);
    return seen != 10;
}
