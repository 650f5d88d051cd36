/* SPDX-License-Identifier: MIT */
/* cuSPARSE, SpMV, SpMM and SDDMM. */
#include "runtime/api/cusparse/sparse.h"

static struct cusparseDnMatDescr column_of(const struct cusparseDnVecDescr *v)
{
    return (struct cusparseDnMatDescr){ .rows = v->size,
                                        .columns = 1,
                                        .ld = v->size,
                                        .values = v->values,
                                        .type = v->type,
                                        .batches = 1 };
}

/**
 * struct product - C = alpha op(A) op(B) + beta C
 * @compute: in what is added, and the type of the factors
 */
struct product {
    cusparseHandle_t h;
    cusparseOperation_t op_a, op_b;
    const void *alpha, *beta;
    const struct cusparseSpMatDescr *a;
    const struct cusparseDnMatDescr *b, *c;
    cudaDataType compute;
};

static cusparseStatus_t product_check(const struct product *p)
{
    bool ta = p->op_a != CUSPARSE_OPERATION_NON_TRANSPOSE;
    bool tb = p->op_b != CUSPARSE_OPERATION_NON_TRANSPOSE;

    SPARSE_REQUIRE(sparse_op_fits(p->op_a, p->a->type) && sparse_op_fits(p->op_b, p->b->type));
    SPARSE_REQUIRE((ta ? p->a->columns : p->a->rows) == p->c->rows);
    SPARSE_REQUIRE((ta ? p->a->rows : p->a->columns) == (tb ? p->b->columns : p->b->rows));
    SPARSE_REQUIRE((tb ? p->b->rows : p->b->columns) == p->c->columns);
    return sparse_types_known(p->a->type, p->b->type, p->c->type, p->compute) &&
                   p->a->index_type != CUSPARSE_INDEX_16U
               ? CUSPARSE_STATUS_SUCCESS
               : CUSPARSE_STATUS_NOT_SUPPORTED;
}

static int64_t number_larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static cusparseStatus_t product_run(const struct product *p, const char *name)
{
    struct library_call c = library_call_of(LIBRARY_SPMM, p->compute);
    bool turned, by_rows = p->b->order == CUSPARSE_ORDER_ROW;
    bool tb = p->op_b != CUSPARSE_OPERATION_NON_TRANSPOSE;

    if (p->c->rows == 0 || p->c->columns == 0) {
        return CUSPARSE_STATUS_SUCCESS;
    }
    sparse_matrix_set(&c, p->a, &turned);
    c.n[3] = p->c->columns;
    c.mode[1] |= sparse_mode(p->op_a) ^ (turned ? LIBRARY_TRANSPOSED : 0);
    c.mode[2] = sparse_mode(p->op_b) ^ (by_rows ? LIBRARY_TRANSPOSED : 0);
    c.mode[3] = p->c->order == CUSPARSE_ORDER_ROW ? LIBRARY_TRANSPOSED : 0;
    c.batches = (uint64_t)number_larger(1, number_larger(p->a->batches, p->c->batches));
    c.operand[3] = sparse_dense(p->b);
    c.operand[4] = sparse_dense(p->c);
    if (!(c.mode[1] & LIBRARY_TRANSPOSED)) { /* only rows of op(B) that A's columns name */
        c.operand[3].flags = by_rows != tb ? LIBRARY_NAMED_ROWS : LIBRARY_NAMED_COLUMNS;
    }
    sparse_scalar(p->h, &c, 0, p->alpha, p->compute);
    sparse_scalar(p->h, &c, 1, p->beta, p->compute);
    return sparse_launch(p->h, name, &c);
}

static cusparseStatus_t product_call(const struct product *p, const char *name)
{
    cusparseStatus_t s = product_check(p);

    return s != CUSPARSE_STATUS_SUCCESS || !name ? s : product_run(p, name);
}

/* @name: NULL: only the check */
static cusparseStatus_t product_vector(cusparseHandle_t h, const char *name, cusparseOperation_t op,
                                       const void *alpha, cusparseConstSpMatDescr_t a,
                                       cusparseConstDnVecDescr_t x, const void *beta,
                                       cusparseConstDnVecDescr_t y, cudaDataType compute)
{
    struct cusparseDnMatDescr b, c;

    SPARSE_REQUIRE_HANDLE(h);
    SPARSE_REQUIRE(alpha && a && x && beta && y);
    b = column_of(x);
    c = column_of(y);
    return product_call(&(struct product){ h, op, CUSPARSE_OPERATION_NON_TRANSPOSE, alpha, beta, a,
                                           &b, &c, compute },
                        name);
}

