/* SPDX-License-Identifier: MIT */
#ifndef RUNTIME_CUDA_STUB_H
#define RUNTIME_CUDA_STUB_H

/* rt_unsupported() for files that must not see the prototypes of cuda.h; a CUresult. */
int cuda_stub(const char *api);

#endif
