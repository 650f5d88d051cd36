/* SPDX-License-Identifier: MIT */
/* A program on the public headers alone: cuSOLVER's sparse systems on a grid whose factors fill in,
 * in the host's memory and in the device's, in one call, step by step, captured, and with new
 * values (cusolverRf). Results are compared with the matrix itself; both memories give the same
 * bits. Prints a line a failure; exit 1 if there was one. */
#include <cuda.h>
#include <cusolverRf.h>
#include <cusolverSp.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 9, N = SIDE * SIDE, MOST = 5 * N };

static int failed;
static cusolverSpHandle_t h;
static cusparseMatDescr_t one;
static uint32_t state = 1;
static char room[1024];

#define CHECK(good)                                   \
    do {                                              \
        if (!(good)) {                                \
            printf("line %d: %s\n", __LINE__, #good); \
            failed = 1;                               \
        }                                             \
    } while (0)
#define OK(call) CHECK((call) == CUSOLVER_STATUS_SUCCESS)

/* A matrix with indices from 1 on, and its copy in the device */
struct matrix {
    int begin[N + 1], column[MOST], count;
    double value[MOST];
    int *begin_d, *column_d;
    double *value_d;
};

static double random_next(void)
{
    state = state * 1664525u + 1013904223u;
    return (double)(int32_t)(state >> 8) * 0x1p-23 - 1.0;
}

static void *device(const void *from, size_t bytes)
{
    CUdeviceptr p = 0;

    CHECK(cuMemAlloc(&p, bytes) == CUDA_SUCCESS);
    CHECK(cuMemcpyHtoD(p, from, bytes) == CUDA_SUCCESS);
    CHECK(cuCtxSynchronize() == CUDA_SUCCESS);
    return (void *)(uintptr_t)p;
}

static void fetch(void *to, const void *from, size_t bytes)
{
    CHECK(cuMemcpyDtoH(to, (CUdeviceptr)(uintptr_t)from, bytes) == CUDA_SUCCESS);
}

/* Neighbors of a grid; @positive: symmetric and positive definite */
static struct matrix grid(int positive)
{
    static const int step[5][2] = { { -1, 0 }, { 0, -1 }, { 0, 0 }, { 0, 1 }, { 1, 0 } };
    struct matrix a = { .count = 0 };

    for (int i = 0; i < N; i++) {
        a.begin[i] = a.count + 1;
        for (int k = 0; k < 5; k++) {
            int y = i / SIDE + step[k][0], x = i % SIDE + step[k][1];

            if (x >= 0 && y >= 0 && x < SIDE && y < SIDE) {
                a.column[a.count] = y * SIDE + x + 1;
                a.value[a.count++] = k == 2 ? 4.5 : positive ? -1 : random_next() * 2;
            }
        }
    }
    a.begin[N] = a.count + 1;
    a.begin_d = device(a.begin, sizeof(a.begin));
    a.column_d = device(a.column, sizeof(a.column));
    a.value_d = device(a.value, sizeof(a.value));
    return a;
}

/* |A x - b| */
static double rest(const struct matrix *a, const double *x, const double *b)
{
    double most = 0;

    for (int i = 0; i < N; i++) {
        double sum = -b[i];

        for (int k = a->begin[i] - 1; k < a->begin[i + 1] - 1; k++) {
            sum += a->value[k] * x[a->column[k] - 1];
        }
        most = fmax(most, fabs(sum));
    }
    return most;
}

static void one_call(void)
{
    for (int order = 0; order < 4; order++) {
        struct matrix any = grid(0), positive = grid(1);
        double b[N], x[N], y[N];
        double *b_d, *x_d;
        int where = -7;

        for (int i = 0; i < N; i++) {
            b[i] = random_next();
            x[i] = 0;
        }
        b_d = device(b, sizeof(b));
        x_d = device(x, sizeof(x));
        OK(cusolverSpDcsrlsvluHost(h, N, any.count, one, any.value, any.begin, any.column, b, 1e-12,
                                   order, x, &where));
        CHECK(where == -1 && rest(&any, x, b) < 1e-12);
        OK(cusolverSpDcsrlsvqrHost(h, N, any.count, one, any.value, any.begin, any.column, b, 1e-12,
                                   order, x, &where));
        CHECK(where == -1 && rest(&any, x, b) < 1e-12);
        where = -7;
        OK(cusolverSpDcsrlsvqr(h, N, any.count, one, any.value_d, any.begin_d, any.column_d, b_d,
                               1e-12, order, x_d, &where));
        fetch(y, x_d, sizeof(y));
        CHECK(where == -1 && memcmp(x, y, sizeof(x)) == 0);
        OK(cusolverSpDcsrlsvcholHost(h, N, positive.count, one, positive.value, positive.begin,
                                     positive.column, b, 1e-12, order, x, &where));
        CHECK(where == -1 && rest(&positive, x, b) < 1e-12);
        where = -7;
        OK(cusolverSpDcsrlsvchol(h, N, positive.count, one, positive.value_d, positive.begin_d,
                                 positive.column_d, b_d, 1e-12, order, x_d, &where));
        fetch(y, x_d, sizeof(y));
        CHECK(where == -1 && memcmp(x, y, sizeof(x)) == 0);
    }
}

/* The solve is captured: it runs when the graph does, with the right-hand side of then. */
static void factored_and_captured(CUstream stream)
{
    struct matrix a = grid(1);
    double b[N], x[N] = { 0 }, *b_d = device(x, sizeof(x)), *x_d = device(x, sizeof(x));
    csrcholInfo_t info;
    size_t in = 0, out = 0;
    CUgraph graph;
    CUgraphExec run;
    int where = -7;

    OK(cusolverSpCreateCsrcholInfo(&info));
    OK(cusolverSpXcsrcholAnalysis(h, N, a.count, one, a.begin_d, a.column_d, info));
    OK(cusolverSpDcsrcholBufferInfo(h, N, a.count, one, a.value_d, a.begin_d, a.column_d, info, &in,
                                    &out));
    OK(cusolverSpDcsrcholFactor(h, N, a.count, one, a.value_d, a.begin_d, a.column_d, info, room));
    OK(cusolverSpDcsrcholZeroPivot(h, info, 1e-12, &where));
    CHECK(where == -1);
    CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS);
    OK(cusolverSpDcsrcholSolve(h, N, b_d, x_d, info, room));
    CHECK(cuStreamEndCapture(stream, &graph) == CUDA_SUCCESS);
    CHECK(cuGraphInstantiate(&run, graph, 0) == CUDA_SUCCESS);
    for (int i = 0; i < N; i++) {
        b[i] = random_next();
    }
    CHECK(cuMemcpyHtoD((CUdeviceptr)(uintptr_t)b_d, b, sizeof(b)) == CUDA_SUCCESS);
    CHECK(cuCtxSynchronize() == CUDA_SUCCESS); /* the copy may end after its call */
    CHECK(cuGraphLaunch(run, stream) == CUDA_SUCCESS);
    CHECK(cuStreamSynchronize(stream) == CUDA_SUCCESS);
    fetch(x, x_d, sizeof(x));
    CHECK(rest(&a, x, b) < 1e-12);
    OK(cusolverSpDestroyCsrcholInfo(info));
}