static bool spmv_algorithm_fits(cusparseSpMVAlg_t alg, cusparseFormat_t format)
{
    switch (alg) {
    case CUSPARSE_SPMV_ALG_DEFAULT:
        return true;
    case CUSPARSE_SPMV_CSR_ALG1:
    case CUSPARSE_SPMV_CSR_ALG2:
        return format == CUSPARSE_FORMAT_CSR || format == CUSPARSE_FORMAT_CSC;
    case CUSPARSE_SPMV_COO_ALG1:
    case CUSPARSE_SPMV_COO_ALG2:
        return format == CUSPARSE_FORMAT_COO;
    default:
        return false;
    }
}

cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha,
                              cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX,
                              const void *beta, cusparseDnVecDescr_t vecY, cudaDataType computeType,
                              cusparseSpMVAlg_t alg, void *externalBuffer)
{
    SPARSE_REQUIRE(!matA || spmv_algorithm_fits(alg, matA->format));
    SPARSE_REQUIRE(!matA || matA->format != CUSPARSE_FORMAT_CSR || externalBuffer);
    return product_vector(handle, __func__, opA, alpha, matA, vecX, beta, vecY, computeType);
}

cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t handle, cusparseOperation_t opA,
                                         const void *alpha, cusparseConstSpMatDescr_t matA,
                                         cusparseConstDnVecDescr_t vecX, const void *beta,
                                         cusparseDnVecDescr_t vecY, cudaDataType computeType,
                                         cusparseSpMVAlg_t alg, void *externalBuffer)
{
    (void)alg;
    (void)externalBuffer;
    return product_vector(handle, NULL, opA, alpha, matA, vecX, beta, vecY, computeType);
}

cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA,
                                         const void *alpha, cusparseConstSpMatDescr_t matA,
                                         cusparseConstDnVecDescr_t vecX, const void *beta,
                                         cusparseDnVecDescr_t vecY, cudaDataType computeType,
                                         cusparseSpMVAlg_t alg, size_t *bufferSize)
{
    cusparseStatus_t s =
        product_vector(handle, NULL, opA, alpha, matA, vecX, beta, vecY, computeType);

    (void)alg;
    SPARSE_REQUIRE(s != CUSPARSE_STATUS_SUCCESS || bufferSize);
    if (s == CUSPARSE_STATUS_SUCCESS) {
        *bufferSize = SPARSE_BUFFER;
    }
    return s;
}

static cusparseStatus_t product_matrix(cusparseHandle_t h, const char *name,
                                       cusparseOperation_t op_a, cusparseOperation_t op_b,
                                       const void *alpha, cusparseConstSpMatDescr_t a,
                                       cusparseConstDnMatDescr_t b, const void *beta,
                                       cusparseConstDnMatDescr_t c, cudaDataType compute)
{
    SPARSE_REQUIRE_HANDLE(h);
    SPARSE_REQUIRE(alpha && a && b && beta && c);
    return product_call(&(struct product){ h, op_a, op_b, alpha, beta, a, b, c, compute }, name);
}

cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t opA,
                              cusparseOperation_t opB, const void *alpha,
                              cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                              const void *beta, cusparseDnMatDescr_t matC, cudaDataType computeType,
                              cusparseSpMMAlg_t alg, void *externalBuffer)
{
    (void)externalBuffer;
    SPARSE_REQUIRE((unsigned)alg <= CUSPARSE_SPMM_BSR_ALG1);
    return product_matrix(handle, __func__, opA, opB, alpha, matA, matB, beta, matC, computeType);
}

cusparseStatus_t cusparseSpMM_preprocess(cusparseHandle_t handle, cusparseOperation_t opA,
                                         cusparseOperation_t opB, const void *alpha,
                                         cusparseConstSpMatDescr_t matA,
                                         cusparseConstDnMatDescr_t matB, const void *beta,
                                         cusparseDnMatDescr_t matC, cudaDataType computeType,
                                         cusparseSpMMAlg_t alg, void *externalBuffer)
{
    (void)alg;
    (void)externalBuffer;
    return product_matrix(handle, NULL, opA, opB, alpha, matA, matB, beta, matC, computeType);
}

cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA,
                                         cusparseOperation_t opB, const void *alpha,
                                         cusparseConstSpMatDescr_t matA,
                                         cusparseConstDnMatDescr_t matB, const void *beta,
                                         cusparseDnMatDescr_t matC, cudaDataType computeType,
                                         cusparseSpMMAlg_t alg, size_t *bufferSize)
{
    cusparseStatus_t s =
        product_matrix(handle, NULL, opA, opB, alpha, matA, matB, beta, matC, computeType);

    (void)alg;
    SPARSE_REQUIRE(s != CUSPARSE_STATUS_SUCCESS || bufferSize);
    if (s == CUSPARSE_STATUS_SUCCESS) {
        *bufferSize = SPARSE_BUFFER;
    }
    return s;
}

