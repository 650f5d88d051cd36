/* SPDX-License-Identifier: MIT */
/* cuSPARSE, incomplete factors without fill-in: csrilu02 and csric02. */
#include <stdlib.h>

#include "runtime/api/cusparse/sparse.h"

static cusparseStatus_t factor_new(void **info)
{
    SPARSE_REQUIRE(info);
    *info = calloc(1, sizeof(struct sparse_factor));
    return *info ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

/* The device memory of a handle that is destroyed goes with its context. */
static cusparseStatus_t factor_free(struct sparse_factor *f)
{
    if (f && f->position && library_live(f->owner, LIBRARY_KIND_CUSPARSE) &&
        library_enter(f->owner) == CUDA_SUCCESS) {
        library_driver.cuMemFree(f->position);
        library_leave();
    }
    free(f);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateCsrilu02Info(csrilu02Info_t *info)
{
    return factor_new((void **)info);
}

cusparseStatus_t cusparseDestroyCsrilu02Info(csrilu02Info_t info)
{
    return factor_free((struct sparse_factor *)info);
}

cusparseStatus_t cusparseCreateCsric02Info(csric02Info_t *info)
{
    return factor_new((void **)info);
}

cusparseStatus_t cusparseDestroyCsric02Info(csric02Info_t info)
{
    return factor_free((struct sparse_factor *)info);
}

cusparseStatus_t factor_size(cusparseHandle_t h, const void *info, int n, int count, int *bytes)
{
    SPARSE_REQUIRE_HANDLE(h);
    SPARSE_REQUIRE(info && n >= 0 && count >= 0 && bytes);
    *bytes = (int)SPARSE_BUFFER;
    return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t factor_check(cusparseHandle_t h, const struct sparse_csr *a,
                                     const struct sparse_factor *f)
{
    SPARSE_REQUIRE_HANDLE(h);
    SPARSE_REQUIRE(a->n >= 0 && a->count >= 0 && a->descr && f);
    return a->descr->type == CUSPARSE_MATRIX_TYPE_GENERAL
               ? CUSPARSE_STATUS_SUCCESS
               : CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
}

static struct library_call factor_call(uint32_t op, const struct sparse_csr *a)
{
    struct library_call c = library_call_of(op, a->type);

    c.n[0] = c.n[1] = a->n;
    c.n[2] = a->count;
    c.n[7] = a->descr->base;
    c.operand[0] = sparse_array(a->offsets, a->n + 1, LIBRARY_R_32I);
    c.operand[1] = sparse_array(a->indices, a->count, LIBRARY_R_32I);
    return c;
}

static struct library_operand position_of(const struct sparse_factor *f)
{
    return sparse_array((const void *)(uintptr_t)f->position, 1, LIBRARY_R_32I);
}

/* Finds rows without a diagonal; only then is there a place for the first zero pivot. */
cusparseStatus_t factor_analysis(cusparseHandle_t h, const char *name, struct sparse_csr a,
                                 void *info, const void *buffer)
{
    struct sparse_factor *f = info;
    struct library_call c;
    cusparseStatus_t s = factor_check(h, &a, f);
    CUresult e = CUDA_SUCCESS;

    (void)buffer;
    if (s != CUSPARSE_STATUS_SUCCESS || a.n == 0) {
        return s;
    }
    if (!f->position) {
        e = library_enter(&h->handle);
        if (e == CUDA_SUCCESS) {
            e = library_driver.cuMemAlloc(&f->position, sizeof(int));
            library_leave();
        }
        f->owner = &h->handle;
    }
    if (e != CUDA_SUCCESS) {
        return sparse_status(e);
    }
    c = factor_call(LIBRARY_DIAGONAL, &a);
    c.operand[2] = position_of(f);
    return sparse_launch(h, name, &c);
}

cusparseStatus_t factor_run(cusparseHandle_t h, const char *name, struct sparse_csr a, void *values,
                            bool cholesky, void *info, const void *buffer)
{
    struct sparse_factor *f = info;
    struct library_call c;
    cusparseStatus_t s = factor_check(h, &a, f);

    (void)buffer;
    if (s != CUSPARSE_STATUS_SUCCESS || a.n == 0) {
        return s;
    }
    SPARSE_REQUIRE(f->position);
    c = factor_call(LIBRARY_ILU0, &a);
    c.mode[2] = cholesky;
    c.operand[2] = sparse_array(values, a.count, a.type);
    c.operand[3] = position_of(f);
    return sparse_launch(h, name, &c);
}

/* Waits for the stream. */
static cusparseStatus_t factor_position(cusparseHandle_t h, const struct sparse_factor *f,
                                        int *position)
{
    int first = -1;
    CUresult e;

    SPARSE_REQUIRE_HANDLE(h);
    SPARSE_REQUIRE(f && position);
    e = library_enter(&h->handle);
    if (e != CUDA_SUCCESS) {
        return sparse_status(e);
    }
    if (f->position) {
        e = library_driver.cuMemcpyDtoHAsync(&first, f->position, sizeof(first), h->handle.stream);
        e = e ? e : library_driver.cuStreamSynchronize(h->handle.stream);
    }
    if (e == CUDA_SUCCESS && h->pointers == CUSPARSE_POINTER_MODE_DEVICE) {
        e = library_driver.cuMemcpyHtoD((CUdeviceptr)(uintptr_t)position, &first, sizeof(first));
    } else if (e == CUDA_SUCCESS) {
        *position = first;
    }
    library_leave();
    return e ? sparse_status(e) : first < 0 ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT;
}

cusparseStatus_t cusparseXcsrilu02_zeroPivot(cusparseHandle_t handle, csrilu02Info_t info,
                                             int *position)
{
    return factor_position(handle, (const struct sparse_factor *)info, position);
}

cusparseStatus_t cusparseXcsric02_zeroPivot(cusparseHandle_t handle, csric02Info_t info,
                                            int *position)
{
    return factor_position(handle, (const struct sparse_factor *)info, position);
}
