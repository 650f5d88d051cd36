/* SPDX-License-Identifier: MIT */
/* What cuBLAS answers to wrong and rare arguments: a row a question. For a GPU with NVIDIA's
 * library, and for ours: g++ cublas_codes.cpp -lcublas -lcudart -o cublas_codes && ./cublas_codes
 * [NUMBER...] >cublas_codes.txt */
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 64 };
static cublasHandle_t h;
static float *a, *b, *c, *scalar;
static const float one = 1, zero = 0, two = 2;
static const cublasOperation_t n = CUBLAS_OP_N;

static void row(const char *what, int code)
{
    printf("%s = %d\n", what, code);
}

static void fill(float *to, float value)
{
    float host[N * N];

    for (int i = 0; i < N * N; i++) {
        host[i] = value;
    }
    cudaMemcpy(to, host, sizeof(host), cudaMemcpyHostToDevice);
}

static void shown(const char *what, const float *from)
{
    float host[4] = { 0 };
    uint32_t bits[4];

    cudaMemcpy(host, from, sizeof(host), cudaMemcpyDeviceToHost);
    memcpy(bits, host, sizeof(bits));
    printf("%s = %08x %08x %08x %08x\n", what, bits[0], bits[1], bits[2], bits[3]);
}

/* Questions whose number is an argument are left out: NVIDIA's library ends with a signal at some
 * null scalars. */
static int asked, left_out[32], left_outs;

static int answers(const char *what)
{
    asked++;
    for (int i = 0; i < left_outs; i++) {
        if (left_out[i] == asked) {
            printf("%s = signal\n", what);
            return 0;
        }
    }
    return 1;
}

#define CODE(call) (answers(#call) ? row(#call, call) : (void)0)

