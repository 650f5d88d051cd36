// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cublas_v2.h>
#include <cuda_runtime.h>

#define N 16
#define K 256
#define BYTES 4096

int main(int argc, char **)
{
    bool fixed = argc > 1;
    const float one = 1, zero = 0;
    float *a, *c[2], *workspace[2], host[N * N];
    cudaStream_t stream[2];
    cublasHandle_t handle[2];
    int right = 0;

    cudaMalloc((void **)&a, N * K * sizeof(float));
    cudaMemset(a, 0, N * K * sizeof(float));
    cudaMalloc((void **)&workspace[0], BYTES);
    cudaMalloc((void **)&workspace[1], BYTES);
    cudaDeviceSynchronize();
    for (int i = 0; i < 2; i++) {
        cudaMalloc((void **)&c[i], N * N * sizeof(float));
        cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking);
        cublasCreate(&handle[i]);
        cublasSetStream(handle[i], stream[i]);
        cublasSetWorkspace(handle[i], workspace[fixed ? i : 0], BYTES);
    }
    for (int i = 0; i < 2; i++) {
        cublasSgemm(handle[i], CUBLAS_OP_N, CUBLAS_OP_N, N, N, K, &one, a, N, a, K, &zero, c[i], N); /* <-- found here */
    }
    for (int i = 0; i < 2; i++) {
        cudaStreamSynchronize(stream[i]);
        cudaMemcpy(host, c[i], sizeof(host), cudaMemcpyDeviceToHost);
        right += host[N] == 0;
        cublasDestroy(handle[i]);
    }
    printf("%d of 2\n", right);
    return right != 2;
}