/* C = alpha (op(A) op(B) where C has elements) + beta C */
static cusparseStatus_t product_sampled(cusparseHandle_t h, const char *name,
                                        cusparseOperation_t op_a, cusparseOperation_t op_b,
                                        const void *alpha, cusparseConstDnMatDescr_t a,
                                        cusparseConstDnMatDescr_t b, const void *beta,
                                        cusparseConstSpMatDescr_t c, cudaDataType compute)
{
    struct library_call call = library_call_of(LIBRARY_SDDMM, compute);
    bool turned, ta = op_a != CUSPARSE_OPERATION_NON_TRANSPOSE;
    bool tb = op_b != CUSPARSE_OPERATION_NON_TRANSPOSE;

    SPARSE_REQUIRE_HANDLE(h);
    SPARSE_REQUIRE(alpha && a && b && beta && c);
    SPARSE_REQUIRE(sparse_op_fits(op_a, a->type) && sparse_op_fits(op_b, b->type));
    SPARSE_REQUIRE((ta ? a->columns : a->rows) == c->rows);
    SPARSE_REQUIRE((ta ? a->rows : a->columns) == (tb ? b->columns : b->rows));
    SPARSE_REQUIRE((tb ? b->rows : b->columns) == c->columns);
    if (c->format != CUSPARSE_FORMAT_CSR ||
        !sparse_types_known(a->type, b->type, c->type, compute)) {
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    }
    if (!name || c->count == 0) {
        return CUSPARSE_STATUS_SUCCESS;
    }
    sparse_matrix_set(&call, c, &turned);
    call.n[3] = ta ? a->rows : a->columns;
    call.mode[2] = sparse_mode(op_a) ^ (a->order == CUSPARSE_ORDER_ROW ? LIBRARY_TRANSPOSED : 0);
    call.mode[3] = sparse_mode(op_b) ^ (b->order == CUSPARSE_ORDER_ROW ? LIBRARY_TRANSPOSED : 0);
    call.batches = (uint64_t)number_larger(1, c->batches);
    call.operand[3] = sparse_dense(a);
    call.operand[4] = sparse_dense(b);
    sparse_scalar(h, &call, 0, alpha, compute);
    sparse_scalar(h, &call, 1, beta, compute);
    return sparse_launch(h, name, &call);
}

cusparseStatus_t cusparseSDDMM(cusparseHandle_t handle, cusparseOperation_t opA,
                               cusparseOperation_t opB, const void *alpha,
                               cusparseConstDnMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                               const void *beta, cusparseSpMatDescr_t matC,
                               cudaDataType computeType, cusparseSDDMMAlg_t alg,
                               void *externalBuffer)
{
    (void)alg;
    (void)externalBuffer;
    return product_sampled(handle, __func__, opA, opB, alpha, matA, matB, beta, matC, computeType);
}

cusparseStatus_t cusparseSDDMM_preprocess(cusparseHandle_t handle, cusparseOperation_t opA,
                                          cusparseOperation_t opB, const void *alpha,
                                          cusparseConstDnMatDescr_t matA,
                                          cusparseConstDnMatDescr_t matB, const void *beta,
                                          cusparseSpMatDescr_t matC, cudaDataType computeType,
                                          cusparseSDDMMAlg_t alg, void *externalBuffer)
{
    (void)alg;
    (void)externalBuffer;
    return product_sampled(handle, NULL, opA, opB, alpha, matA, matB, beta, matC, computeType);
}

cusparseStatus_t cusparseSDDMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA,
                                          cusparseOperation_t opB, const void *alpha,
                                          cusparseConstDnMatDescr_t matA,
                                          cusparseConstDnMatDescr_t matB, const void *beta,
                                          cusparseSpMatDescr_t matC, cudaDataType computeType,
                                          cusparseSDDMMAlg_t alg, size_t *bufferSize)
{
    cusparseStatus_t s =
        product_sampled(handle, NULL, opA, opB, alpha, matA, matB, beta, matC, computeType);

    (void)alg;
    SPARSE_REQUIRE(s != CUSPARSE_STATUS_SUCCESS || bufferSize);
    if (s == CUSPARSE_STATUS_SUCCESS) {
        *bufferSize = SPARSE_BUFFER;
    }
    return s;
}
