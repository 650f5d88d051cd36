/* SPDX-License-Identifier: MIT */
/* A program on the public headers alone: cuSOLVER's dense functions as work of a stream, and what
 * NVIDIA's answers of golden/cusolver_12.0.txt do not bind: vectors of larger and of singular
 * matrices, batches, least squares. Prints a line a failure; exit 1 if there was one. */
#include <complex.h>
#include <cuda.h>
#include <cusolverDn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef double complex number;

enum { WORK = 4096 };

static int failed;
static cusolverDnHandle_t h;
static uint32_t state = 1;
static void *work;
static int *info;

#define CHECK(good)                                   \
    do {                                              \
        if (!(good)) {                                \
            printf("line %d: %s\n", __LINE__, #good); \
            failed = 1;                               \
        }                                             \
    } while (0)
#define OK(call) CHECK((call) == CUSOLVER_STATUS_SUCCESS)

static double random_next(void)
{
    state = state * 1664525u + 1013904223u;
    return (double)(int32_t)(state >> 8) * 0x1p-23 - 1.0;
}

static number *numbers_new(int n)
{
    number *a = malloc((size_t)n * sizeof(*a));

    for (int i = 0; i < n; i++) {
        a[i] = random_next() + I * random_next();
    }
    return a;
}

static void *device(const void *from, size_t bytes)
{
    CUdeviceptr p = 0;

    CHECK(cuMemAlloc(&p, bytes) == CUDA_SUCCESS);
    if (from) {
        CHECK(cuMemcpyHtoD(p, from, bytes) == CUDA_SUCCESS && cuCtxSynchronize() == CUDA_SUCCESS);
    }
    return (void *)(uintptr_t)p;
}

static void *numbers_device(const number *a, int n)
{
    return device(a, (size_t)n * sizeof(*a));
}

static void read_back(void *to, const void *from, size_t bytes)
{
    CHECK(cuCtxSynchronize() == CUDA_SUCCESS);
    CHECK(cuMemcpyDtoH(to, (CUdeviceptr)(uintptr_t)from, bytes) == CUDA_SUCCESS);
}

static int info_read(void)
{
    int code = -1;

    read_back(&code, info, sizeof(code));
    return code;
}

/* n x n, and its conjugate transpose */
static void hermitian_make(number *a, int n, double shift)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            a[j + i * n] = conj(a[i + j * n]);
        }
        a[i * (n + 1)] = creal(a[i * (n + 1)]) + shift;
    }
}

/* Element (i, j) of op(A) B, A with @m rows */
static number dot(const number *a, int ra, int ca, int i, const number *b, int cb, int j, int k)
{
    number sum = 0;

    for (int p = 0; p < k; p++) {
        sum += a[i * ra + p * ca] * b[p + j * cb];
    }
    return sum;
}

/* Columns of @q, m elements each: orthonormal? */
static double skew(const number *q, int m, int n)
{
    double most = 0;

    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            number sum = 0;

            for (int p = 0; p < m; p++) {
                sum += conj(q[p + i * m]) * q[p + j * m];
            }
            most = fmax(most, cabs(sum - (i == j)));
        }
    }
    return most;
}

static void eigenvectors(int n)
{
    number *a = numbers_new(n * n), *z = numbers_new(n * n);
    double *w = malloc((size_t)n * sizeof(*w)), most = 0;
    cuDoubleComplex *d;
    double *values = device(NULL, (size_t)n * 8);

    hermitian_make(a, n, 0);
    d = numbers_device(a, n * n);
    OK(cusolverDnZheevd(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, n, d, n, values, work,
                        WORK, info));
    CHECK(info_read() == 0);
    read_back(z, d, (size_t)(n * n) * sizeof(*z));
    read_back(w, values, (size_t)n * sizeof(*w));
    CHECK(skew(z, n, n) < 1e-13 * n);
    for (int j = 0; j < n; j++) {
        CHECK(j == 0 || w[j] >= w[j - 1]);
        for (int i = 0; i < n; i++) {
            most = fmax(most, cabs(dot(a, 1, n, i, z, n, j, n) - w[j] * z[i + j * n]));
        }
    }
    CHECK(most < 1e-13 * n);
    free(a);
    free(z);
    free(w);
}

