/* SPDX-License-Identifier: MIT */
/* A program on the public headers alone: cuBLAS' matrices in all types, against loops in double
 * precision. Prints a line a failure; exit 1 if there was one. */
#include <complex.h>
#include <cublas_v2.h>
#include <cuda.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef double complex number;

enum { N = 7, LD = 9, SIZE = N * LD };

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
#define OK(call) CHECK((call) == CUBLAS_STATUS_SUCCESS)

static double random_next(void)
{
    state = state * 1664525u + 1013904223u;
    return (double)(int32_t)(state >> 8) * 0x1p-23 - 1.0;
}

static void *device(size_t bytes)
{
    CUdeviceptr p = 0;

    CHECK(cuMemAlloc(&p, bytes) == CUDA_SUCCESS);
    return (void *)(uintptr_t)p;
}

/* Square matrices of N, LD rows apart, on the device, as Z and as the numbers they hold. The
 * diagonal is strong, so that systems are well posed. */
struct square {
    number at[SIZE];
    cuDoubleComplex *z;
};

static void square_make(struct square *s)
{
    for (int i = 0; i < SIZE; i++) {
        s->at[i] = random_next() + I * random_next();
    }
    for (int i = 0; i < N; i++) {
        s->at[i * (LD + 1)] += 4;
    }
    s->z = device(sizeof(s->at));
    OK(cublasSetVector(SIZE, sizeof(number), s->at, 1, s->z, 1));
}

static void square_read(const struct square *s, number *out)
{
    OK(cublasGetVector(SIZE, sizeof(number), s->z, 1, out, 1));
}

static void square_free(struct square *s)
{
    CHECK(cuMemFree((CUdeviceptr)(uintptr_t)s->z) == CUDA_SUCCESS);
}

/* op(A) at (i, j), of a half: 'u', 'l', else the whole; @unit: its diagonal is one; @mirror: 's',
 * 'h': the other half */
static number get(const number *a, int i, int j, cublasOperation_t op, char half, int unit,
                  char mirror)
{
    int r = op == CUBLAS_OP_N ? i : j, c = op == CUBLAS_OP_N ? j : i;
    int there = half == 'u' ? r <= c : half == 'l' ? r >= c : 1;
    number v = there ? a[r + c * LD] : !mirror ? 0 : a[c + r * LD];

    if (!there && mirror == 'h') {
        v = conj(v);
    }
    if (mirror == 'h' && r == c) {
        v = creal(v);
    }
    if (unit && r == c) {
        v = 1;
    }
    return op == CUBLAS_OP_C ? conj(v) : v;
}

static int near(number a, number b)
{
    return cabs(a - b) <= 1e-12 * (1 + cabs(b));
}

/* What is outside of the N x N elements stays. */
static void compare(int line, const number *have, const number *want)
{
    int bad = 0;

    for (int i = 0; i < SIZE; i++) {
        bad += !near(have[i], want[i]);
    }
    if (bad) {
        printf("line %d: %d of %d elements\n", line, bad, SIZE);
        failed = 1;
    }
}

static const cublasOperation_t ops[] = { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C };
static const cuDoubleComplex alpha = { 0.5, -1.25 }, beta = { -2, 0.75 };
static const number al = 0.5 - 1.25 * I, be = -2 + 0.75 * I;

static void products(void)
{
    for (int t = 0; t < 9; t++) {
        struct square a, b, c;
        number want[SIZE], have[SIZE];

        square_make(&a);
        square_make(&b);
        square_make(&c);
        memcpy(want, c.at, sizeof(want));
        OK(cublasZgemm(h, ops[t / 3], ops[t % 3], N, N, N, &alpha, a.z, LD, b.z, LD, &beta, c.z,
                       LD));
        for (int i = 0; i < N * N; i++) {
            number sum = 0;

            for (int p = 0; p < N; p++) {
                sum += get(a.at, i % N, p, ops[t / 3], 0, 0, 0) *
                       get(b.at, p, i / N, ops[t % 3], 0, 0, 0);
            }
            want[i % N + i / N * LD] = al * sum + be * c.at[i % N + i / N * LD];
        }
        square_read(&c, have);
        compare(__LINE__, have, want);
        square_free(&a);
        square_free(&b);
        square_free(&c);
    }
}

static void halves(void)
{
    for (int t = 0; t < 8; t++) {
        cublasFillMode_t uplo = t & 1 ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
        char half = t & 1 ? 'u' : 'l', mirror = t & 2 ? 'h' : 's';
        cublasSideMode_t side = t & 4 ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT;
        struct square a, b, c;
        number want[SIZE], have[SIZE];

        square_make(&a);
        square_make(&b);
        square_make(&c);
        memcpy(want, c.at, sizeof(want));
        OK((mirror == 'h' ? cublasZhemm : cublasZsymm)(h, side, uplo, N, N, &alpha, a.z, LD, b.z,
                                                       LD, &beta, c.z, LD));
        for (int i = 0; i < N * N; i++) {
            number sum = 0;
            int r = i % N, k = i / N;

            for (int p = 0; p < N; p++) {
                sum += t & 4 ? b.at[r + p * LD] * get(a.at, p, k, CUBLAS_OP_N, half, 0, mirror)
                             : get(a.at, r, p, CUBLAS_OP_N, half, 0, mirror) * b.at[p + k * LD];
            }
            want[r + k * LD] = al * sum + be * c.at[r + k * LD];
        }
        square_read(&c, have);
        compare(__LINE__, have, want);
        square_free(&a);
        square_free(&b);
        square_free(&c);
    }
}

