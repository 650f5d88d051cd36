/* SPDX-License-Identifier: MIT */
/* A program on the public headers alone: cuSPARSE's calls as work of a stream: captured, with
 * factors of the device, reading only what the matrix names, and faulting. Prints a line a failure;
 * exit 1 if there was one. */
#include <cuda.h>
#include <cusparse.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { N = 4 };

static int failed;
static cusparseHandle_t h;
static void *buffer;

#define CHECK(good)                                   \
    do {                                              \
        if (!(good)) {                                \
            printf("line %d: %s\n", __LINE__, #good); \
            failed = 1;                               \
        }                                             \
    } while (0)
#define OK(call) CHECK((call) == CUSPARSE_STATUS_SUCCESS)

static void *device(const void *from, size_t bytes)
{
    CUdeviceptr p = 0;

    CHECK(cuMemAlloc(&p, bytes) == CUDA_SUCCESS);
    CHECK(cuMemcpyHtoD(p, from, bytes) == CUDA_SUCCESS);
    CHECK(cuCtxSynchronize() == CUDA_SUCCESS);
    return (void *)(uintptr_t)p;
}

static float value(const void *from, int i)
{
    float v[N] = { 0 };

    CHECK(cuMemcpyDtoH(v, (CUdeviceptr)(uintptr_t)from, sizeof(v)) == CUDA_SUCCESS);
    return v[i];
}

/* ( 1 . 2 . )   Column 3 has no element.
 * ( . 3 . . )
 * ( . . . . )
 * ( 4 5 6 . ) */
static const int64_t offsets[] = { 0, 2, 3, 3, 6 }, columns[] = { 0, 2, 1, 0, 1, 2 };
static const float values[] = { 1, 2, 3, 4, 5, 6 }, ones[] = { 1, 1, 1, 1 };

static cusparseSpMatDescr_t matrix(const int64_t *at)
{
    cusparseSpMatDescr_t a = NULL;

    OK(cusparseCreateCsr(&a, N, N, 6, device(offsets, sizeof(offsets)), device(at, sizeof(columns)),
                         device(values, sizeof(values)), CUSPARSE_INDEX_64I, CUSPARSE_INDEX_64I,
                         CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    return a;
}

static cusparseDnVecDescr_t vector(void *p)
{
    cusparseDnVecDescr_t v = NULL;

    OK(cusparseCreateDnVec(&v, N, p, CUDA_R_32F));
    return v;
}

static cusparseStatus_t spmv(cusparseSpMatDescr_t a, void *x, void *y, const float *alpha,
                             const float *beta)
{
    return cusparseSpMV(h, CUSPARSE_OPERATION_NON_TRANSPOSE, alpha, a, vector(x), beta, vector(y),
                        CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, buffer);
}

/* Each call is a kernel node; its factors were read when it was made. */
static void captured(CUstream s)
{
    cusparseSpMatDescr_t a = matrix(columns);
    void *x = device(ones, sizeof(ones)), *y = device(ones, sizeof(ones));
    float one = 1;
    CUgraph g = NULL;
    CUgraphExec exec = NULL;
    CUgraphNode nodes[4];
    CUgraphNodeType type;
    size_t n = 4;

    OK(cusparseSetStream(h, s));
    CHECK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS);
    OK(spmv(a, x, y, &one, &one));
    OK(spmv(a, x, y, &one, &one));
    one = 100;
    CHECK(cuStreamEndCapture(s, &g) == CUDA_SUCCESS);
    CHECK(cuGraphGetNodes(g, nodes, &n) == CUDA_SUCCESS && n == 2);
    CHECK(cuGraphNodeGetType(nodes[0], &type) == CUDA_SUCCESS && type == CU_GRAPH_NODE_TYPE_KERNEL);
    CHECK(value(y, 3) == 1);
    CHECK(cuGraphInstantiate(&exec, g, 0) == CUDA_SUCCESS);
    CHECK(cuGraphLaunch(exec, s) == CUDA_SUCCESS && cuStreamSynchronize(s) == CUDA_SUCCESS);
    CHECK(value(y, 0) == 7 && value(y, 1) == 7 && value(y, 2) == 1 && value(y, 3) == 31);
}

static void factors_of_the_device(void)
{
    const float factors[] = { 2, 0 };
    cusparseSpMatDescr_t a = matrix(columns);
    void *x = device(ones, sizeof(ones)), *y = device(ones, sizeof(ones));
    float *f = device(factors, sizeof(factors));

    OK(cusparseSetPointerMode(h, CUSPARSE_POINTER_MODE_DEVICE));
    OK(spmv(a, x, y, f, f + 1));
    CHECK(cuStreamSynchronize(NULL) == CUDA_SUCCESS && cuCtxSynchronize() == CUDA_SUCCESS);
    CHECK(value(y, 0) == 6 && value(y, 1) == 6 && value(y, 2) == 0 && value(y, 3) == 30);
    OK(cusparseSetPointerMode(h, CUSPARSE_POINTER_MODE_HOST));
}

/* The last element of x is at no address, and no element of the matrix names it. */
static void reads_what_is_named(void)
{
    const size_t page = 2 << 20;
    CUdeviceptr p = 0;
    const float one = 1, zero = 0;
    void *y = device(ones, sizeof(ones));

    CHECK(cuMemAlloc(&p, page) == CUDA_SUCCESS);
    CHECK(cuMemcpyHtoD(p + page - 12, ones, 12) == CUDA_SUCCESS);
    CHECK(cuCtxSynchronize() == CUDA_SUCCESS);
    OK(spmv(matrix(columns), (void *)(uintptr_t)(p + page - 12), y, &one, &zero));
    CHECK(cuCtxSynchronize() == CUDA_SUCCESS);
    CHECK(value(y, 3) == 15);
}

/* Strided batches: every dense matrix has its own product; a sparse one is shared. */
static void batches(void)
{
    static const float b[2 * N] = { 1, 1, 1, 1, 2, 2, 2, 2 };
    const float one = 1, zero = 0;
    cusparseSpMatDescr_t a = matrix(columns);
    cusparseDnMatDescr_t db = NULL, dc = NULL;
    void *c = device(b, sizeof(b));

    OK(cusparseCreateDnMat(&db, N, 1, N, device(b, sizeof(b)), CUDA_R_32F, CUSPARSE_ORDER_COL));
    OK(cusparseCreateDnMat(&dc, N, 1, N, c, CUDA_R_32F, CUSPARSE_ORDER_COL));
    OK(cusparseCsrSetStridedBatch(a, 2, 0, 0));
    OK(cusparseDnMatSetStridedBatch(db, 2, N));
    OK(cusparseDnMatSetStridedBatch(dc, 2, N));
    OK(cusparseSpMM(h, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a,
                    db, &zero, dc, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, c));
    CHECK(cuCtxSynchronize() == CUDA_SUCCESS);
    CHECK(value(c, 3) == 15 && value((float *)c + N, 3) == 30);
}

/* 2 A A: ( 2 . 4 . ), ( . 18 . . ), nothing, ( 8 30 16 . ) */
static void sparse_product(void)
{
    static const int64_t want_offsets[] = { 0, 2, 3, 3, 6 }, want_columns[] = { 0, 2, 1, 0, 1, 2 };
    static const float want[] = { 2, 4, 18, 8, 30, 16 };
    const float two = 2, zero = 0;
    const cusparseOperation_t n = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const cusparseSpGEMMAlg_t alg = CUSPARSE_SPGEMM_DEFAULT;
    cusparseSpMatDescr_t a = matrix(columns), c = NULL;
    cusparseSpGEMMDescr_t d = NULL;
    int64_t rows = 0, count = 0, got_offsets[5] = { 0 }, got_columns[6] = { 0 };
    size_t bytes = 0;
    float got[6] = { 0 };
    void *po = device(got_offsets, sizeof(got_offsets));
    void *pc = device(got_columns, sizeof(got_columns)), *pv = device(got, sizeof(got));

    OK(cusparseCreateCsr(&c, N, N, 0, NULL, NULL, NULL, CUSPARSE_INDEX_64I, CUSPARSE_INDEX_64I,
                         CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    OK(cusparseSpGEMM_createDescr(&d));
    CHECK(cusparseSpGEMM_copy(h, n, n, &two, a, a, &zero, c, CUDA_R_32F, alg, d) ==
          CUSPARSE_STATUS_NOT_INITIALIZED);
    for (int i = 0; i < 2; i++) { /* the size of a buffer, then with it */
        OK(cusparseSpGEMM_workEstimation(h, n, n, &two, a, a, &zero, c, CUDA_R_32F, alg, d, &bytes,
                                         i ? buffer : NULL));
    }
    for (int i = 0; i < 2; i++) {
        OK(cusparseSpGEMM_compute(h, n, n, &two, a, a, &zero, c, CUDA_R_32F, alg, d, &bytes,
                                  i ? buffer : NULL));
    }
    OK(cusparseSpMatGetSize(c, &rows, &rows, &count));
    CHECK(count == 6);
    OK(cusparseCsrSetPointers(c, po, pc, pv));
    OK(cusparseSpGEMM_copy(h, n, n, &two, a, a, &zero, c, CUDA_R_32F, alg, d));
    CHECK(cuCtxSynchronize() == CUDA_SUCCESS);
    CHECK(cuMemcpyDtoH(got_offsets, (CUdeviceptr)(uintptr_t)po, sizeof(got_offsets)) ==
          CUDA_SUCCESS);
    CHECK(cuMemcpyDtoH(got_columns, (CUdeviceptr)(uintptr_t)pc, sizeof(got_columns)) ==
          CUDA_SUCCESS);
    CHECK(cuMemcpyDtoH(got, (CUdeviceptr)(uintptr_t)pv, sizeof(got)) == CUDA_SUCCESS);
    CHECK(memcmp(got_offsets, want_offsets, sizeof(want_offsets)) == 0);
    CHECK(memcmp(got_columns, want_columns, sizeof(want_columns)) == 0);
    CHECK(memcmp(got, want, sizeof(want)) == 0);
    OK(cusparseSpGEMM_destroyDescr(d));
}

/* A handle that was destroyed is none. */
static void refused(void)
{
    cusparseHandle_t gone = NULL;
    int n = 0;

    OK(cusparseCreate(&gone));
    OK(cusparseDestroy(gone));
    CHECK(cusparseGetVersion(gone, &n) == CUSPARSE_STATUS_NOT_INITIALIZED);
    CHECK(strcmp(cusparseGetErrorName(CUSPARSE_STATUS_ZERO_PIVOT), "CUSPARSE_STATUS_ZERO_PIVOT") ==
          0);
}

/* An index that is no column ends the launch. */
static void faulting(void)
{
    static const int64_t wrong[] = { 0, 2, 1, 0, 1, 9 };
    const float one = 1, zero = 0;
    void *x = device(ones, sizeof(ones));

    OK(spmv(matrix(wrong), x, x, &one, &zero));
    CHECK(cuCtxSynchronize() == CUDA_ERROR_ILLEGAL_INSTRUCTION);
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
    OK(cusparseCreate(&h));
    buffer = device(ones, sizeof(ones));
    captured(s);
    OK(cusparseSetStream(h, NULL));
    factors_of_the_device();
    reads_what_is_named();
    batches();
    sparse_product();
    refused();
    faulting();
    return failed;
}
