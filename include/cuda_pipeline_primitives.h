/* SPDX-License-Identifier: MIT */
/* The functions of cuda_pipeline.h without its class. */
#if defined(__NVCC__) || defined(__CUDA_INTERNAL_COMPILATION__)
#include_next <cuda_pipeline_primitives.h>
#else
#include "cuda_pipeline.h"
#endif
