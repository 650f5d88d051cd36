/* SPDX-License-Identifier: MIT */
/* What cuSPARSE answers to right, wrong and rare arguments: a row a question (library_case.h). For
 * a GPU with NVIDIA's library, and for ours: g++ cusparse_work.cpp -lcusparse -lcudart -o ask &&
 * ./ask [NUMBER...] >cusparse.txt */
#define DISABLE_CUSPARSE_DEPRECATED
#include <cusparse.h>

#include "library_case.h"

static cusparseHandle_t h;
static const number alpha(0.5, -1.25), beta(-2, 0.75);
static const char *const ops[] = { "N", "T", "C" };
static const char *const formats[] = { "?", "CSR", "CSC", "COO" };

/* m x n with a row of nothing, kept in three forms */
struct matrix {
    int m, n, nnz, base;
    cudaDataType t;
    std::vector<int> rows, columns;
    numbers values;
    int *offsets_d, *rows_d, *columns_d, *csc_offsets_d, *csc_rows_d;
    void *values_d, *csc_values_d;
};

static void upload(matrix &a)
{
    std::vector<int> offsets(a.m + 1, a.base), csc_offsets(a.n + 1, a.base),
        rows = a.rows, columns = a.columns, csc_rows;
    numbers csc_values;

    for (int i = 0; i < a.nnz; i++) {
        for (int r = a.rows[i] + 1; r <= a.m; r++) {
            offsets[r]++;
        }
        for (int c = a.columns[i] + 1; c <= a.n; c++) {
            csc_offsets[c]++;
        }
        rows[i] += a.base;
        columns[i] += a.base;
    }
    for (int c = 0; c < a.n; c++) {
        for (int i = 0; i < a.nnz; i++) {
            if (a.columns[i] == c) {
                csc_rows.push_back(a.rows[i] + a.base);
                csc_values.push_back(a.values[i]);
            }
        }
    }
    a.offsets_d = to_device(offsets);
    a.rows_d = to_device(rows);
    a.columns_d = to_device(columns);
    a.csc_offsets_d = to_device(csc_offsets);
    a.csc_rows_d = to_device(csc_rows);
    a.values_d = to_device(a.values, a.t);
    a.csc_values_d = to_device(csc_values, a.t);
}

/* @diagonal: every row has one, which is strong */
static matrix matrix_make(int m, int n, cudaDataType t, int base, bool diagonal)
{
    matrix a;

    a.m = m;
    a.n = n;
    a.base = base;
    a.t = t;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            bool there = (i * 7 + j * 5 + i * j) % 4 == 1 && (i != 3 || diagonal);

            if (there || (diagonal && i == j)) {
                number v = random_number(is_complex(t));

                a.rows.push_back(i);
                a.columns.push_back(j);
                a.values.push_back(diagonal && i == j ? v + 4.0 : v);
            }
        }
    }
    a.nnz = (int)a.rows.size();
    upload(a);
    return a;
}

static cusparseSpMatDescr_t descriptor(const matrix &a, int format)
{
    cusparseSpMatDescr_t d = NULL;
    cusparseIndexBase_t base = (cusparseIndexBase_t)a.base;

    if (format == 1) {
        cusparseCreateCsr(&d, a.m, a.n, a.nnz, a.offsets_d, a.columns_d, a.values_d,
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, base, a.t);
    } else if (format == 2) {
        cusparseCreateCsc(&d, a.m, a.n, a.nnz, a.csc_offsets_d, a.csc_rows_d, a.csc_values_d,
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, base, a.t);
    } else {
        cusparseCreateCoo(&d, a.m, a.n, a.nnz, a.rows_d, a.columns_d, a.values_d,
                          CUSPARSE_INDEX_32I, base, a.t);
    }
    return d;
}

static cusparseDnVecDescr_t vector_of(void *p, int n, cudaDataType t)
{
    cusparseDnVecDescr_t d = NULL;

    cusparseCreateDnVec(&d, n, p, t);
    return d;
}

static void spmv(const std::string &what, const matrix &a, int format, int op, cudaDataType tx,
                 cudaDataType ty, cudaDataType compute)
{
    int nx = op ? a.m : a.n, ny = op ? a.n : a.m;
    void *x = to_device(random_numbers(nx, tx), tx), *y = to_device(random_numbers(ny, ty), ty);
    cusparseSpMatDescr_t d = descriptor(a, format);
    cusparseDnVecDescr_t dx = vector_of(x, nx, tx), dy = vector_of(y, ny, ty);
    const void *al = scalar(compute == CUDA_R_32I ? 2 : alpha, compute);
    const void *be = scalar(compute == CUDA_R_32I ? -3 : beta, compute);
    cusparseOperation_t o = (cusparseOperation_t)op;
    size_t bytes = 0;

    if (!ASK(what + " size", cusparseSpMV_bufferSize(h, o, al, d, dx, be, dy, compute,
                                                     CUSPARSE_SPMV_ALG_DEFAULT, &bytes))) {
        return;
    }
    if (ASK(what, cusparseSpMV(h, o, al, d, dx, be, dy, compute, CUSPARSE_SPMV_ALG_DEFAULT,
                               device(bytes)))) {
        show(what, from_device(y, ty, ny), ty, 64);
    }
}

static void products()
{
    static const cudaDataType mixed[][4] = {
        { CUDA_R_8I, CUDA_R_8I, CUDA_R_32I, CUDA_R_32I },
        { CUDA_R_8I, CUDA_R_8I, CUDA_R_32F, CUDA_R_32F },
        { CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, CUDA_R_32F },
        { CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_32F },
        { CUDA_R_16BF, CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F },
        { CUDA_R_32F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F },
        { CUDA_R_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F },
        { CUDA_R_64F, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F },
        { CUDA_C_32F, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F },
        { CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_64F },
        { CUDA_R_64F, CUDA_R_32F, CUDA_R_64F, CUDA_R_64F },
        { CUDA_R_32F, CUDA_R_32F, CUDA_R_64F, CUDA_R_64F },
        { CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F },
        { CUDA_R_8I, CUDA_R_8I, CUDA_R_8I, CUDA_R_32I },
    };

    for (cudaDataType t : four) {
        for (int i = 0; i < 18; i++) {
            matrix a = matrix_make(13, 11, t, i % 2, false);

            spmv("spmv " + name_of(t) + " " + formats[i / 6 + 1] + " " + ops[i / 2 % 3] + " base " +
                     std::to_string(i % 2),
                 a, i / 6 + 1, i / 2 % 3, t, t, t);
        }
    }
    for (auto &m : mixed) {
        matrix a = matrix_make(13, 11, m[0], 0, false);

        spmv("spmv " + name_of(m[0]) + name_of(m[1]) + name_of(m[2]) + name_of(m[3]), a, 1, 0, m[1],
             m[2], m[3]);
    }
}

