/* SPDX-License-Identifier: MIT */
/* Contexts: an address space, streams and modules; a stack of them per thread.
 * Rules: runtime/driver/driver.h. */
#ifndef RUNTIME_DRIVER_DEVICE_RT_CONTEXT_H
#define RUNTIME_DRIVER_DEVICE_RT_CONTEXT_H

#include "include/cuda.h"

/* The primary context of the device, counted. The first retain creates it. */
CUresult rt_primary_retain(CUcontext *context, CUdevice device);
CUresult rt_primary_release(CUdevice device); /* CUDA_ERROR_INVALID_CONTEXT if not retained */
CUresult rt_primary_set_flags(CUdevice device, unsigned flags);
CUresult rt_primary_state(CUdevice device, unsigned *flags, int *active);
/* Destroys what is in it, whoever holds it; clears a sticky error. Blocks. */
CUresult rt_primary_reset(CUdevice device);

/* @params may be NULL; execution affinity is CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY. The new context
 * is pushed on the calling thread's stack. */
CUresult rt_ctx_create(CUcontext *context, const CUctxCreateParams *params, unsigned flags,
                       CUdevice device);
/* Waits for its work, frees all it owns; handles of its objects become stale. A context current on
 * other threads stays on their stacks and answers CUDA_ERROR_CONTEXT_IS_DESTROYED. */
CUresult rt_ctx_destroy(CUcontext context);
CUresult rt_ctx_push(CUcontext context);
CUresult rt_ctx_pop(CUcontext *context); /* @context may be NULL */
CUresult rt_ctx_set(CUcontext context);  /* NULL pops */
CUresult rt_ctx_get(CUcontext *context); /* NULL if none; no error */

/* In all of these @context NULL means the current one. */
CUresult rt_ctx_device(CUdevice *device, CUcontext context);
CUresult rt_ctx_flags(unsigned *flags);
CUresult rt_ctx_set_flags(unsigned flags);
CUresult rt_ctx_id(CUcontext context, unsigned long long *id);
CUresult rt_ctx_api_version(CUcontext context, unsigned *version);

/* Wait for all work of the context. Drains device printf, runs host functions, opens managed memory
 * to the CPU. Return: also the error a kernel left. */
CUresult rt_ctx_synchronize(CUcontext context);

CUresult rt_ctx_set_limit(CUlimit limit, size_t value);
CUresult rt_ctx_get_limit(size_t *value, CUlimit limit);
CUresult rt_ctx_cache_config(CUfunc_cache *config);
CUresult rt_ctx_set_cache_config(CUfunc_cache config);
CUresult rt_ctx_shared_config(CUsharedconfig *config);
CUresult rt_ctx_set_shared_config(CUsharedconfig config);
/* Either pointer may be NULL. */
CUresult rt_ctx_stream_priority_range(int *least, int *greatest);
CUresult rt_ctx_reset_persisting_l2(void);
/* All work of the context so far into @event; all later work waits for it. */
CUresult rt_ctx_record_event(CUcontext context, CUevent event);
CUresult rt_ctx_wait_event(CUcontext context, CUevent event);

#endif
