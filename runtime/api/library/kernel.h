/* SPDX-License-Identifier: MIT */
/* The kernels of a handle, one a function's name, made when it is called first. */
#ifndef RUNTIME_API_LIBRARY_KERNEL_H
#define RUNTIME_API_LIBRARY_KERNEL_H

#include "runtime/api/library/library.h"

/* The handle's context is current. */
void library_kernels_free(struct library_handle *h);

#endif
