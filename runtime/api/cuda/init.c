/* SPDX-License-Identifier: MIT */
/* Initialisation and version. */
#include "runtime/api/cuda/api.h"

/* Needs no cuInit. */
CUresult cuDriverGetVersion(int *driverVersion)
{
    if (!driverVersion) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *driverVersion = RT_DRIVER_VERSION;
    return CUDA_SUCCESS;
}