static cusparseDnMatDescr_t dense_of(void *p, int m, int n, int ld, cudaDataType t, int by_rows)
{
    cusparseDnMatDescr_t d = NULL;

    cusparseCreateDnMat(&d, m, n, ld, p, t, by_rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL);
    return d;
}

enum { COLUMNS = 3, LD = 15 };

static void spmm_one(cudaDataType t, int format, int op_a, int op_b, int rows_b, int rows_c)
{
    std::string what = "spmm " + name_of(t) + " " + formats[format] + " " + ops[op_a] + ops[op_b] +
                       (rows_b ? " rows" : " columns") + (rows_c ? " rows" : " columns");
    matrix a = matrix_make(13, 11, t, 0, false);
    int k = op_a ? a.m : a.n, m = op_a ? a.n : a.m, bm = op_b ? COLUMNS : k,
        bn = op_b ? k : COLUMNS;
    void *b = to_device(random_numbers(LD * LD, t), t),
         *c = to_device(random_numbers(LD * LD, t), t);
    cusparseSpMatDescr_t d = descriptor(a, format);
    cusparseDnMatDescr_t db = dense_of(b, bm, bn, LD, t, rows_b);
    cusparseDnMatDescr_t dc = dense_of(c, m, COLUMNS, LD, t, rows_c);
    cusparseOperation_t oa = (cusparseOperation_t)op_a, ob = (cusparseOperation_t)op_b;
    size_t bytes = 0;

    if (ASK(what + " size",
            cusparseSpMM_bufferSize(h, oa, ob, scalar(alpha, t), d, db, scalar(beta, t), dc, t,
                                    CUSPARSE_SPMM_ALG_DEFAULT, &bytes)) &&
        ASK(what, cusparseSpMM(h, oa, ob, scalar(alpha, t), d, db, scalar(beta, t), dc, t,
                               CUSPARSE_SPMM_ALG_DEFAULT, device(bytes)))) {
        show(what, from_device(c, t, LD * (rows_c ? m : COLUMNS)), t, 64);
    }
}

static void spmm()
{
    for (int i = 0; i < 36; i++) {
        spmm_one(i % 2 ? CUDA_R_64F : CUDA_C_32F, i / 2 % 3 + 1, i / 6 % 2 * 2, i / 12 % 3, i % 2,
                 i / 2 % 2);
    }
    for (int i = 0; i < 6; i++) { /* the elements of a product */
        cudaDataType t = i % 2 ? CUDA_R_32F : CUDA_C_64F;
        int op_a = i / 2 % 2, op_b = i / 4;
        std::string what = "sddmm " + name_of(t) + " " + ops[op_a] + ops[op_b];
        matrix c = matrix_make(13, 11, t, 0, false);
        void *a = to_device(random_numbers(LD * LD, t), t);
        cusparseDnMatDescr_t da = dense_of(a, op_a ? 4 : 13, op_a ? 13 : 4, LD, t, i % 2);
        cusparseDnMatDescr_t db = dense_of(a, op_b ? 11 : 4, op_b ? 4 : 11, LD, t, 0);
        cusparseSpMatDescr_t d = descriptor(c, 1);
        size_t bytes = 0;

        if (ASK(what + " size",
                cusparseSDDMM_bufferSize(h, (cusparseOperation_t)op_a, (cusparseOperation_t)op_b,
                                         scalar(alpha, t), da, db, scalar(beta, t), d, t,
                                         CUSPARSE_SDDMM_ALG_DEFAULT, &bytes)) &&
            ASK(what, cusparseSDDMM(h, (cusparseOperation_t)op_a, (cusparseOperation_t)op_b,
                                    scalar(alpha, t), da, db, scalar(beta, t), d, t,
                                    CUSPARSE_SDDMM_ALG_DEFAULT, device(bytes)))) {
            show(what, from_device(c.values_d, t, c.nnz), t, 64);
        }
    }
}

static void triangle_set(cusparseSpMatDescr_t d, int upper, int unit)
{
    cusparseFillMode_t fill = upper ? CUSPARSE_FILL_MODE_UPPER : CUSPARSE_FILL_MODE_LOWER;
    cusparseDiagType_t diagonal = unit ? CUSPARSE_DIAG_TYPE_UNIT : CUSPARSE_DIAG_TYPE_NON_UNIT;

    cusparseSpMatSetAttribute(d, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof(fill));
    cusparseSpMatSetAttribute(d, CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof(diagonal));
}

static void spsv_one(cudaDataType t, int format, int op, int upper, int unit)
{
    std::string what = "spsv " + name_of(t) + " " + formats[format] + " " + ops[op] +
                       (upper ? " upper" : " lower") + (unit ? " unit" : "");
    matrix a = matrix_make(12, 12, t, upper, true);
    cusparseSpMatDescr_t d = descriptor(a, format);
    void *x = to_device(random_numbers(12, t), t), *y = device(12 * 16);
    cusparseDnVecDescr_t dx = vector_of(x, 12, t), dy = vector_of(y, 12, t);
    cusparseOperation_t o = (cusparseOperation_t)op;
    cusparseSpSVDescr_t s;
    size_t bytes = 0;

    triangle_set(d, upper, unit);
    cusparseSpSV_createDescr(&s);
    if (ASK(what + " size", cusparseSpSV_bufferSize(h, o, scalar(alpha, t), d, dx, dy, t,
                                                    CUSPARSE_SPSV_ALG_DEFAULT, s, &bytes)) &&
        ASK(what + " analysis",
            cusparseSpSV_analysis(h, o, scalar(alpha, t), d, dx, dy, t, CUSPARSE_SPSV_ALG_DEFAULT,
                                  s, device(bytes))) &&
        ASK(what, cusparseSpSV_solve(h, o, scalar(alpha, t), d, dx, dy, t,
                                     CUSPARSE_SPSV_ALG_DEFAULT, s))) {
        show(what, from_device(y, t, 12), t, 256);
    }
}

