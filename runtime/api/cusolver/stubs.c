/* SPDX-License-Identifier: MIT */
/* The STUB rows of cusolver.def. cusolverStatus_t: 9 is CUSOLVER_STATUS_NOT_SUPPORTED. */
#include "runtime/api/library/stub.h"

#define STUB(name) LIBRARY_STUB(name, 9)
#include "runtime/api/cusolver/cusolver.def"
