// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 4096

__global__ void scale(int *out, const int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = in[i] * 3;
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    int *in, *out, last;

    cudaMallocHost((void **)&in, N * sizeof(int));
    cudaMalloc((void **)&out, N * sizeof(int));
    for (int i = 0; i < N; i++) {
        in[i] = i;
    }
    scale<<<N / 256, 256>>>(out, in);
    if (fixed) {
        cudaDeviceSynchronize();
    }
    cudaFreeHost(in); /* <-- found here */
    cudaMemcpy(&last, out + N - 1, sizeof(last), cudaMemcpyDeviceToHost);
    cudaFree(out);
    printf("%d\n", last);
    return last != 3 * (N - 1);
}
