/* SPDX-License-Identifier: MIT */
/* CUDA Runtime API, Memory Management: copies from and to arrays, in two dimensions. */
#include "runtime/api/cudart/array.h"

/* The side that is no array: the kind says which memory it is. */
static cudaError_t memory_type(enum cudaMemcpyKind kind, bool to_array, CUmemorytype *type)
{
    switch (kind) {
    case cudaMemcpyHostToDevice:
        *type = CU_MEMORYTYPE_HOST;
        return to_array ? cudaSuccess : cudaErrorInvalidMemcpyDirection;
    case cudaMemcpyDeviceToHost:
        *type = CU_MEMORYTYPE_HOST;
        return to_array ? cudaErrorInvalidMemcpyDirection : cudaSuccess;
    case cudaMemcpyDeviceToDevice:
        *type = CU_MEMORYTYPE_DEVICE;
        return cudaSuccess;
    case cudaMemcpyDefault:
        *type = CU_MEMORYTYPE_UNIFIED;
        return cudaSuccess;
    default:
        return cudaErrorInvalidMemcpyDirection;
    }
}

static cudaError_t to_array(CUarray dst, size_t x, size_t y, const void *src, size_t pitch,
                            size_t width, size_t height, enum cudaMemcpyKind kind, CUDA_MEMCPY2D *c)
{
    *c = (CUDA_MEMCPY2D){ .srcHost = src,
                          .srcDevice = RT_PTR(src),
                          .srcPitch = pitch,
                          .dstXInBytes = x,
                          .dstY = y,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = dst,
                          .WidthInBytes = width,
                          .Height = height };
    return memory_type(kind, true, &c->srcMemoryType);
}

static cudaError_t from_array(void *dst, size_t pitch, CUarray src, size_t x, size_t y,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              CUDA_MEMCPY2D *c)
{
    *c = (CUDA_MEMCPY2D){ .srcXInBytes = x,
                          .srcY = y,
                          .srcMemoryType = CU_MEMORYTYPE_ARRAY,
                          .srcArray = src,
                          .dstHost = dst,
                          .dstDevice = RT_PTR(dst),
                          .dstPitch = pitch,
                          .WidthInBytes = width,
                          .Height = height };
    return memory_type(kind, false, &c->dstMemoryType);
}

/* Common to all: nothing to do, a pitch that is too small. */
#define BEGIN_2D(pitch, width, height) \
    RT_TRY(rt_context());              \
    if (!(width) || !(height)) {       \
        return cudaSuccess;            \
    }                                  \
    RT_REQUIRE((height) == 1 || (width) <= (pitch), cudaErrorInvalidPitchValue)

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                                size_t spitch, size_t width, size_t height,
                                enum cudaMemcpyKind kind)
{
    CUDA_MEMCPY2D c;

    BEGIN_2D(spitch, width, height);
    RT_TRY(to_array(rt_array(dst), wOffset, hOffset, src, spitch, width, height, kind, &c));
    return RT_DRIVER(cuMemcpy2DUnaligned, &c);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                     const void *src, size_t spitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t stream)
{
    CUDA_MEMCPY2D c;

    BEGIN_2D(spitch, width, height);
    RT_TRY(to_array(rt_array(dst), wOffset, hOffset, src, spitch, width, height, kind, &c));
    return RT_DRIVER(cuMemcpy2DAsync, &c, stream);
}

cudaError_t cudaMemcpy2DFromArray(void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset,
                                  size_t hOffset, size_t width, size_t height,
                                  enum cudaMemcpyKind kind)
{
    CUDA_MEMCPY2D c;

    BEGIN_2D(dpitch, width, height);
    RT_TRY(from_array(dst, dpitch, rt_array(src), wOffset, hOffset, width, height, kind, &c));
    return RT_DRIVER(cuMemcpy2DUnaligned, &c);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch, cudaArray_const_t src,
                                       size_t wOffset, size_t hOffset, size_t width, size_t height,
                                       enum cudaMemcpyKind kind, cudaStream_t stream)
{
    CUDA_MEMCPY2D c;

