// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cublas_v2.h>
#include <cuda_runtime.h>

#define N 64

int main(int argc, char **)
{
    bool fixed = argc > 1;
    const float one = 1, zero = 0;
    float *a, *c, *d, host[N * N];
    cudaStream_t first, second;
    cudaEvent_t done;
    cublasHandle_t handle;
    int right = 0;

    cudaMalloc((void **)&a, N * N * sizeof(float));
    cudaMalloc((void **)&c, N * N * sizeof(float));
    cudaMalloc((void **)&d, N * N * sizeof(float));
    for (int i = 0; i < N * N; i++) {
        host[i] = 1;
    }
    cudaMemcpy(a, host, sizeof(host), cudaMemcpyHostToDevice);
    cudaMemset(c, 0, sizeof(host));
    cudaDeviceSynchronize();
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEventCreate(&done);
    cublasCreate(&handle);
    cublasSetStream(handle, first);
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &one, a, N, a, N, &zero, c, N); /* <-- found here */
    cudaEventRecord(done, first);
    cublasSetStream(handle, second);
    if (fixed) {
        cudaStreamWaitEvent(second, done, 0);
    }
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &one, a, N, c, N, &zero, d, N); /* <-- found here */
    cudaStreamSynchronize(second);
    cudaMemcpy(host, d, sizeof(host), cudaMemcpyDeviceToHost);
    cudaStreamSynchronize(first);
    for (int i = 0; i < N * N; i++) {
        right += host[i] == N * N;
    }
    cublasDestroy(handle);
    printf("%d of %d\n", right, N * N);
    return right != N * N;
}
