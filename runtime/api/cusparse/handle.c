/* SPDX-License-Identifier: MIT */
/* cuSPARSE, "Management Functions", "Logging" and matrix descriptors of the first API. */
#include <stdlib.h>

#include "runtime/api/cusparse/sparse.h"

bool sparse_live(cusparseHandle_t h)
{
    return library_live(h, LIBRARY_KIND_CUSPARSE);
}

cusparseStatus_t sparse_status(CUresult e)
{
    return e == CUDA_SUCCESS               ? CUSPARSE_STATUS_SUCCESS
           : e == CUDA_ERROR_OUT_OF_MEMORY ? CUSPARSE_STATUS_ALLOC_FAILED
                                           : CUSPARSE_STATUS_EXECUTION_FAILED;
}

cusparseStatus_t sparse_launch(cusparseHandle_t h, const char *name, const struct library_call *c)
{
    return sparse_status(library_launch(&h->handle, name, c));
}

void sparse_scalar(cusparseHandle_t h, struct library_call *c, unsigned i, const void *value,
                   cudaDataType type)
{
    library_scalar_set(&c->scalar[i], value, type, h->pointers == CUSPARSE_POINTER_MODE_DEVICE);
}

cusparseStatus_t cusparseCreate(cusparseHandle_t *handle)
{
    struct library_handle *h;
    CUresult e;

    SPARSE_REQUIRE(handle);
    e = library_open(LIBRARY_KIND_CUSPARSE, sizeof(struct cusparseContext), &h);
    if (e != CUDA_SUCCESS) {
        return e == CUDA_ERROR_OUT_OF_MEMORY ? CUSPARSE_STATUS_ALLOC_FAILED
                                             : CUSPARSE_STATUS_NOT_INITIALIZED;
    }
    *handle = (struct cusparseContext *)(void *)h;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDestroy(cusparseHandle_t handle)
{
    if (!handle) {
        return CUSPARSE_STATUS_SUCCESS;
    }
    SPARSE_REQUIRE_HANDLE(handle);
    library_close(&handle->handle);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int *version)
{
    SPARSE_REQUIRE_HANDLE(handle);
    SPARSE_REQUIRE(version);
    *version = CUSPARSE_VERSION;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int *value)
{
    static const int parts[] = { CUSPARSE_VER_MAJOR, CUSPARSE_VER_MINOR, CUSPARSE_VER_PATCH };

    SPARSE_REQUIRE(value && (unsigned)type <= PATCH_LEVEL);
    *value = parts[type];
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t streamId)
{
    SPARSE_REQUIRE_HANDLE(handle);
    handle->handle.stream = streamId;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t *streamId)
{
    SPARSE_REQUIRE_HANDLE(handle);
    SPARSE_REQUIRE(streamId);
    *streamId = handle->handle.stream;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t *mode)
{
    SPARSE_REQUIRE_HANDLE(handle);
    SPARSE_REQUIRE(mode);
    *mode = handle->pointers;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode)
{
    SPARSE_REQUIRE_HANDLE(handle);
    SPARSE_REQUIRE((unsigned)mode <= CUSPARSE_POINTER_MODE_DEVICE);
    handle->pointers = mode;
    return CUSPARSE_STATUS_SUCCESS;
}

#define STATUS(name, text) { CUSPARSE_STATUS_##name, "CUSPARSE_STATUS_" #name, text }
static const struct {
    cusparseStatus_t status;
    const char *name, *text;
} statuses[] = {
    STATUS(SUCCESS, "success"),
    STATUS(NOT_INITIALIZED, "initialization error"),
    STATUS(ALLOC_FAILED, "out of memory"),
    STATUS(INVALID_VALUE, "invalid value"),
    STATUS(ARCH_MISMATCH, "device architecture mismatch"),
    STATUS(MAPPING_ERROR, "texture mapping error"),
    STATUS(EXECUTION_FAILED, "kernel launch failure"),
    STATUS(INTERNAL_ERROR, "internal error"),
    STATUS(MATRIX_TYPE_NOT_SUPPORTED, "matrix type not supported"),
    STATUS(ZERO_PIVOT, "zero pivot"),
    STATUS(NOT_SUPPORTED, "operation not supported"),
    STATUS(INSUFFICIENT_RESOURCES, "insufficient resources"),
};

const char *cusparseGetErrorName(cusparseStatus_t status)
{
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        if (statuses[i].status == status) {
            return statuses[i].name;
        }
    }
    return "unrecognized error code";
}

const char *cusparseGetErrorString(cusparseStatus_t status)
{
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        if (statuses[i].status == status) {
            return statuses[i].text;
        }
    }
    return "unrecognized error code";
}

/* --- nothing is logged: the report has the calls --- */

cusparseStatus_t cusparseLoggerSetCallback(cusparseLoggerCallback_t callback)
{
    (void)callback;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseLoggerSetFile(FILE *file)
{
    (void)file;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseLoggerOpenFile(const char *logFile)
{
    (void)logFile;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseLoggerSetLevel(int level)
{
    SPARSE_REQUIRE(level >= 0);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseLoggerSetMask(int mask)
{
    SPARSE_REQUIRE(mask >= 0);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseLoggerForceDisable(void)
{
    return CUSPARSE_STATUS_SUCCESS;
}

/* --- matrix descriptors --- */

cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *descrA)
{
    SPARSE_REQUIRE(descrA);
    *descrA = calloc(1, sizeof(**descrA));
    return *descrA ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descrA)
{
    free(descrA);
    return CUSPARSE_STATUS_SUCCESS;
}

#define SETTING(what, type, field, last)                                     \
    cusparseStatus_t cusparseSetMat##what(cusparseMatDescr_t descrA, type v) \
    {                                                                        \
        if (!descrA) {                                                       \
            return CUSPARSE_STATUS_NOT_INITIALIZED;                          \
        }                                                                    \
        SPARSE_REQUIRE((unsigned)v <= (last));                               \
        descrA->field = v;                                                   \
        return CUSPARSE_STATUS_SUCCESS;                                      \
    }                                                                        \
    type cusparseGetMat##what(const cusparseMatDescr_t descrA)               \
    {                                                                        \
        return descrA ? descrA->field : (type)0;                             \
    }

SETTING(Type, cusparseMatrixType_t, type, CUSPARSE_MATRIX_TYPE_TRIANGULAR)
SETTING(FillMode, cusparseFillMode_t, fill, CUSPARSE_FILL_MODE_UPPER)
SETTING(DiagType, cusparseDiagType_t, diagonal, CUSPARSE_DIAG_TYPE_UNIT)
SETTING(IndexBase, cusparseIndexBase_t, base, CUSPARSE_INDEX_BASE_ONE)