/* Three systems of one pattern; nothing waits before the results are fetched. */
static void batched(void)
{
    struct matrix a = grid(0);
    static double value[3 * MOST], b[3 * N], x[3 * N];
    double *value_d, *b_d, *x_d = device(x, sizeof(x));
    csrqrInfo_t info;

    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < a.count; i++) {
            value[k * a.count + i] = a.value[i] * (1 + k);
        }
        for (int i = 0; i < N; i++) {
            b[k * N + i] = random_next();
        }
    }
    value_d = device(value, sizeof(value));
    b_d = device(b, sizeof(b));
    OK(cusolverSpCreateCsrqrInfo(&info));
    OK(cusolverSpXcsrqrAnalysisBatched(h, N, N, a.count, one, a.begin_d, a.column_d, info));
    OK(cusolverSpDcsrqrsvBatched(h, N, N, a.count, one, value_d, a.begin_d, a.column_d, b_d, x_d, 3,
                                 info, room));
    OK(cusolverSpDestroyCsrqrInfo(info)); /* waits, as NVIDIA's frees memory */
    CHECK(cuCtxSynchronize() == CUDA_SUCCESS);
    fetch(x, x_d, sizeof(x));
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < N; i++) {
            x[k * N + i] *= 1 + k; /* of A itself, then */
        }
        CHECK(rest(&a, x + k * N, b + k * N) < 1e-12);
    }
}

