/* SPDX-License-Identifier: MIT */
/* A program on the public headers alone: cuSPARSE sorts elements, counts those of dense matrices
 * and adds sparse matrices. All values are small integers, worked out by hand. Prints a line a
 * failure; exit 1 if there was one. */
#include <cuda.h>
#include <cusparse.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int failed;
static cusparseHandle_t h;
static cusparseMatDescr_t zero, one;
static char buffer_of_host[64];

#define CHECK(good)                                   \
    do {                                              \
        if (!(good)) {                                \
            printf("line %d: %s\n", __LINE__, #good); \
            failed = 1;                               \
        }                                             \
    } while (0)
#define OK(call) CHECK((call) == CUSPARSE_STATUS_SUCCESS)
#define COUNT(a) (sizeof(a) / sizeof(*(a)))
#define DEVICE(a) device((a), sizeof(a))
#define EQUAL(from, want) CHECK(equal((from), (want), sizeof(want)))

static void *device(const void *from, size_t bytes)
{
    CUdeviceptr p = 0;

    CHECK(cuMemAlloc(&p, bytes) == CUDA_SUCCESS);
    CHECK(cuMemcpyHtoD(p, from, bytes) == CUDA_SUCCESS);
    CHECK(cuCtxSynchronize() == CUDA_SUCCESS);
    return (void *)(uintptr_t)p;
}

static int equal(const void *from, const void *want, size_t bytes)
{
    char is[256] = { 0 };

    CHECK(cuMemcpyDtoH(is, (CUdeviceptr)(uintptr_t)from, bytes) == CUDA_SUCCESS);
    return memcmp(is, want, bytes) == 0;
}

/* Rows 0: columns 2, 0; 1: none; 2: 3, 1, 0. Base 1. */
static void rows_sorted(void)
{
    static const int offsets[] = { 1, 3, 3, 6 }, columns[] = { 3, 1, 4, 2, 1 };
    static const int sorted[] = { 1, 3, 1, 2, 4 }, moved[] = { 1, 0, 4, 3, 2 };
    static const int identity[] = { 0, 1, 2, 3, 4 }, junk[5] = { 9, 9, 9, 9, 9 };
    int *at = DEVICE(columns), *p = DEVICE(junk), *from = DEVICE(offsets);
    size_t bytes = 0;

    OK(cusparseCreateIdentityPermutation(h, 5, p));
    EQUAL(p, identity);
    OK(cusparseXcsrsort_bufferSizeExt(h, 3, 4, 5, from, at, &bytes));
    OK(cusparseXcsrsort(h, 3, 4, 5, one, from, at, p, buffer_of_host));
    EQUAL(at, sorted);
    EQUAL(p, moved);
    at = DEVICE(columns);
    OK(cusparseXcscsort_bufferSizeExt(h, 4, 3, 5, from, at, &bytes));
    OK(cusparseXcscsort(h, 4, 3, 5, one, from, at, NULL, buffer_of_host));
    EQUAL(at, sorted);
    EQUAL(from, offsets);
    CHECK(cusparseXcsrsort(h, 3, 4, 5, NULL, from, at, p, NULL) == CUSPARSE_STATUS_INVALID_VALUE);
    CHECK(cusparseXcsrsort(h, -1, 4, 5, one, from, at, p, NULL) == CUSPARSE_STATUS_INVALID_VALUE);
    CHECK(cusparseCreateIdentityPermutation(h, -1, p) == CUSPARSE_STATUS_INVALID_VALUE);
}

static void coordinates_sorted(void)
{
    static const int rows[] = { 2, 0, 2, 1 }, columns[] = { 1, 3, 0, 3 }, start[] = { 0, 1, 2, 3 };
    static const int by_row[2][4] = { { 0, 1, 2, 2 }, { 3, 3, 0, 1 } }, p_row[] = { 1, 3, 2, 0 };
    static const int by_column[2][4] = { { 2, 2, 0, 1 }, { 0, 1, 3, 3 } },
                     p_column[] = { 2, 0, 1, 3 };
    int *r = DEVICE(rows), *c = DEVICE(columns), *p = DEVICE(start);
    size_t bytes = 0;

    OK(cusparseXcoosort_bufferSizeExt(h, 3, 4, 4, r, c, &bytes));
    OK(cusparseXcoosortByRow(h, 3, 4, 4, r, c, p, buffer_of_host));
    EQUAL(r, by_row[0]);
    EQUAL(c, by_row[1]);
    EQUAL(p, p_row);
    r = DEVICE(rows);
    c = DEVICE(columns);
    p = DEVICE(start);
    OK(cusparseXcoosortByColumn(h, 3, 4, 4, r, c, p, buffer_of_host));
    EQUAL(r, by_column[0]);
    EQUAL(c, by_column[1]);
    EQUAL(p, p_column);
}

/* By columns, with a line of padding: ( 1 0 0 / 0 0 5 ) */
static void dense_counted(void)
{
    static const double a[] = { 1, 0, 7, 0, 0, 7, 0, 5, 7 };
    static const int by_row[] = { 1, 1 }, by_column[] = { 1, 0, 1 }, two[] = { 2 };
    int junk[3] = { 9, 9, 9 }, total = -1;
    double *m = DEVICE(a);
    int *lines = DEVICE(junk), *all = DEVICE(two);

    OK(cusparseDnnz(h, CUSPARSE_DIRECTION_ROW, 2, 3, zero, m, 3, lines, &total));
    EQUAL(lines, by_row);
    CHECK(total == 2);
    OK(cusparseSetPointerMode(h, CUSPARSE_POINTER_MODE_DEVICE));
    all = DEVICE(junk);
    OK(cusparseDnnz(h, CUSPARSE_DIRECTION_COLUMN, 2, 3, zero, m, 3, lines, all));
    EQUAL(lines, by_column);
    EQUAL(all, two);
    OK(cusparseSetPointerMode(h, CUSPARSE_POINTER_MODE_HOST));
    CHECK(cusparseDnnz(h, CUSPARSE_DIRECTION_ROW, 2, 3, zero, m, 1, lines, &total) ==
          CUSPARSE_STATUS_INVALID_VALUE);
}

/* ( 1 2 . )   ( . 3 . )   C = 10 A + B, of base 1; what lies behind C's elements stays */
static void matrices_added(void)
{
    static const int a_from[] = { 0, 2, 3 }, a_at[] = { 0, 1, 2 }, b_from[] = { 1, 2, 3 };
    static const int b_at[] = { 2, 1 }, c_from[] = { 1, 3, 5 }, c_at[] = { 1, 2, 1, 3, -7 };
    static const float a[] = { 1, 2, 4 }, b[] = { 3, 5 }, ten = 10, unit = 1;
    static const float c[] = { 10, 23, 5, 40, -7 };
    static const int junk[] = { -7, -7, -7, -7, -7 };
    static const float values[] = { -7, -7, -7, -7, -7 };
    int *af = DEVICE(a_from), *ac = DEVICE(a_at), *bf = DEVICE(b_from), *bc = DEVICE(b_at);
    int *cf = DEVICE(junk), *cc = DEVICE(junk), total = -1;
    float *av = DEVICE(a), *bv = DEVICE(b), *cv = DEVICE(values);
    size_t bytes = 0;

    OK(cusparseScsrgeam2_bufferSizeExt(h, 2, 3, &ten, zero, 3, av, af, ac, &unit, one, 2, bv, bf,
                                       bc, one, cv, cf, cc, &bytes));
    OK(cusparseXcsrgeam2Nnz(h, 2, 3, zero, 3, af, ac, one, 2, bf, bc, one, cf, &total,
                            buffer_of_host));
    EQUAL(cf, c_from);
    CHECK(total == 4);
    OK(cusparseScsrgeam2(h, 2, 3, &ten, zero, 3, av, af, ac, &unit, one, 2, bv, bf, bc, one, cv, cf,
                         cc, buffer_of_host));
    EQUAL(cc, c_at);
    EQUAL(cv, c);
    CHECK(cusparseScsrgeam2(h, 2, 3, NULL, zero, 3, av, af, ac, &unit, one, 2, bv, bf, bc, one, cv,
                            cf, cc, NULL) == CUSPARSE_STATUS_INVALID_VALUE);
    CHECK(cusparseXcsrgeam2Nnz(NULL, 2, 3, zero, 3, af, ac, one, 2, bf, bc, one, cf, &total,
                               NULL) == CUSPARSE_STATUS_INVALID_VALUE);
}

/* A row that ends before it begins is a fault of the call, and nothing of it is written. */
static void offsets_broken(void)
{
    static const int offsets[] = { 0, 5, 2 }, columns[] = { 1, 0 };
    int *from = DEVICE(offsets), *at = DEVICE(columns);

    OK(cusparseXcsrsort(h, 2, 2, 2, zero, from, at, NULL, NULL));
    CHECK(cuCtxSynchronize() != CUDA_SUCCESS);
}

int main(void)
{
    CUdevice d = 0;
    CUcontext context;

    CHECK(cuInit(0) == CUDA_SUCCESS && cuDeviceGet(&d, 0) == CUDA_SUCCESS);
    CHECK(cuDevicePrimaryCtxRetain(&context, d) == CUDA_SUCCESS &&
          cuCtxSetCurrent(context) == CUDA_SUCCESS);
    OK(cusparseCreate(&h));
    OK(cusparseCreateMatDescr(&zero));
    OK(cusparseCreateMatDescr(&one));
    OK(cusparseSetMatIndexBase(one, CUSPARSE_INDEX_BASE_ONE));
    rows_sorted();
    coordinates_sorted();
    dense_counted();
    matrices_added();
    offsets_broken();
    printf(failed ? "failed\n" : "ok\n");
    return failed;
}
