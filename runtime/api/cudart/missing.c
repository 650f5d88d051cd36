/* SPDX-License-Identifier: MIT */
/*
 * Functions of libcudart.so.13 that this library does not have yet: each says its name once and
 * answers cudaErrorNotSupported. Their arguments are not looked at, so one shape fits all.
 */
#include <stdbool.h>

int rt_missing(const char *name, bool *said);

#define FUNCTION(name)                                     \
    __attribute__((visibility("default"))) int name(void); \
    int name(void)                                         \
    {                                                      \
        static bool said;                                  \
        return rt_missing(#name, &said);                   \
    }
#define FUNCTION_ONE(name) FUNCTION(name)
#define FUNCTION_PTDS(name) FUNCTION(name) FUNCTION(name##_ptds)
#define FUNCTION_PTSZ(name) FUNCTION(name) FUNCTION(name##_ptsz)

#define STUB(name, streams) FUNCTION_##streams(name)
#include "runtime/api/cudart/cudart.def"
