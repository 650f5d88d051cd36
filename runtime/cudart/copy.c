/* SPDX-License-Identifier: MIT */
/* CUDA Runtime API, Memory Management: copies. */
#include "runtime/cudart/rt.h"

/* cudaErrorInvalidMemcpyDirection outside cudaMemcpyKind. */
static cudaError_t kind_check(enum cudaMemcpyKind kind)
{
    return (unsigned int)kind <= cudaMemcpyDefault
               ? cudaSuccess
               : rt_because(cudaErrorInvalidMemcpyDirection, "the last argument is none of enum "
                                                             "cudaMemcpyKind");
}

static cudaError_t copy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind)
{
    switch (kind) {
    case cudaMemcpyHostToDevice:
        return rt_error(rt_drv.cuMemcpyHtoD(RT_PTR(dst), src, count));
    case cudaMemcpyDeviceToHost:
        return rt_error(rt_drv.cuMemcpyDtoH(dst, RT_PTR(src), count));
    case cudaMemcpyDeviceToDevice:
        return rt_error(rt_drv.cuMemcpyDtoD(RT_PTR(dst), RT_PTR(src), count));
    case cudaMemcpyHostToHost:
    case cudaMemcpyDefault:
        return rt_error(rt_drv.cuMemcpy(RT_PTR(dst), RT_PTR(src), count));
    }
    return kind_check(kind);
}

static cudaError_t copy_async(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    switch (kind) {
    case cudaMemcpyHostToDevice:
        return rt_error(rt_drv.cuMemcpyHtoDAsync(RT_PTR(dst), src, count, stream));
    case cudaMemcpyDeviceToHost:
        return rt_error(rt_drv.cuMemcpyDtoHAsync(dst, RT_PTR(src), count, stream));
    case cudaMemcpyDeviceToDevice:
        return rt_error(rt_drv.cuMemcpyDtoDAsync(RT_PTR(dst), RT_PTR(src), count, stream));
    case cudaMemcpyHostToHost:
    case cudaMemcpyDefault:
        return rt_error(rt_drv.cuMemcpyAsync(RT_PTR(dst), RT_PTR(src), count, stream));
    }
    return kind_check(kind);
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind)
{
    RT_TRY(rt_context());
    if (count == 0) {
        return cudaSuccess;
    }
    return rt_record(copy(dst, src, count, kind));
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    RT_TRY(rt_context());
    if (count == 0) {
        return cudaSuccess;
    }
    return rt_record(copy_async(dst, src, count, kind, stream));
}

/* Which of the driver's memory types each side of a copy direction is. */
static CUmemorytype kind_src(enum cudaMemcpyKind kind)
{
    return kind == cudaMemcpyDefault                                        ? CU_MEMORYTYPE_UNIFIED
           : kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice ? CU_MEMORYTYPE_HOST
                                                                            : CU_MEMORYTYPE_DEVICE;
}

static CUmemorytype kind_dst(enum cudaMemcpyKind kind)
{
    return kind == cudaMemcpyDefault                                        ? CU_MEMORYTYPE_UNIFIED
           : kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost ? CU_MEMORYTYPE_HOST
                                                                            : CU_MEMORYTYPE_DEVICE;
}

/* Both addresses are filled in: the memory type says which one the driver looks at. */
static CUDA_MEMCPY2D copy_2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                             size_t height, enum cudaMemcpyKind kind)
{
    return (CUDA_MEMCPY2D){
        .srcMemoryType = kind_src(kind),
        .srcHost = src,
        .srcDevice = RT_PTR(src),
        .srcPitch = spitch,
        .dstMemoryType = kind_dst(kind),
        .dstHost = dst,
        .dstDevice = RT_PTR(dst),
        .dstPitch = dpitch,
        .WidthInBytes = width,
        .Height = height,
    };
}

/* A single row needs no pitch. */
static cudaError_t copy_2d_check(size_t dpitch, size_t spitch, size_t width, size_t height,
                                 enum cudaMemcpyKind kind)
{
    if (height > 1 && (width > dpitch || width > spitch)) {
        return cudaErrorInvalidPitchValue;
    }
    return kind_check(kind);
}

cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                         size_t height, enum cudaMemcpyKind kind)
{
    RT_TRY(rt_context());
    if (!width || !height) {
        return cudaSuccess;
    }
    RT_TRY(copy_2d_check(dpitch, spitch, width, height, kind));
    CUDA_MEMCPY2D c = copy_2d(dst, dpitch, src, spitch, width, height, kind);
    return RT_DRIVER(cuMemcpy2DUnaligned, &c);
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    RT_TRY(rt_context());
    if (!width || !height) {
        return cudaSuccess;
    }
    RT_TRY(copy_2d_check(dpitch, spitch, width, height, kind));
    CUDA_MEMCPY2D c = copy_2d(dst, dpitch, src, spitch, width, height, kind);
    return RT_DRIVER(cuMemcpy2DAsync, &c, stream);
}

