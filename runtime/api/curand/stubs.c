/* SPDX-License-Identifier: MIT */
/* The STUB rows of curand.def: they look at no argument, and one shape fits all. */
#include "runtime/api/library/library.h"

#define ARCH_MISMATCH 204 /* CURAND_STATUS_ARCH_MISMATCH; the header declares these otherwise */

#define STUB(name)                                         \
    __attribute__((visibility("default"))) int name(void); \
    int name(void)                                         \
    {                                                      \
        static bool said;                                  \
        library_unsupported(#name, &said);                 \
        return ARCH_MISMATCH;                              \
    }
#include "runtime/api/curand/curand.def"