static void spsm_one(cudaDataType t, int format, int op, int op_b, int upper, int rows)
{
    std::string what = "spsm " + name_of(t) + " " + formats[format] + " " + ops[op] + ops[op_b] +
                       (upper ? " upper" : " lower") + (rows ? " rows" : "");
    matrix a = matrix_make(12, 12, t, 0, true);
    cusparseSpMatDescr_t d = descriptor(a, format);
    void *b = to_device(random_numbers(LD * LD, t), t), *c = device(LD * LD * 16);
    cusparseDnMatDescr_t db = dense_of(b, op_b ? COLUMNS : 12, op_b ? 12 : COLUMNS, LD, t, rows);
    cusparseDnMatDescr_t dc = dense_of(c, 12, COLUMNS, LD, t, rows);
    cusparseOperation_t o = (cusparseOperation_t)op, ob = (cusparseOperation_t)op_b;
    cusparseSpSMDescr_t s;
    size_t bytes = 0;

    triangle_set(d, upper, 0);
    cusparseSpSM_createDescr(&s);
    if (ASK(what + " size", cusparseSpSM_bufferSize(h, o, ob, scalar(alpha, t), d, db, dc, t,
                                                    CUSPARSE_SPSM_ALG_DEFAULT, s, &bytes)) &&
        ASK(what + " analysis",
            cusparseSpSM_analysis(h, o, ob, scalar(alpha, t), d, db, dc, t,
                                  CUSPARSE_SPSM_ALG_DEFAULT, s, device(bytes))) &&
        ASK(what, cusparseSpSM_solve(h, o, ob, scalar(alpha, t), d, db, dc, t,
                                     CUSPARSE_SPSM_ALG_DEFAULT, s))) {
        show(what, from_device(c, t, LD * (rows ? 12 : COLUMNS)), t, 256);
    }
}

static void systems()
{
    for (int i = 0; i < 36; i++) {
        spsv_one(i % 2 ? CUDA_R_64F : CUDA_C_32F, i / 12 + 1, i / 4 % 3, i / 2 % 2, i % 2);
    }
    spsv_one(CUDA_R_32F, 1, 0, 0, 0);
    spsv_one(CUDA_C_64F, 1, 2, 1, 0);
    for (int i = 0; i < 24; i++) {
        spsm_one(i % 2 ? CUDA_R_64F : CUDA_C_64F, i / 8 + 1, i / 2 % 2 * 2, i / 4 % 2, i % 2,
                 i / 4 % 2);
    }
}

static void conversions()
{
    for (int i = 0; i < 6; i++) {
        int format = i % 3 + 1, rows = i / 3;
        std::string what = std::string("dense ") + formats[format] + (rows ? " rows" : "");
        matrix a = matrix_make(13, 11, CUDA_R_32F, rows, false);
        cusparseSpMatDescr_t d = descriptor(a, format), e = NULL;
        void *b = device(LD * LD * 4), *values = device(400);
        int *offsets = (int *)device(4 * 64), *columns = (int *)device(400);
        cusparseDnMatDescr_t db = dense_of(b, 13, 11, LD, CUDA_R_32F, rows);
        size_t bytes = 0;
        int64_t m, n, nnz = 0;
        cusparseIndexBase_t base = (cusparseIndexBase_t)rows;

        ASK(what + " size",
            cusparseSparseToDense_bufferSize(h, d, db, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, &bytes));
        if (ASK(what, cusparseSparseToDense(h, d, db, CUSPARSE_SPARSETODENSE_ALG_DEFAULT,
                                            device(bytes)))) {
            show(what, from_device(b, CUDA_R_32F, LD * (rows ? 13 : 11)), CUDA_R_32F, 0);
        }
        if (format == 1) {
            cusparseCreateCsr(&e, 13, 11, 0, offsets, NULL, NULL, CUSPARSE_INDEX_32I,
                              CUSPARSE_INDEX_32I, base, CUDA_R_32F);
        } else if (format == 2) {
            cusparseCreateCsc(&e, 13, 11, 0, offsets, NULL, NULL, CUSPARSE_INDEX_32I,
                              CUSPARSE_INDEX_32I, base, CUDA_R_32F);
        } else {
            cusparseCreateCoo(&e, 13, 11, 0, NULL, NULL, NULL, CUSPARSE_INDEX_32I, base,
                              CUDA_R_32F);
        }
        ASK("from " + what + " size",
            cusparseDenseToSparse_bufferSize(h, db, e, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, &bytes));
        void *buffer = device(bytes);
        if (!ASK("from " + what + " analysis",
                 cusparseDenseToSparse_analysis(h, db, e, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT,
                                                buffer))) {
            continue;
        }
        cusparseSpMatGetSize(e, &m, &n, &nnz);
        show("from " + what + " elements", std::vector<int>{ (int)nnz });
        if (format == 1) {
            cusparseCsrSetPointers(e, offsets, columns, values);
        } else if (format == 2) {
            cusparseCscSetPointers(e, offsets, columns, values);
        } else {
            cusparseCooSetPointers(e, offsets, columns, values);
        }
        if (ASK("from " + what, cusparseDenseToSparse_convert(
                                    h, db, e, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer))) {
            show("from " + what + " offsets", from_device(offsets, format == 1   ? 14
                                                                   : format == 2 ? 12
                                                                                 : (size_t)nnz));
            show("from " + what + " indices", from_device(columns, (size_t)nnz));
            show("from " + what + " values", from_device(values, CUDA_R_32F, (size_t)nnz),
                 CUDA_R_32F, 0);
        }
    }
    for (int base = 0; base < 2; base++) {
        std::string what = "base " + std::to_string(base);
        matrix a = matrix_make(13, 11, CUDA_R_64F, base, false);
        int *offsets = (int *)device(64), *rows = (int *)device(400);
        void *values = device(800);
        size_t bytes = 0;
        cusparseIndexBase_t b = (cusparseIndexBase_t)base;

        if (ASK("csr2csc size " + what,
                cusparseCsr2cscEx2_bufferSize(
                    h, 13, 11, a.nnz, a.values_d, a.offsets_d, a.columns_d, values, offsets, rows,
                    a.t, CUSPARSE_ACTION_NUMERIC, b, CUSPARSE_CSR2CSC_ALG1, &bytes)) &&
            ASK("csr2csc " + what,
                cusparseCsr2cscEx2(h, 13, 11, a.nnz, a.values_d, a.offsets_d, a.columns_d, values,
                                   offsets, rows, a.t, CUSPARSE_ACTION_NUMERIC, b,
                                   CUSPARSE_CSR2CSC_ALG1, device(bytes)))) {
            show("csr2csc offsets " + what, from_device(offsets, 12));
            show("csr2csc rows " + what, from_device(rows, (size_t)a.nnz));
            show("csr2csc values " + what, from_device(values, a.t, (size_t)a.nnz), a.t, 0);
        }
        if (ASK("csr2coo " + what, cusparseXcsr2coo(h, a.offsets_d, a.nnz, 13, rows, b))) {
            show("csr2coo rows " + what, from_device(rows, (size_t)a.nnz));
        }
        if (ASK("coo2csr " + what, cusparseXcoo2csr(h, a.rows_d, a.nnz, 13, offsets, b))) {
            show("coo2csr offsets " + what, from_device(offsets, 14));
        }
    }
}

