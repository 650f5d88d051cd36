// SPDX-License-Identifier: MIT
// What the lesson "What it costs" has measured: the CPU fills a buffer, a kernel changes it, the CPU sums it, ten times.
#include <stdio.h>

__global__ void scale(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        x[i] = 2 * x[i];
    }
}

int main(void)
{
    const int n = 1 << 16;
    float *x, sum = 0;

    cudaMallocHost(&x, n * sizeof(*x));
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < n; i++) {
            x[i] = 1;
        }
        scale<<<n / 256, 256>>>(x, n);
        cudaDeviceSynchronize();
        for (int i = 0; i < n; i++) {
            sum += x[i];
        }
    }
    printf("%g\n", sum);
    return 0;
}
