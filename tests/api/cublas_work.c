/* SPDX-License-Identifier: MIT */
/* A program as an application would be written, on the public headers alone: what cuBLAS computes,
 * against plain loops. Prints a line a failure; exit 1 if there was one. */
#include <cublas_v2.h>
#include <cuda.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed;
static cublasHandle_t h;
static uint32_t state = 1;

#define CHECK(good)                                   \
    do {                                              \
        if (!(good)) {                                \
            printf("line %d: %s\n", __LINE__, #good); \
            failed = 1;                               \
        }                                             \
    } while (0)

static float number(void)
{
    state = state * 1664525u + 1013904223u;
    return (float)(int32_t)(state >> 8) * 0x1p-23f - 1.0f;
}

static void *device(size_t bytes)
{
    CUdeviceptr p = 0;

    CHECK(cuMemAlloc(&p, bytes) == CUDA_SUCCESS);
    return (void *)(uintptr_t)p;
}

static float *device_of(const float *x, size_t n)
{
    float *d = device(n * sizeof(*x));

    CHECK(cublasSetVector((int)n, sizeof(*x), x, 1, d, 1) == CUBLAS_STATUS_SUCCESS);
    return d;
}

static void release(void *p)
{
    CHECK(cuMemFree((CUdeviceptr)(uintptr_t)p) == CUDA_SUCCESS);
}

/* The chain of a kernel's plain loop: every bit of a product is known. */
static void gemm_is_one_chain(int m, int n, int k, cublasOperation_t ta, cublasOperation_t tb)
{
    int lda = (ta ? k : m) + 3, ldb = (tb ? n : k) + 1, ldc = m + 2;
    size_t na = (size_t)lda * (size_t)(ta ? m : k), nb = (size_t)ldb * (size_t)(tb ? k : n);
    size_t nc = (size_t)ldc * (size_t)n;
    float *a = malloc(na * 4 + 4), *b = malloc(nb * 4 + 4), *c = malloc(nc * 4),
          *out = malloc(nc * 4);
    float *da, *db, *dc, alpha = 1.5f, beta = 0.25f;
    int different = 0;

    for (size_t i = 0; i < na; i++) {
        a[i] = number();
    }
    for (size_t i = 0; i < nb; i++) {
        b[i] = number();
    }
    for (size_t i = 0; i < nc; i++) {
        c[i] = number();
    }
    da = device_of(a, na);
    db = device_of(b, nb);
    dc = device_of(c, nc);
    CHECK(cublasSgemm(h, ta, tb, m, n, k, &alpha, da, lda, db, ldb, &beta, dc, ldc) ==
          CUBLAS_STATUS_SUCCESS);
    CHECK(cublasGetVector((int)nc, 4, dc, 1, out, 1) == CUBLAS_STATUS_SUCCESS);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < ldc; i++) {
            float sum = 0;

            for (int p = 0; i < m && p < k; p++) {
                sum = fmaf(ta ? a[p + i * lda] : a[i + p * lda],
                           tb ? b[j + p * ldb] : b[p + j * ldb], sum);
            }
            sum = i < m ? fmaf(beta, c[i + j * ldc], alpha * sum) : c[i + j * ldc];
            different += memcmp(&sum, &out[i + j * ldc], 4) != 0;
        }
    }
    CHECK(different == 0);
    release(da);
    release(db);
    release(dc);
    free(a);
    free(b);
    free(c);
    free(out);
}

