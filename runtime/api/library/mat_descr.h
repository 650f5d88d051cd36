/* SPDX-License-Identifier: MIT */
/* The matrix descriptor of cuSPARSE's first API, which cuSOLVER reads, too. cusparse.h is read
 * before. */
#ifndef RUNTIME_API_LIBRARY_MAT_DESCR_H
#define RUNTIME_API_LIBRARY_MAT_DESCR_H

struct cusparseMatDescr {
    cusparseMatrixType_t type;
    cusparseFillMode_t fill;
    cusparseDiagType_t diagonal;
    cusparseIndexBase_t base;
};

#endif
