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
    cudaStream_t mine, other, used;
    int *in, *out;
    long sum = 0;

    cudaStreamCreate(&mine);
    cudaStreamCreate(&other);
    used = fixed ? mine : other;
    cudaMallocHost((void **)&in, N * sizeof(int));
    cudaMallocManaged((void **)&out, N * sizeof(int), cudaMemAttachHost);
    cudaStreamAttachMemAsync(mine, out, 0, cudaMemAttachSingle);
    cudaStreamSynchronize(mine);
    for (int i = 0; i < N; i++) {
        in[i] = 1;
        out[i] = 0;
    }
    scale<<<N / 256, 256, 0, used>>>(out, in, 3);
    cudaStreamSynchronize(used);
    for (int i = 0; i < N; i++) {
        sum += out[i]; /* <-- found here */
    }
    printf("sum %ld of %d\n", sum, 3 * N);
    return sum != 3 * N;
}