/* C = alpha A op(A) + beta C on one half; the other stays. */
static void rank_k(void)
{
    const double a2 = 0.5, b2 = -2;

    for (int t = 0; t < 4; t++) {
        cublasFillMode_t uplo = t & 1 ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
        struct square a, c;
        number want[SIZE], have[SIZE];

        square_make(&a);
        square_make(&c);
        memcpy(want, c.at, sizeof(want));
        OK(cublasZherk(h, uplo, t & 2 ? CUBLAS_OP_C : CUBLAS_OP_N, N, N, &a2, a.z, LD, &b2, c.z,
                       LD));
        for (int i = 0; i < N * N; i++) {
            int r = i % N, k = i / N;
            number sum = 0;

            for (int p = 0; p < N; p++) {
                sum += t & 2 ? conj(a.at[p + r * LD]) * a.at[p + k * LD]
                             : a.at[r + p * LD] * conj(a.at[k + p * LD]);
            }
            if (t & 1 ? r <= k : r >= k) {
                number old = r == k ? creal(c.at[r + k * LD]) : c.at[r + k * LD];

                want[r + k * LD] = a2 * sum + b2 * old;
            }
        }
        square_read(&c, have);
        compare(__LINE__, have, want);
        square_free(&a);
        square_free(&c);
    }
}

/* trmm of what trsm found is what it was given. */
static void triangles(void)
{
    const cuDoubleComplex one = { 1, 0 };

    for (int t = 0; t < 24; t++) {
        cublasFillMode_t uplo = t & 1 ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
        cublasDiagType_t diag = t & 2 ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
        cublasSideMode_t side = t & 4 ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT;
        cublasOperation_t op = ops[t / 8];
        char half = t & 1 ? 'u' : 'l';
        struct square a, b, c;
        number want[SIZE], have[SIZE];

        square_make(&a);
        square_make(&b);
        square_make(&c);
        memcpy(want, c.at, sizeof(want));
        OK(cublasZtrmm(h, side, uplo, op, diag, N, N, &alpha, a.z, LD, b.z, LD, c.z, LD));
        for (int i = 0; i < N * N; i++) {
            number sum = 0;
            int r = i % N, k = i / N;

            for (int p = 0; p < N; p++) {
                sum += t & 4 ? b.at[r + p * LD] * get(a.at, p, k, op, half, t & 2, 0)
                             : get(a.at, r, p, op, half, t & 2, 0) * b.at[p + k * LD];
            }
            want[r + k * LD] = al * sum;
        }
        square_read(&c, have);
        compare(__LINE__, have, want);
        OK(cublasZtrsm(h, side, uplo, op, diag, N, N, &one, a.z, LD, c.z, LD));
        for (int i = 0; i < N * N; i++) {
            want[i % N + i / N * LD] = al * b.at[i % N + i / N * LD];
        }
        square_read(&c, have);
        for (int i = 0; i < SIZE; i++) { /* a unit triangle of random numbers loses some digits */
            CHECK(cabs(have[i] - want[i]) < 1e-8);
        }
        square_free(&a);
        square_free(&b);
        square_free(&c);
    }
}

static void sums(void)
{
    struct square a, b, c;
    number want[SIZE], have[SIZE];

    square_make(&a);
    square_make(&b);
    square_make(&c);
    memcpy(want, c.at, sizeof(want));
    OK(cublasZgeam(h, CUBLAS_OP_C, CUBLAS_OP_N, N, N, &alpha, a.z, LD, &beta, b.z, LD, c.z, LD));
    for (int i = 0; i < N * N; i++) {
        want[i % N + i / N * LD] =
            al * conj(a.at[i / N + i % N * LD]) + be * b.at[i % N + i / N * LD];
    }
    square_read(&c, have);
    compare(__LINE__, have, want);
    OK(cublasZdgmm(h, CUBLAS_SIDE_LEFT, N, N, a.z, LD, b.z, LD + 1, c.z, LD));
    for (int i = 0; i < N * N; i++) {
        want[i % N + i / N * LD] = b.at[i % N * (LD + 1)] * a.at[i % N + i / N * LD];
    }
    square_read(&c, have);
    compare(__LINE__, have, want);
    square_free(&a);
    square_free(&b);
    square_free(&c);
}