/* Exactly one of array and pointer on each side; arrays are not supported yet. */
static cudaError_t copy_3d_check(const struct cudaMemcpy3DParms *p)
{
    static bool said;

    if (p->srcArray || p->dstArray) {
        return rt_missing("cudaMemcpy3D with arrays", &said);
    }
    if (!p->srcPtr.ptr || !p->dstPtr.ptr) {
        return cudaErrorInvalidValue;
    }
    if (p->extent.width > p->srcPtr.pitch || p->extent.width > p->dstPtr.pitch) {
        return cudaErrorInvalidPitchValue;
    }
    if (p->extent.depth > 1 &&
        (p->extent.height > p->srcPtr.ysize || p->extent.height > p->dstPtr.ysize)) {
        return cudaErrorInvalidPitchValue; /* a slice would reach into the next */
    }
    return kind_check(p->kind);
}

static CUDA_MEMCPY3D copy_3d(const struct cudaMemcpy3DParms *p)
{
    return (CUDA_MEMCPY3D){
        .srcXInBytes = p->srcPos.x,
        .srcY = p->srcPos.y,
        .srcZ = p->srcPos.z,
        .srcMemoryType = kind_src(p->kind),
        .srcHost = p->srcPtr.ptr,
        .srcDevice = RT_PTR(p->srcPtr.ptr),
        .srcPitch = p->srcPtr.pitch,
        .srcHeight = p->srcPtr.ysize,
        .dstXInBytes = p->dstPos.x,
        .dstY = p->dstPos.y,
        .dstZ = p->dstPos.z,
        .dstMemoryType = kind_dst(p->kind),
        .dstHost = p->dstPtr.ptr,
        .dstDevice = RT_PTR(p->dstPtr.ptr),
        .dstPitch = p->dstPtr.pitch,
        .dstHeight = p->dstPtr.ysize,
        .WidthInBytes = p->extent.width,
        .Height = p->extent.height,
        .Depth = p->extent.depth,
    };
}

static bool extent_is_empty(struct cudaExtent e)
{
    return !e.width || !e.height || !e.depth;
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
    RT_TRY(rt_context());
    RT_REQUIRE(p, cudaErrorInvalidValue);
    if (extent_is_empty(p->extent)) {
        return cudaSuccess;
    }
    RT_TRY(copy_3d_check(p));
    CUDA_MEMCPY3D c = copy_3d(p);
    return RT_DRIVER(cuMemcpy3D, &c);
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    RT_TRY(rt_context());
    RT_REQUIRE(p, cudaErrorInvalidValue);
    if (extent_is_empty(p->extent)) {
        return cudaSuccess;
    }
    RT_TRY(copy_3d_check(p));
    CUDA_MEMCPY3D c = copy_3d(p);
    return RT_DRIVER(cuMemcpy3DAsync, &c, stream);
}

/* Variables of device code. */

enum direction { TO_SYMBOL, FROM_SYMBOL };

/* The part of a variable that a copy is about; the device side of the kind must be the variable. */
static cudaError_t symbol_range(const void *symbol, size_t count, size_t offset,
                                enum cudaMemcpyKind kind, enum direction direction, void **at)
{
    CUdeviceptr address;
    size_t bytes;
    enum cudaMemcpyKind fits =
        direction == TO_SYMBOL ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    cudaError_t err = rt_symbol_find(symbol, &address, &bytes);

    if (err != cudaSuccess) {
        return err;
    }
    if (offset > bytes || count > bytes - offset) {
        return cudaErrorInvalidValue;
    }
    if (kind != fits && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault) {
        return cudaErrorInvalidMemcpyDirection;
    }
    *at = (void *)(size_t)(address + offset);
    return cudaSuccess;
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset,
                               enum cudaMemcpyKind kind)
{
    void *at;

    RT_TRY(rt_context());
    if (count == 0) {
        return cudaSuccess;
    }
    RT_TRY(symbol_range(symbol, count, offset, kind, TO_SYMBOL, &at));
    return cudaMemcpy(at, src, count, kind);
}

cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count, size_t offset,
                                 enum cudaMemcpyKind kind)
{
    void *at;

    RT_TRY(rt_context());
    if (count == 0) {
        return cudaSuccess;
    }
    RT_TRY(symbol_range(symbol, count, offset, kind, FROM_SYMBOL, &at));
    return cudaMemcpy(dst, at, count, kind);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count,
                                    size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    void *at;

    RT_TRY(rt_context());
    if (count == 0) {
        return cudaSuccess;
    }
    RT_TRY(symbol_range(symbol, count, offset, kind, TO_SYMBOL, &at));
    return cudaMemcpyAsync(at, src, count, kind, stream);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
    void *at;

    RT_TRY(rt_context());
    if (count == 0) {
        return cudaSuccess;
    }
    RT_TRY(symbol_range(symbol, count, offset, kind, FROM_SYMBOL, &at));
    return cudaMemcpyAsync(dst, at, count, kind, stream);
}
