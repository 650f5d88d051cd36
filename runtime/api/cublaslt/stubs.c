/* SPDX-License-Identifier: MIT */
/* The STUB rows of cublaslt.def. cublasStatus_t: 15 is CUBLAS_STATUS_NOT_SUPPORTED. */
#include "runtime/api/library/stub.h"

#define STUB(name) LIBRARY_STUB(name, 15)
#include "runtime/api/cublaslt/cublaslt.def"
