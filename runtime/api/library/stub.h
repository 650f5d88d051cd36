/* SPDX-License-Identifier: MIT */
/* A STUB row as a function. It looks at no argument, so one shape fits all; its name may be one
 * that a header declares, so no header of the library is read where this is used. */
#ifndef RUNTIME_API_LIBRARY_STUB_H
#define RUNTIME_API_LIBRARY_STUB_H

#include "runtime/api/library/library.h"

#define LIBRARY_EXPORT __attribute__((visibility("default")))

#define LIBRARY_STUB(name, code)           \
    LIBRARY_EXPORT int name(void);         \
    int name(void)                         \
    {                                      \
        static bool said;                  \
        library_unsupported(#name, &said); \
        return (code);                     \
    }

#endif
