/* SPDX-License-Identifier: MIT */
/* cuBLASLt's descriptors: what is in the memory that programs see as opaque. */
#ifndef RUNTIME_API_CUBLASLT_LT_H
#define RUNTIME_API_CUBLASLT_LT_H

/* What the header declares is exported, all else is not. */
#pragma GCC visibility push(default)
#include "include/cublasLt.h"
#pragma GCC visibility pop
#include "runtime/api/library/library.h"

struct cublasLtContext {
    struct library_handle handle; /* first */
};

struct lt_layout {
    uint32_t type;
    int32_t order;
    uint64_t rows, columns;
    int64_t ld, stride, plane;
    int32_t batches;
    uint32_t batch_mode;
};

struct lt_matmul {
    int32_t compute, scale, pointers, op_a, op_b, op_c, fill;
    uint32_t epilogue;
    void *bias, *aux;
    int64_t bias_stride, aux_ld, aux_stride, alpha_stride;
    const void *scale_a, *scale_b, *scale_c, *scale_d, *amax, *aux_scale, *aux_amax, *out_scale,
        *emulation;
    int32_t sm_count, aux_type, bias_type, scale_mode[6];
    int8_t fast;
};

struct lt_preference {
    uint32_t search, reduction, alignment[4];
    uint64_t workspace, implementations;
    float waves;
};

_Static_assert(sizeof(struct lt_layout) <= sizeof(cublasLtMatrixLayoutOpaque_t), "it fits");
_Static_assert(sizeof(struct lt_matmul) <= sizeof(cublasLtMatmulDescOpaque_t), "it fits");
_Static_assert(sizeof(struct lt_preference) <= sizeof(cublasLtMatmulPreferenceOpaque_t), "it fits");

#define LT_REQUIRE(good)                        \
    do {                                        \
        if (!(good)) {                          \
            return CUBLAS_STATUS_INVALID_VALUE; \
        }                                       \
    } while (0)

#endif
