/* SPDX-License-Identifier: MIT */
/* cuGetExportTable: tables of NVIDIA's own libraries (its runtime, its profilers). They are private
 * and not documented, so there is none; a program that asks contains NVIDIA's static runtime. One
 * table is ours, for our runtime. */
#include "runtime/cuda/api.h"

#include <string.h>

#include "include/vtegra/note_table.h"

static void note_refused(int error, const char *name, const char *why)
{
    rt_told((CUresult)error, name, why);
}

static const struct vtegra_note_table notes = {
    .size = sizeof(notes),
    .refused = note_refused,
    .missing = rt_told_missing,
};

CUresult cuGetExportTable(const void **ppExportTable, const CUuuid *pExportTableId)
{
    static const CUuuid ours = VTEGRA_NOTE_TABLE_ID;

    if (!ppExportTable || !pExportTableId) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (memcmp(pExportTableId, &ours, sizeof(ours)) == 0) {
        *ppExportTable = &notes;
        return CUDA_SUCCESS;
    }
    rt_unsupported("cuGetExportTable");
    *ppExportTable = NULL;
    return CUDA_ERROR_NOT_FOUND;
}
