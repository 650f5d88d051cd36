/* SPDX-License-Identifier: MIT */
/* The FORWARD rows of cufft.def as functions. */
#include "runtime/api/cufft/fft.h"

#define FORWARD(name, parameters, ...) \
    cufftResult name parameters        \
    {                                  \
        return __VA_ARGS__;            \
    }
#include "runtime/api/cufft/cufft.def"