/* A x = lambda B x; A B x = lambda x; B A x = lambda x */
static void pencils(int n)
{
    for (int type = 1; type < 4; type++) {
        number *a = numbers_new(n * n), *b = numbers_new(n * n), *z = numbers_new(n * n);
        double w[32] = { 0 }, most = 0;
        cuDoubleComplex *da, *db;
        double *values = device(NULL, sizeof(w));

        hermitian_make(a, n, 0);
        hermitian_make(b, n, 4 * n);
        da = numbers_device(a, n * n);
        db = numbers_device(b, n * n);
        OK(cusolverDnZhegvd(h, (cusolverEigType_t)type, CUSOLVER_EIG_MODE_VECTOR,
                            type == 2 ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER, n, da, n,
                            db, n, values, work, WORK, info));
        CHECK(info_read() == 0);
        read_back(z, da, (size_t)(n * n) * sizeof(*z));
        read_back(w, values, (size_t)n * sizeof(*w));
        for (int j = 0; j < n; j++) {
            number ax[32], bx[32];

            for (int i = 0; i < n; i++) {
                ax[i] = dot(a, 1, n, i, z, n, j, n);
                bx[i] = dot(b, 1, n, i, z, n, j, n);
            }
            for (int i = 0; i < n; i++) {
                number left = type == 1   ? ax[i]
                              : type == 2 ? dot(a, 1, n, i, bx, 0, 0, n)
                                          : dot(b, 1, n, i, ax, 0, 0, n);

                most = fmax(most, cabs(left - w[j] * (type == 1 ? bx[i] : z[i + j * n])));
            }
        }
        CHECK(most < 1e-10);
        free(a);
        free(b);
        free(z);
    }
}

/* m x n of rank n - 2: both factors are complete all the same */
static void singular(int m, int n)
{
    number *a = numbers_new(m * n), *u = numbers_new(m * m), *vt = numbers_new(n * n);
    double s[32] = { 0 }, most = 0;
    cuDoubleComplex *d, *du = device(NULL, (size_t)(m * m) * 16), *dv = device(NULL, 16 * 1024);
    double *ds = device(NULL, sizeof(s));

    for (int i = 0; i < m; i++) {
        a[i + m * 2] = 2 * a[i] - a[i + m];
        a[i + m * 3] = 0;
    }
    d = numbers_device(a, m * n);
    OK(cusolverDnZgesvd(h, 'A', 'A', m, n, d, m, ds, du, m, dv, n, work, WORK, NULL, info));
    CHECK(info_read() == 0);
    read_back(u, du, (size_t)(m * m) * sizeof(*u));
    read_back(vt, dv, (size_t)(n * n) * sizeof(*vt));
    read_back(s, ds, (size_t)n * sizeof(*s));
    CHECK(skew(u, m, m) < 1e-13 * m && skew(vt, n, n) < 1e-13 * n);
    CHECK(s[n - 1] < 1e-14 && s[n - 2] < 1e-14 && s[n - 3] > 0.1);
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            number sum = 0;

            for (int p = 0; p < n; p++) {
                sum += u[i + p * m] * s[p] * vt[p + j * n];
            }
            most = fmax(most, cabs(sum - a[i + j * m]));
        }
    }
    CHECK(most < 1e-12);
    free(a);
    free(u);
    free(vt);
}

/* A^H (A x - b) is nothing */
static void least_squares(int m, int n)
{
    number *a = numbers_new(m * n), *b = numbers_new(m), *x = numbers_new(n);
    cuDoubleComplex *da = numbers_device(a, m * n), *db = numbers_device(b, m);
    cuDoubleComplex *dx = numbers_device(x, n);
    size_t bytes = 0;
    int iterations = -1;

    OK(cusolverDnZZgels_bufferSize(h, m, n, 1, da, m, db, m, dx, n, NULL, &bytes));
    OK(cusolverDnZZgels(h, m, n, 1, da, m, db, m, dx, n, work, bytes, &iterations, info));
    CHECK(info_read() == 0 && iterations >= 0);
    read_back(x, dx, (size_t)n * sizeof(*x));
    for (int i = 0; i < m; i++) {
        b[i] -= dot(a, 1, m, i, x, 0, 0, n);
    }
    for (int j = 0; j < n; j++) {
        number sum = 0;

        for (int i = 0; i < m; i++) {
            sum += conj(a[i + j * m]) * b[i];
        }
        CHECK(cabs(sum) < 1e-12);
    }
    free(a);
    free(b);
    free(x);
}

