/* SPDX-License-Identifier: MIT */
/* Error handling. */
#include "runtime/api/cuda/api.h"

struct error_text {
    CUresult code;
    const char *name, *text;
};

static const struct error_text errors[] = {
#define ERROR(code, text) { code, #code, text },
#include "runtime/api/cuda/errors.def"
#undef ERROR
};

static const struct error_text *error_find(CUresult code)
{
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        if (errors[i].code == code) {
            return &errors[i];
        }
    }
    return NULL;
}

CUresult cuGetErrorName(CUresult error, const char **pStr)
{
    const struct error_text *found = error_find(error);

    if (!pStr) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *pStr = found ? found->name : NULL;
    return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **pStr)
{
    const struct error_text *found = error_find(error);

    if (!pStr) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *pStr = found ? found->text : NULL;
    return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
