/* SPDX-License-Identifier: MIT */
/* A program on the public headers alone: cuBLASLt's products with every epilogue, in both orders,
 * against loops in double precision; integers; batches; as a node of a graph; and what is refused.
 * Prints a line a failure; exit 1 if there was one. */
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { M = 13, N = 6, K = 21, LD = 24, SIZE = LD * LD };

static int failed;
static cublasLtHandle_t h;
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

static void *device(const void *from, size_t bytes)
{
    CUdeviceptr p = 0;

    CHECK(cuMemAlloc(&p, bytes) == CUDA_SUCCESS);
    CHECK(cuMemcpyHtoD(p, from, bytes) == CUDA_SUCCESS && cuCtxSynchronize() == CUDA_SUCCESS);
    return (void *)(uintptr_t)p;
}

static void read_back(void *to, const void *from, size_t bytes)
{
    CHECK(cuCtxSynchronize() == CUDA_SUCCESS);
    CHECK(cuMemcpyDtoH(to, (CUdeviceptr)(uintptr_t)from, bytes) == CUDA_SUCCESS);
}

/**
 * struct problem - A, B, C, the bias and what a backward pass needs, on both sides
 */
struct problem {
    float a[SIZE], b[SIZE], c[SIZE], aux[SIZE], bias[LD];
    uint8_t mask[SIZE];
    void *da, *db, *dc, *dd, *daux, *dmask, *dbias;
    int ta, tb, rows; /* @rows: A, C and D are stored by rows */
};

static void fill(float *x, int n)
{
    for (int i = 0; i < n; i++) {
        x[i] = (float)random_next();
    }
}

static void problem_make(struct problem *p, int ta, int tb, int rows)
{
    fill(p->a, SIZE);
    fill(p->b, SIZE);
    fill(p->c, SIZE);
    fill(p->aux, SIZE);
    fill(p->bias, LD);
    for (int i = 0; i < SIZE; i++) {
        p->mask[i] = (uint8_t)(random_next() * 128 + 128);
    }
    p->da = device(p->a, sizeof(p->a));
    p->db = device(p->b, sizeof(p->b));
    p->dc = device(p->c, sizeof(p->c));
    p->dd = device(p->c, sizeof(p->c));
    p->daux = device(p->aux, sizeof(p->aux));
    p->dmask = device(p->mask, sizeof(p->mask));
    p->dbias = device(p->bias, sizeof(p->bias));
    p->ta = ta;
    p->tb = tb;
    p->rows = rows;
}

static double at(const float *x, int i, int j, int turned)
{
    return x[turned ? j + i * LD : i + j * LD];
}

static double sum_of(const struct problem *p, int i, int j)
{
    double sum = 0;

    for (int k = 0; k < K; k++) {
        sum += at(p->a, i, k, p->ta ^ p->rows) * at(p->b, k, j, p->tb);
    }
    return 1.5 * sum - 0.5 * at(p->c, i, j, p->rows);
}

