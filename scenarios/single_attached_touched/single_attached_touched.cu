// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 4096

__global__ void scale(int *out, const int *in, int factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = in[i] * factor;
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    cudaStream_t mine, other;
    int *in, *out, seen;

    cudaStreamCreate(&mine);
    cudaStreamCreate(&other);
    cudaMallocHost((void **)&in, N * sizeof(int));
    cudaMallocManaged((void **)&out, N * sizeof(int), cudaMemAttachHost);
    cudaStreamAttachMemAsync(mine, out, 0, cudaMemAttachSingle);
    cudaStreamSynchronize(mine);
    for (int i = 0; i < N; i++) {
        in[i] = 1;
        out[i] = 0;
    }
    scale<<<N / 256, 256, 0, mine>>>(out, in, 3);
    cudaStreamSynchronize(fixed ? mine : other);
    seen = out[7]; /* <-- found here */
    cudaStreamSynchronize(mine);
    printf("%d\n", seen);
    return seen != 3;
}
