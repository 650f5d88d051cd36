/* SPDX-License-Identifier: MIT */
/* Descriptors as operands of a call. */
#include "runtime/api/cusparse/sparse.h"

uint32_t sparse_index_type(cusparseIndexType_t type)
{
    return type == CUSPARSE_INDEX_64I ? LIBRARY_R_64I : LIBRARY_R_32I;
}

bool sparse_op_fits(cusparseOperation_t op, cudaDataType type)
{
    return (unsigned)op <= CUSPARSE_OPERATION_TRANSPOSE ||
           (op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE &&
            (type == CUDA_C_32F || type == CUDA_C_64F));
}

unsigned sparse_type_bytes(cudaDataType type)
{
    switch (type) {
    case CUDA_R_8I:
        return 1;
    case CUDA_R_16F:
    case CUDA_R_16BF:
        return 2;
    case CUDA_R_32F:
    case CUDA_R_32I:
        return 4;
    case CUDA_R_64F:
    case CUDA_C_32F:
        return 8;
    case CUDA_C_64F:
        return 16;
    default:
        return 0;
    }
}

bool sparse_type_known(cudaDataType type)
{
    return sparse_type_bytes(type) != 0;
}

bool sparse_index_known(cusparseIndexType_t type)
{
    return type == CUSPARSE_INDEX_16U || type == CUSPARSE_INDEX_32I || type == CUSPARSE_INDEX_64I;
}

uint32_t sparse_mode(cusparseOperation_t op)
{
    return op == CUSPARSE_OPERATION_NON_TRANSPOSE         ? 0
           : op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? LIBRARY_TRANSPOSED | LIBRARY_CONJUGATED
                                                          : LIBRARY_TRANSPOSED;
}

struct library_operand sparse_array(const void *p, int64_t count, uint32_t type)
{
    return library_matrix(p, count, 1, count, type);
}

/* By rows a matrix is its transpose by columns. */
struct library_operand sparse_dense(const struct cusparseDnMatDescr *m)
{
    bool by_rows = m->order == CUSPARSE_ORDER_ROW;
    struct library_operand o = library_matrix(m->values, by_rows ? m->columns : m->rows,
                                              by_rows ? m->rows : m->columns, m->ld, m->type);

    o.batch_pitch = m->stride * (o.pitch / (m->ld ? m->ld : 1));
    return o;
}

static int64_t index_bytes(cusparseIndexType_t type)
{
    return type == CUSPARSE_INDEX_64I ? 8 : 4;
}

void sparse_matrix_set(struct library_call *c, const struct cusparseSpMatDescr *m, bool *turned)
{
    bool coo = m->format == CUSPARSE_FORMAT_COO;

    *turned = m->format == CUSPARSE_FORMAT_CSC;
    c->n[0] = *turned ? m->columns : m->rows;
    c->n[1] = *turned ? m->rows : m->columns;
    c->n[2] = m->count;
    c->n[7] = m->base;
    c->mode[1] |= coo ? LIBRARY_COORDINATES : 0;
    c->operand[0] =
        sparse_array(m->offsets, coo ? m->count : c->n[0] + 1, sparse_index_type(m->offset_type));
    c->operand[1] = sparse_array(m->indices, m->count, sparse_index_type(m->index_type));
    c->operand[2] = sparse_array(m->values, m->count, m->type);
    c->operand[0].batch_pitch = m->offset_stride * index_bytes(m->offset_type);
    c->operand[1].batch_pitch = m->stride * index_bytes(m->index_type);
    c->operand[2].batch_pitch = m->count ? m->stride * (c->operand[2].pitch / m->count) : 0;
}

/* NVIDIA cuSPARSE, "cusparseSpMV()": tables of uniform and mixed precision */
bool sparse_types_known(cudaDataType a, cudaDataType b, cudaDataType c, cudaDataType compute)
{
    bool small = a == CUDA_R_8I || a == CUDA_R_16F || a == CUDA_R_16BF;

    switch (compute) {
    case CUDA_R_32I:
        return a == CUDA_R_8I && b == CUDA_R_8I && c == CUDA_R_32I;
    case CUDA_R_32F:
        return a == b && (c == CUDA_R_32F || (c == a && a != CUDA_R_8I)) &&
               (small || a == CUDA_R_32F);
    case CUDA_R_64F:
        return (a == CUDA_R_32F || a == CUDA_R_64F) && b == CUDA_R_64F && c == CUDA_R_64F;
    case CUDA_C_32F:
        return (a == CUDA_R_32F || a == CUDA_C_32F) && b == CUDA_C_32F && c == CUDA_C_32F;
    case CUDA_C_64F:
        return (a == CUDA_R_64F || a == CUDA_C_64F) && b == CUDA_C_64F && c == CUDA_C_64F;
    default:
        return false;
    }
}