static double gelu(double x)
{
    return 0.5 * x * (1 + tanh(sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
}

static double slope(double x)
{
    return (gelu(x + 1e-5) - gelu(x - 1e-5)) / 2e-5;
}

static cublasLtMatrixLayout_t layout(int m, int n, int rows)
{
    cublasLtMatrixLayout_t l = NULL;
    int32_t order = rows ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL;

    OK(cublasLtMatrixLayoutCreate(&l, CUDA_R_32F, (uint64_t)m, (uint64_t)n, LD));
    OK(cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof(order)));
    return l;
}

static void attribute(cublasLtMatmulDesc_t d, cublasLtMatmulDescAttributes_t a, const void *v,
                      size_t bytes)
{
    OK(cublasLtMatmulDescSetAttribute(d, a, v, bytes));
}

static cublasStatus_t multiply(const struct problem *p, cublasLtEpilogue_t epilogue, void *bias,
                               void *aux, CUstream s)
{
    const float alpha = 1.5f, beta = -0.5f;
    int32_t ta = p->ta ? CUBLAS_OP_T : CUBLAS_OP_N, tb = p->tb ? CUBLAS_OP_T : CUBLAS_OP_N;
    int64_t ld = epilogue == CUBLASLT_EPILOGUE_RELU_AUX || epilogue == CUBLASLT_EPILOGUE_DRELU_BGRAD
                     ? 128
                     : LD;
    cublasLtMatmulDesc_t d = NULL;
    cublasLtMatrixLayout_t la = layout(p->ta ? K : M, p->ta ? M : K, p->rows);
    cublasLtMatrixLayout_t lb = layout(p->tb ? N : K, p->tb ? K : N, 0), lc = layout(M, N, p->rows);
    cublasLtMatmulPreference_t preference = NULL;
    cublasLtMatmulHeuristicResult_t result;
    cublasStatus_t status;
    int found = 0;

    OK(cublasLtMatmulDescCreate(&d, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    attribute(d, CUBLASLT_MATMUL_DESC_TRANSA, &ta, sizeof(ta));
    attribute(d, CUBLASLT_MATMUL_DESC_TRANSB, &tb, sizeof(tb));
    attribute(d, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof(epilogue));
    attribute(d, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof(bias));
    attribute(d, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &aux, sizeof(aux));
    attribute(d, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, &ld, sizeof(ld));
    OK(cublasLtMatmulPreferenceCreate(&preference));
    OK(cublasLtMatmulAlgoGetHeuristic(h, d, la, lb, lc, lc, preference, 1, &result, &found));
    CHECK(found == 1 && result.workspaceSize == 0);
    status = cublasLtMatmul(h, d, &alpha, p->da, la, p->db, lb, &beta, p->dc, lc, p->dd, lc,
                            &result.algo, NULL, 0, s);
    OK(cublasLtMatmulPreferenceDestroy(preference));
    OK(cublasLtMatrixLayoutDestroy(la));
    OK(cublasLtMatrixLayoutDestroy(lb));
    OK(cublasLtMatrixLayoutDestroy(lc));
    OK(cublasLtMatmulDescDestroy(d));
    return status;
}

static double expected(const struct problem *p, cublasLtEpilogue_t e, int i, int j)
{
    int bias = e == CUBLASLT_EPILOGUE_BIAS || e == CUBLASLT_EPILOGUE_RELU_BIAS ||
               e == CUBLASLT_EPILOGUE_GELU_AUX_BIAS;
    double v = sum_of(p, i, j) + (bias ? p->bias[i] : 0);

    switch (e) {
    case CUBLASLT_EPILOGUE_RELU_BIAS:
    case CUBLASLT_EPILOGUE_RELU_AUX:
        return v > 0 ? v : 0;
    case CUBLASLT_EPILOGUE_GELU:
    case CUBLASLT_EPILOGUE_GELU_AUX_BIAS:
        return gelu(v);
    case CUBLASLT_EPILOGUE_DGELU:
        return v * slope(at(p->aux, i, j, 0));
    case CUBLASLT_EPILOGUE_DRELU_BGRAD:
        return p->mask[i / 8 + j * 16] >> i % 8 & 1 ? v : 0;
    default:
        return v;
    }
}

static int near(double a, double b)
{
    return fabs(a - b) <= 2e-5;
}

static void epilogue_try(cublasLtEpilogue_t e, int ta, int tb, int rows)
{
    static struct problem p;
    float d[SIZE], aux[SIZE], bias[LD];
    uint8_t mask[SIZE];
    int bits = e == CUBLASLT_EPILOGUE_RELU_AUX || e == CUBLASLT_EPILOGUE_DRELU_BGRAD;
    int biased = e != CUBLASLT_EPILOGUE_DEFAULT && e != CUBLASLT_EPILOGUE_RELU_AUX &&
                 e != CUBLASLT_EPILOGUE_GELU && e != CUBLASLT_EPILOGUE_DGELU;
    int bad = 0;

    problem_make(&p, ta, tb, rows);
    OK(multiply(&p, e, biased ? p.dbias : NULL, bits ? p.dmask : p.daux, NULL));
    read_back(d, p.dd, sizeof(d));
    read_back(aux, p.daux, sizeof(aux));
    read_back(mask, p.dmask, sizeof(mask));
    read_back(bias, p.dbias, sizeof(bias));
    for (int i = 0; i < M; i++) {
        double sum = 0;

        for (int j = 0; j < N; j++) {
            double v = expected(&p, e, i, j);

            sum += v;
            bad += !near(at(d, i, j, rows), v);
            if (e == CUBLASLT_EPILOGUE_GELU_AUX_BIAS) { /* the argument is kept */
                bad += !near(at(aux, i, j, 0), sum_of(&p, i, j) + p.bias[i]);
            }
            if (e == CUBLASLT_EPILOGUE_RELU_AUX && fabs(sum_of(&p, i, j)) > 1e-5) {
                bad += (mask[i / 8 + j * 16] >> i % 8 & 1) != (sum_of(&p, i, j) > 0);
            }
        }
        bad += e == CUBLASLT_EPILOGUE_DRELU_BGRAD && !near(bias[i], sum);
    }
    bad += d[rows ? N : M] != p.c[rows ? N : M]; /* beside the result nothing is written */
    if (bad) {
        printf("epilogue %d, %d%d%d: %d wrong\n", (int)e, ta, tb, rows, bad);
        failed = 1;
    }
}

static void epilogues(void)
{
    static const cublasLtEpilogue_t all[] = {
        CUBLASLT_EPILOGUE_DEFAULT,  CUBLASLT_EPILOGUE_BIAS,          CUBLASLT_EPILOGUE_RELU_BIAS,
        CUBLASLT_EPILOGUE_GELU,     CUBLASLT_EPILOGUE_GELU_AUX_BIAS, CUBLASLT_EPILOGUE_DGELU,
        CUBLASLT_EPILOGUE_RELU_AUX, CUBLASLT_EPILOGUE_DRELU_BGRAD,
    };

    for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        epilogue_try(all[i], 0, 0, 0);
        epilogue_try(all[i], 1, 0, 0);
        epilogue_try(all[i], 0, 1, 1);
    }
}

/* Integers are exact; two batches, in steps of the layout's offset. */
static void integers(void)
{
    static int8_t a[2 * K * M], b[2 * K * N];
    static int32_t d[2 * M * N];
    const int32_t one = 1, zero = 0, two = 2, turned = CUBLAS_OP_T;
    const int64_t strides[] = { K * M, K * N, M * N };
    cublasLtMatmulDesc_t op = NULL;
    cublasLtMatrixLayout_t l[3] = { NULL };
    void *dd = device(d, sizeof(d));

    for (int i = 0; i < 2 * K * M; i++) {
        a[i] = (int8_t)(random_next() * 127);
    }
    for (int i = 0; i < 2 * K * N; i++) {
        b[i] = (int8_t)(random_next() * 127);
    }
    OK(cublasLtMatmulDescCreate(&op, CUBLAS_COMPUTE_32I, CUDA_R_32I));
    attribute(op, CUBLASLT_MATMUL_DESC_TRANSA, &turned, sizeof(turned));
    OK(cublasLtMatrixLayoutCreate(&l[0], CUDA_R_8I, K, M, K));
    OK(cublasLtMatrixLayoutCreate(&l[1], CUDA_R_8I, K, N, K));
    OK(cublasLtMatrixLayoutCreate(&l[2], CUDA_R_32I, M, N, M));
    for (int i = 0; i < 3; i++) {
        OK(cublasLtMatrixLayoutSetAttribute(l[i], CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &two, 4));
        OK(cublasLtMatrixLayoutSetAttribute(l[i], CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                            &strides[i], 8));
    }
    OK(cublasLtMatmul(h, op, &one, device(a, sizeof(a)), l[0], device(b, sizeof(b)), l[1], &zero,
                      NULL, l[2], dd, l[2], NULL, NULL, 0, NULL));
    read_back(d, dd, sizeof(d));
    for (int i = 0; i < 2 * M * N; i++) {
        int batch = i / (M * N), row = i % M, column = i / M % N, sum = 0;

        for (int k = 0; k < K; k++) {
            sum += a[batch * K * M + k + row * K] * b[batch * K * N + k + column * K];
        }
        CHECK(d[i] == sum);
    }
}

/* Each call is a kernel node; a handle of cuBLAS does, too. */
static void captured(CUstream s)
{
    static struct problem p;
    cublasLtHandle_t own = h;
    cublasHandle_t blas = NULL;
    CUgraph g = NULL;
    CUgraphNode node;
    CUgraphNodeType type;
    size_t n = 1;

    problem_make(&p, 0, 0, 0);
    OK(cublasCreate(&blas));
    CHECK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS);
    OK(multiply(&p, CUBLASLT_EPILOGUE_BIAS, p.dbias, NULL, s));
    CHECK(cuStreamEndCapture(s, &g) == CUDA_SUCCESS);
    CHECK(cuGraphGetNodes(g, &node, &n) == CUDA_SUCCESS && n == 1);
    CHECK(cuGraphNodeGetType(node, &type) == CUDA_SUCCESS && type == CU_GRAPH_NODE_TYPE_KERNEL);
    h = (cublasLtHandle_t)blas;
    OK(multiply(&p, CUBLASLT_EPILOGUE_BIAS, p.dbias, NULL, NULL));
    h = own;
}

static void refused(void)
{
    static struct problem p;
    cublasLtMatmulDesc_t d = NULL;
    cublasLtMatmulDescOpaque_t mine;
    float one = 1;
    size_t bytes = 0;
    int32_t value = -1;

    problem_make(&p, 0, 0, 0);
    CHECK(multiply(&p, CUBLASLT_EPILOGUE_BIAS, NULL, NULL, NULL) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasLtCreate(NULL) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasLtDestroy(NULL) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasLtMatmul(NULL, d, &one, p.da, NULL, p.db, NULL, &one, p.dc, NULL, p.dd, NULL, NULL,
                         NULL, 0, NULL) == CUBLAS_STATUS_NOT_INITIALIZED);
    CHECK(cublasLtMatmul(h, d, &one, p.da, NULL, p.db, NULL, &one, p.dc, NULL, p.dd, NULL, NULL,
                         NULL, 0, NULL) == CUBLAS_STATUS_INVALID_VALUE);
    OK(cublasLtMatmulDescInit(&mine, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    CHECK(cublasLtMatmulDescSetAttribute(&mine, CUBLASLT_MATMUL_DESC_TRANSA, &value, 2) ==
          CUBLAS_STATUS_INVALID_VALUE);
    OK(cublasLtMatmulDescGetAttribute(&mine, CUBLASLT_MATMUL_DESC_EPILOGUE, &value, 4, &bytes));
    CHECK(value == CUBLASLT_EPILOGUE_DEFAULT && bytes == 4);
    OK(cublasLtMatmulDescGetAttribute(&mine, CUBLASLT_MATMUL_DESC_BIAS_POINTER, NULL, 0, &bytes));
    CHECK(bytes == 8);
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
    OK(cublasLtCreate(&h));
    epilogues();
    integers();
    captured(s);
    refused();
    OK(cublasLtDestroy(h));
    return failed;
}
