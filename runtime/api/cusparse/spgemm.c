/* SPDX-License-Identifier: MIT */
/* cuSPARSE, SpGEMM: products of sparse matrices. A program asks for the size of two buffers, lets
 * the elements be counted, allocates, and has them written.
 */
#include <stdlib.h>

#include "runtime/api/cusparse/sparse.h"

enum phase { PHASE_COUNT, PHASE_OFFSETS, PHASE_ELEMENTS };

struct cusparseSpGEMMDescr {
    bool estimated, computed;
};

struct triple {
    cusparseHandle_t h;
    cusparseOperation_t op_a, op_b;
    const void *alpha, *beta;
    const struct cusparseSpMatDescr *a, *b;
    struct cusparseSpMatDescr *c;
    cudaDataType compute;
};

/* beta C would need an array of C's elements before they are known. */
static bool beta_none(const struct triple *t)
{
    struct library_call c = library_call_of(LIBRARY_SPGEMM, t->compute);

    if (t->h->pointers == CUSPARSE_POINTER_MODE_DEVICE) {
        return true;
    }
    library_scalar_set(&c.scalar[1], t->beta, t->compute, false);
    return c.scalar[1].value[0] == 0 && c.scalar[1].value[1] == 0;
}

static cusparseStatus_t triple_check(const struct triple *t)
{
    SPARSE_REQUIRE_HANDLE(t->h);
    SPARSE_REQUIRE(t->alpha && t->a && t->b && t->beta && t->c);
    SPARSE_REQUIRE(sparse_op_fits(t->op_a, t->a->type) && sparse_op_fits(t->op_b, t->b->type));
    SPARSE_REQUIRE(t->a->columns == t->b->rows && t->a->rows == t->c->rows &&
                   t->b->columns == t->c->columns);
    if (t->op_a || t->op_b || t->a->format != CUSPARSE_FORMAT_CSR ||
        t->b->format != CUSPARSE_FORMAT_CSR || t->c->format != CUSPARSE_FORMAT_CSR ||
        t->a->index_type == CUSPARSE_INDEX_16U || t->a->type != t->b->type ||
        t->a->type != t->c->type || !beta_none(t) ||
        !sparse_types_known(t->a->type, t->b->type, t->c->type, t->compute)) {
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    }
    return CUSPARSE_STATUS_SUCCESS;
}

static CUresult triple_launch(const struct triple *t, const char *name, enum phase phase)
{
    struct library_call c = library_call_of(LIBRARY_SPGEMM, t->compute), b = c;
    bool turned;

    sparse_matrix_set(&c, t->a, &turned);
    sparse_matrix_set(&b, t->b, &turned);
    for (unsigned i = 0; i < 3; i++) {
        c.operand[3 + i] = b.operand[i];
    }
    c.n[3] = t->b->columns;
    c.n[4] = t->b->count;
    c.n[5] = phase == PHASE_ELEMENTS ? t->c->count : 0;
    c.n[6] = t->b->base;
    c.mode[2] = phase;
    c.mode[3] = t->c->base;
    c.operand[6] =
        phase == PHASE_COUNT
            ? sparse_array((const void *)(uintptr_t)t->h->handle.scratch, 1, LIBRARY_R_64I)
        : phase == PHASE_OFFSETS
            ? sparse_array(t->c->offsets, t->c->rows + 1, sparse_index_type(t->c->offset_type))
            : sparse_array(t->c->indices, t->c->count, sparse_index_type(t->c->index_type));
    c.operand[7] =
        sparse_array(t->c->values, phase == PHASE_ELEMENTS ? t->c->count : 0, t->c->type);
    sparse_scalar(t->h, &c, 0, t->alpha, t->compute);
    return library_launch(&t->h->handle, name, &c);
}

cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t *descr)
{
    SPARSE_REQUIRE(descr);
    *descr = calloc(1, sizeof(**descr));
    return *descr ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t descr)
{
    free(descr);
    return CUSPARSE_STATUS_SUCCESS;
}

/* Without a buffer a call says how large it must be. */
cusparseStatus_t cusparseSpGEMM_workEstimation(
    cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,
    cusparseConstSpMatDescr_t matA, cusparseConstSpMatDescr_t matB, const void *beta,
    cusparseSpMatDescr_t matC, cudaDataType computeType, cusparseSpGEMMAlg_t alg,
    cusparseSpGEMMDescr_t spgemmDescr, size_t *bufferSize1, void *externalBuffer1)
{
    struct triple t = { handle, opA, opB, alpha, beta, matA, matB, matC, computeType };
    cusparseStatus_t s = triple_check(&t);

    (void)alg;
    if (s != CUSPARSE_STATUS_SUCCESS) {
        return s;
    }
    SPARSE_REQUIRE(spgemmDescr && bufferSize1);
    *bufferSize1 = SPARSE_BUFFER;
    spgemmDescr->estimated = spgemmDescr->estimated || externalBuffer1;
    return CUSPARSE_STATUS_SUCCESS;
}

/* The number of elements comes into the descriptor of C, so the call waits. */
cusparseStatus_t cusparseSpGEMM_compute(cusparseHandle_t handle, cusparseOperation_t opA,
                                        cusparseOperation_t opB, const void *alpha,
                                        cusparseConstSpMatDescr_t matA,
                                        cusparseConstSpMatDescr_t matB, const void *beta,
                                        cusparseSpMatDescr_t matC, cudaDataType computeType,
                                        cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t spgemmDescr,
                                        size_t *bufferSize2, void *externalBuffer2)
{
    struct triple t = { handle, opA, opB, alpha, beta, matA, matB, matC, computeType };
    cusparseStatus_t s = triple_check(&t);
    int64_t count = 0;
    CUresult e;

    (void)alg;
    if (s != CUSPARSE_STATUS_SUCCESS) {
        return s;
    }
    SPARSE_REQUIRE(spgemmDescr && bufferSize2);
    if (!spgemmDescr->estimated) {
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    }
    *bufferSize2 = SPARSE_BUFFER;
    if (!externalBuffer2) {
        return CUSPARSE_STATUS_SUCCESS;
    }
    e = triple_launch(&t, __func__, PHASE_COUNT);
    e = e ? e : library_fetch(&handle->handle, &count, 0, sizeof(count));
    if (e == CUDA_SUCCESS) {
        matC->count = count;
        spgemmDescr->computed = true;
    }
    return sparse_status(e);
}

/* Two launches: offsets, then elements */
cusparseStatus_t cusparseSpGEMM_copy(cusparseHandle_t handle, cusparseOperation_t opA,
                                     cusparseOperation_t opB, const void *alpha,
                                     cusparseConstSpMatDescr_t matA, cusparseConstSpMatDescr_t matB,
                                     const void *beta, cusparseSpMatDescr_t matC,
                                     cudaDataType computeType, cusparseSpGEMMAlg_t alg,
                                     cusparseSpGEMMDescr_t spgemmDescr)
{
    struct triple t = { handle, opA, opB, alpha, beta, matA, matB, matC, computeType };
    cusparseStatus_t s = triple_check(&t);
    CUresult e;

    (void)alg;
    if (s != CUSPARSE_STATUS_SUCCESS) {
        return s;
    }
    SPARSE_REQUIRE(spgemmDescr);
    if (!spgemmDescr->computed) {
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    }
    e = triple_launch(&t, __func__, PHASE_OFFSETS);
    if (e == CUDA_SUCCESS && matC->count > 0) {
        e = triple_launch(&t, __func__, PHASE_ELEMENTS);
    }
    return sparse_status(e);
}
