/* SPDX-License-Identifier: MIT */
/* The parameters of a launch, in either form, as one block. */
#include <string.h>

#include "runtime/driver/core/report.h"
#include "runtime/driver/module/module_internal.h"

/* The packed form: pairs of key and value that end with CU_LAUNCH_PARAM_END. */
static CUresult params_packed(const struct ptx_func *func, void **extra, uint8_t *to)
{
    const void *buffer = NULL;
    const size_t *given = NULL;
    size_t size;

    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) {
            buffer = extra[1];
        } else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) {
            given = extra[1];
        } else {
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    if (!given || (!buffer && func->param_bytes)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    size = *given;
    if (size > func->param_bytes) { /* measured */
        return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    }
    if (size < func->param_bytes) { /* measured: taken; what is missing is anything, here 0 */
        report_finding(&check_rules[CHECK_RULE_SHORT_PARAMETERS], 0, 0, 0, NULL,
                       "%s is given %zu bytes of parameters and has %" G_GUINT64_FORMAT, func->name,
                       size, func->param_bytes);
    }
    if (size) {
        memcpy(to, buffer, size);
    }
    return CUDA_SUCCESS;
}

/* One pointer a parameter. NULL pointers are caught; wild ones are the application's crash, as on a
 * board. */
CUresult launch_params(const struct ptx_func *func, void **params, void **extra, uint8_t *to)
{
    if (params && extra) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (extra) {
        return params_packed(func, extra, to);
    }
    if (!params && func->n_params) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (uint32_t i = 0; i < func->n_params; i++) {
        if (!params[i]) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        memcpy(to + func->params[i]->offset, params[i], func->params[i]->size);
    }
    return CUDA_SUCCESS;
}
