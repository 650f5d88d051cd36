/* SPDX-License-Identifier: MIT */
/* One function for every STUB of cuda.def. They take no arguments: the caller's are his own to
 * clean up in the calling conventions of x86-64 and AArch64, and nothing looks at them. */
#include "runtime/cuda/stub.h"

#define ENTRY(name, since)
#define STUB(name, since)        \
    int name(void);              \
    int name(void)               \
    {                            \
        return cuda_stub(#name); \
    }
#include "runtime/cuda/cuda.def"
