/* SPDX-License-Identifier: MIT */
/* What our libraries of mathematics share: libcuda's functions, handles, and a call's launch.
 *
 * A call of a library is the launch of a kernel of one thread, whose parameter is a struct
 * library_call and whose body hands it to the SMs (model/igpu/library/call.c). The kernel has the
 * function's name, so reports, graphs and findings name what the program called. Only the public
 * driver API is used.
 */
#ifndef RUNTIME_API_LIBRARY_LIBRARY_H
#define RUNTIME_API_LIBRARY_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/cuda.h"
#include "model/library/call.h"

/* libcuda.so.1's functions, by name. */
struct library_driver {
#define DRIVER(name) __typeof__(name) *name;
#include "runtime/api/library/driver.def"
#undef DRIVER
};
extern struct library_driver library_driver;

/* Loads libcuda.so.1 and calls cuInit(), once. Return: CUDA_SUCCESS or why there is no device */
CUresult library_init(void);

struct library_kernel;

/**
 * struct library_handle - embedded first in each library's handle
 * @kind: the library's number, so that a handle of another library is none
 * @context: of the thread that made it, the primary one of device 0 if it had none; calls from
 *   threads without one use it
 * @stream: set by the library's SetStream
 * @scratch: LIBRARY_SCRATCH bytes of device memory, for results that go to the host
 */
struct library_handle {
    uint32_t kind;
    CUcontext context;
    CUstream stream;
    CUdeviceptr scratch;
    struct library_kernel *kernels;
};

#define LIBRARY_SCRATCH 256u
enum {
    LIBRARY_KIND_CUBLAS = 1,
    LIBRARY_KIND_CUBLASLT,
    LIBRARY_KIND_CUFFT,
    LIBRARY_KIND_CURAND,
    LIBRARY_KIND_CUSPARSE,
    LIBRARY_KIND_CUSOLVER,
    LIBRARY_KIND_CUSOLVER_SP,
    LIBRARY_KIND_CUSOLVER_RF,
    LIBRARY_KIND_CUBLASXT
};

/**
 * library_open - make a handle in the current context, or in the primary one of device 0
 * @bytes: of the library's own struct, zeroed
 * Return: CUDA_SUCCESS; else *@out is NULL
 */
CUresult library_open(uint32_t kind, size_t bytes, struct library_handle **out);
/* Waits for the context's work, frees all. @h: live */
void library_close(struct library_handle *h);
/* Is this a handle of the kind that was made and not destroyed? Any pointer, NULL too. */
bool library_live(const void *h, uint32_t kind);

/* Between the two the handle's context is current. */
CUresult library_enter(struct library_handle *h);
void library_leave(void);

/**
 * library_launch - a call on the handle's stream
 * @name: of the function; stays
 */
CUresult library_launch(struct library_handle *h, const char *name, const struct library_call *c);

/**
 * library_fetch - what a call left in the handle's scratch memory, after waiting for the stream
 * @offset: in it
 */
CUresult library_fetch(struct library_handle *h, void *host, size_t offset, size_t bytes);

/* A call of operation @op that adds in precision @compute; one batch. */
struct library_call library_call_of(uint32_t op, uint32_t compute);

/* n elements, inc apart; a negative inc counts from the last one back, as BLAS has it. */
struct library_operand library_vector(const void *x, int64_t n, int64_t inc, uint32_t type);
/* By columns, @ld elements from one to the next */
struct library_operand library_matrix(const void *a, int64_t rows, int64_t columns, int64_t ld,
                                      uint32_t type);

/* What a STUB row does: says the name once. @said: the row's */
void library_unsupported(const char *name, bool *said);

/* A factor of the program, in memory of the host or of the device */
void library_scalar_set(struct library_scalar *s, const void *value, uint32_t type, bool device);

#endif
