/* SPDX-License-Identifier: MIT */
/* cuSPARSE: nothing of it is supported yet. cusparseStatus_t: 10 is CUSPARSE_STATUS_NOT_SUPPORTED.
 */
#include "runtime/api/library/stub.h"

enum { NOT_SUPPORTED = 10 };

#define STUB(name) LIBRARY_STUB(name, NOT_SUPPORTED)
#include "runtime/api/cusparse/cusparse.def"

LIBRARY_EXPORT const char *cusparseGetErrorName(int status);
LIBRARY_EXPORT const char *cusparseGetErrorString(int status);

const char *cusparseGetErrorName(int status)
{
    return status == NOT_SUPPORTED ? "CUSPARSE_STATUS_NOT_SUPPORTED"
           : status == 0           ? "CUSPARSE_STATUS_SUCCESS"
                                   : "CUSPARSE_STATUS_UNKNOWN";
}

const char *cusparseGetErrorString(int status)
{
    return status == NOT_SUPPORTED ? "operation not supported"
           : status == 0           ? "success"
                                   : "unknown error";
}
