// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

static void CUDART_CB fill(void *data)
{
    *(int *)data = 7; /* <-- found here */
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    cudaStream_t stream;
    int *frame, seen;

    cudaStreamCreate(&stream);
    cudaMallocHost((void **)&frame, sizeof(int));
    *frame = 0;
    cudaLaunchHostFunc(stream, fill, frame);
    if (fixed) {
        cudaStreamSynchronize(stream);
    }
    seen = *frame; /* <-- found here */
    cudaStreamSynchronize(stream);
    printf("%d\n", seen);
    return seen != 7;
}
