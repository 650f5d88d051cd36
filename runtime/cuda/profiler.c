/* SPDX-License-Identifier: MIT */
/* Profiler control: no profiler is attached, so starting and stopping one changes nothing. */
#include "runtime/cuda/api.h"

static CUresult profiler_needs_context(void)
{
    CUdevice device;

    return rt_ctx_device(&device, NULL);
}

/* Driver reference: since CUDA 12.0 always this code. */
CUresult cuProfilerInitialize(const char *configFile, const char *outputFile,
                              CUoutput_mode outputMode)
{
    (void)configFile;
    (void)outputFile;
    (void)outputMode;
    return api_fail(CUDA_ERROR_NOT_SUPPORTED);
}

CUresult cuProfilerStart(void)
{
    return profiler_needs_context();
}

CUresult cuProfilerStop(void)
{
    return profiler_needs_context();
}
