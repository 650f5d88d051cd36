/* SPDX-License-Identifier: MIT */
/* cuSPARSE, SpSV and SpSM: triangular systems. */
#include <stdlib.h>

#include "runtime/api/cusparse/sparse.h"

/**
 * struct system - op(A) op(C) = alpha op(B)
 * @alpha: NULL in an analysis, which may have none
 */
struct system {
    cusparseHandle_t h;
    cusparseOperation_t op_a, op_b;
    const void *alpha;
    const struct cusparseSpMatDescr *a;
    const struct cusparseDnMatDescr *b, *c;
    cudaDataType compute;
};

/* What an analysis and its buffer's size look at: not at B and C */
static cusparseStatus_t matrix_check(const struct system *s)
{
    SPARSE_REQUIRE(sparse_op_fits(s->op_a, s->a->type) && sparse_op_fits(s->op_b, s->b->type));
    SPARSE_REQUIRE(s->a->rows == s->a->columns);
    return s->a->format == CUSPARSE_FORMAT_CSC || s->a->index_type == CUSPARSE_INDEX_16U
               ? CUSPARSE_STATUS_NOT_SUPPORTED
               : CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t system_check(const struct system *s)
{
    bool tb = s->op_b != CUSPARSE_OPERATION_NON_TRANSPOSE;

    SPARSE_REQUIRE(s->a->rows == s->c->rows);
    SPARSE_REQUIRE((tb ? s->b->columns : s->b->rows) == s->a->rows);
    SPARSE_REQUIRE((tb ? s->b->rows : s->b->columns) == s->c->columns);
    if (s->a->type != s->compute || s->b->type != s->compute || s->c->type != s->compute ||
        (s->compute != CUDA_R_32F && s->compute != CUDA_R_64F && s->compute != CUDA_C_32F &&
         s->compute != CUDA_C_64F)) {
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    }
    return CUSPARSE_STATUS_SUCCESS;
}

static uint32_t triangle_of(const struct cusparseSpMatDescr *a)
{
    return (a->fill == CUSPARSE_FILL_MODE_UPPER ? LIBRARY_UPPER : LIBRARY_LOWER) |
           (a->diagonal == CUSPARSE_DIAG_TYPE_UNIT ? LIBRARY_UNIT : 0);
}

/* What the real analysis reads: the structure. It leaves nothing that a solve here needs. */
static cusparseStatus_t system_analyse(const struct system *s, const char *name)
{
    struct library_call c = library_call_of(LIBRARY_DIAGONAL, s->compute);
    bool turned;

    if (s->a->rows == 0) {
        return CUSPARSE_STATUS_SUCCESS;
    }
    sparse_matrix_set(&c, s->a, &turned);
    c.operand[2] = sparse_array((const void *)(uintptr_t)s->h->handle.scratch, 1, LIBRARY_R_32I);
    return sparse_launch(s->h, name, &c);
}

static cusparseStatus_t system_solve(const struct system *s, const char *name)
{
    struct library_call c = library_call_of(LIBRARY_SPSM, s->compute);
    bool turned;

    if (s->c->rows == 0 || s->c->columns == 0) {
        return CUSPARSE_STATUS_SUCCESS;
    }
    sparse_matrix_set(&c, s->a, &turned);
    c.n[3] = s->c->columns;
    c.n[4] = triangle_of(s->a);
    c.mode[1] |= sparse_mode(s->op_a);
    c.mode[2] = sparse_mode(s->op_b) ^ (s->b->order == CUSPARSE_ORDER_ROW ? LIBRARY_TRANSPOSED : 0);
    c.mode[3] = s->c->order == CUSPARSE_ORDER_ROW ? LIBRARY_TRANSPOSED : 0;
    c.operand[3] = sparse_dense(s->b);
    c.operand[4] = sparse_dense(s->c);
    sparse_scalar(s->h, &c, 0, s->alpha, s->compute);
    return sparse_launch(s->h, name, &c);
}

enum phase { PHASE_SIZE, PHASE_ANALYSIS, PHASE_SOLVE };

static cusparseStatus_t system_call(const struct system *s, const char *name, enum phase phase,
                                    bool *analysed)
{
    cusparseStatus_t status = matrix_check(s);

    if (status != CUSPARSE_STATUS_SUCCESS || phase == PHASE_SIZE) {
        return status;
    }
    if (phase == PHASE_ANALYSIS) {
        status = system_analyse(s, name);
        *analysed = status == CUSPARSE_STATUS_SUCCESS;
        return status;
    }
    status = !*analysed ? CUSPARSE_STATUS_NOT_INITIALIZED : system_check(s);
    return status != CUSPARSE_STATUS_SUCCESS ? status : system_solve(s, name);
}

static struct cusparseDnMatDescr column_of(const struct cusparseDnVecDescr *v)
{
    return (struct cusparseDnMatDescr){
        .rows = v->size, .columns = 1, .ld = v->size, .values = v->values, .type = v->type
    };
}

static cusparseStatus_t system_vector(cusparseHandle_t h, const char *name, enum phase phase,
                                      cusparseOperation_t op, const void *alpha,
                                      cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                      cusparseConstDnVecDescr_t y, cudaDataType compute,
                                      cusparseSpSVDescr_t descr)
{
    struct cusparseDnMatDescr b, c;

    SPARSE_REQUIRE_HANDLE(h);
    SPARSE_REQUIRE(alpha && a && x && y && descr);
    b = column_of(x);
    c = column_of(y);
    return system_call(
        &(struct system){ h, op, CUSPARSE_OPERATION_NON_TRANSPOSE, alpha, a, &b, &c, compute },
        name, phase, &descr->analysed);
}

cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t *descr)
{
    SPARSE_REQUIRE(descr);
    *descr = calloc(1, sizeof(**descr));
    return *descr ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t descr)
{
    free(descr);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpSV_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA,
                                         const void *alpha, cusparseConstSpMatDescr_t matA,
                                         cusparseConstDnVecDescr_t vecX, cusparseDnVecDescr_t vecY,
                                         cudaDataType computeType, cusparseSpSVAlg_t alg,
                                         cusparseSpSVDescr_t spsvDescr, size_t *bufferSize)
{
    cusparseStatus_t s = system_vector(handle, NULL, PHASE_SIZE, opA, alpha, matA, vecX, vecY,
                                       computeType, spsvDescr);

    (void)alg;
    SPARSE_REQUIRE(s != CUSPARSE_STATUS_SUCCESS || bufferSize);
    if (s == CUSPARSE_STATUS_SUCCESS) {
        *bufferSize = SPARSE_BUFFER;
    }
    return s;
}