static void vectors()
{
    for (cudaDataType t : four) {
        std::vector<int> at = { 1, 4, 5, 9 };
        int *indices = to_device(at);
        void *x = to_device(random_numbers(4, t), t), *y = to_device(random_numbers(10, t), t);
        cusparseSpVecDescr_t dx = NULL;
        cusparseDnVecDescr_t dy = vector_of(y, 10, t);
        char result[16] = { 0 };
        size_t bytes = 0;

        cusparseCreateSpVec(&dx, 10, 4, indices, x, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                            t);
        if (ASK("axpby " + name_of(t),
                cusparseAxpby(h, scalar(alpha, t), dx, scalar(beta, t), dy))) {
            show("axpby " + name_of(t), from_device(y, t, 10), t, 16);
        }
        for (int op = 0; op < 3; op += 2) {
            std::string what = "spvv " + name_of(t) + " " + ops[op];

            cusparseSpVV_bufferSize(h, (cusparseOperation_t)op, dx, dy, result, t, &bytes);
            if (ASK(what,
                    cusparseSpVV(h, (cusparseOperation_t)op, dx, dy, result, t, device(bytes)))) {
                cudaDeviceSynchronize();
                show(what, numbers{ load(result, t, 0) }, t, 64);
            }
        }
        if (ASK("rot " + name_of(t),
                cusparseRot(h, scalar(0.75, t), scalar(number(0.5, 0.25), t), dx, dy))) {
            show("rot x " + name_of(t), from_device(x, t, 4), t, 64);
            show("rot y " + name_of(t), from_device(y, t, 10), t, 64);
        }
        if (ASK("scatter " + name_of(t), cusparseScatter(h, dx, dy))) {
            show("scatter " + name_of(t), from_device(y, t, 10), t, 64);
        }
        cudaMemset(x, 0, 4 * bytes_of(t));
        if (ASK("gather " + name_of(t), cusparseGather(h, dy, dx))) {
            show("gather " + name_of(t), from_device(x, t, 4), t, 64);
        }
    }
}

/* One type's functions by one name */
#define TYPED(t, T)                                                                               \
    static int ilu_size(int m, int z, cusparseMatDescr_t d, T *v, int *r, int *c,                 \
                        csrilu02Info_t i, int *b)                                                 \
    {                                                                                             \
        return cusparse##t##csrilu02_bufferSize(h, m, z, d, v, r, c, i, b);                       \
    }                                                                                             \
    static int ilu_analysis(int m, int z, cusparseMatDescr_t d, T *v, int *r, int *c,             \
                            csrilu02Info_t i, void *b)                                            \
    {                                                                                             \
        return cusparse##t##csrilu02_analysis(h, m, z, d, v, r, c, i,                             \
                                              CUSPARSE_SOLVE_POLICY_USE_LEVEL, b);                \
    }                                                                                             \
    static int ilu(int m, int z, cusparseMatDescr_t d, T *v, int *r, int *c, csrilu02Info_t i,    \
                   void *b)                                                                       \
    {                                                                                             \
        return cusparse##t##csrilu02(h, m, z, d, v, r, c, i, CUSPARSE_SOLVE_POLICY_USE_LEVEL, b); \
    }                                                                                             \
    static int ic_size(int m, int z, cusparseMatDescr_t d, T *v, int *r, int *c, csric02Info_t i, \
                       int *b)                                                                    \
    {                                                                                             \
        return cusparse##t##csric02_bufferSize(h, m, z, d, v, r, c, i, b);                        \
    }                                                                                             \
    static int ic_analysis(int m, int z, cusparseMatDescr_t d, T *v, int *r, int *c,              \
                           csric02Info_t i, void *b)                                              \
    {                                                                                             \
        return cusparse##t##csric02_analysis(h, m, z, d, v, r, c, i,                              \
                                             CUSPARSE_SOLVE_POLICY_USE_LEVEL, b);                 \
    }                                                                                             \
    static int ic(int m, int z, cusparseMatDescr_t d, T *v, int *r, int *c, csric02Info_t i,      \
                  void *b)                                                                        \
    {                                                                                             \
        return cusparse##t##csric02(h, m, z, d, v, r, c, i, CUSPARSE_SOLVE_POLICY_USE_LEVEL, b);  \
    }                                                                                             \
    static int gtsv(int m, int n, T *l, T *d, T *u, T *b, int ld, bool pivot)                     \
    {                                                                                             \
        size_t bytes = 0;                                                                         \
        if (pivot) {                                                                              \
            cusparse##t##gtsv2_bufferSizeExt(h, m, n, l, d, u, b, ld, &bytes);                    \
            return cusparse##t##gtsv2(h, m, n, l, d, u, b, ld, device(bytes));                    \
        }                                                                                         \
        cusparse##t##gtsv2_nopivot_bufferSizeExt(h, m, n, l, d, u, b, ld, &bytes);                \
        return cusparse##t##gtsv2_nopivot(h, m, n, l, d, u, b, ld, device(bytes));                \
    }                                                                                             \
    static int gtsv_batch(int m, T *l, T *d, T *u, T *x, int n, int stride)                       \
    {                                                                                             \
        size_t bytes = 0;                                                                         \
        cusparse##t##gtsv2StridedBatch_bufferSizeExt(h, m, l, d, u, x, n, stride, &bytes);        \
        return cusparse##t##gtsv2StridedBatch(h, m, l, d, u, x, n, stride, device(bytes));        \
    }
