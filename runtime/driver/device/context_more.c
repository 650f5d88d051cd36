/* SPDX-License-Identifier: MIT */
/* What a context says of itself: flags, limits, preferences. */
#include "runtime/driver/core/core.h"
#include "runtime/driver/device/context_internal.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/device/rt_context.h"
#include "runtime/driver/module/module.h"
#include "runtime/driver/stream/capture.h"

/* Any context by handle, or the current one: entered, and no more than that. */
static CUresult context_more_enter(CUcontext handle, struct context **c)
{
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    *c = core_context(handle, &error);
    return error ? core_leave(error) : CUDA_SUCCESS;
}

CUresult rt_ctx_device(CUdevice *device, CUcontext context)
{
    struct context *c;
    CUresult error = core_state();

    if (!error) {
        error = device ? context_more_enter(context, &c) : CUDA_ERROR_INVALID_VALUE;
    }
    if (error) {
        return error;
    }
    *device = device_ordinal(c->device);
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_ctx_flags(unsigned *flags)
{
    struct context *c;
    CUresult error = context_more_enter(NULL, &c);

    if (error) {
        return error;
    }
    if (!flags) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *flags = c->flags | CU_CTX_MAP_HOST; /* always so since CUDA 11 */
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_ctx_set_flags(unsigned flags)
{
    struct context *c;
    CUresult error = context_more_enter(NULL, &c);

    if (error) {
        return error;
    }
    if (flags & ~(unsigned)CU_CTX_FLAGS_MASK) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    c->flags = flags;
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_ctx_id(CUcontext context, unsigned long long *id)
{
    struct context *c;
    CUresult error = context_more_enter(context, &c);

    if (error) {
        return error;
    }
    if (!id) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *id = c->id;
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_ctx_api_version(CUcontext context, unsigned *version)
{
    struct context *c;
    CUresult error = context_more_enter(context, &c);

    if (error) {
        return error;
    }
    if (!version) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *version = 3020; /* since CUDA 4.0 always this (CUDA Driver API, cuCtxGetApiVersion) */
    return core_leave(CUDA_SUCCESS);
}

/* Which limits exist follows the compute capability (CUDA Driver API, cuCtxSetLimit). */
static CUresult limit_check(const struct context *c, CUlimit limit)
{
    if ((unsigned)limit >= CU_LIMIT_MAX) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    switch (limit) {
    case CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH: /* not beyond compute capability 9.0 */
        return device_profile(c->device)->gpu.cc_major >= 9 ? CUDA_ERROR_UNSUPPORTED_LIMIT
                                                            : CUDA_SUCCESS;
    case CU_LIMIT_PERSISTING_L2_CACHE_SIZE:
        return device_profile(c->device)->gpu.l2_persisting_max_bytes
                   ? CUDA_SUCCESS
                   : CUDA_ERROR_UNSUPPORTED_LIMIT;
    case CU_LIMIT_SHMEM_SIZE:
    case CU_LIMIT_CIG_ENABLED:
    case CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED:
        return CUDA_ERROR_UNSUPPORTED_LIMIT;
    default:
        return CUDA_SUCCESS;
    }
}

CUresult rt_ctx_set_limit(CUlimit limit, size_t value)
{
    struct context *c;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    error = limit_check(c, limit);
    error = error ? error : capture_unsafe();
    if (error) {
        return core_leave(error);
    }
    switch (limit) {
    case CU_LIMIT_STACK_SIZE:
        if (value > device_profile(c->device)->gpu.local_bytes_max) {
            return core_leave(CUDA_ERROR_INVALID_VALUE);
        }
        break;
    case CU_LIMIT_PERSISTING_L2_CACHE_SIZE:
        value = MIN(value, device_profile(c->device)->gpu.l2_persisting_max_bytes);
        break;
    case CU_LIMIT_MAX_L2_FETCH_GRANULARITY:
        if (value > 128) {
            return core_leave(CUDA_ERROR_INVALID_VALUE);
        }
        break;
    case CU_LIMIT_MALLOC_HEAP_SIZE: /* fixed once a module that allocates is loaded */
        if (module_heap(c)) {
            return core_leave(CUDA_ERROR_INVALID_VALUE);
        }
        value = CLAMP(value, 4096, (size_t)1 << 32);
        break;
    case CU_LIMIT_PRINTF_FIFO_SIZE: /* the ring exists once a module that prints is loaded */
        if (module_prints(c)) {
            return core_leave(CUDA_ERROR_INVALID_VALUE);
        }
        value = CLAMP(value, 4096, 64u << 20);
        break;
    default:
        break;
    }
    c->limit[limit] = value;
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_ctx_get_limit(size_t *value, CUlimit limit)
{
    struct context *c;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    error = value ? limit_check(c, limit) : CUDA_ERROR_INVALID_VALUE;
    if (!error) {
        *value = c->limit[limit];
    }
    return core_leave(error);
}

CUresult rt_ctx_cache_config(CUfunc_cache *config)
{
    struct context *c;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    if (!config) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *config = c->cache_config;
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_ctx_set_cache_config(CUfunc_cache config)
{
    struct context *c;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    if ((unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    error = capture_unsafe();
    if (!error) {
        c->cache_config = config;
    }
    return core_leave(error);
}

CUresult rt_ctx_shared_config(CUsharedconfig *config)
{
    struct context *c;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    if (!config) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE; /* all there is since Maxwell */
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_ctx_set_shared_config(CUsharedconfig config)
{
    struct context *c;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    return core_leave((unsigned)config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE
                          ? CUDA_ERROR_INVALID_VALUE
                          : CUDA_SUCCESS);
}

CUresult rt_ctx_stream_priority_range(int *least, int *greatest)
{
    struct context *c;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    if (least) {
        *least = 0;
    }
    if (greatest) { /* measured on GPUs of these generations: 0 to -5 */
        *greatest = device_profile(c->device)->gpu.stream_priorities ? -5 : 0;
    }
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_ctx_reset_persisting_l2(void)
{
    struct context *c;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    return core_leave(device_profile(c->device)->gpu.l2_persisting_max_bytes
                          ? CUDA_SUCCESS
                          : CUDA_ERROR_NOT_SUPPORTED);
}
