/* SPDX-License-Identifier: MIT */
/* cuSPARSE, "Sparse Matrix APIs" of the generic API: descriptors. */
#include <stdlib.h>

#include "runtime/api/cusparse/sparse.h"

static bool base_known(cusparseIndexBase_t base)
{
    return (unsigned)base <= CUSPARSE_INDEX_BASE_ONE;
}

/* As NVIDIA's: an empty matrix needs no pointers but those of offsets. */
static cusparseStatus_t matrix_new(struct cusparseSpMatDescr **out, struct cusparseSpMatDescr m)
{
    SPARSE_REQUIRE(out && m.rows >= 0 && m.columns >= 0 && m.count >= 0);
    SPARSE_REQUIRE(m.rows == 0 || m.columns == 0 ||
                   m.count / m.rows + (m.count % m.rows != 0) <= m.columns);
    SPARSE_REQUIRE(sparse_index_known(m.offset_type) && sparse_index_known(m.index_type));
    SPARSE_REQUIRE(base_known(m.base) && sparse_type_known(m.type));
    if (m.offset_type != m.index_type) {
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    }
    *out = malloc(sizeof(**out));
    if (!*out) {
        return CUSPARSE_STATUS_ALLOC_FAILED;
    }
    **out = m;
    return CUSPARSE_STATUS_SUCCESS;
}

#define MATRIX(FORMAT, offset, index, offset_kind, index_kind)       \
    (struct cusparseSpMatDescr){ .format = CUSPARSE_FORMAT_##FORMAT, \
                                 .rows = rows,                       \
                                 .columns = cols,                    \
                                 .count = nnz,                       \
                                 .offsets = (void *)(offset),        \
                                 .indices = (void *)(index),         \
                                 .offset_type = (offset_kind),       \
                                 .index_type = (index_kind),         \
                                 .base = idxBase,                    \
                                 .type = valueType,                  \
                                 .batches = 1 }

/* A matrix' pointers and types, but for those that the caller does not ask for */
static void matrix_get(const struct cusparseSpMatDescr *m, int64_t *rows, int64_t *columns,
                       int64_t *count, const void **offsets, const void **indices,
                       const void **values)
{
    *rows = m->rows;
    *columns = m->columns;
    *count = m->count;
    *offsets = m->offsets;
    *indices = m->indices;
    *values = m->values;
}

/* Rows and columns change their parts: CSR and CSC are declared alike. CONST: nothing or const */
#define COMPRESSED(Format, FORMAT, Name, CONST, Descr, o, i, v)                                   \
    cusparseStatus_t cusparseCreate##Name(                                                        \
        Descr *spMatDescr, int64_t rows, int64_t cols, int64_t nnz, CONST void *o, CONST void *i, \
        CONST void *v, cusparseIndexType_t oType, cusparseIndexType_t iType,                      \
        cusparseIndexBase_t idxBase, cudaDataType valueType)                                      \
    {                                                                                             \
        struct cusparseSpMatDescr m = MATRIX(FORMAT, o, i, oType, iType);                         \
                                                                                                  \
        m.values = (void *)(v);                                                                   \
        return matrix_new((struct cusparseSpMatDescr **)spMatDescr, m);                           \
    }

