/* SPDX-License-Identifier: MIT */
/* The STUB rows of cusparse.def. cusparseStatus_t: 10 is CUSPARSE_STATUS_NOT_SUPPORTED. */
#include "runtime/api/library/stub.h"

#define STUB(name) LIBRARY_STUB(name, 10)
#include "runtime/api/cusparse/cusparse.def"
