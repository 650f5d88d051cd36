/* SPDX-License-Identifier: MIT */
/* cuGetExportTable: tables of NVIDIA's own libraries (its runtime, its profilers). They are private
 * and not documented, so there is none; a program that asks contains NVIDIA's static runtime. */
#include "runtime/cuda/api.h"

CUresult cuGetExportTable(const void **ppExportTable, const CUuuid *pExportTableId)
{
    if (!ppExportTable || !pExportTableId) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    rt_unsupported("cuGetExportTable");
    *ppExportTable = NULL;
    return CUDA_ERROR_NOT_FOUND;
}