static void wrong_arguments(void)
{
    int at = -1;
    float sum = -1;

    CODE(cublasSgemm(NULL, n, n, 4, 4, 4, &one, a, 4, b, 4, &zero, c, 4));
    CODE(cublasSgemm(h, (cublasOperation_t)7, n, 4, 4, 4, &one, a, 4, b, 4, &zero, c, 4));
    CODE(cublasSgemm(h, (cublasOperation_t)3, n, 4, 4, 4, &one, a, 4, b, 4, &zero, c, 4));
    CODE(cublasSgemm(h, n, n, -1, 4, 4, &one, a, 4, b, 4, &zero, c, 4));
    CODE(cublasSgemm(h, n, n, 4, 4, -1, &one, a, 4, b, 4, &zero, c, 4));
    CODE(cublasSgemm(h, n, n, 4, 4, 4, &one, a, 3, b, 4, &zero, c, 4));
    CODE(cublasSgemm(h, n, n, 4, 4, 4, &one, a, 4, b, 3, &zero, c, 4));
    CODE(cublasSgemm(h, n, n, 4, 4, 4, &one, a, 4, b, 4, &zero, c, 3));
    CODE(cublasSgemm(h, n, n, 4, 4, 4, NULL, a, 4, b, 4, &zero, c, 4));
    CODE(cublasSgemm(h, n, n, 4, 4, 4, &one, a, 4, b, 4, NULL, c, 4));
    CODE(cublasSgemm(h, n, n, 0, 4, 4, NULL, NULL, 4, NULL, 4, NULL, NULL, 4));
    CODE(cublasSgemm(h, n, n, 0, 4, 4, &one, a, 0, b, 4, &zero, c, 0));
    CODE(cublasSgemm(h, n, n, 0, 4, 4, &one, a, 1, b, 4, &zero, c, 1));
    CODE(
        cublasSgemmStridedBatched(h, n, n, 4, 4, 4, &one, a, 4, 16, b, 4, 16, &zero, c, 4, 16, -1));
    CODE(cublasSgemmStridedBatched(h, n, n, 4, 4, 4, &one, a, 4, 16, b, 4, 16, &zero, c, 4, 16, 0));
    CODE(cublasSgemv(h, n, 4, 4, &one, a, 4, b, 0, &zero, c, 1));
    CODE(cublasSgemv(h, n, 4, 4, &one, a, 3, b, 1, &zero, c, 1));
    CODE(cublasSaxpy(h, -1, &one, a, 1, b, 1));
    CODE(cublasSaxpy(h, 4, NULL, a, 1, b, 1));
    CODE(cublasSaxpy(h, 4, &one, a, 0, b, 1));
    CODE(cublasSscal(h, 4, &one, a, 0));
    CODE(cublasSscal(h, 4, &one, a, -1));
    CODE(cublasSdot(h, 0, a, 1, b, 1, &sum));
    printf("sum = %g\n", (double)sum);
    CODE(cublasSdot(h, 4, a, 1, b, 1, NULL));
    CODE(cublasIsamax(h, 0, a, 1, &at));
    printf("at = %d\n", at);
    CODE(cublasIsamax(h, 4, a, 0, &at));
    printf("at = %d\n", at);
    CODE(cublasSnrm2(h, 4, a, -1, &sum));
    printf("sum = %g\n", (double)sum);
    CODE(cublasStrsm(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_FULL, n, CUBLAS_DIAG_UNIT, 4, 4, &one, a,
                     4, b, 4));
    CODE(cublasSgeam(h, n, n, 4, 4, &one, a, 4, &one, b, 4, a, 5));
    CODE(cublasSetMathMode(h, (cublasMath_t)77));
    CODE(cublasSetPointerMode(h, (cublasPointerMode_t)5));
    CODE(cublasSetWorkspace(h, (char *)c + 8, 4096));
    CODE(cublasSetVector(4, 4, &one, 0, c, 1));
    CODE(cublasSetVector(-1, 4, &one, 1, c, 1));
    CODE(cublasSetVector(1, 0, &one, 1, c, 1));
    CODE(cublasSetMatrix(2, 1, 4, &one, 1, c, 2));
    CODE(cublasGemmEx(h, n, n, 4, 4, 4, &one, a, CUDA_R_32F, 4, b, CUDA_R_64F, 4, &zero, c,
                      CUDA_R_32F, 4, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    CODE(cublasCreate(NULL));
    CODE(cublasDestroy(NULL));
}

static void rare_values(void)
{
    const float nan_value = NAN, huge_value = 3e38f;
    float sum = 0;
    int at = 0;

    fill(a, 1);
    fill(b, 1);
    fill(c, nan_value);
    CODE(cublasSgemm(h, n, n, 4, 4, 4, &one, a, 4, b, 4, &zero, c, 4));
    shown("beta 0, C NaN", c);
    fill(c, 3);
    CODE(cublasSgemm(h, n, n, 4, 4, 0, &one, a, 4, b, 4, &two, c, 4));
    shown("k 0, beta 2", c);
    fill(a, nan_value);
    CODE(cublasSgemm(h, n, n, 4, 4, 4, &zero, a, 4, b, 4, &two, c, 4));
    shown("alpha 0, A NaN", c);
    CODE(cublasSaxpy(h, 4, &zero, a, 1, b, 1));
    shown("axpy alpha 0, x NaN", b);
    CODE(cublasSscal(h, 4, &zero, a, 1));
    shown("scal 0 of NaN", a);
    fill(a, 2);
    CODE(cublasIsamax(h, 4, a, 1, &at));
    printf("amax of equal ones = %d\n", at);
    CODE(cublasIsamin(h, 4, a, 1, &at));
    printf("amin of equal ones = %d\n", at);
    fill(a, huge_value);
    CODE(cublasSnrm2(h, 4, a, 1, &sum));
    printf("nrm2 of large ones = %g\n", (double)sum);
}

static void captured(void)
{
    cudaStream_t s;
    cudaGraph_t g = NULL;
    float sum = -1;

    cudaStreamCreate(&s);
    cublasSetStream(h, s);
    row("begin", cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CODE(cublasSdot(h, 4, a, 1, b, 1, &sum));
    row("end", cudaStreamEndCapture(s, &g));
    cublasSetStream(h, NULL);
}

int main(int count, char **number)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 1; i < count && left_outs < 32; i++) {
        left_out[left_outs++] = atoi(number[i]);
    }
    cudaMalloc((void **)&a, N * N * sizeof(float));
    cudaMalloc((void **)&b, N * N * sizeof(float));
    cudaMalloc((void **)&c, N * N * sizeof(float));
    cudaMalloc((void **)&scalar, sizeof(float));
    row("create", cublasCreate(&h));
    wrong_arguments();
    rare_values();
    captured();
    row("destroy", cublasDestroy(h));
    row("last", cudaDeviceSynchronize());
    return 0;
}
