/* SPDX-License-Identifier: MIT */
/* CUDA Runtime API, Error Handling. */
#include "runtime/api/cudart/rt.h"

#include <stdio.h>

static _Thread_local cudaError_t last_error = cudaSuccess;

static const struct {
    cudaError_t code;
    const char *name, *text;
} errors[] = {
#define ERROR(code, text) { code, #code, text },
#include "runtime/api/cudart/errors.def"
#undef ERROR
};

/* A result that the runtime has no name for is passed on as it is: its text says so. */
cudaError_t rt_error(CUresult result)
{
    return (cudaError_t)result;
}

static _Thread_local struct {
    cudaError_t err;
    const char *why;
} reason;

cudaError_t rt_because(cudaError_t err, const char *why)
{
    reason.err = err;
    reason.why = why;
    return err;
}

cudaError_t rt_record(cudaError_t err)
{
    /* "not ready" answers a question; it is no fault (reference of cudaEventQuery,
     * cudaStreamQuery). */
    if (err != cudaSuccess && err != cudaErrorNotReady) {
        last_error = err;
        if (rt_notes) {
            rt_notes->refused((int)err, cudaGetErrorName(err),
                              reason.err == err ? reason.why : NULL);
        }
    }
    reason.why = NULL;
    return err;
}

cudaError_t rt_result(CUresult result)
{
    return rt_record(rt_error(result));
}

void rt_say_missing(const char *name, bool *said)
{
    if (!*said) {
        *said = true;
        fprintf(stderr, "vtegra: %s: not supported by vtegra\n", name); /* as libcuda says it */
    }
}

cudaError_t rt_missing(const char *name, bool *said)
{
    rt_say_missing(name, said);
    if (rt_notes) {
        rt_notes->missing(name);
    }
    return rt_record(cudaErrorNotSupported);
}

/* Without a driver both say so, whatever came before (measured, 13.0). */
cudaError_t cudaGetLastError(void)
{
    cudaError_t err = last_error;

    last_error = cudaSuccess;
    return rt_init() == cudaSuccess ? err : rt_init();
}

cudaError_t cudaPeekAtLastError(void)
{
    return rt_init() == cudaSuccess ? last_error : rt_init();
}

static const char unknown_code[] = "unrecognized error code";

const char *cudaGetErrorName(cudaError_t error)
{
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        if (errors[i].code == error) {
            return errors[i].name;
        }
    }
    return unknown_code;
}

const char *cudaGetErrorString(cudaError_t error)
{
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        if (errors[i].code == error) {
            return errors[i].text;
        }
    }
    return unknown_code;
}
