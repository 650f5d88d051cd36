/* SPDX-License-Identifier: MIT */
/* The driver core: what runtime/api/cuda stands on.
 *
 * runtime/api/cuda is thin: one function of NVIDIA's reference is one call here. Types and codes
 * are those of include/cuda.h; a handle (CUcontext, CUstream ...) is a number from a table, never a
 * pointer to look into.
 *
 * Rules for every function that returns CUresult, unless its comment says otherwise:
 *  - It may be called from any thread at any time; the core takes its one lock itself.
 *  - It checks its arguments in documented order: a NULL result pointer or an undefined flag is
 *    CUDA_ERROR_INVALID_VALUE; a stale, foreign or wrong handle CUDA_ERROR_INVALID_HANDLE (a
 * context: CUDA_ERROR_INVALID_CONTEXT). Results are written only on success.
 *  - Before rt_init(): CUDA_ERROR_NOT_INITIALIZED; after the teardown at exit:
 *    CUDA_ERROR_DEINITIALIZED; inside a host function or stream callback: CUDA_ERROR_NOT_PERMITTED.
 *  - Where a current context is needed and there is none: CUDA_ERROR_INVALID_CONTEXT. After a fault
 *    of the GPU, the context answers every call with that error until it is destroyed or reset.
 *  - @stream: NULL and CU_STREAM_LEGACY are the legacy default stream, CU_STREAM_PER_THREAD the
 *    calling thread's own; the _ptds and _ptsz entry points turn NULL into CU_STREAM_PER_THREAD.
 *  - "Blocks" means that the board advances (hal_wait) and host functions may run meanwhile.
 */
#ifndef RUNTIME_DRIVER_DRIVER_H
#define RUNTIME_DRIVER_DRIVER_H

#include "runtime/driver/array/rt_array.h"
#include "runtime/driver/array/rt_texref.h"
#include "runtime/driver/array/rt_texture.h"
#include "runtime/driver/device/rt_context.h"
#include "runtime/driver/device/rt_device.h"
#include "runtime/driver/device/rt_init.h"
#include "runtime/driver/interop/egl/rt_egl.h"
#include "runtime/driver/interop/gl/rt_gl.h"
#include "runtime/driver/memory/rt_copy.h"
#include "runtime/driver/memory/rt_interop.h"
#include "runtime/driver/memory/rt_ipc.h"
#include "runtime/driver/memory/rt_memory.h"
#include "runtime/driver/memory/rt_virtual.h"
#include "runtime/driver/module/rt_launch.h"
#include "runtime/driver/module/rt_module.h"
#include "runtime/driver/stream/rt_event.h"
#include "runtime/driver/stream/rt_graph.h"
#include "runtime/driver/stream/rt_stream.h"

#endif
