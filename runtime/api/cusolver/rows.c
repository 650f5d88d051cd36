/* SPDX-License-Identifier: MIT */
/* The FORWARD rows of cusolver.def as functions. */
#include "runtime/api/cusolver/dense.h"
#include "runtime/api/cusolver/sp.h"

/* Parameters of a system, by the names that NVIDIA gives them. */
#define SYSTEM(T, rows)                       \
    ((struct dense_system){ .h = handle,      \
                            .name = __func__, \
                            .type = (T),      \
                            .m = (rows),      \
                            .n = n,           \
                            .columns = nrhs,  \
                            .a = dA,          \
                            .lda = ldda,      \
                            .b = dB,          \
                            .ldb = lddb,      \
                            .x = dX,          \
                            .ldx = lddx })

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define FORWARD(name, parameters, ...) \
    cusolverStatus_t name parameters   \
    {                                  \
        return __VA_ARGS__;            \
    }
#include "runtime/api/cusolver/cusolver.def"