cusparseStatus_t cusparseSpSV_analysis(cusparseHandle_t handle, cusparseOperation_t opA,
                                       const void *alpha, cusparseConstSpMatDescr_t matA,
                                       cusparseConstDnVecDescr_t vecX, cusparseDnVecDescr_t vecY,
                                       cudaDataType computeType, cusparseSpSVAlg_t alg,
                                       cusparseSpSVDescr_t spsvDescr, void *externalBuffer)
{
    (void)alg;
    (void)externalBuffer;
    return system_vector(handle, __func__, PHASE_ANALYSIS, opA, alpha, matA, vecX, vecY,
                         computeType, spsvDescr);
}

cusparseStatus_t cusparseSpSV_solve(cusparseHandle_t handle, cusparseOperation_t opA,
                                    const void *alpha, cusparseConstSpMatDescr_t matA,
                                    cusparseConstDnVecDescr_t vecX, cusparseDnVecDescr_t vecY,
                                    cudaDataType computeType, cusparseSpSVAlg_t alg,
                                    cusparseSpSVDescr_t spsvDescr)
{
    (void)alg;
    return system_vector(handle, __func__, PHASE_SOLVE, opA, alpha, matA, vecX, vecY, computeType,
                         spsvDescr);
}

/* A solve reads the matrix' values, so it has the new ones if the program put them there; NVIDIA's
 * reads a copy of the analysis. */