/* Of arrays of matrices: the inverse times the matrix is one, and so is what getrs finds. */
static void factors(void)
{
    enum { BATCH = 3 };
    struct square a[BATCH], b[BATCH];
    void *pa[BATCH], *pb[BATCH], **da = device(sizeof(pa)), **db = device(sizeof(pb));
    int *pivots = device(BATCH * N * 4), *info = device(BATCH * 4), codes[BATCH], code = -1;
    number have[SIZE];

    for (int k = 0; k < BATCH; k++) {
        square_make(&a[k]);
        square_make(&b[k]);
        pa[k] = a[k].z;
        pb[k] = b[k].z;
    }
    OK(cublasSetVector(BATCH, sizeof(void *), pa, 1, da, 1));
    OK(cublasSetVector(BATCH, sizeof(void *), pb, 1, db, 1));
    OK(cublasZgetrfBatched(h, N, (void *)da, LD, pivots, info, BATCH));
    OK(cublasGetVector(BATCH, 4, info, 1, codes, 1));
    CHECK(codes[0] == 0 && codes[1] == 0 && codes[2] == 0);
    OK(cublasZgetrsBatched(h, CUBLAS_OP_N, N, N, (void *)da, LD, pivots, (void *)db, LD, &code,
                           BATCH));
    CHECK(code == 0);
    for (int k = 0; k < BATCH; k++) {
        square_read(&b[k], have);
        for (int i = 0; i < N * N; i++) {
            number sum = 0;

            for (int p = 0; p < N; p++) {
                sum += a[k].at[i % N + p * LD] * have[p + i / N * LD];
            }
            CHECK(near(sum, b[k].at[i % N + i / N * LD]));
        }
    }
    OK(cublasZgetriBatched(h, N, (void *)da, LD, pivots, (void *)db, LD, info, BATCH));
    square_read(&b[BATCH - 1], have);
    for (int i = 0; i < N * N; i++) {
        number sum = 0;

        for (int p = 0; p < N; p++) {
            sum += a[BATCH - 1].at[i % N + p * LD] * have[p + i / N * LD];
        }
        CHECK(near(sum, i % N == i / N));
    }
    for (int k = 0; k < BATCH; k++) {
        square_free(&a[k]);
        square_free(&b[k]);
    }
}

/* Halves are 16-bit words here: 0x3c00 is 1, 0x4000 is 2. */
static void small_types(void)
{
    const uint16_t one = 0x3c00, zero = 0, a[4] = { 0x3c00, 0x4000, 0x3c00, 0x3c00 };
    const int8_t x[8] = { 127, -128, 3, 4, 127, -128, 5, 6 };
    const int32_t i_one = 1, i_zero = 0;
    const float f_one = 1, f_zero = 0;
    uint16_t c[4] = { 0 };
    int32_t y[4] = { 0 };
    void *da = device(8), *dc = device(16), *dx = device(8);
    __half ha, hb;

    memcpy(&ha, &one, 2);
    memcpy(&hb, &zero, 2);
    OK(cublasSetVector(4, 2, a, 1, da, 1));
    OK(cublasHgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &ha, da, 2, da, 2, &hb, dc, 2));
    OK(cublasGetVector(4, 2, dc, 1, c, 1));
    CHECK(c[0] == 0x4200 && c[1] == 0x4400 && c[2] == 0x4000 && c[3] == 0x4200); /* 3 4 2 3 */
    OK(cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &f_one, da, CUDA_R_16F, 2, da, CUDA_R_16F,
                    2, &f_zero, dc, CUDA_R_32F, 2, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    OK(cublasGetVector(4, 4, dc, 1, y, 1));
    CHECK(y[0] == 0x40400000 && y[3] == 0x40400000);
    OK(cublasSetVector(8, 1, x, 1, dx, 1));
    OK(cublasGemmEx(h, CUBLAS_OP_T, CUBLAS_OP_N, 2, 2, 4, &i_one, dx, CUDA_R_8I, 4, dx, CUDA_R_8I,
                    4, &i_zero, dc, CUDA_R_32I, 2, CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT));
    OK(cublasGetVector(4, 4, dc, 1, y, 1));
    CHECK(y[0] == 32538 && y[1] == 32552 && y[2] == 32552 && y[3] == 32574);
    CHECK(cublasGemmEx(h, CUBLAS_OP_T, CUBLAS_OP_N, 2, 2, 4, &i_one, dx, CUDA_R_8I, 4, dx,
                       CUDA_R_64F, 4, &i_zero, dc, CUDA_R_32I, 2, CUBLAS_COMPUTE_32I,
                       CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_NOT_SUPPORTED);
}

int main(void)
{
    CUdevice d = 0;
    CUcontext context;

    CHECK(cuInit(0) == CUDA_SUCCESS && cuDeviceGet(&d, 0) == CUDA_SUCCESS);
    CHECK(cuDevicePrimaryCtxRetain(&context, d) == CUDA_SUCCESS &&
          cuCtxSetCurrent(context) == CUDA_SUCCESS);
    OK(cublasCreate(&h));
    products();
    halves();
    rank_k();
    triangles();
    sums();
    factors();
    small_types();
    OK(cublasDestroy(h));
    printf(failed ? "failed\n" : "ok\n");
    return failed;
}
