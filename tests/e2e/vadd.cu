// SPDX-License-Identifier: MIT
// Vector addition as any introduction writes it: device memory, pageable host memory, both copies.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                 \
    do {                                                                                            \
        cudaError_t err_ = (call);                                                                  \
        if (err_ != cudaSuccess) {                                                                  \
            printf("%s: %s\n", #call, cudaGetErrorName(err_));                                      \
            return 1;                                                                               \
        }                                                                                           \
    } while (0)

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

int main()
{
    const int n = 5000;
    const size_t bytes = n * sizeof(float);
    float *a = (float *)malloc(bytes), *b = (float *)malloc(bytes), *c = (float *)calloc(n, sizeof(float));
    float *d_a, *d_b, *d_c;
    double sum = 0;

    for (int i = 0; i < n; i++) {
        a[i] = (float)i;
        b[i] = 0.5f;
    }
    CHECK(cudaMalloc(&d_a, bytes));
    CHECK(cudaMalloc(&d_b, bytes));
    CHECK(cudaMalloc(&d_c, bytes));
    CHECK(cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_b, b, bytes, cudaMemcpyHostToDevice));
    add<<<(n + 255) / 256, 256>>>(d_a, d_b, d_c, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(c, d_c, bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        if (c[i] != i + 0.5f) {
            printf("c[%d] = %g\n", i, c[i]);
            return 1;
        }
        sum += c[i];
    }
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    CHECK(cudaFree(d_c));
    free(a);
    free(b);
    free(c);
    printf("sum %.1f\n", sum); // 0 + 1 + ... + 4999 and 5000 halves
    return 0;
}