cusparseStatus_t cusparseSpSV_updateMatrix(cusparseHandle_t handle, cusparseSpSVDescr_t spsvDescr,
                                           void *newValues, cusparseSpSVUpdate_t updatePart)
{
    static bool said;

    SPARSE_REQUIRE_HANDLE(handle);
    SPARSE_REQUIRE(spsvDescr && newValues && (unsigned)updatePart <= 1);
    library_unsupported(__func__, &said);
    return CUSPARSE_STATUS_NOT_SUPPORTED;
}

static cusparseStatus_t system_matrix(cusparseHandle_t h, const char *name, enum phase phase,
                                      cusparseOperation_t op_a, cusparseOperation_t op_b,
                                      const void *alpha, cusparseConstSpMatDescr_t a,
                                      cusparseConstDnMatDescr_t b, cusparseConstDnMatDescr_t c,
                                      cudaDataType compute, cusparseSpSMDescr_t descr)
{
    SPARSE_REQUIRE_HANDLE(h);
    SPARSE_REQUIRE(alpha && a && b && c && descr);
    return system_call(&(struct system){ h, op_a, op_b, alpha, a, b, c, compute }, name, phase,
                       &descr->analysed);
}

cusparseStatus_t cusparseSpSM_createDescr(cusparseSpSMDescr_t *descr)
{
    SPARSE_REQUIRE(descr);
    *descr = calloc(1, sizeof(**descr));
    return *descr ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

cusparseStatus_t cusparseSpSM_destroyDescr(cusparseSpSMDescr_t descr)
{
    free(descr);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpSM_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA,
                                         cusparseOperation_t opB, const void *alpha,
                                         cusparseConstSpMatDescr_t matA,
                                         cusparseConstDnMatDescr_t matB, cusparseDnMatDescr_t matC,
                                         cudaDataType computeType, cusparseSpSMAlg_t alg,
                                         cusparseSpSMDescr_t spsmDescr, size_t *bufferSize)
{
    cusparseStatus_t s = system_matrix(handle, NULL, PHASE_SIZE, opA, opB, alpha, matA, matB, matC,
                                       computeType, spsmDescr);

    (void)alg;
    SPARSE_REQUIRE(s != CUSPARSE_STATUS_SUCCESS || bufferSize);
    if (s == CUSPARSE_STATUS_SUCCESS) {
        *bufferSize = SPARSE_BUFFER;
    }
    return s;
}

cusparseStatus_t cusparseSpSM_analysis(cusparseHandle_t handle, cusparseOperation_t opA,
                                       cusparseOperation_t opB, const void *alpha,
                                       cusparseConstSpMatDescr_t matA,
                                       cusparseConstDnMatDescr_t matB, cusparseDnMatDescr_t matC,
                                       cudaDataType computeType, cusparseSpSMAlg_t alg,
                                       cusparseSpSMDescr_t spsmDescr, void *externalBuffer)
{
    (void)alg;
    (void)externalBuffer;
    return system_matrix(handle, __func__, PHASE_ANALYSIS, opA, opB, alpha, matA, matB, matC,
                         computeType, spsmDescr);
}

cusparseStatus_t cusparseSpSM_solve(cusparseHandle_t handle, cusparseOperation_t opA,
                                    cusparseOperation_t opB, const void *alpha,
                                    cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                                    cusparseDnMatDescr_t matC, cudaDataType computeType,
                                    cusparseSpSMAlg_t alg, cusparseSpSMDescr_t spsmDescr)
{
    (void)alg;
    return system_matrix(handle, __func__, PHASE_SOLVE, opA, opB, alpha, matA, matB, matC,
                         computeType, spsmDescr);
}

cusparseStatus_t cusparseSpSM_updateMatrix(cusparseHandle_t handle, cusparseSpSMDescr_t spsmDescr,
                                           void *newValues, cusparseSpSMUpdate_t updatePart)
{
    static bool said;

    SPARSE_REQUIRE_HANDLE(handle);
    SPARSE_REQUIRE(spsmDescr && newValues && (unsigned)updatePart <= 1);
    library_unsupported(__func__, &said);
    return CUSPARSE_STATUS_NOT_SUPPORTED;
}