#define COMPRESSED_GET(Name, FORMAT, CONST, Descr)                                              \
    cusparseStatus_t cusparse##Name(                                                            \
        Descr spMatDescr, int64_t *rows, int64_t *cols, int64_t *nnz, CONST void **offsets,     \
        CONST void **indices, CONST void **values, cusparseIndexType_t *offsetType,             \
        cusparseIndexType_t *indexType, cusparseIndexBase_t *idxBase, cudaDataType *valueType)  \
    {                                                                                           \
        SPARSE_REQUIRE(spMatDescr &&rows &&cols &&nnz &&offsets &&indices &&values &&offsetType \
                           &&indexType &&idxBase &&valueType &&                                 \
                       spMatDescr->format == CUSPARSE_FORMAT_##FORMAT);                         \
        matrix_get(spMatDescr, rows, cols, nnz, (const void **)offsets, (const void **)indices, \
                   (const void **)values);                                                      \
        *offsetType = spMatDescr->offset_type;                                                  \
        *indexType = spMatDescr->index_type;                                                    \
        *idxBase = spMatDescr->base;                                                            \
        *valueType = spMatDescr->type;                                                          \
        return CUSPARSE_STATUS_SUCCESS;                                                         \
    }

COMPRESSED(Csr, CSR, Csr, , cusparseSpMatDescr_t, csrRowOffsets, csrColInd, csrValues)
COMPRESSED(Csr, CSR, ConstCsr, const, cusparseConstSpMatDescr_t, csrRowOffsets, csrColInd,
           csrValues)
COMPRESSED(Csc, CSC, Csc, , cusparseSpMatDescr_t, cscColOffsets, cscRowInd, cscValues)
COMPRESSED(Csc, CSC, ConstCsc, const, cusparseConstSpMatDescr_t, cscColOffsets, cscRowInd,
           cscValues)
COMPRESSED_GET(CsrGet, CSR, , cusparseSpMatDescr_t)
COMPRESSED_GET(ConstCsrGet, CSR, const, cusparseConstSpMatDescr_t)
COMPRESSED_GET(CscGet, CSC, , cusparseSpMatDescr_t)
COMPRESSED_GET(ConstCscGet, CSC, const, cusparseConstSpMatDescr_t)

#define COORDINATES(Name, CONST, Descr)                                                          \
    cusparseStatus_t cusparseCreate##Name(                                                       \
        Descr *spMatDescr, int64_t rows, int64_t cols, int64_t nnz, CONST void *cooRowInd,       \
        CONST void *cooColInd, CONST void *cooValues, cusparseIndexType_t cooIdxType,            \
        cusparseIndexBase_t idxBase, cudaDataType valueType)                                     \
    {                                                                                            \
        struct cusparseSpMatDescr m = MATRIX(COO, cooRowInd, cooColInd, cooIdxType, cooIdxType); \
                                                                                                 \
        m.values = (void *)(cooValues);                                                          \
        return matrix_new((struct cusparseSpMatDescr **)spMatDescr, m);                          \
    }

#define COORDINATES_GET(Name, CONST, Descr)                                                       \
    cusparseStatus_t cusparse##Name(Descr spMatDescr, int64_t *rows, int64_t *cols, int64_t *nnz, \
                                    CONST void **cooRowInd, CONST void **cooColInd,               \
                                    CONST void **cooValues, cusparseIndexType_t *idxType,         \
                                    cusparseIndexBase_t *idxBase, cudaDataType *valueType)        \
    {                                                                                             \
        SPARSE_REQUIRE(spMatDescr &&rows &&cols &&nnz &&cooRowInd &&cooColInd &&cooValues         \
                           &&idxType &&idxBase &&valueType &&                                     \
                       spMatDescr->format == CUSPARSE_FORMAT_COO);                                \
        matrix_get(spMatDescr, rows, cols, nnz, (const void **)cooRowInd,                         \
                   (const void **)cooColInd, (const void **)cooValues);                           \
        *idxType = spMatDescr->index_type;                                                        \
        *idxBase = spMatDescr->base;                                                              \
        *valueType = spMatDescr->type;                                                            \
        return CUSPARSE_STATUS_SUCCESS;                                                           \
    }

COORDINATES(Coo, , cusparseSpMatDescr_t)
COORDINATES(ConstCoo, const, cusparseConstSpMatDescr_t)
COORDINATES_GET(CooGet, , cusparseSpMatDescr_t)
COORDINATES_GET(ConstCooGet, const, cusparseConstSpMatDescr_t)

cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t spMatDescr)
{
    free((void *)spMatDescr);
    return CUSPARSE_STATUS_SUCCESS;
}

/* One field of a descriptor */
#define GET(Name, Descr, type, field)                            \
    cusparseStatus_t cusparse##Name(Descr spMatDescr, type *out) \
    {                                                            \
        SPARSE_REQUIRE(spMatDescr &&out);                        \
        *out = spMatDescr->field;                                \
        return CUSPARSE_STATUS_SUCCESS;                          \
    }

