/* SPDX-License-Identifier: MIT */
/*
 * The variants that nvcc --default-stream per-thread calls, of functions that are HAND in
 * cudart.def: stream 0 is the calling thread's own stream (Runtime API, "Stream synchronization
 * behavior"). _ptsz take a stream, _ptds are synchronous.
 */
#include "runtime/api/cudart/module.h"

static cudaStream_t per_thread(cudaStream_t stream)
{
    return stream ? stream : cudaStreamPerThread;
}

/* PTSZ(name, parameters, arguments): the same call with stream s translated. */
#define PTSZ(name, parameters, arguments)                                      \
    __attribute__((visibility("default"))) cudaError_t name##_ptsz parameters; \
    cudaError_t name##_ptsz parameters                                         \
    {                                                                          \
        s = per_thread(s);                                                     \
        return name arguments;                                                 \
    }

/* PTDS(name, parameters, arguments): the asynchronous call on the thread's stream, then wait for
 * it. */
#define PTDS(name, parameters, arguments)                                      \
    __attribute__((visibility("default"))) cudaError_t name##_ptds parameters; \
    cudaError_t name##_ptds parameters                                         \
    {                                                                          \
        const cudaStream_t s = cudaStreamPerThread;                            \
        cudaError_t err = name##Async arguments;                               \
        return err == cudaSuccess ? cudaStreamSynchronize(s) : err;            \
    }

#define KIND enum cudaMemcpyKind
#define DIM struct dim3

/* Copies and fills */
PTDS(cudaMemcpy, (void *d, const void *f, size_t n, KIND k), (d, f, n, k, s))
PTDS(cudaMemcpy2D, (void *d, size_t dp, const void *f, size_t fp, size_t w, size_t h, KIND k),
     (d, dp, f, fp, w, h, k, s))
PTDS(cudaMemcpy3D, (const struct cudaMemcpy3DParms *p), (p, s))
PTDS(cudaMemcpy3DPeer, (const struct cudaMemcpy3DPeerParms *p), (p, s))
PTDS(cudaMemcpyToSymbol, (const void *d, const void *f, size_t n, size_t o, KIND k),
     (d, f, n, o, k, s))
PTDS(cudaMemcpyFromSymbol, (void *d, const void *f, size_t n, size_t o, KIND k), (d, f, n, o, k, s))
PTDS(cudaMemcpy2DToArray,
     (cudaArray_t d, size_t x, size_t y, const void *f, size_t p, size_t w, size_t h, KIND k),
     (d, x, y, f, p, w, h, k, s))
PTDS(cudaMemcpy2DFromArray,
     (void *d, size_t p, cudaArray_const_t f, size_t x, size_t y, size_t w, size_t h, KIND k),
     (d, p, f, x, y, w, h, k, s))
PTDS(cudaMemcpyToArray, (cudaArray_t d, size_t x, size_t y, const void *f, size_t n, KIND k),
     (d, x, y, f, n, k, s))
PTDS(cudaMemcpyFromArray, (void *d, cudaArray_const_t f, size_t x, size_t y, size_t n, KIND k),
     (d, f, x, y, n, k, s))
PTDS(cudaMemset, (void *d, int v, size_t n), (d, v, n, s))
PTDS(cudaMemset2D, (void *d, size_t p, int v, size_t w, size_t h), (d, p, v, w, h, s))
PTDS(cudaMemset3D, (struct cudaPitchedPtr p, int v, struct cudaExtent e), (p, v, e, s))

PTSZ(cudaMemcpyAsync, (void *d, const void *f, size_t n, KIND k, cudaStream_t s), (d, f, n, k, s))
PTSZ(cudaMemcpy2DAsync,
     (void *d, size_t dp, const void *f, size_t fp, size_t w, size_t h, KIND k, cudaStream_t s),
     (d, dp, f, fp, w, h, k, s))
PTSZ(cudaMemcpy3DAsync, (const struct cudaMemcpy3DParms *p, cudaStream_t s), (p, s))
PTSZ(cudaMemcpy3DPeerAsync, (const struct cudaMemcpy3DPeerParms *p, cudaStream_t s), (p, s))
PTSZ(cudaMemcpyToSymbolAsync,
     (const void *d, const void *f, size_t n, size_t o, KIND k, cudaStream_t s), (d, f, n, o, k, s))
PTSZ(cudaMemcpyFromSymbolAsync,
     (void *d, const void *f, size_t n, size_t o, KIND k, cudaStream_t s), (d, f, n, o, k, s))
PTSZ(cudaMemcpy2DToArrayAsync,
     (cudaArray_t d, size_t x, size_t y, const void *f, size_t p, size_t w, size_t h, KIND k,
      cudaStream_t s),
     (d, x, y, f, p, w, h, k, s))
