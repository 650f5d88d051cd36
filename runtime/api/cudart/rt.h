/* SPDX-License-Identifier: MIT */
/*
 * What the files of this library share. Everything here stands on the public driver API alone,
 * found in libcuda.so.1 at the first call: the loader decides whether that is vtegra's or NVIDIA's.
 */
#ifndef RUNTIME_CUDART_RT_H
#define RUNTIME_CUDART_RT_H

#include <stdbool.h>
#include <stddef.h>

/* Definitions of what these headers declare are exported; the rest of the library is hidden. */
#pragma GCC visibility push(default)
#define VTEGRA_NO_EGL_HEADERS
#define VTEGRA_NO_GL_HEADERS
#include "include/cuda.h"
#include "include/cudaEGL.h"
#include "include/cudaGL.h"
#include "include/cudaProfiler.h"
#include "include/cuda_egl_interop.h"
#include "include/cuda_gl_interop.h"
#include "include/cuda_profiler_api.h"
#include "include/cuda_runtime_api.h"
#pragma GCC visibility pop

#include "include/vtegra/note_table.h"

/* The driver's functions. One that libcuda lacks is here too: it says its name and returns an
 * error. */
struct rt_driver {
#define DRIVER(name) __typeof__(name) *name;
#include "runtime/api/cudart/driver.def"
#undef DRIVER
};
extern struct rt_driver rt_drv;

/**
 * rt_init - load the driver and cuInit it, once a process
 *
 * Return: cudaSuccess; cudaErrorInsufficientDriver without a usable libcuda.so.1; else cuInit's
 * error. The same answer every time.
 */
cudaError_t rt_init(void);

/* Of vtegra's own libcuda.so.1; NULL on any other. */
extern const struct vtegra_note_table *rt_notes;

/**
 * rt_context - rt_init, then make sure that the calling thread has a context
 *
 * A context that the program made current through the driver API stays. Otherwise the primary
 * context of the thread's device becomes current, and is retained by the first thread that needs
 * it.
 */
cudaError_t rt_context(void);

/* The primary context of a device, retained once; not made current. */
cudaError_t rt_primary_context(int device, CUcontext *ctx);

/* The device of the current context, or the thread's choice before there is one. */
cudaError_t rt_device_current(int *device);

/* cudaErrorInvalidDevice unless 0 <= ordinal < number of devices. */
cudaError_t rt_device_check(int ordinal, CUdevice *dev);

/* Errors: the numbers of both APIs are the same ones; the runtime's names for them differ. */
cudaError_t rt_error(CUresult result);
cudaError_t rt_record(cudaError_t err); /* remembers err for cudaGetLastError; returns it */
/* The reason of an error of this library's own, for the report of rt_record(); returns err. */
cudaError_t rt_because(cudaError_t err, const char *why);
cudaError_t rt_result(CUresult result); /* both */

#define RT_REQUIRE(condition, err) \
    do {                           \
        if (!(condition)) {        \
            return rt_record(err); \
        }                          \
    } while (0)
#define RT_TRY(call)                   \
    do {                               \
        cudaError_t try_err = (call);  \
        if (try_err != cudaSuccess) {  \
            return rt_record(try_err); \
        }                              \
    } while (0)
#define RT_DRIVER(name, ...) rt_result(rt_drv.name(__VA_ARGS__))

/* Code: what the compiler registered, found by the address of the host's stub or variable. */
cudaError_t rt_kernel_find(const void *func, CUkernel *kernel);
cudaError_t rt_symbol_find(const void *symbol, CUdeviceptr *address, size_t *bytes);

/* The host's stub of a kernel; NULL: none of the program's own. */
const void *rt_kernel_stub(CUkernel kernel);

/* copy.c: what graphs keep of a copy. */
cudaError_t rt_copy_3d(const struct cudaMemcpy3DParms *p, CUDA_MEMCPY3D *copy);
cudaError_t rt_copy_1d(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
                       CUDA_MEMCPY3D *copy);

/* Host pointers to __managed__ variables: filled with the first context, again after a reset. */
cudaError_t rt_managed_init(void);
void rt_managed_forget(void);

/* Says once that a function is not supported here; rt_missing returns cudaErrorNotSupported,
 * recorded. */
void rt_say_missing(const char *name, bool *said);
cudaError_t rt_missing(const char *name, bool *said);

#define RT_PTR(p) ((CUdeviceptr)(size_t)(p))

#endif
