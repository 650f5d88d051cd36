/* SPDX-License-Identifier: MIT */
/* CUDA Runtime API, Memory Management: copies. */
#include "runtime/api/cudart/array.h"

/* cudaErrorInvalidMemcpyDirection outside cudaMemcpyKind. */
static cudaError_t kind_check(enum cudaMemcpyKind kind)
{
    return (unsigned int)kind <= cudaMemcpyDefault
               ? cudaSuccess
               : rt_because(cudaErrorInvalidMemcpyDirection, "the last argument is none of enum "
                                                             "cudaMemcpyKind");
}

static cudaError_t copy_copy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind)
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
    return rt_record(copy_copy(dst, src, count, kind));
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

/* Bytes of an array's element; 0 without an array. */
static cudaError_t element_bytes(cudaArray_const_t array, size_t *bytes)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    cudaError_t err = cudaSuccess;

    *bytes = 0;
    if (array) {
        err = rt_error(rt_drv.cuArray3DGetDescriptor(&d, rt_array(array)));
    }
    if (array && err == cudaSuccess) {
        struct cudaChannelFormatDesc f = rt_format_desc(d.Format, d.NumChannels);

        *bytes = (size_t)(f.x + f.y + f.z + f.w) / 8;
    }
    return err;
}

/* Exactly one of array and pointer on each side. @width: of a row, bytes */
static cudaError_t copy_3d_check(const struct cudaMemcpy3DParms *p, size_t width)
{
    if (!p->srcArray == !p->srcPtr.ptr || !p->dstArray == !p->dstPtr.ptr) {
        return cudaErrorInvalidValue;
    }
    if ((p->srcPtr.ptr && width > p->srcPtr.pitch) || (p->dstPtr.ptr && width > p->dstPtr.pitch)) {
        return cudaErrorInvalidPitchValue;
    }
    if (p->extent.depth > 1 && ((p->srcPtr.ptr && p->extent.height > p->srcPtr.ysize) ||
                                (p->dstPtr.ptr && p->extent.height > p->dstPtr.ysize))) {
        return cudaErrorInvalidPitchValue; /* a slice would reach into the next */
    }
    return kind_check(p->kind);
}

/* cudaMemcpy3D: positions count elements of their object, bytes of a pointer; the extent counts
 * elements of the array if there is one. */
static cudaError_t copy_3d(const struct cudaMemcpy3DParms *p, CUDA_MEMCPY3D *c)
{
    size_t src, dst, width;
    cudaError_t err = element_bytes(p->srcArray, &src);

    err = err == cudaSuccess ? element_bytes(p->dstArray, &dst) : err;
    if (err != cudaSuccess) {
        return err;
    }
    if (__builtin_mul_overflow(p->extent.width, src ? src : dst ? dst : 1, &width)) {
        return cudaErrorInvalidValue;
    }
    err = copy_3d_check(p, width);
    *c = (CUDA_MEMCPY3D){
        .srcXInBytes = p->srcPos.x * (src ? src : 1),
        .srcY = p->srcPos.y,
        .srcZ = p->srcPos.z,
        .srcMemoryType = src ? CU_MEMORYTYPE_ARRAY : kind_src(p->kind),
        .srcHost = p->srcPtr.ptr,
        .srcDevice = RT_PTR(p->srcPtr.ptr),
        .srcArray = rt_array(p->srcArray),
        .srcPitch = p->srcPtr.pitch,
        .srcHeight = p->srcPtr.ysize,
        .dstXInBytes = p->dstPos.x * (dst ? dst : 1),
        .dstY = p->dstPos.y,
        .dstZ = p->dstPos.z,
        .dstMemoryType = dst ? CU_MEMORYTYPE_ARRAY : kind_dst(p->kind),
        .dstHost = p->dstPtr.ptr,
        .dstDevice = RT_PTR(p->dstPtr.ptr),
        .dstArray = rt_array(p->dstArray),
        .dstPitch = p->dstPtr.pitch,
        .dstHeight = p->dstPtr.ysize,
        .WidthInBytes = width,
        .Height = p->extent.height,
        .Depth = p->extent.depth,
    };
    return err;
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
    CUDA_MEMCPY3D c;
    RT_TRY(copy_3d(p, &c));
    return RT_DRIVER(cuMemcpy3D, &c);
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    RT_TRY(rt_context());
    RT_REQUIRE(p, cudaErrorInvalidValue);
    if (extent_is_empty(p->extent)) {
        return cudaSuccess;
    }
    CUDA_MEMCPY3D c;
    RT_TRY(copy_3d(p, &c));
    return RT_DRIVER(cuMemcpy3DAsync, &c, stream);
}

/* As a node of a graph has it; measured: nothing to copy is refused there. */
cudaError_t rt_copy_3d(const struct cudaMemcpy3DParms *p, CUDA_MEMCPY3D *copy)
{
    return extent_is_empty(p->extent) ? cudaErrorInvalidValue : copy_3d(p, copy);
}

cudaError_t rt_copy_1d(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
                       CUDA_MEMCPY3D *copy)
{
    CUDA_MEMCPY2D c = copy_2d(dst, count, src, count, count, 1, cudaMemcpyDefault);

    *copy = (CUDA_MEMCPY3D){ .srcMemoryType = c.srcMemoryType, /* measured: either way round */
                             .srcDevice = c.srcDevice,
                             .srcPitch = count,
                             .srcHeight = 1,
                             .dstMemoryType = c.dstMemoryType,
                             .dstDevice = c.dstDevice,
                             .dstPitch = count,
                             .dstHeight = 1,
                             .WidthInBytes = count,
                             .Height = 1,
                             .Depth = 1 };
    return dst && src && count ? kind_check(kind) : cudaErrorInvalidValue;
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