TYPED(S, float)
TYPED(D, double)
TYPED(C, cuComplex)
TYPED(Z, cuDoubleComplex)

template <typename T> static void factors(cudaDataType t)
{
    for (int i = 0; i < 6; i++) { /* 0, 1: as it is, by base; 2: no diagonal in row 5; 3: zero */
        std::string what = name_of(t) + " case " + std::to_string(i);
        matrix a = matrix_make(12, 12, t, i == 1, true);
        cusparseMatDescr_t d;
        csrilu02Info_t info;
        csric02Info_t info_c;
        int bytes = 0, at = -7;
        void *buffer;

        for (int k = a.nnz - 1; k >= 0; k--) {
            bool five = a.rows[k] == 5 && a.columns[k] == 5;

            if (five && (i == 2 || i == 5)) {
                a.rows.erase(a.rows.begin() + k);
                a.columns.erase(a.columns.begin() + k);
                a.values.erase(a.values.begin() + k);
                a.nnz--;
            } else if (a.rows[k] == a.columns[k]) {
                a.values[k] =
                    number(i >= 4 ? 9 : a.values[k].real(), i >= 4 ? 0 : a.values[k].imag());
                a.values[k] = i == 3 && a.rows[k] == 0 ? 0 : a.values[k];
            }
        }
        upload(a);
        cusparseCreateMatDescr(&d);
        cusparseSetMatIndexBase(d, (cusparseIndexBase_t)a.base);
        cusparseCreateCsrilu02Info(&info);
        cusparseCreateCsric02Info(&info_c);
        ASK("ilu size " + what,
            ilu_size(12, a.nnz, d, (T *)a.values_d, a.offsets_d, a.columns_d, info, &bytes));
        buffer = device((size_t)bytes + 4096);
        ASK("ilu analysis " + what,
            ilu_analysis(12, a.nnz, d, (T *)a.values_d, a.offsets_d, a.columns_d, info, buffer));
        ASK("ilu structural " + what, cusparseXcsrilu02_zeroPivot(h, info, &at));
        show("ilu structural at " + what, std::vector<int>{ at });
        if (ASK("ilu " + what,
                ilu(12, a.nnz, d, (T *)a.values_d, a.offsets_d, a.columns_d, info, buffer))) {
            ASK("ilu pivot " + what, cusparseXcsrilu02_zeroPivot(h, info, &at));
            show("ilu pivot at " + what, std::vector<int>{ at });
            if (i < 2 || i == 4) {
                show("ilu values " + what, from_device(a.values_d, t, (size_t)a.nnz), t, 512);
            }
        }
        upload(a);
        ASK("ic size " + what,
            ic_size(12, a.nnz, d, (T *)a.values_d, a.offsets_d, a.columns_d, info_c, &bytes));
        buffer = device((size_t)bytes + 4096);
        ASK("ic analysis " + what,
            ic_analysis(12, a.nnz, d, (T *)a.values_d, a.offsets_d, a.columns_d, info_c, buffer));
        if (ASK("ic " + what,
                ic(12, a.nnz, d, (T *)a.values_d, a.offsets_d, a.columns_d, info_c, buffer))) {
            ASK("ic pivot " + what, cusparseXcsric02_zeroPivot(h, info_c, &at));
            show("ic pivot at " + what, std::vector<int>{ at });
            if (i == 4) {
                numbers v = from_device(a.values_d, t, (size_t)a.nnz), lower;

                for (int k = 0; k < a.nnz; k++) {
                    if (a.columns[k] <= a.rows[k]) {
                        lower.push_back(v[k]);
                    }
                }
                show("ic values " + what, lower, t, 512);
            }
        }
    }
    for (int i = 0; i < 3; i++) {
        numbers l = random_numbers(32, t), d = random_numbers(32, t), u = random_numbers(32, t);

        for (number &v : d) {
            v += 4.0;
        }
        l[0] = l[16] = u[15] = u[31] = 0;
        void *b = to_device(random_numbers(32, t), t);
        std::string what = "gtsv " + name_of(t) +
                           (i == 0   ? " pivoting"
                            : i == 1 ? " not pivoting"
                                     : " batch");

        if (ASK(what, i < 2 ? gtsv(16, 2, (T *)to_device(l, t), (T *)to_device(d, t),
                                   (T *)to_device(u, t), (T *)b, 16, i == 0)
                            : gtsv_batch(16, (T *)to_device(l, t), (T *)to_device(d, t),
                                         (T *)to_device(u, t), (T *)b, 2, 16))) {
            show(what, from_device(b, t, 32), t, 256);
        }
    }
}

