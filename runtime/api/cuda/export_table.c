/* SPDX-License-Identifier: MIT */
/* cuGetExportTable: tables of NVIDIA's own libraries (its runtime, its profilers). They are private
 * and not documented, so there is none; a program that asks contains NVIDIA's static runtime. One
 * table is ours, for our runtime. */
#include "runtime/api/cuda/api.h"

#include <dlfcn.h>
#include <string.h>

#include "include/vtegra/note_table.h"

static void note_refused(int error, const char *name, const char *why)
{
    rt_reported((CUresult)error, name, why);
}

static const struct vtegra_note_table notes = {
    .size = sizeof(notes),
    .refused = note_refused,
    .missing = rt_reported_missing,
    .own_code = rt_own_code,
};

/* The library of NVIDIA's whose code lies at @pc, NULL if it is another's. Each has a static
 * runtime of its own, so it asks for tables at its first call. */
static const char *library_at(const void *pc)
{
    static const char *const prefixes[] = { "libcublas",   "libcudnn",    "libcufft",   "libcurand",
                                            "libcusolver", "libcusparse", "libnvinfer", "libnpp",
                                            "libnvjpeg",   "libnccl" };
    Dl_info info;
    const char *name;

    if (!dladdr(pc, &info) || !info.dli_fname) {
        return NULL;
    }
    name = strrchr(info.dli_fname, '/') ? strrchr(info.dli_fname, '/') + 1 : info.dli_fname;
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) {
            return name;
        }
    }
    return NULL;
}

CUresult cuGetExportTable(const void **ppExportTable, const CUuuid *pExportTableId)
{
    static const CUuuid ours = VTEGRA_NOTE_TABLE_ID;
    const char *library = library_at(__builtin_return_address(0));

    if (!ppExportTable || !pExportTableId) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (memcmp(pExportTableId, &ours, sizeof(ours)) == 0) {
        *ppExportTable = &notes;
        return CUDA_SUCCESS;
    }
    if (library) {
        rt_machine_code_only(library);
    } else {
        rt_unsupported("cuGetExportTable");
    }
    *ppExportTable = NULL;
    return CUDA_ERROR_NOT_FOUND;
}
