/* SPDX-License-Identifier: MIT */
/* A program on the public headers alone: QR factors and least squares of batches, and memory that
 * outlives cuBLAS' handle, as it does where the library's first call makes the context. Values are
 * worked out by hand. Prints a line a failure; exit 1 if there was one. */
#include <cublasXt.h>
#include <cublas_v2.h>
#include <cuda.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int failed;
static cublasHandle_t h;

#define CHECK(good)                                   \
    do {                                              \
        if (!(good)) {                                \
            printf("line %d: %s\n", __LINE__, #good); \
            failed = 1;                               \
        }                                             \
    } while (0)
#define OK(call) CHECK((call) == CUBLAS_STATUS_SUCCESS)

static void *device(const void *from, size_t bytes)
{
    CUdeviceptr p = 0;

    CHECK(cuMemAlloc(&p, bytes) == CUDA_SUCCESS);
    CHECK(cuMemcpyHtoD(p, from, bytes) == CUDA_SUCCESS);
    CHECK(cuCtxSynchronize() == CUDA_SUCCESS);
    return (void *)(uintptr_t)p;
}

static void host(void *to, const void *from, size_t bytes)
{
    CHECK(cuMemcpyDtoH(to, (CUdeviceptr)(uintptr_t)from, bytes) == CUDA_SUCCESS);
}

static int near(double a, double b)
{
    return fabs(a - b) < 1e-13;
}

/* No context was current: the handle's is the primary one, and memory of it stays. */
static void memory_outlives_handle(void)
{
    CUcontext context = NULL;
    float v[4] = { 1, 2, 3, 4 }, back[4] = { 0 };
    float *d;

    OK(cublasCreate(&h));
    CHECK(cuCtxGetCurrent(&context) == CUDA_SUCCESS && context);
    d = device(v, sizeof(v));
    OK(cublasDestroy(h));
    host(back, d, sizeof(back));
    CHECK(memcmp(v, back, sizeof(v)) == 0);
    OK(cublasCreate(&h));
    OK(cublasGetVector(4, 4, d, 1, back, 1));
}

/* Columns (3 4 0) and (0 0 5): R = (-5 0 / 0 +-5); the system's solution is (1 2), what is left
 * over (4/5 of it) lies beneath. The second batch is the first one doubled, x is half. */
static const double matrix[2][6] = { { 3, 4, 0, 0, 0, 5 }, { 6, 8, 0, 0, 0, 10 } };
static const double side[3] = { 3 + 4, 4 - 3, 10 };

static void least_squares(void)
{
    double *a[2] = { device(matrix[0], 48), device(matrix[1], 48) };
    double *c[2] = { device(side, 24), device(side, 24) };
    double **da = device(a, sizeof(a)), **dc = device(c, sizeof(c)), x[3], r[6];
    int *bad = device((int[]){ 7, 7 }, 8), info = 7, infos[2];

    OK(cublasDgelsBatched(h, CUBLAS_OP_N, 3, 2, 1, da, 3, dc, 3, &info, bad, 2));
    host(infos, bad, sizeof(infos));
    CHECK(info == 0 && infos[0] == 0 && infos[1] == 0);
    host(x, c[0], sizeof(x));
    CHECK(near(x[0], 1) && near(x[1], 2) && near(fabs(x[2]), 5)); /* (4 -3 0) is left over: 5 */
    host(x, c[1], sizeof(x));
    CHECK(near(x[0], 0.5) && near(x[1], 1));
    host(r, a[0], sizeof(r));
    CHECK(near(fabs(r[0]), 5) && near(r[3], 0) && near(fabs(r[4]), 5));
    CHECK(cublasDgelsBatched(h, CUBLAS_OP_N, 3, 2, 1, da, 2, dc, 3, &info, bad, 2) ==
              CUBLAS_STATUS_INVALID_VALUE &&
          info == -6);
    CHECK(cublasDgelsBatched(NULL, CUBLAS_OP_N, 3, 2, 1, da, 3, dc, 3, &info, bad, 2) ==
          CUBLAS_STATUS_NOT_INITIALIZED);
}

static void factors(void)
{
    double *a[2] = { device(matrix[0], 48), device(matrix[1], 48) };
    double *t[2] = { device(side, 16), device(side, 16) };
    double **da = device(a, sizeof(a)), **dt = device(t, sizeof(t)), tau[2], r[6];
    int info = 7;

    OK(cublasDgeqrfBatched(h, 3, 2, da, 3, dt, &info, 2));
    host(tau, t[1], sizeof(tau));
    host(r, a[1], sizeof(r));
    CHECK(info == 0 && near(r[0], -10) && near(tau[0], 1.6)); /* 1 + 6 / 10 */
    CHECK(near(r[1], 0.5) && near(r[2], 0) && near(r[3], 0)); /* v = 8 / (6 + 10) */
    CHECK(cublasDgeqrfBatched(h, -1, 2, da, 3, dt, &info, 2) == CUBLAS_STATUS_INVALID_VALUE &&
          info == -1);
}

/* Of matrices of the host, one of them also of the device; C keeps what lies between its columns.
 */
static void product_of_the_host(void)
{
    const float a[] = { 1, 2, 3, 4 }, b[] = { 1, 0, 9, 1, 1, 9 }, two = 2, one = 1, zero = 0;
    float c[] = { 10, 20, -7, 30, 40, -7 };
    const float want[] = { 12, 24, -7, 38, 52, -7 }, plain[] = { 2, 4, -7, 8, 12, -7 };
    float *da = device(a, sizeof(a));
    int devices[] = { 0 }, none[] = { 77 };
    cublasXtHandle_t xt = NULL;

    OK(cublasXtCreate(&xt));
    OK(cublasXtDeviceSelect(xt, 1, devices));
    CHECK(cublasXtDeviceSelect(xt, 1, none) == CUBLAS_STATUS_INVALID_VALUE);
    OK(cublasXtSgemm(xt, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &two, a, 2, b, 3, &one, c, 3));
    CHECK(memcmp(c, want, sizeof(c)) == 0);
    OK(cublasXtSgemm(xt, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &two, da, 2, b, 3, &zero, c, 3));
    CHECK(memcmp(c, plain, sizeof(c)) == 0);
    CHECK(cublasXtSgemm(xt, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &two, a, 1, b, 3, &one, c, 3) ==
          CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasXtSgemm(NULL, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &two, a, 2, b, 3, &one, c, 3) ==
          CUBLAS_STATUS_NOT_INITIALIZED);
    OK(cublasXtDestroy(xt));
    CHECK(cublasXtDestroy(xt) == CUBLAS_STATUS_NOT_INITIALIZED);
}

int main(void)
{
    memory_outlives_handle();
    product_of_the_host();
    least_squares();
    factors();
    printf(failed ? "failed\n" : "ok\n");
    return failed;
}
