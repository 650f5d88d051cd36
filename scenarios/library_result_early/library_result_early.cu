// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cublas_v2.h>
#include <cuda_runtime.h>

#define N 64

int main(int argc, char **)
{
    bool fixed = argc > 1;
    const float one = 1, zero = 0;
    float *a, *c;
    cudaStream_t stream;
    cublasHandle_t handle;
    int right = 0;

    cudaStreamCreate(&stream);
    cudaMallocHost((void **)&a, N * N * sizeof(float));
    cudaMallocHost((void **)&c, N * N * sizeof(float));
    for (int i = 0; i < N * N; i++) {
        a[i] = 1;
        c[i] = 0;
    }
    cublasCreate(&handle);
    cublasSetStream(handle, stream);
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &one, a, N, a, N, &zero, c, N);
    if (fixed) {
        cudaStreamSynchronize(stream);
    }
    for (int i = 0; i < N * N; i++) {
        right += c[i] == N; /* <-- found here */
    }
    cudaStreamSynchronize(stream);
    cublasDestroy(handle);
    printf("%d of %d\n", right, N * N);
    return right != N * N;
}