/* Two matrices by one call; their product is what they were. */
static void batches(int n)
{
    number *a = numbers_new(2 * n * n), *u = numbers_new(2 * n * n), *v = numbers_new(2 * n * n);
    double s[32] = { 0 }, most = 0;
    cuDoubleComplex *d = numbers_device(a, 2 * n * n), *du = numbers_device(u, 2 * n * n);
    cuDoubleComplex *dv = numbers_device(v, 2 * n * n);
    double *ds = device(NULL, sizeof(s));
    gesvdjInfo_t parameters = NULL;

    OK(cusolverDnCreateGesvdjInfo(&parameters));
    OK(cusolverDnZgesvdjBatched(h, CUSOLVER_EIG_MODE_VECTOR, n, n, d, n, ds, du, n, dv, n, work,
                                WORK, info, parameters, 2));
    read_back(u, du, (size_t)(2 * n * n) * sizeof(*u));
    read_back(v, dv, (size_t)(2 * n * n) * sizeof(*v));
    read_back(s, ds, (size_t)(2 * n) * sizeof(*s));
    for (int b = 0; b < 2; b++) {
        for (int i = 0; i < n * n; i++) {
            number sum = 0;

            for (int p = 0; p < n; p++) {
                sum += u[b * n * n + i % n + p * n] * s[b * n + p] *
                       conj(v[b * n * n + i / n + p * n]);
            }
            most = fmax(most, cabs(sum - a[b * n * n + i]));
        }
    }
    CHECK(most < 1e-12);
    OK(cusolverDnDestroyGesvdjInfo(parameters));
    free(a);
    free(u);
    free(v);
}

/* Each call is a kernel node; a graph repeats it. Of A only a triangle is read and written. */
static void captured(CUstream s)
{
    static const double a[] = { 4, 2, 99, 5 }, b[] = { 8, 9 };
    double *da = device(a, sizeof(a)), *db = device(b, sizeof(b)), x[4];
    CUgraph g = NULL;
    CUgraphExec exec = NULL;
    CUgraphNode nodes[4];
    CUgraphNodeType type;
    size_t n = 4;

    OK(cusolverDnSetStream(h, s));
    CHECK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS);
    OK(cusolverDnDpotrf(h, CUBLAS_FILL_MODE_LOWER, 2, da, 2, work, WORK, info));
    OK(cusolverDnDpotrs(h, CUBLAS_FILL_MODE_LOWER, 2, 1, da, 2, db, 2, info));
    CHECK(cuStreamEndCapture(s, &g) == CUDA_SUCCESS);
    CHECK(cuGraphGetNodes(g, nodes, &n) == CUDA_SUCCESS && n == 2);
    CHECK(cuGraphNodeGetType(nodes[1], &type) == CUDA_SUCCESS && type == CU_GRAPH_NODE_TYPE_KERNEL);
    CHECK(cuGraphInstantiate(&exec, g, 0) == CUDA_SUCCESS);
    CHECK(cuGraphLaunch(exec, s) == CUDA_SUCCESS && cuStreamSynchronize(s) == CUDA_SUCCESS);
    read_back(x, da, sizeof(a));
    CHECK(x[0] == 2 && x[1] == 1 && x[2] == 99 && x[3] == 2);
    read_back(x, db, sizeof(b));
    CHECK(x[0] == 1.375 && x[1] == 1.25);
    OK(cusolverDnSetStream(h, NULL));
}

static void refused(void)
{
    cusolverDnHandle_t gone = NULL;
    double one = 1;
    int lwork = 0;

    OK(cusolverDnCreate(&gone));
    OK(cusolverDnDestroy(gone));
    CHECK(cusolverDnDgetrf_bufferSize(gone, 1, 1, &one, 1, &lwork) ==
          CUSOLVER_STATUS_NOT_INITIALIZED);
}

/* The board's answer, once the stream is waited for */
static void faulting(void)
{
    double *a = device(NULL, 64);

    OK(cusolverDnDpotrf(h, CUBLAS_FILL_MODE_LOWER, 2, a, 1 << 28, work, WORK, info));
    CHECK(cuCtxSynchronize() == CUDA_ERROR_ILLEGAL_ADDRESS);
}

int main(void)
{
    CUdevice d = 0;
    CUcontext context;
    CUstream s = NULL;

    CHECK(cuInit(0) == CUDA_SUCCESS && cuDeviceGet(&d, 0) == CUDA_SUCCESS);
    CHECK(cuDevicePrimaryCtxRetain(&context, d) == CUDA_SUCCESS);
    CHECK(cuCtxSetCurrent(context) == CUDA_SUCCESS);
    CHECK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
    work = device(NULL, WORK * 16);
    info = device(NULL, 64);
    OK(cusolverDnCreate(&h));
    captured(s);
    eigenvectors(1);
    eigenvectors(2);
    eigenvectors(65);
    pencils(9);
    singular(17, 8);
    least_squares(12, 7);
    batches(6);
    refused();
    faulting();
    return failed;
}
