/* SPDX-License-Identifier: MIT */
/* cuSPARSE, sparse vectors of the generic API, and what is done with them and dense ones. */
#include <stdlib.h>

#include "runtime/api/cusparse/sparse.h"

static cusparseStatus_t vector_new(struct cusparseSpVecDescr **out, struct cusparseSpVecDescr v)
{
    SPARSE_REQUIRE(out && v.size >= 0 && v.count >= 0 && v.count <= v.size);
    SPARSE_REQUIRE(sparse_index_known(v.index) && sparse_type_known(v.type));
    SPARSE_REQUIRE((unsigned)v.base <= CUSPARSE_INDEX_BASE_ONE);
    *out = malloc(sizeof(**out));
    if (!*out) {
        return CUSPARSE_STATUS_ALLOC_FAILED;
    }
    **out = v;
    return CUSPARSE_STATUS_SUCCESS;
}

#define VECTOR                                                                            \
    (struct cusparseSpVecDescr)                                                           \
    {                                                                                     \
        .size = size, .count = nnz, .indices = (void *)indices, .values = (void *)values, \
        .index = idxType, .base = idxBase, .type = valueType                              \
    }

cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t *spVecDescr, int64_t size, int64_t nnz,
                                     void *indices, void *values, cusparseIndexType_t idxType,
                                     cusparseIndexBase_t idxBase, cudaDataType valueType)
{
    return vector_new(spVecDescr, VECTOR);
}

cusparseStatus_t cusparseCreateConstSpVec(cusparseConstSpVecDescr_t *spVecDescr, int64_t size,
                                          int64_t nnz, const void *indices, const void *values,
                                          cusparseIndexType_t idxType, cusparseIndexBase_t idxBase,
                                          cudaDataType valueType)
{
    return vector_new((struct cusparseSpVecDescr **)spVecDescr, VECTOR);
}

cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t spVecDescr)
{
    free((void *)spVecDescr);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseConstSpVecGet(cusparseConstSpVecDescr_t spVecDescr, int64_t *size,
                                       int64_t *nnz, const void **indices, const void **values,
                                       cusparseIndexType_t *idxType, cusparseIndexBase_t *idxBase,
                                       cudaDataType *valueType)
{
    SPARSE_REQUIRE(spVecDescr && size && nnz && indices && values && idxType && idxBase &&
                   valueType);
    *size = spVecDescr->size;
    *nnz = spVecDescr->count;
    *indices = spVecDescr->indices;
    *values = spVecDescr->values;
    *idxType = spVecDescr->index;
    *idxBase = spVecDescr->base;
    *valueType = spVecDescr->type;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpVecGet(cusparseSpVecDescr_t spVecDescr, int64_t *size, int64_t *nnz,
                                  void **indices, void **values, cusparseIndexType_t *idxType,
                                  cusparseIndexBase_t *idxBase, cudaDataType *valueType)
{
    return cusparseConstSpVecGet(spVecDescr, size, nnz, (const void **)indices,
                                 (const void **)values, idxType, idxBase, valueType);
}

cusparseStatus_t cusparseSpVecGetIndexBase(cusparseConstSpVecDescr_t spVecDescr,
                                           cusparseIndexBase_t *idxBase)
{
    SPARSE_REQUIRE(spVecDescr && idxBase);
    *idxBase = spVecDescr->base;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseConstSpVecGetValues(cusparseConstSpVecDescr_t spVecDescr,
                                             const void **values)
{
    SPARSE_REQUIRE(spVecDescr && values);
    *values = spVecDescr->values;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpVecGetValues(cusparseSpVecDescr_t spVecDescr, void **values)
{
    return cusparseConstSpVecGetValues(spVecDescr, (const void **)values);
}

cusparseStatus_t cusparseSpVecSetValues(cusparseSpVecDescr_t spVecDescr, void *values)
{
    SPARSE_REQUIRE(spVecDescr && values);
    spVecDescr->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}

/* Values, indices, and the elements of the dense vector that they name */
static struct library_call vector_call(uint32_t op, const struct cusparseSpVecDescr *x,
                                       const struct cusparseDnVecDescr *y, bool named)
{
    struct library_call c = library_call_of(op, y->type);

    c.n[1] = y->size;
    c.n[2] = x->count;
    c.n[7] = x->base;
    c.operand[0] = sparse_array(x->values, x->count, x->type);
    c.operand[1] = sparse_array(x->indices, x->count, sparse_index_type(x->index));
    c.operand[2] = sparse_array(y->values, y->size, y->type);
    c.operand[2].flags = named ? LIBRARY_NAMED_COLUMNS : 0;
    return c;
}

/* @go: there is something to do */
static cusparseStatus_t vector_check(cusparseHandle_t h, const struct cusparseSpVecDescr *x,
                                     const struct cusparseDnVecDescr *y, bool *go)
{
    *go = false;
    SPARSE_REQUIRE_HANDLE(h);
    SPARSE_REQUIRE(x && y && x->size == y->size && x->type == y->type);
    if (x->index == CUSPARSE_INDEX_16U) {
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    }
    *go = x->count > 0;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void *alpha,
                               cusparseConstSpVecDescr_t vecX, const void *beta,
                               cusparseDnVecDescr_t vecY)
{
    struct library_call c;
    bool go;
    cusparseStatus_t s = vector_check(handle, vecX, vecY, &go);

    if (s != CUSPARSE_STATUS_SUCCESS) {
        return s;
    }
    SPARSE_REQUIRE(alpha && beta);
    if (vecY->size == 0) {
        return CUSPARSE_STATUS_SUCCESS;
    }
    c = vector_call(LIBRARY_AXPBY, vecX, vecY, false);
    sparse_scalar(handle, &c, 0, alpha, vecY->type);
    sparse_scalar(handle, &c, 1, beta, vecY->type);
    return sparse_launch(handle, __func__, &c);
}

cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t vecY,
                                cusparseSpVecDescr_t vecX)
{
    struct library_call c;
    bool go;
    cusparseStatus_t s = vector_check(handle, vecX, vecY, &go);

    if (!go) {
        return s;
    }
    c = vector_call(LIBRARY_GATHER, vecX, vecY, true);
    return sparse_launch(handle, __func__, &c);
}

cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t vecX,
                                 cusparseDnVecDescr_t vecY)
{
    struct library_call c;
    bool go;
    cusparseStatus_t s = vector_check(handle, vecX, vecY, &go);

    if (!go) {
        return s;
    }
    c = vector_call(LIBRARY_SCATTER, vecX, vecY, true);
    return sparse_launch(handle, __func__, &c);
}

cusparseStatus_t cusparseRot(cusparseHandle_t handle, const void *c_coeff, const void *s_coeff,
                             cusparseSpVecDescr_t vecX, cusparseDnVecDescr_t vecY)
{
    struct library_call c;
    bool go;
    cusparseStatus_t s = vector_check(handle, vecX, vecY, &go);

    if (!go) {
        return s;
    }
    SPARSE_REQUIRE(c_coeff && s_coeff);
    c = vector_call(LIBRARY_SPROT, vecX, vecY, true);
    sparse_scalar(handle, &c, 0, c_coeff, vecY->type);
    sparse_scalar(handle, &c, 1, s_coeff, vecY->type);
    return sparse_launch(handle, __func__, &c);
}

cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t handle, cusparseOperation_t opX,
                                         cusparseConstSpVecDescr_t vecX,
                                         cusparseConstDnVecDescr_t vecY, const void *result,
                                         cudaDataType computeType, size_t *bufferSize)
{
    SPARSE_REQUIRE_HANDLE(handle);
    SPARSE_REQUIRE(vecX && vecY && result && bufferSize && sparse_op_fits(opX, vecX->type));
    SPARSE_REQUIRE(vecX->size == vecY->size);
    (void)computeType;
    *bufferSize = SPARSE_BUFFER;
    return CUSPARSE_STATUS_SUCCESS;
}

/* The result is the program's memory: of the host it is waited for. */
cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t opX,
                              cusparseConstSpVecDescr_t vecX, cusparseConstDnVecDescr_t vecY,
                              void *result, cudaDataType computeType, void *externalBuffer)
{
    struct library_call c;
    CUresult e;
    bool device;

    SPARSE_REQUIRE_HANDLE(handle);
    SPARSE_REQUIRE(vecX && vecY && result && sparse_op_fits(opX, vecX->type));
    SPARSE_REQUIRE(vecX->size == vecY->size);
    (void)externalBuffer;
    if (sparse_type_bytes(computeType) < 4 || vecX->index == CUSPARSE_INDEX_16U) {
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    }
    device = handle->pointers == CUSPARSE_POINTER_MODE_DEVICE;
    c = vector_call(LIBRARY_SPVV, vecX, vecY, true);
    c.mode[1] = opX == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? LIBRARY_CONJUGATED : 0;
    c.operand[3] = sparse_array(device ? result : (const void *)(uintptr_t)handle->handle.scratch,
                                1, computeType);
    e = library_launch(&handle->handle, __func__, &c);
    e = e || device ? e : library_fetch(&handle->handle, result, 0, sparse_type_bytes(computeType));
    return sparse_status(e);
}