static void wrong_arguments()
{
    matrix a = matrix_make(13, 11, CUDA_R_32F, 0, false),
           q = matrix_make(12, 12, CUDA_R_32F, 0, true);
    cusparseSpMatDescr_t d = descriptor(a, 1), s = descriptor(q, 1), e = NULL, o = descriptor(a, 3);
    float *x = (float *)device(4096), one = 1, zero = 0;
    cusparseDnVecDescr_t x11 = vector_of(x, 11, CUDA_R_32F), y13 = vector_of(x, 13, CUDA_R_32F),
                         v = NULL;
    cusparseDnVecDescr_t x12 = vector_of(x, 12, CUDA_R_32F), d11 = vector_of(x, 11, CUDA_R_64F);
    cusparseDnMatDescr_t m = NULL, b = dense_of(x, 11, 3, 11, CUDA_R_32F, 0),
                         c = dense_of(x, 13, 3, 13, CUDA_R_32F, 0);
    cusparseSpVecDescr_t w = NULL;
    cusparseSpSVDescr_t sv;
    cusparseMatDescr_t md;
    csrilu02Info_t info;
    size_t bytes = 0;
    int *p = (int *)device(400), n = 0;
    const cusparseOperation_t N = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const cusparseSpMVAlg_t A = CUSPARSE_SPMV_ALG_DEFAULT;
    const cusparseIndexType_t I = CUSPARSE_INDEX_32I;
    const cusparseIndexBase_t Z = CUSPARSE_INDEX_BASE_ZERO;
    void *buffer = device(4096);
    int64_t i64 = 0;

    cusparseSpSV_createDescr(&sv);
    cusparseCreateMatDescr(&md);
    cusparseCreateCsrilu02Info(&info);
    CODE(cusparseCreate(NULL));
    CODE(cusparseDestroy(NULL));
    CODE(cusparseGetVersion(h, NULL));
    CODE(cusparseGetVersion(NULL, &n));
    CODE(cusparseGetProperty(MAJOR_VERSION, NULL));
    CODE(cusparseGetProperty((libraryPropertyType)7, &n));
    CODE(cusparseSetStream(NULL, 0));
    CODE(cusparseSetPointerMode(h, (cusparsePointerMode_t)5));
    CODE(cusparseGetPointerMode(h, NULL));
    CODE(cusparseCreateMatDescr(NULL));
    CODE(cusparseDestroyMatDescr(NULL));
    CODE(cusparseSetMatType(md, (cusparseMatrixType_t)9));
    CODE(cusparseSetMatType(NULL, CUSPARSE_MATRIX_TYPE_GENERAL));
    CODE(cusparseSetMatIndexBase(md, (cusparseIndexBase_t)9));
    CODE(cusparseSetMatFillMode(md, (cusparseFillMode_t)9));
    CODE(cusparseSetMatDiagType(md, (cusparseDiagType_t)9));
    CODE(cusparseLoggerSetLevel(-1));
    CODE(cusparseLoggerSetLevel(6));
    CODE(cusparseLoggerSetMask(64));
    CODE(cusparseCreateDnVec(NULL, 11, x, CUDA_R_32F));
    CODE(cusparseCreateDnVec(&v, -1, x, CUDA_R_32F));
    CODE(cusparseCreateDnVec(&v, 0, x, CUDA_R_32F));
    CODE(cusparseCreateDnVec(&v, 11, NULL, CUDA_R_32F));
    CODE(cusparseCreateDnVec(&v, 0, NULL, CUDA_R_32F));
    CODE(cusparseCreateDnVec(&v, 11, x, (cudaDataType)99));
    CODE(cusparseCreateDnVec(&v, 11, x, CUDA_R_32I));
    CODE(cusparseCreateDnVec(&v, 11, (char *)x + 1, CUDA_R_32F));
    CODE(cusparseDestroyDnVec(NULL));
    CODE(cusparseDnVecSetValues(x11, NULL));
    CODE(cusparseDnVecSetValues(NULL, x));
    CODE(cusparseCreateSpVec(NULL, 10, 4, p, x, I, Z, CUDA_R_32F));
    CODE(cusparseCreateSpVec(&w, 10, 11, p, x, I, Z, CUDA_R_32F));
    CODE(cusparseCreateSpVec(&w, 10, -1, p, x, I, Z, CUDA_R_32F));
    CODE(cusparseCreateSpVec(&w, 10, 4, NULL, x, I, Z, CUDA_R_32F));
    CODE(cusparseCreateSpVec(&w, 10, 4, p, NULL, I, Z, CUDA_R_32F));
    CODE(cusparseCreateSpVec(&w, 10, 0, NULL, NULL, I, Z, CUDA_R_32F));
    CODE(cusparseCreateSpVec(&w, 10, 4, p, x, (cusparseIndexType_t)9, Z, CUDA_R_32F));
    CODE(cusparseCreateSpVec(&w, 10, 4, p, x, CUSPARSE_INDEX_16U, Z, CUDA_R_32F));
    CODE(cusparseCreateSpVec(&w, 10, 4, p, x, I, (cusparseIndexBase_t)9, CUDA_R_32F));
    CODE(cusparseCreateSpVec(&w, 10, 4, p, x, I, Z, CUDA_R_32F));
    CODE(cusparseCreateCsr(NULL, 3, 3, 3, p, p, x, I, I, Z, CUDA_R_32F));
    CODE(cusparseCreateCsr(&e, -1, 3, 3, p, p, x, I, I, Z, CUDA_R_32F));
    CODE(cusparseCreateCsr(&e, 3, -1, 3, p, p, x, I, I, Z, CUDA_R_32F));
    CODE(cusparseCreateCsr(&e, 3, 3, -1, p, p, x, I, I, Z, CUDA_R_32F));
    CODE(cusparseCreateCsr(&e, 3, 3, 10, p, p, x, I, I, Z, CUDA_R_32F));
    CODE(cusparseCreateCsr(&e, 0, 3, 0, NULL, NULL, NULL, I, I, Z, CUDA_R_32F));
    CODE(cusparseCreateCsr(&e, 3, 3, 0, NULL, NULL, NULL, I, I, Z, CUDA_R_32F));
    CODE(cusparseCreateCsr(&e, 3, 3, 3, NULL, p, x, I, I, Z, CUDA_R_32F));
    CODE(cusparseCreateCsr(&e, 3, 3, 3, p, NULL, x, I, I, Z, CUDA_R_32F));
    CODE(cusparseCreateCsr(&e, 3, 3, 3, p, p, NULL, I, I, Z, CUDA_R_32F));
    CODE(cusparseCreateCsr(&e, 3, 3, 3, p, p, x, (cusparseIndexType_t)9, I, Z, CUDA_R_32F));
    CODE(cusparseCreateCsr(&e, 3, 3, 3, p, p, x, CUSPARSE_INDEX_64I, I, Z, CUDA_R_32F));
    CODE(cusparseCreateCsr(&e, 3, 3, 3, p, p, x, I, CUSPARSE_INDEX_64I, Z, CUDA_R_32F));
    CODE(cusparseCreateCsr(&e, 3, 3, 3, p, p, x, CUSPARSE_INDEX_16U, CUSPARSE_INDEX_16U, Z,
                           CUDA_R_32F));
    CODE(cusparseCreateCsr(&e, 3, 3, 3, p, p, x, I, I, (cusparseIndexBase_t)9, CUDA_R_32F));
    CODE(cusparseCreateCsr(&e, 3, 3, 3, p, p, x, I, I, Z, (cudaDataType)99));
    CODE(cusparseCreateCsr(&e, 3, 3, 3, p, p, x, I, I, Z, CUDA_R_32I));
    CODE(cusparseCreateCoo(&e, 3, 3, 0, NULL, NULL, NULL, I, Z, CUDA_R_32F));
    CODE(cusparseCreateCoo(&e, 3, 3, 3, NULL, p, x, I, Z, CUDA_R_32F));
    CODE(cusparseCreateCsc(&e, 3, 3, 3, p, NULL, x, I, I, Z, CUDA_R_32F));
    CODE(cusparseDestroySpMat(NULL));
    CODE(cusparseSpMatGetSize(d, NULL, NULL, NULL));
    CODE(cusparseSpMatGetSize(d, &i64, &i64, NULL));
    CODE(cusparseSpMatSetValues(d, NULL));
    CODE(cusparseCsrSetPointers(d, NULL, p, x));
    CODE(cusparseCsrSetPointers(o, p, p, x));
    CODE(cusparseCooSetPointers(d, p, p, x));
    CODE(cusparseSpMatSetAttribute(s, (cusparseSpMatAttribute_t)9, &n, 4));
    CODE(cusparseSpMatSetAttribute(s, CUSPARSE_SPMAT_FILL_MODE, NULL, 4));
    CODE(cusparseSpMatSetAttribute(s, CUSPARSE_SPMAT_FILL_MODE, &n, 1));
    CODE((n = 7, cusparseSpMatSetAttribute(s, CUSPARSE_SPMAT_FILL_MODE, &n, 4)));
    CODE(cusparseSpMatGetAttribute(d, CUSPARSE_SPMAT_FILL_MODE, &n, 4));
    CODE((n));
    CODE(cusparseSpMatGetAttribute(d, CUSPARSE_SPMAT_DIAG_TYPE, &n, 4));
    CODE((n));
    CODE(cusparseCsrSetStridedBatch(d, 0, 0, 0));
    CODE(cusparseCsrSetStridedBatch(d, 2, 1, 1));
    CODE(cusparseCsrSetStridedBatch(d, 1, 0, 0));
    CODE(cusparseCsrSetStridedBatch(o, 1, 0, 0));
    CODE(cusparseSpMatGetStridedBatch(o, &n));
    CODE((n));
    CODE(cusparseCreateDnMat(NULL, 3, 3, 3, x, CUDA_R_32F, CUSPARSE_ORDER_COL));
    CODE(cusparseCreateDnMat(&m, -1, 3, 3, x, CUDA_R_32F, CUSPARSE_ORDER_COL));
    CODE(cusparseCreateDnMat(&m, 3, 3, 2, x, CUDA_R_32F, CUSPARSE_ORDER_COL));
    CODE(cusparseCreateDnMat(&m, 2, 3, 2, x, CUDA_R_32F, CUSPARSE_ORDER_ROW));
    CODE(cusparseCreateDnMat(&m, 3, 3, 3, NULL, CUDA_R_32F, CUSPARSE_ORDER_COL));
    CODE(cusparseCreateDnMat(&m, 0, 3, 0, NULL, CUDA_R_32F, CUSPARSE_ORDER_COL));
    CODE(cusparseCreateDnMat(&m, 3, 3, 3, x, (cudaDataType)99, CUSPARSE_ORDER_COL));
    CODE(cusparseCreateDnMat(&m, 3, 3, 3, x, CUDA_R_32F, (cusparseOrder_t)9));
    CODE(cusparseDnMatSetStridedBatch(b, 0, 0));
    CODE(cusparseDnMatSetStridedBatch(b, 2, 3));
    CODE(cusparseDnMatSetStridedBatch(b, 1, 0));
    CODE(cusparseDestroyDnMat(NULL));
    CODE(cusparseSpMV(NULL, N, &one, d, x11, &zero, y13, CUDA_R_32F, A, buffer));
    CODE(cusparseSpMV(h, (cusparseOperation_t)9, &one, d, x11, &zero, y13, CUDA_R_32F, A, buffer));
    CODE(cusparseSpMV(h, N, NULL, d, x11, &zero, y13, CUDA_R_32F, A, buffer));
    CODE(cusparseSpMV(h, N, &one, NULL, x11, &zero, y13, CUDA_R_32F, A, buffer));
    CODE(cusparseSpMV(h, N, &one, d, NULL, &zero, y13, CUDA_R_32F, A, buffer));
    CODE(cusparseSpMV(h, N, &one, d, x11, NULL, y13, CUDA_R_32F, A, buffer));
    CODE(cusparseSpMV(h, N, &one, d, x11, &zero, NULL, CUDA_R_32F, A, buffer));
    CODE(cusparseSpMV(h, N, &one, d, x12, &zero, y13, CUDA_R_32F, A, buffer));
    CODE(cusparseSpMV(h, N, &one, d, x11, &zero, x12, CUDA_R_32F, A, buffer));
    CODE(cusparseSpMV(h, N, &one, d, x11, &zero, y13, CUDA_R_64F, A, buffer));
    CODE(cusparseSpMV(h, N, &one, d, d11, &zero, y13, CUDA_R_32F, A, buffer));
    CODE(cusparseSpMV(h, N, &one, d, x11, &zero, y13, CUDA_R_32F, (cusparseSpMVAlg_t)99, buffer));
    CODE(cusparseSpMV(h, N, &one, d, x11, &zero, y13, CUDA_R_32F, CUSPARSE_SPMV_COO_ALG1, buffer));
    CODE(cusparseSpMV(h, N, &one, d, x11, &zero, y13, CUDA_R_32F, A, NULL));
    CODE(cusparseSpMV_bufferSize(h, N, &one, d, x11, &zero, y13, CUDA_R_32F, A, NULL));
    CODE(
        cusparseSpMM(h, N, N, &one, d, c, &zero, c, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, buffer));
    CODE(
        cusparseSpMM(h, N, N, &one, d, b, &zero, b, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, buffer));
    CODE(cusparseSpMM(h, N, (cusparseOperation_t)9, &one, d, b, &zero, c, CUDA_R_32F,
                      CUSPARSE_SPMM_ALG_DEFAULT, buffer));
    CODE(cusparseSpMM(h, N, N, &one, d, b, &zero, c, CUDA_R_32F, (cusparseSpMMAlg_t)99, buffer));
    CODE(
        cusparseSpMM(h, N, N, NULL, d, b, &zero, c, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, buffer));
    CODE(cusparseSpSV_createDescr(NULL));
    CODE(cusparseSpSV_destroyDescr(NULL));
    CODE(cusparseSpSV_solve(h, N, &one, s, x12, x12, CUDA_R_32F, CUSPARSE_SPSV_ALG_DEFAULT, sv));
    CODE(cusparseSpSV_analysis(h, N, &one, d, x11, y13, CUDA_R_32F, CUSPARSE_SPSV_ALG_DEFAULT, sv,
                               buffer));
    CODE(cusparseSpSV_analysis(h, N, &one, s, x11, x12, CUDA_R_32F, CUSPARSE_SPSV_ALG_DEFAULT, sv,
                               buffer));
    CODE(cusparseSpSV_bufferSize(h, N, &one, s, x12, x12, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, sv,
                                 &bytes));
    CODE(cusparseSpSV_bufferSize(h, N, &one, s, x12, x12, CUDA_R_32F, CUSPARSE_SPSV_ALG_DEFAULT,
                                 NULL, &bytes));
    CODE(cusparseSpSV_bufferSize(h, N, &one, s, x12, x12, CUDA_R_32F, CUSPARSE_SPSV_ALG_DEFAULT, sv,
                                 NULL));
    CODE(cusparseSpSV_bufferSize(h, N, NULL, s, x12, x12, CUDA_R_32F, CUSPARSE_SPSV_ALG_DEFAULT, sv,
                                 &bytes));
    CODE(cusparseGather(h, y13, w));
    CODE(cusparseGather(NULL, y13, w));
    CODE(cusparseScatter(h, NULL, y13));
    CODE(cusparseAxpby(h, NULL, w, &one, y13));
    CODE(cusparseXcoo2csr(h, p, -1, 3, p, Z));
    CODE(cusparseXcoo2csr(h, p, 0, 3, p, Z));
    CODE(cusparseXcoo2csr(h, p, 3, -1, p, Z));
    CODE(cusparseXcsr2coo(h, p, 0, 3, p, (cusparseIndexBase_t)9));
    CODE(cusparseCsr2cscEx2(h, -1, 3, 3, x, p, p, x, p, p, CUDA_R_32F, CUSPARSE_ACTION_NUMERIC, Z,
                            CUSPARSE_CSR2CSC_ALG1, buffer));
    CODE(cusparseCsr2cscEx2_bufferSize(h, 3, 3, 3, x, p, p, x, p, p, CUDA_R_32F,
                                       (cusparseAction_t)9, Z, CUSPARSE_CSR2CSC_ALG1, &bytes));
    CODE(cusparseCsr2cscEx2_bufferSize(h, 3, 3, 3, x, p, p, x, p, p, CUDA_R_32F,
                                       CUSPARSE_ACTION_NUMERIC, Z, CUSPARSE_CSR2CSC_ALG1, NULL));
    CODE(cusparseCreateCsrilu02Info(NULL));
    CODE(cusparseScsrilu02_bufferSize(h, -1, 3, md, x, p, p, info, &n));
    CODE(cusparseScsrilu02_bufferSize(h, 3, 3, NULL, x, p, p, info, &n));
    CODE(cusparseScsrilu02_bufferSize(h, 3, 3, md, x, p, p, NULL, &n));
    CODE(cusparseXcsrilu02_zeroPivot(h, info, NULL));
    CODE(cusparseXcsrilu02_zeroPivot(h, NULL, &n));
    CODE(cusparseSgtsv2_bufferSizeExt(h, 2, 1, x, x, x, x, 3, &bytes));
    CODE(cusparseSgtsv2_bufferSizeExt(h, 4, 1, x, x, x, x, 3, &bytes));
    CODE(cusparseSgtsv2_bufferSizeExt(h, 4, -1, x, x, x, x, 4, &bytes));
}

int main(int argc, char **argv)
{
    arguments(argc, argv);
    if (cusparseCreate(&h) != CUSPARSE_STATUS_SUCCESS) {
        return 2;
    }
    products();
    spmm();
    systems();
    conversions();
    vectors();
    factors<float>(CUDA_R_32F);
    factors<double>(CUDA_R_64F);
    factors<cuComplex>(CUDA_C_32F);
    factors<cuDoubleComplex>(CUDA_C_64F);
    wrong_arguments();
    ask("end", cudaDeviceSynchronize());
    return 0;
}
