/* SPDX-License-Identifier: MIT */
/*
 * The variants that nvcc --default-stream per-thread calls: stream 0 is the calling thread's own
 * stream (Runtime API, "Stream synchronization behavior"). _ptsz take a stream, _ptds are
 * synchronous.
 */
#include "runtime/cudart/module.h"

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
PTSZ(cudaMemsetAsync, (void *d, int v, size_t n, cudaStream_t s), (d, v, n, s))
PTSZ(cudaMemset2DAsync, (void *d, size_t p, int v, size_t w, size_t h, cudaStream_t s),
     (d, p, v, w, h, s))
PTSZ(cudaMemset3DAsync, (struct cudaPitchedPtr p, int v, struct cudaExtent e, cudaStream_t s),
     (p, v, e, s))

/* Stream-ordered memory, hints */
PTSZ(cudaMallocAsync, (void **p, size_t n, cudaStream_t s), (p, n, s))
PTSZ(cudaMallocFromPoolAsync, (void **p, size_t n, cudaMemPool_t m, cudaStream_t s), (p, n, m, s))
PTSZ(cudaFreeAsync, (void *p, cudaStream_t s), (p, s))
PTSZ(cudaMemPrefetchAsync,
     (const void *p, size_t n, struct cudaMemLocation l, unsigned int f, cudaStream_t s),
     (p, n, l, f, s))

/* Streams and events */
PTSZ(cudaStreamGetPriority, (cudaStream_t s, int *p), (s, p))
PTSZ(cudaStreamGetFlags, (cudaStream_t s, unsigned int *f), (s, f))
PTSZ(cudaStreamGetId, (cudaStream_t s, unsigned long long *i), (s, i))
PTSZ(cudaStreamGetDevice, (cudaStream_t s, int *d), (s, d))
PTSZ(cudaStreamQuery, (cudaStream_t s), (s))
PTSZ(cudaStreamSynchronize, (cudaStream_t s), (s))
PTSZ(cudaStreamWaitEvent, (cudaStream_t s, cudaEvent_t e, unsigned int f), (s, e, f))
PTSZ(cudaStreamAddCallback, (cudaStream_t s, cudaStreamCallback_t c, void *u, unsigned int f),
     (s, c, u, f))
PTSZ(cudaStreamAttachMemAsync, (cudaStream_t s, void *p, size_t n, unsigned int f), (s, p, n, f))
PTSZ(cudaStreamGetAttribute, (cudaStream_t s, cudaLaunchAttributeID a, cudaLaunchAttributeValue *v),
     (s, a, v))
PTSZ(cudaStreamSetAttribute,
     (cudaStream_t s, cudaLaunchAttributeID a, const cudaLaunchAttributeValue *v), (s, a, v))
PTSZ(cudaStreamCopyAttributes, (cudaStream_t s, cudaStream_t from), (s, per_thread(from)))
PTSZ(cudaStreamBeginCapture, (cudaStream_t s, enum cudaStreamCaptureMode m), (s, m))
PTSZ(cudaStreamEndCapture, (cudaStream_t s, cudaGraph_t *g), (s, g))
PTSZ(cudaStreamIsCapturing, (cudaStream_t s, enum cudaStreamCaptureStatus *c), (s, c))
PTSZ(cudaEventRecord, (cudaEvent_t e, cudaStream_t s), (e, s))
PTSZ(cudaEventRecordWithFlags, (cudaEvent_t e, cudaStream_t s, unsigned int f), (e, s, f))

/* Execution */
PTSZ(cudaLaunchKernel, (const void *f, DIM g, DIM b, void **a, size_t m, cudaStream_t s),
     (f, g, b, a, m, s))
PTSZ(__cudaLaunchKernel, (cudaKernel_t f, DIM g, DIM b, void **a, size_t m, cudaStream_t s),
     (f, g, b, a, m, s))
PTSZ(cudaLaunchCooperativeKernel, (const void *f, DIM g, DIM b, void **a, size_t m, cudaStream_t s),
     (f, g, b, a, m, s))
PTSZ(cudaLaunchHostFunc, (cudaStream_t s, cudaHostFn_t f, void *u), (s, f, u))
PTSZ(cudaGraphLaunch, (cudaGraphExec_t g, cudaStream_t s), (g, s))
PTSZ(cudaGraphUpload, (cudaGraphExec_t g, cudaStream_t s), (g, s))

/* These carry their stream inside, or choose functions by it. */
__attribute__((visibility("default"))) cudaError_t
cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *func, void **args);
__attribute__((visibility("default"))) cudaError_t
cudaGetDriverEntryPoint_ptsz(const char *symbol, void **funcPtr, unsigned long long flags,
                             enum cudaDriverEntryPointQueryResult *driverStatus);
__attribute__((visibility("default"))) cudaError_t
cudaGetDriverEntryPointByVersion_ptsz(const char *symbol, void **funcPtr, unsigned int cudaVersion,
                                      unsigned long long flags,
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
