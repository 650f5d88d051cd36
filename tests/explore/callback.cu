/* SPDX-License-Identifier: MIT */
/* A host function fills a buffer on the driver's thread; the main thread uses it. -DFIXED: after
 * waiting for the stream. CUDA for Tegra 3.3 asks for the same care on the board. */
#include <cuda_runtime.h>
#include <stdio.h>

static int *frame;

static void CUDART_CB fill(void *value)
{
    *frame = *(int *)value;
}

int main()
{
    static int value = 7;
    cudaStream_t s;

    cudaMallocHost(&frame, sizeof(*frame));
    *frame = 0;
    cudaStreamCreate(&s);
    cudaLaunchHostFunc(s, fill, &value);
#ifdef FIXED
    cudaStreamSynchronize(s);
#endif
    int seen = *frame;

    cudaStreamSynchronize(s);
    printf("%d\n", seen);
    return seen == value ? 0 : 1;
}