PTSZ(cudaMemcpy2DFromArrayAsync,
     (void *d, size_t p, cudaArray_const_t f, size_t x, size_t y, size_t w, size_t h, KIND k,
      cudaStream_t s),
     (d, p, f, x, y, w, h, k, s))
PTSZ(cudaMemcpyToArrayAsync,
     (cudaArray_t d, size_t x, size_t y, const void *f, size_t n, KIND k, cudaStream_t s),
     (d, x, y, f, n, k, s))
PTSZ(cudaMemcpyFromArrayAsync,
     (void *d, cudaArray_const_t f, size_t x, size_t y, size_t n, KIND k, cudaStream_t s),
     (d, f, x, y, n, k, s))
PTSZ(cudaMemset3DAsync, (struct cudaPitchedPtr p, int v, struct cudaExtent e, cudaStream_t s),
     (p, v, e, s))

/* Stream-ordered memory, hints */
PTSZ(cudaMallocAsync, (void **p, size_t n, cudaStream_t s), (p, n, s))
PTSZ(cudaMallocFromPoolAsync, (void **p, size_t n, cudaMemPool_t m, cudaStream_t s), (p, n, m, s))
PTSZ(cudaMemPrefetchAsync,
     (const void *p, size_t n, struct cudaMemLocation l, unsigned int f, cudaStream_t s),
     (p, n, l, f, s))

/* Streams and events */
PTSZ(cudaStreamAddCallback, (cudaStream_t s, cudaStreamCallback_t c, void *u, unsigned int f),
     (s, c, u, f))

/* Execution */
PTSZ(cudaLaunchKernel, (const void *f, DIM g, DIM b, void **a, size_t m, cudaStream_t s),
     (f, g, b, a, m, s))
PTSZ(__cudaLaunchKernel, (cudaKernel_t f, DIM g, DIM b, void **a, size_t m, cudaStream_t s),
     (f, g, b, a, m, s))
PTSZ(cudaLaunchCooperativeKernel, (const void *f, DIM g, DIM b, void **a, size_t m, cudaStream_t s),
     (f, g, b, a, m, s))

/* These carry their stream inside, or choose functions by it. */
__attribute__((visibility("default"))) cudaError_t
cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *func, void **args);
__attribute__((visibility("default"))) cudaError_t
cudaGetDriverEntryPoint_ptsz(const char *symbol, void **funcPtr, unsigned long long flags,
                             enum cudaDriverEntryPointQueryResult *driverStatus);
__attribute__((visibility("default"))) cudaError_t cudaGetDriverEntryPointByVersion_ptsz(
    const char *symbol, void **funcPtr, unsigned int cudaVersion, unsigned long long flags,
    enum cudaDriverEntryPointQueryResult *driverStatus);

cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *func,
                                     void **args)
{
    cudaLaunchConfig_t c;

    RT_REQUIRE(config, cudaErrorInvalidConfiguration);
    c = *config;
    c.stream = per_thread(c.stream);
    return cudaLaunchKernelExC(&c, func, args);
}

/* The default is the caller's own default stream. */
static unsigned long long entry_flags(unsigned long long flags)
{
    return flags == cudaEnableDefault ? cudaEnablePerThreadDefaultStream : flags;
}

cudaError_t cudaGetDriverEntryPoint_ptsz(const char *symbol, void **funcPtr,
                                         unsigned long long flags,
                                         enum cudaDriverEntryPointQueryResult *driverStatus)
{
    return cudaGetDriverEntryPoint(symbol, funcPtr, entry_flags(flags), driverStatus);
}

cudaError_t
cudaGetDriverEntryPointByVersion_ptsz(const char *symbol, void **funcPtr, unsigned int cudaVersion,
                                      unsigned long long flags,
                                      enum cudaDriverEntryPointQueryResult *driverStatus)
{
    return cudaGetDriverEntryPointByVersion(symbol, funcPtr, cudaVersion, entry_flags(flags),
                                            driverStatus);
}

/* Arrays on both sides: neither has an asynchronous form. */
#define PTDS_WAITING(name, parameters, arguments)                              \
    __attribute__((visibility("default"))) cudaError_t name##_ptds parameters; \
    cudaError_t name##_ptds parameters                                         \
    {                                                                          \
        cudaError_t err = cudaStreamSynchronize(cudaStreamPerThread);          \
        return err == cudaSuccess ? name arguments : err;                      \
    }
PTDS_WAITING(cudaMemcpy2DArrayToArray,
             (cudaArray_t d, size_t x, size_t y, cudaArray_const_t f, size_t fx, size_t fy,
              size_t w, size_t h, KIND k),
             (d, x, y, f, fx, fy, w, h, k))
PTDS_WAITING(cudaMemcpyArrayToArray,
             (cudaArray_t d, size_t x, size_t y, cudaArray_const_t f, size_t fx, size_t fy,
              size_t n, KIND k),
             (d, x, y, f, fx, fy, n, k))
