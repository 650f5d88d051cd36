/* SPDX-License-Identifier: MIT */
/* cuSPARSE, "Dense Vector APIs" and "Dense Matrix APIs" of the generic API: descriptors. */
#include <stdlib.h>

#include "runtime/api/cusparse/sparse.h"

static cusparseStatus_t vector_new(struct cusparseDnVecDescr **out, int64_t size,
                                   const void *values, cudaDataType type)
{
    SPARSE_REQUIRE(out && size >= 0 && sparse_type_known(type));
    SPARSE_REQUIRE((uintptr_t)values % sparse_type_bytes(type) == 0);
    *out = malloc(sizeof(**out));
    if (!*out) {
        return CUSPARSE_STATUS_ALLOC_FAILED;
    }
    **out = (struct cusparseDnVecDescr){ .size = size, .values = (void *)values, .type = type };
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *dnVecDescr, int64_t size, void *values,
                                     cudaDataType valueType)
{
    return vector_new(dnVecDescr, size, values, valueType);
}

cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t *dnVecDescr, int64_t size,
                                          const void *values, cudaDataType valueType)
{
    return vector_new((struct cusparseDnVecDescr **)dnVecDescr, size, values, valueType);
}

cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t dnVecDescr)
{
    free((void *)dnVecDescr);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseConstDnVecGet(cusparseConstDnVecDescr_t dnVecDescr, int64_t *size,
                                       const void **values, cudaDataType *valueType)
{
    SPARSE_REQUIRE(dnVecDescr && size && values && valueType);
    *size = dnVecDescr->size;
    *values = dnVecDescr->values;
    *valueType = dnVecDescr->type;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDnVecGet(cusparseDnVecDescr_t dnVecDescr, int64_t *size, void **values,
                                  cudaDataType *valueType)
{
    return cusparseConstDnVecGet(dnVecDescr, size, (const void **)values, valueType);
}

cusparseStatus_t cusparseConstDnVecGetValues(cusparseConstDnVecDescr_t dnVecDescr,
                                             const void **values)
{
    SPARSE_REQUIRE(dnVecDescr && values);
    *values = dnVecDescr->values;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDnVecGetValues(cusparseDnVecDescr_t dnVecDescr, void **values)
{
    return cusparseConstDnVecGetValues(dnVecDescr, (const void **)values);
}

cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t dnVecDescr, void *values)
{
    SPARSE_REQUIRE(dnVecDescr);
    dnVecDescr->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t matrix_new(struct cusparseDnMatDescr **out, int64_t rows, int64_t columns,
                                   int64_t ld, const void *values, cudaDataType type,
                                   cusparseOrder_t order)
{
    SPARSE_REQUIRE(out && rows >= 0 && columns >= 0);
    SPARSE_REQUIRE(order == CUSPARSE_ORDER_COL   ? ld >= rows
                   : order == CUSPARSE_ORDER_ROW ? ld >= columns
                                                 : false);
    SPARSE_REQUIRE(sparse_type_known(type));
    *out = malloc(sizeof(**out));
    if (!*out) {
        return CUSPARSE_STATUS_ALLOC_FAILED;
    }
    **out = (struct cusparseDnMatDescr){ .rows = rows,
                                         .columns = columns,
                                         .ld = ld,
                                         .values = (void *)values,
                                         .type = type,
                                         .order = order,
                                         .batches = 1 };
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *dnMatDescr, int64_t rows, int64_t cols,
                                     int64_t ld, void *values, cudaDataType valueType,
                                     cusparseOrder_t order)
{
    return matrix_new(dnMatDescr, rows, cols, ld, values, valueType, order);
}

cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t *dnMatDescr, int64_t rows,
                                          int64_t cols, int64_t ld, const void *values,
                                          cudaDataType valueType, cusparseOrder_t order)
{
    return matrix_new((struct cusparseDnMatDescr **)dnMatDescr, rows, cols, ld, values, valueType,
                      order);
}

cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t dnMatDescr)
{
    free((void *)dnMatDescr);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseConstDnMatGet(cusparseConstDnMatDescr_t dnMatDescr, int64_t *rows,
                                       int64_t *cols, int64_t *ld, const void **values,
                                       cudaDataType *type, cusparseOrder_t *order)
{
    SPARSE_REQUIRE(dnMatDescr && rows && cols && ld && values && type && order);
    *rows = dnMatDescr->rows;
    *cols = dnMatDescr->columns;
    *ld = dnMatDescr->ld;
    *values = dnMatDescr->values;
    *type = dnMatDescr->type;
    *order = dnMatDescr->order;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDnMatGet(cusparseDnMatDescr_t dnMatDescr, int64_t *rows, int64_t *cols,
                                  int64_t *ld, void **values, cudaDataType *type,
                                  cusparseOrder_t *order)
{
    return cusparseConstDnMatGet(dnMatDescr, rows, cols, ld, (const void **)values, type, order);
}

cusparseStatus_t cusparseConstDnMatGetValues(cusparseConstDnMatDescr_t dnMatDescr,
                                             const void **values)
{
    SPARSE_REQUIRE(dnMatDescr && values);
    *values = dnMatDescr->values;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDnMatGetValues(cusparseDnMatDescr_t dnMatDescr, void **values)
{
    return cusparseConstDnMatGetValues(dnMatDescr, (const void **)values);
}

cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr_t dnMatDescr, void *values)
{
    SPARSE_REQUIRE(dnMatDescr);
    dnMatDescr->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t dnMatDescr, int batchCount,
                                              int64_t batchStride)
{
    SPARSE_REQUIRE(dnMatDescr && batchCount > 0);
    SPARSE_REQUIRE(batchStride == 0 ||
                   batchStride >= dnMatDescr->ld * (dnMatDescr->order == CUSPARSE_ORDER_ROW
                                                        ? dnMatDescr->rows
                                                        : dnMatDescr->columns));
    dnMatDescr->batches = batchCount;
    dnMatDescr->stride = batchStride;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t dnMatDescr, int *batchCount,
                                              int64_t *batchStride)
{
    SPARSE_REQUIRE(dnMatDescr && batchCount && batchStride);
    *batchCount = dnMatDescr->batches;
    *batchStride = dnMatDescr->stride;
    return CUSPARSE_STATUS_SUCCESS;
}