GET(SpMatGetFormat, cusparseConstSpMatDescr_t, cusparseFormat_t, format)
GET(SpMatGetIndexBase, cusparseConstSpMatDescr_t, cusparseIndexBase_t, base)
GET(SpMatGetValues, cusparseSpMatDescr_t, void *, values)
GET(ConstSpMatGetValues, cusparseConstSpMatDescr_t, const void *, values)
GET(SpMatGetStridedBatch, cusparseConstSpMatDescr_t, int, batches)

cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t spMatDescr, void *values)
{
    SPARSE_REQUIRE(spMatDescr);
    spMatDescr->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t spMatDescr, int64_t *rows,
                                      int64_t *cols, int64_t *nnz)
{
    SPARSE_REQUIRE(spMatDescr && rows && cols && nnz);
    *rows = spMatDescr->rows;
    *cols = spMatDescr->columns;
    *nnz = spMatDescr->count;
    return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t batch_set(cusparseSpMatDescr_t m, cusparseFormat_t format, int batches,
                                  int64_t offsets, int64_t others)
{
    SPARSE_REQUIRE(m && m->format == format && batches > 0);
    SPARSE_REQUIRE(offsets == 0 ||
                   offsets >= (format == CUSPARSE_FORMAT_COO ? m->count : m->rows + 1));
    SPARSE_REQUIRE(others == 0 || others >= m->count);
    m->batches = batches;
    m->offset_stride = offsets;
    m->stride = others;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t spMatDescr, int batchCount,
                                            int64_t batchStride)
{
    return batch_set(spMatDescr, CUSPARSE_FORMAT_COO, batchCount, batchStride, batchStride);
}

cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t spMatDescr, int batchCount,
                                            int64_t offsetsBatchStride,
                                            int64_t columnsValuesBatchStride)
{
    return batch_set(spMatDescr, CUSPARSE_FORMAT_CSR, batchCount, offsetsBatchStride,
                     columnsValuesBatchStride);
}

static cusparseStatus_t pointers_set(cusparseSpMatDescr_t m, cusparseFormat_t format, void *offsets,
                                     void *indices, void *values)
{
    SPARSE_REQUIRE(m && m->format == format);
    m->offsets = offsets;
    m->indices = indices;
    m->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t spMatDescr, void *csrRowOffsets,
                                        void *csrColInd, void *csrValues)
{
    return pointers_set(spMatDescr, CUSPARSE_FORMAT_CSR, csrRowOffsets, csrColInd, csrValues);
}

cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t spMatDescr, void *cscColOffsets,
                                        void *cscRowInd, void *cscValues)
{
    return pointers_set(spMatDescr, CUSPARSE_FORMAT_CSC, cscColOffsets, cscRowInd, cscValues);
}

cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t spMatDescr, void *cooRows,
                                        void *cooColumns, void *cooValues)
{
    return pointers_set(spMatDescr, CUSPARSE_FORMAT_COO, cooRows, cooColumns, cooValues);
}

cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t spMatDescr,
                                           cusparseSpMatAttribute_t attribute, void *data,
                                           size_t dataSize)
{
    SPARSE_REQUIRE(spMatDescr && data && (unsigned)attribute <= CUSPARSE_SPMAT_DIAG_TYPE &&
                   dataSize == sizeof(int));
    *(int *)data =
        attribute == CUSPARSE_SPMAT_FILL_MODE ? (int)spMatDescr->fill : (int)spMatDescr->diagonal;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t spMatDescr,
                                           cusparseSpMatAttribute_t attribute, void *data,
                                           size_t dataSize)
{
    SPARSE_REQUIRE(spMatDescr && data && (unsigned)attribute <= CUSPARSE_SPMAT_DIAG_TYPE &&
                   dataSize == sizeof(int));
    if (attribute == CUSPARSE_SPMAT_FILL_MODE) {
        spMatDescr->fill = *(const cusparseFillMode_t *)data;
    } else {
        spMatDescr->diagonal = *(const cusparseDiagType_t *)data;
    }
    return CUSPARSE_STATUS_SUCCESS;
}
