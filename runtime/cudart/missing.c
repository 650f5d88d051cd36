/* SPDX-License-Identifier: MIT */
/*
 * Functions of libcudart.so.13 that this library does not have yet: each says its name once and
 * answers cudaErrorNotSupported. Their arguments are not looked at, so one shape fits all.
 */
#include <stdbool.h>

int rt_missing(const char *name, bool *said);

#define ENTRY(name)
#define MISSING(name)                                      \
    __attribute__((visibility("default"))) int name(void); \
    int name(void)                                         \
    {                                                      \
        static bool said;                                  \
        return rt_missing(#name, &said);                   \
    }
#include "runtime/cudart/cudart.def"
