/* SPDX-License-Identifier: MIT */
/* The FORWARD and STUB rows of curand.def as functions. */
#include "runtime/api/curand/rand.h"

#define FORWARD(name, parameters, ...) \
    curandStatus_t name parameters     \
    {                                  \
        return __VA_ARGS__;            \
    }
#include "runtime/api/curand/curand.def"
