/* SPDX-License-Identifier: MIT */
/* cusolverRf: a matrix' factors with new values and the same pattern. M holds L below its diagonal
 * of ones and U, by rows; it is filled from A (LIBRARY_SPPLACE), factored in its place
 * (LIBRARY_ILU0: M has all places that the factors need), and solved with (LIBRARY_SPSM).
 */
#ifndef RUNTIME_API_CUSOLVER_RF_H
#define RUNTIME_API_CUSOLVER_RF_H

/* What the header declares is exported, all else is not. */
#pragma GCC visibility push(default)
#include "include/cusolverRf.h"
#pragma GCC visibility pop
#include "runtime/api/library/library.h"

enum rf_stage { RF_EMPTY, RF_SET_UP, RF_ANALYZED, RF_FACTORED };

/**
 * struct cusolverRfCommon
 * @batches: 0: none of the batched functions is meant
 * @count: elements of M; @begin, @column: its pattern, of the host
 * @m_begin, @m_column, @m_value, @pivots: of the device; @pivots: one a batch
 */
struct cusolverRfCommon {
    struct library_handle handle; /* first */
    cusolverRfMatrixFormat_t format;
    cusolverRfUnitDiagonal_t unit;
    cusolverRfFactorization_t factorization;
    cusolverRfTriangularSolve_t solve;
    cusolverRfResetValuesFastMode_t fast;
    double zero, boost;
    enum rf_stage stage;
    int n, a_count, count, batches;
    int *begin, *column;
    CUdeviceptr m_begin, m_column, m_value, pivots;
};

bool rf_live(cusolverRfHandle_t h);
cusolverStatus_t rf_status(CUresult e);
/* What a setup allocated */
void rf_free(cusolverRfHandle_t h);

/**
 * struct rf_matrix - of the host: @n rows, @count elements, indices from 0 on
 */
struct rf_matrix {
    int n, count;
    const int *begin, *column;
};
/* rf_setup.c: puts A's values, of the device, in their places; @indirect: addresses, one a batch */
cusolverStatus_t rf_place(cusolverRfHandle_t h, const char *name, const int *begin,
                          const int *column, const void *value, bool indirect, const int *p,
                          const int *q);

#define RF_REQUIRE(good)                          \
    do {                                          \
        if (!(good)) {                            \
            return CUSOLVER_STATUS_INVALID_VALUE; \
        }                                         \
    } while (0)
#define RF_REQUIRE_HANDLE(h)                        \
    do {                                            \
        if (!rf_live(h)) {                          \
            return CUSOLVER_STATUS_NOT_INITIALIZED; \
        }                                           \
    } while (0)

#endif
