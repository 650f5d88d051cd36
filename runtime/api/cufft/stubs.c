/* SPDX-License-Identifier: MIT */
/* The STUB rows of cufft.def: they look at no argument, and one shape fits all. */
#include "runtime/api/library/library.h"

#define NOT_SUPPORTED 16 /* CUFFT_NOT_SUPPORTED; the header declares these otherwise */

#define STUB(name)                                         \
    __attribute__((visibility("default"))) int name(void); \
    int name(void)                                         \
    {                                                      \
        static bool said;                                  \
        library_unsupported(#name, &said);                 \
        return NOT_SUPPORTED;                              \
    }
#include "runtime/api/cufft/cufft.def"
