/* SPDX-License-Identifier: MIT */
/* cuSOLVER, "cuSolverRF Reference": handles and settings. */
#include <stdlib.h>

#include "runtime/api/cusolver/rf.h"

bool rf_live(cusolverRfHandle_t h)
{
    return library_live(h, LIBRARY_KIND_CUSOLVER_RF);
}

cusolverStatus_t rf_status(CUresult e)
{
    return e == CUDA_SUCCESS               ? CUSOLVER_STATUS_SUCCESS
           : e == CUDA_ERROR_OUT_OF_MEMORY ? CUSOLVER_STATUS_ALLOC_FAILED
                                           : CUSOLVER_STATUS_EXECUTION_FAILED;
}

void rf_free(cusolverRfHandle_t h)
{
    if (h->m_begin && library_enter(&h->handle) == CUDA_SUCCESS) {
        library_driver.cuCtxSynchronize(); /* a solve may read them */
        library_driver.cuMemFree(h->m_begin);
        library_driver.cuMemFree(h->m_column);
        library_driver.cuMemFree(h->m_value);
        library_driver.cuMemFree(h->pivots);
        library_leave();
    }
    h->m_begin = h->m_column = h->m_value = h->pivots = 0;
    free(h->begin);
    free(h->column);
    h->begin = h->column = NULL;
    h->stage = RF_EMPTY;
}

cusolverStatus_t cusolverRfCreate(cusolverRfHandle_t *handle)
{
    struct library_handle *h;
    CUresult e;

    RF_REQUIRE(handle);
    e = library_open(LIBRARY_KIND_CUSOLVER_RF, sizeof(struct cusolverRfCommon), &h);
    if (e != CUDA_SUCCESS) {
        return e == CUDA_ERROR_OUT_OF_MEMORY ? CUSOLVER_STATUS_ALLOC_FAILED
                                             : CUSOLVER_STATUS_NOT_INITIALIZED;
    }
    *handle = (struct cusolverRfCommon *)(void *)h;
    (*handle)->solve = CUSOLVERRF_TRIANGULAR_SOLVE_ALG1;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverRfDestroy(cusolverRfHandle_t handle)
{
    RF_REQUIRE_HANDLE(handle);
    rf_free(handle);
    library_close(&handle->handle);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverRfGetMatrixFormat(cusolverRfHandle_t handle,
                                           cusolverRfMatrixFormat_t *format,
                                           cusolverRfUnitDiagonal_t *diag)
{
    RF_REQUIRE_HANDLE(handle);
    RF_REQUIRE(format && diag);
    *format = handle->format;
    *diag = handle->unit;
    return CUSOLVER_STATUS_SUCCESS;
}

/* Of the two formats, and of the two matrices that may have the diagonal of ones, the usual ones */
cusolverStatus_t cusolverRfSetMatrixFormat(cusolverRfHandle_t handle,
                                           cusolverRfMatrixFormat_t format,
                                           cusolverRfUnitDiagonal_t diag)
{
    static bool said;

    RF_REQUIRE_HANDLE(handle);
    RF_REQUIRE((unsigned)format <= CUSOLVERRF_MATRIX_FORMAT_CSC &&
               (unsigned)diag <= CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_U);
    if (format != CUSOLVERRF_MATRIX_FORMAT_CSR ||
        (diag != CUSOLVERRF_UNIT_DIAGONAL_STORED_L && diag != CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L)) {
        library_unsupported("cusolverRf with factors by columns, or a unit diagonal of U", &said);
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    }
    handle->format = format;
    handle->unit = diag;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverRfSetNumericProperties(cusolverRfHandle_t handle, double zero,
                                                double boost)
{
    RF_REQUIRE_HANDLE(handle);
    RF_REQUIRE(zero >= 0);
    handle->zero = zero;
    handle->boost = boost;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverRfGetNumericProperties(cusolverRfHandle_t handle, double *zero,
                                                double *boost)
{
    RF_REQUIRE_HANDLE(handle);
    RF_REQUIRE(zero && boost);
    *zero = handle->zero;
    *boost = handle->boost;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverRfGetNumericBoostReport(cusolverRfHandle_t handle,
                                                 cusolverRfNumericBoostReport_t *report)
{
    RF_REQUIRE_HANDLE(handle);
    RF_REQUIRE(report);
    *report = handle->zero > 0 ? CUSOLVERRF_NUMERIC_BOOST_USED : CUSOLVERRF_NUMERIC_BOOST_NOT_USED;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverRfSetAlgs(cusolverRfHandle_t handle, cusolverRfFactorization_t factAlg,
                                   cusolverRfTriangularSolve_t solveAlg)
{
    RF_REQUIRE_HANDLE(handle);
    RF_REQUIRE((unsigned)factAlg <= CUSOLVERRF_FACTORIZATION_ALG2); /* NVIDIA's looks at no more */
    handle->factorization = factAlg;
    handle->solve = solveAlg;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverRfGetAlgs(cusolverRfHandle_t handle, cusolverRfFactorization_t *factAlg,
                                   cusolverRfTriangularSolve_t *solveAlg)
{
    RF_REQUIRE_HANDLE(handle);
    RF_REQUIRE(factAlg && solveAlg);
    *factAlg = handle->factorization;
    *solveAlg = handle->solve;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverRfGetResetValuesFastMode(cusolverRfHandle_t handle,
                                                  cusolverRfResetValuesFastMode_t *fastMode)
{
    RF_REQUIRE_HANDLE(handle);
    RF_REQUIRE(fastMode);
    *fastMode = handle->fast;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverRfSetResetValuesFastMode(cusolverRfHandle_t handle,
                                                  cusolverRfResetValuesFastMode_t fastMode)
{
    RF_REQUIRE_HANDLE(handle);
    RF_REQUIRE((unsigned)fastMode <= CUSOLVERRF_RESET_VALUES_FAST_MODE_ON);
    handle->fast = fastMode;
    return CUSOLVER_STATUS_SUCCESS;
}
