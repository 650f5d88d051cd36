/* SPDX-License-Identifier: MIT */
/* Profiler control: no profiler is attached, so starting and stopping one changes nothing. */
#include "runtime/api/cuda/api.h"

/* Driver reference: since CUDA 12.0 always this code. */
CUresult cuProfilerInitialize(const char *configFile, const char *outputFile,
                              CUoutput_mode outputMode)
{
    (void)configFile;
    (void)outputFile;
    (void)outputMode;
    return api_fail(CUDA_ERROR_NOT_SUPPORTED);
}
