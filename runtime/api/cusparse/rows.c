/* SPDX-License-Identifier: MIT */
/* The FORWARD rows of cusparse.def as functions. */
#include "runtime/api/cusparse/sparse.h"

/* Parameters of incomplete factors, by the names that NVIDIA gives them. */
#define FACTOR(T) \
    ((struct sparse_csr){ m, nnz, descrA, NULL, csrSortedRowPtrA, csrSortedColIndA, (T) })

/* The two terms of a sum */
#define TERM(X, T)                                                                  \
    ((struct sparse_csr){ m, nnz##X, descr##X, csrSortedVal##X, csrSortedRowPtr##X, \
                          csrSortedColInd##X, (T) })

#define FORWARD(name, parameters, ...) \
    cusparseStatus_t name parameters   \
    {                                  \
        return __VA_ARGS__;            \
    }
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "runtime/api/cusparse/cusparse.def"