    BEGIN_2D(dpitch, width, height);
    RT_TRY(from_array(dst, dpitch, rt_array(src), wOffset, hOffset, width, height, kind, &c));
    return RT_DRIVER(cuMemcpy2DAsync, &c, stream);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                     cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
                                     size_t width, size_t height, enum cudaMemcpyKind kind)
{
    CUDA_MEMCPY2D c = { .srcXInBytes = wOffsetSrc,
                        .srcY = hOffsetSrc,
                        .srcMemoryType = CU_MEMORYTYPE_ARRAY,
                        .srcArray = rt_array(src),
                        .dstXInBytes = wOffsetDst,
                        .dstY = hOffsetDst,
                        .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                        .dstArray = rt_array(dst),
                        .WidthInBytes = width,
                        .Height = height };

    BEGIN_2D(width, width, height);
    RT_REQUIRE(kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault,
               cudaErrorInvalidMemcpyDirection);
    return RT_DRIVER(cuMemcpy2DUnaligned, &c);
}

/* Bytes that run from one row into the next: the rest of a row, whole rows, the beginning of one.
 */
struct piece {
    size_t x, y, width, height;
};

static cudaError_t row_bytes(cudaArray_const_t array, size_t *bytes)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    cudaError_t err = rt_error(rt_drv.cuArray3DGetDescriptor(&d, rt_array(array)));

    if (err == cudaSuccess) {
        struct cudaChannelFormatDesc f = rt_format_desc(d.Format, d.NumChannels);

        *bytes = d.Width * (size_t)(f.x + f.y + f.z + f.w) / 8;
        err = *bytes ? cudaSuccess : cudaErrorInvalidValue;
    }
    return err;
}

static struct piece piece_next(size_t row, size_t x, size_t y, size_t left)
{
    if (x || left < row) {
        return (struct piece){ x, y, left < row - x ? left : row - x, 1 };
    }
    return (struct piece){ 0, y, row, left / row };
}

/* @async: cuMemcpy2DAsync in @stream; else the plain form */
static cudaError_t copy_rows(cudaArray_const_t array, size_t x, size_t y, void *memory,
                             size_t count, enum cudaMemcpyKind kind, bool to, bool async,
                             cudaStream_t stream)
{
    size_t row;
    char *at = memory;

    RT_TRY(rt_context());
    if (!count) {
        return cudaSuccess;
    }
    RT_TRY(row_bytes(array, &row));
    RT_REQUIRE(x < row, cudaErrorInvalidValue);
    while (count) {
        struct piece p = piece_next(row, x, y, count);
        CUDA_MEMCPY2D c;

        RT_TRY(
            to ? to_array(rt_array(array), p.x, p.y, at, p.width, p.width, p.height, kind, &c)
               : from_array(at, p.width, rt_array(array), p.x, p.y, p.width, p.height, kind, &c));
        RT_TRY(
            rt_error(async ? rt_drv.cuMemcpy2DAsync(&c, stream) : rt_drv.cuMemcpy2DUnaligned(&c)));
        at += p.width * p.height;
        count -= p.width * p.height;
        y += p.height;
        x = 0;
    }
    return cudaSuccess;
}

cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                              size_t count, enum cudaMemcpyKind kind)
{
    return copy_rows(dst, wOffset, hOffset, (void *)(size_t)src, count, kind, true, false, NULL);
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                                   size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_rows(dst, wOffset, hOffset, (void *)(size_t)src, count, kind, true, true, stream);
}

cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                                size_t count, enum cudaMemcpyKind kind)
{
    return copy_rows(src, wOffset, hOffset, dst, count, kind, false, false, NULL);
}

cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t wOffset,
                                     size_t hOffset, size_t count, enum cudaMemcpyKind kind,
                                     cudaStream_t stream)
{
    return copy_rows(src, wOffset, hOffset, dst, count, kind, false, true, stream);
}

/* From row to row; a piece ends where either array's row does. */
cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                   cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
                                   size_t count, enum cudaMemcpyKind kind)
{
    size_t to, from;

    RT_TRY(rt_context());
    if (!count) {
        return cudaSuccess;
    }
    RT_TRY(row_bytes(dst, &to));
    RT_TRY(row_bytes(src, &from));
    RT_REQUIRE(wOffsetDst < to && wOffsetSrc < from, cudaErrorInvalidValue);
    while (count) {
        size_t n = to - wOffsetDst < from - wOffsetSrc ? to - wOffsetDst : from - wOffsetSrc;

        n = n < count ? n : count;
        RT_TRY(cudaMemcpy2DArrayToArray(dst, wOffsetDst, hOffsetDst, src, wOffsetSrc, hOffsetSrc, n,
                                        1, kind));
        count -= n;
        wOffsetDst += n;
        wOffsetSrc += n;
        hOffsetDst += wOffsetDst == to;
        hOffsetSrc += wOffsetSrc == from;
        wOffsetDst %= to;
        wOffsetSrc %= from;
    }
    return cudaSuccess;
}