/* A P of the first matrix' factors, then of another one with the same pattern, three times as one.
 */
static void refactored(void)
{
    static struct matrix a, again;
    static int p[N], q[N], lp[N + 1], li[N * N], up[N + 1], ui[N * N], where[3];
    static double lx[N * N], ux[N * N], b[N], x[N];
    int nl = 0, nu = 0, *p_d, *q_d;
    double *x_d, *t_d, *values[3], *xs[3];
    cusparseMatDescr_t zero;
    csrluInfoHost_t info;
    cusolverRfHandle_t rf;

    a = grid(0);
    again = grid(0);
    for (int i = 0; i < N + 1; i++) {
        a.begin[i]--;
        again.begin[i]--;
    }
    for (int k = 0; k < a.count; k++) {
        a.column[k]--;
        again.column[k]--;
    }
    again.begin_d = device(again.begin, sizeof(again.begin));
    again.column_d = device(again.column, sizeof(again.column));
    CHECK(cusparseCreateMatDescr(&zero) == CUSPARSE_STATUS_SUCCESS);
    OK(cusolverSpCreateCsrluInfoHost(&info));
    OK(cusolverSpXcsrluAnalysisHost(h, N, a.count, zero, a.begin, a.column, info));
    OK(cusolverSpDcsrluFactorHost(h, N, a.count, zero, a.value, a.begin, a.column, info, 1, room));
    OK(cusolverSpXcsrluNnzHost(h, &nl, &nu, info));
    CHECK(nl + nu > a.count && nl <= N * N && nu <= N * N);
    OK(cusolverSpDcsrluExtractHost(h, p, q, zero, lx, lp, li, zero, ux, up, ui, info, room));
    OK(cusolverSpDestroyCsrluInfoHost(info));
    OK(cusolverRfCreate(&rf));
    OK(cusolverRfSetMatrixFormat(rf, CUSOLVERRF_MATRIX_FORMAT_CSR,
                                 CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L));
    OK(cusolverRfSetupHost(N, a.count, a.begin, a.column, a.value, nl, lp, li, lx, nu, up, ui, ux,
                           p, q, rf));
    OK(cusolverRfAnalyze(rf));
    p_d = device(p, sizeof(p));
    q_d = device(q, sizeof(q));
    for (int i = 0; i < N; i++) {
        b[i] = random_next();
    }
    x_d = device(b, sizeof(b));
    t_d = device(lx, 3 * sizeof(b));
    OK(cusolverRfRefactor(rf));
    OK(cusolverRfSolve(rf, p_d, q_d, 1, t_d, N, x_d, N));
    fetch(x, x_d, sizeof(x));
    for (int i = 0; i < N + 1; i++) {
        a.begin[i]++;
    }
    for (int k = 0; k < a.count; k++) {
        a.column[k]++;
    }
    CHECK(rest(&a, x, b) < 1e-10);
    x_d = device(b, sizeof(b));
    OK(cusolverRfResetValues(N, again.count, again.begin_d, again.column_d, again.value_d, p_d, q_d,
                             rf));
    OK(cusolverRfRefactor(rf));
    OK(cusolverRfSolve(rf, p_d, q_d, 1, t_d, N, x_d, N));
    fetch(x, x_d, sizeof(x));
    OK(cusolverRfDestroy(rf));
    for (int i = 0; i < 3; i++) {
        values[i] = again.value;
        xs[i] = device(b, sizeof(b));
    }
    OK(cusolverRfCreate(&rf));
    OK(cusolverRfBatchSetupHost(3, N, again.count, again.begin, again.column, values, nl, lp, li,
                                lx, nu, up, ui, ux, p, q, rf));
    OK(cusolverRfBatchAnalyze(rf));
    OK(cusolverRfBatchRefactor(rf));
    OK(cusolverRfBatchSolve(rf, p_d, q_d, 1, t_d, N, device(xs, sizeof(xs)), N));
    OK(cusolverRfBatchZeroPivot(rf, where));
    for (int i = 0; i < 3; i++) {
        double y[N];

        CHECK(where[i] == -1);
        fetch(y, xs[i], sizeof(y));
        CHECK(memcmp(x, y, sizeof(x)) == 0);
    }
    OK(cusolverRfDestroy(rf));
    for (int i = 0; i < N + 1; i++) {
        again.begin[i]++;
    }
    for (int k = 0; k < again.count; k++) {
        again.column[k]++;
    }
    CHECK(rest(&again, x, b) < 1e-8);
}