static void vectors(void)
{
    enum { N = 20000 };
    static float x[N], y[N], out[N];
    float *dx, *dy, alpha = -0.75f, sum = 0, norm = 0, *dsum = device(4);
    double exact = 0, square = 0;
    int at = 0;

    for (int i = 0; i < N; i++) {
        x[i] = number();
        y[i] = number();
        exact += (double)x[i] * y[i];
        square += (double)x[i] * x[i];
    }
    x[777] = -3;
    exact += (-3.0 - 0) * 0;
    dx = device_of(x, N);
    dy = device_of(y, N);
    exact = square = 0;
    for (int i = 0; i < N; i++) {
        exact += (double)x[i] * y[i];
        square += (double)x[i] * x[i];
    }
    CHECK(cublasSdot(h, N, dx, 1, dy, 1, &sum) == CUBLAS_STATUS_SUCCESS);
    CHECK(fabs(sum - exact) <= 1e-6 * fabs(exact) + 1e-4);
    CHECK(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasSdot(h, N, dx, 1, dy, 1, dsum) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasSaxpy(h, 10, dsum, dx, 1, dy, 1) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasGetVector(10, 4, dy, 1, out, 1) == CUBLAS_STATUS_SUCCESS);
    for (int i = 0; i < 10; i++) {
        y[i] = fmaf(sum, x[i], y[i]);
        CHECK(out[i] == y[i]);
    }
    CHECK(cublasSaxpy(h, N, &alpha, dx, 1, dy, 1) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasGetVector(N, 4, dy, 1, out, 1) == CUBLAS_STATUS_SUCCESS);
    for (int i = 0; i < N; i++) {
        y[i] = fmaf(alpha, x[i], y[i]);
    }
    CHECK(memcmp(out, y, sizeof(y)) == 0);
    CHECK(cublasSaxpy(h, 100, &alpha, dx, 3, dy, -2) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasGetVector(N, 4, dy, 1, out, 1) == CUBLAS_STATUS_SUCCESS);
    for (int i = 0; i < 100; i++) {
        y[198 - 2 * i] = fmaf(alpha, x[3 * i], y[198 - 2 * i]);
    }
    CHECK(memcmp(out, y, sizeof(y)) == 0);
    CHECK(cublasSnrm2(h, N, dx, 1, &norm) == CUBLAS_STATUS_SUCCESS && norm == (float)sqrt(square));
    CHECK(cublasIsamax(h, N, dx, 1, &at) == CUBLAS_STATUS_SUCCESS && at == 778);
    CHECK(cublasSswap(h, N, dx, 1, dy, 1) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasGetVector(N, 4, dx, 1, out, 1) == CUBLAS_STATUS_SUCCESS &&
          memcmp(out, y, sizeof(y)) == 0);
    CHECK(cublasGetVector(N, 4, dy, 1, out, 1) == CUBLAS_STATUS_SUCCESS &&
          memcmp(out, x, sizeof(x)) == 0);
    CHECK(cublasSdot(h, 0, dx, 1, dy, 1, &sum) == CUBLAS_STATUS_SUCCESS && sum == 0);
    release(dx);
    release(dy);
    release(dsum);
}

/* beta = 0 does not read C; k = 0 scales it; only what is named is written. */
static void edges(void)
{
    const float nan4[4] = { NAN, NAN, NAN, NAN }, one = 1, zero = 0, half = 0.5f;
    float a[4] = { 1, 2, 3, 4 }, out[4], *da = device_of(a, 4), *dc = device_of(nan4, 4);

    CHECK(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, da, 2, da, 2, &zero, dc, 2) ==
          CUBLAS_STATUS_SUCCESS);
    CHECK(cublasGetVector(4, 4, dc, 1, out, 1) == CUBLAS_STATUS_SUCCESS);
    CHECK(out[0] == 7 && out[1] == 10 && out[2] == 15 && out[3] == 22);
    CHECK(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 0, &one, da, 2, da, 2, &half, dc, 2) ==
          CUBLAS_STATUS_SUCCESS);
    CHECK(cublasGetVector(4, 4, dc, 1, out, 1) == CUBLAS_STATUS_SUCCESS);
    CHECK(out[0] == 3.5f && out[1] == 5 && out[2] == 7.5f && out[3] == 11);
    CHECK(cublasSgemm(NULL, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, da, 2, da, 2, &zero, dc, 2) ==
          CUBLAS_STATUS_NOT_INITIALIZED);
    CHECK(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, -1, 2, 2, &one, da, 2, da, 2, &zero, dc, 2) ==
          CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, da, 1, da, 2, &zero, dc, 2) ==
          CUBLAS_STATUS_INVALID_VALUE);
    release(da);
    release(dc);
}

int main(void)
{
    CUdevice d = 0;
    CUcontext context;

    CHECK(cuInit(0) == CUDA_SUCCESS && cuDeviceGet(&d, 0) == CUDA_SUCCESS);
    CHECK(cuDevicePrimaryCtxRetain(&context, d) == CUDA_SUCCESS &&
          cuCtxSetCurrent(context) == CUDA_SUCCESS);
    CHECK(cublasCreate(&h) == CUBLAS_STATUS_SUCCESS);
    for (int t = 0; t < 4; t++) {
        gemm_is_one_chain(37, 21, 300, (cublasOperation_t)(t & 1), (cublasOperation_t)(t >> 1));
    }
    gemm_is_one_chain(1, 1, 1, CUBLAS_OP_N, CUBLAS_OP_N);
    gemm_is_one_chain(130, 5, 1, CUBLAS_OP_C, CUBLAS_OP_N);
    vectors();
    edges();
    CHECK(cublasDestroy(h) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasDestroy(h) == CUBLAS_STATUS_NOT_INITIALIZED);
    CHECK(strcmp(cublasGetStatusName(CUBLAS_STATUS_NOT_SUPPORTED), "CUBLAS_STATUS_NOT_SUPPORTED") ==
          0);
    printf(failed ? "failed\n" : "ok\n");
    return failed;
}
