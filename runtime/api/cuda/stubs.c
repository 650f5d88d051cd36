/* SPDX-License-Identifier: MIT */
/* One function for every STUB of cuda.def. They take no arguments: the caller's are his own to
 * clean up in the calling conventions of x86-64 and AArch64, and nothing looks at them. */
#include "runtime/api/cuda/stub.h"

#define FUNCTION(name)           \
    int name(void);              \
    int name(void)               \
    {                            \
        return cuda_stub(#name); \
    }
#define FUNCTION_ONE(name) FUNCTION(name)
#define FUNCTION_PTDS(name) FUNCTION(name) FUNCTION(name##_ptds)
#define FUNCTION_PTSZ(name) FUNCTION(name) FUNCTION(name##_ptsz)

#define STUB(name, since, streams) FUNCTION_##streams(name)
#include "runtime/api/cuda/cuda.def"
