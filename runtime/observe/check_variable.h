/* SPDX-License-Identifier: MIT */
/* Names of the variables in the shared memory of kernels, for findings inside kernels. */
#ifndef RUNTIME_OBSERVE_CHECK_VARIABLE_H
#define RUNTIME_OBSERVE_CHECK_VARIABLE_H

#include "runtime/observe/check.h"

/* @kernel, @code: as in struct check_kernel; @bytes: from @offset on of the shared memory of a
 * block */
struct check_variable {
    uint64_t code;
    const char *kernel, *name;
    uint64_t offset, bytes;
};

/* Before the first launch of its kernel */
void check_variable(struct check *c, const struct check_variable *v);

#endif
