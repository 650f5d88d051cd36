/* SPDX-License-Identifier: MIT */
/* cuSOLVER, "cuSolverSP Helper Function Reference", info structures, and what its functions share.
 */
#include <stdlib.h>

#include "runtime/api/cusolver/sp.h"

bool sp_live(cusolverSpHandle_t h)
{
    return library_live(h, LIBRARY_KIND_CUSOLVER_SP);
}

cusolverStatus_t sp_status(CUresult e)
{
    return e == CUDA_SUCCESS               ? CUSOLVER_STATUS_SUCCESS
           : e == CUDA_ERROR_OUT_OF_MEMORY ? CUSOLVER_STATUS_ALLOC_FAILED
                                           : CUSOLVER_STATUS_EXECUTION_FAILED;
}

cusolverStatus_t cusolverSpCreate(cusolverSpHandle_t *handle)
{
    struct library_handle *h;
    CUresult e;

    SP_REQUIRE(handle);
    e = library_open(LIBRARY_KIND_CUSOLVER_SP, sizeof(struct cusolverSpContext), &h);
    if (e != CUDA_SUCCESS) {
        return e == CUDA_ERROR_OUT_OF_MEMORY ? CUSOLVER_STATUS_ALLOC_FAILED
                                             : CUSOLVER_STATUS_NOT_INITIALIZED;
    }
    *handle = (struct cusolverSpContext *)(void *)h;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverSpDestroy(cusolverSpHandle_t handle)
{
    SP_REQUIRE_HANDLE(handle);
    library_close(&handle->handle);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverSpSetStream(cusolverSpHandle_t handle, cudaStream_t streamId)
{
    SP_REQUIRE_HANDLE(handle);
    handle->handle.stream = streamId;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverSpGetStream(cusolverSpHandle_t handle, cudaStream_t *streamId)
{
    SP_REQUIRE_HANDLE(handle);
    SP_REQUIRE(streamId);
    *streamId = handle->handle.stream;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t sp_matrix_check(cusolverSpHandle_t h, const struct sp_matrix *a)
{
    SP_REQUIRE_HANDLE(h);
    SP_REQUIRE(a->m > 0 && a->n > 0 && a->count >= 0);
    if (!a->descr || a->descr->type != CUSPARSE_MATRIX_TYPE_GENERAL) {
        return CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
    }
    SP_REQUIRE(a->begin && a->column);
    return CUSOLVER_STATUS_SUCCESS;
}

struct number sp_get(const void *from, uint32_t type, size_t i)
{
    switch (type) {
    case CUDA_R_32F:
        return (struct number){ ((const float *)from)[i], 0 };
    case CUDA_R_64F:
        return (struct number){ ((const double *)from)[i], 0 };
    case CUDA_C_32F:
        return (struct number){ ((const float *)from)[2 * i], ((const float *)from)[2 * i + 1] };
    default:
        return (struct number){ ((const double *)from)[2 * i], ((const double *)from)[2 * i + 1] };
    }
}

void sp_put(void *to, uint32_t type, size_t i, struct number v)
{
    switch (type) {
    case CUDA_R_32F:
        ((float *)to)[i] = (float)v.re;
        break;
    case CUDA_R_64F:
        ((double *)to)[i] = v.re;
        break;
    case CUDA_C_32F:
        ((float *)to)[2 * i] = (float)v.re;
        ((float *)to)[2 * i + 1] = (float)v.im;
        break;
    default:
        ((double *)to)[2 * i] = v.re;
        ((double *)to)[2 * i + 1] = v.im;
        break;
    }
}

size_t sp_type_bytes(uint32_t type)
{
    return type == CUDA_R_32F ? 4 : type == CUDA_C_64F ? 16 : 8;
}

uint32_t sp_type_real(uint32_t type)
{
    return type == CUDA_C_32F ? CUDA_R_32F : type == CUDA_C_64F ? CUDA_R_64F : type;
}

/* --- info structures --- */

static void host_free(struct sp_host *h)
{
    direct_matrix_free(&h->a);
    direct_factors_free(&h->factors);
}

void sp_device_free(struct sp_device *d)
{
    CUcontext context;

    if (!d->begin || library_driver.cuCtxPushCurrent(d->context) != CUDA_SUCCESS) {
        return;
    }
    library_driver.cuCtxSynchronize(); /* a solve may read them */
    library_driver.cuMemFree(d->begin);
    library_driver.cuMemFree(d->column);
    library_driver.cuMemFree(d->value);
    library_driver.cuMemFree(d->diagonal);
    library_driver.cuCtxPopCurrent(&context);
    d->begin = d->column = d->value = d->diagonal = 0;
}

#define INFO(Name, structure, member, free_it)                                 \
    cusolverStatus_t cusolverSpCreate##Name(struct structure **info)           \
    {                                                                          \
        SP_REQUIRE(info);                                                      \
        *info = calloc(1, sizeof(**info));                                     \
        return *info ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED; \
    }                                                                          \
    cusolverStatus_t cusolverSpDestroy##Name(struct structure *info)           \
    {                                                                          \
        if (info) {                                                            \
            free_it(&info->member);                                            \
            free(info);                                                        \
        }                                                                      \
        return CUSOLVER_STATUS_SUCCESS;                                        \
    }

INFO(CsrluInfoHost, csrluInfoHost, host, host_free)
INFO(CsrqrInfoHost, csrqrInfoHost, host, host_free)
INFO(CsrcholInfoHost, csrcholInfoHost, host, host_free)
INFO(CsrqrInfo, csrqrInfo, device, sp_device_free)
INFO(CsrcholInfo, csrcholInfo, device, sp_device_free)