/* (1 2; 0 3) has an element without its counterpart; 3 is the eigenvalue next to 2.5. */
static void small(void)
{
    static const int begin[] = { 1, 3, 4 }, column[] = { 1, 2, 2 };
    static const double value[] = { 1, 2, 3 }, x0[] = { 1, 1 };
    double x[2], mu = 0, *mu_d = device(&mu, sizeof(mu)), *x_d = device(x0, sizeof(x0));
    int is = -7;

    OK(cusolverSpXcsrissymHost(h, 2, 3, one, begin, begin + 1, column, &is));
    CHECK(is == 0);
    OK(cusolverSpDcsreigvsiHost(h, 2, 3, one, value, begin, column, 2.5, x0, 100, 1e-13, &mu, x));
    CHECK(fabs(mu - 3) < 1e-12 && fabs(x[0] - x[1]) < 1e-12);
    mu = 0;
    OK(cusolverSpDcsreigvsi(h, 2, 3, one, device(value, sizeof(value)),
                            device(begin, sizeof(begin)), device(column, sizeof(column)), 2.5,
                            device(x0, sizeof(x0)), 100, 1e-13, mu_d, x_d));
    CHECK(cuCtxSynchronize() == CUDA_SUCCESS);
    fetch(&mu, mu_d, sizeof(mu));
    CHECK(fabs(mu - 3) < 1e-12);
}

/* NULL, at which NVIDIA's end with a signal, and handles that are gone */
static void wrong(void)
{
    cusolverSpHandle_t gone;
    cusolverRfHandle_t rf;
    int where = -7;
    double x = 0;

    CHECK(cusolverSpCreate(NULL) == CUSOLVER_STATUS_INVALID_VALUE);
    CHECK(cusolverSpDestroy(NULL) == CUSOLVER_STATUS_NOT_INITIALIZED);
    OK(cusolverSpCreate(&gone));
    OK(cusolverSpDestroy(gone));
    CHECK(cusolverSpDestroy(gone) == CUSOLVER_STATUS_NOT_INITIALIZED);
    CHECK(cusolverSpDcsrlsvluHost(gone, 1, 1, one, &x, &where, &where, &x, 0, 0, &x, &where) ==
          CUSOLVER_STATUS_NOT_INITIALIZED);
    CHECK(cusolverSpDcsrlsvluHost(h, 1, 1, one, NULL, &where, &where, &x, 0, 0, &x, &where) ==
          CUSOLVER_STATUS_INVALID_VALUE);
    OK(cusolverRfCreate(&rf));
    CHECK(cusolverSpDestroy((cusolverSpHandle_t)(void *)rf) == CUSOLVER_STATUS_NOT_INITIALIZED);
    OK(cusolverRfDestroy(rf));
    CHECK(cusolverRfDestroy(rf) == CUSOLVER_STATUS_NOT_INITIALIZED);
    CHECK(x == 0 && where == -7);
}

int main(void)
{
    CUcontext context;
    CUdevice dev;
    CUstream stream;

    CHECK(cuInit(0) == CUDA_SUCCESS && cuDeviceGet(&dev, 0) == CUDA_SUCCESS);
    CHECK(cuDevicePrimaryCtxRetain(&context, dev) == CUDA_SUCCESS);
    CHECK(cuCtxSetCurrent(context) == CUDA_SUCCESS);
    CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
    OK(cusolverSpCreate(&h));
    OK(cusolverSpSetStream(h, stream));
    CHECK(cusparseCreateMatDescr(&one) == CUSPARSE_STATUS_SUCCESS);
    CHECK(cusparseSetMatIndexBase(one, CUSPARSE_INDEX_BASE_ONE) == CUSPARSE_STATUS_SUCCESS);
    one_call();
    factored_and_captured(stream);
    batched();
    refactored();
    small();
    wrong();
    OK(cusolverSpDestroy(h));
    return failed;
}
