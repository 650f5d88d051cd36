/* SPDX-License-Identifier: MIT */
/* cuSOLVER, parameters of syevj and gesvdj. NVIDIA's check none of the values. Results converge to
 * double precision whatever they say, sorted; so the residual is 0, and the sweeps 1.
 */
#include <stdlib.h>

#include "runtime/api/cusolver/dense.h"

struct jacobi {
    double tolerance;
    int sweeps, sort;
};

struct syevjInfo {
    struct jacobi jacobi;
};

struct gesvdjInfo {
    struct jacobi jacobi;
};

#define SETTINGS(Name, name)                                                                      \
    cusolverStatus_t cusolverDnCreate##Name##Info(name##Info_t *info)                             \
    {                                                                                             \
        DENSE_REQUIRE(info);                                                                      \
        *info = calloc(1, sizeof(**info));                                                        \
        return *info ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;                    \
    }                                                                                             \
    cusolverStatus_t cusolverDnDestroy##Name##Info(name##Info_t info)                             \
    {                                                                                             \
        free(info);                                                                               \
        return CUSOLVER_STATUS_SUCCESS;                                                           \
    }                                                                                             \
    cusolverStatus_t cusolverDnX##name##SetTolerance(name##Info_t info, double tolerance)         \
    {                                                                                             \
        DENSE_REQUIRE(info);                                                                      \
        info->jacobi.tolerance = tolerance;                                                       \
        return CUSOLVER_STATUS_SUCCESS;                                                           \
    }                                                                                             \
    cusolverStatus_t cusolverDnX##name##SetMaxSweeps(name##Info_t info, int max_sweeps)           \
    {                                                                                             \
        DENSE_REQUIRE(info);                                                                      \
        info->jacobi.sweeps = max_sweeps;                                                         \
        return CUSOLVER_STATUS_SUCCESS;                                                           \
    }                                                                                             \
    cusolverStatus_t cusolverDnX##name##SetSortEig(name##Info_t info, int sort)                   \
    {                                                                                             \
        DENSE_REQUIRE(info);                                                                      \
        info->jacobi.sort = sort;                                                                 \
        return CUSOLVER_STATUS_SUCCESS;                                                           \
    }                                                                                             \
    cusolverStatus_t cusolverDnX##name##GetResidual(cusolverDnHandle_t handle, name##Info_t info, \
                                                    double *residual)                             \
    {                                                                                             \
        DENSE_REQUIRE_HANDLE(handle);                                                             \
        DENSE_REQUIRE(info &&residual);                                                           \
        *residual = 0;                                                                            \
        return CUSOLVER_STATUS_SUCCESS;                                                           \
    }                                                                                             \
    cusolverStatus_t cusolverDnX##name##GetSweeps(cusolverDnHandle_t handle, name##Info_t info,   \
                                                  int *executed_sweeps)                           \
    {                                                                                             \
        DENSE_REQUIRE_HANDLE(handle);                                                             \
        DENSE_REQUIRE(info &&executed_sweeps);                                                    \
        *executed_sweeps = 1;                                                                     \
        return CUSOLVER_STATUS_SUCCESS;                                                           \
    }

SETTINGS(Syevj, syevj)
SETTINGS(Gesvdj, gesvdj)
