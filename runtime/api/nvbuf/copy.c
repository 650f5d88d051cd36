/* SPDX-License-Identifier: MIT */
/* NvBufSurface: copies and fills by the library itself, which maintains the CPU's caches around its
 * own accesses: stores of the program that are still there are kept. */
#include <glib.h>
#include <string.h>

#include "runtime/api/nvbuf/nvbuf.h"
#include "runtime/driver/device/rt_context.h"
#include "runtime/driver/memory/rt_copy.h"
#include "runtime/driver/stream/rt_stream.h"

/* Bytes of a buffer to (@write: from) @host. false: CUDA refuses. */
static bool bytes_move(const struct nvbuf_buffer *b, uint64_t offset, void *host, size_t n,
                       bool write)
{
    uint8_t *at = b->memory ? rt_shared_cpu(b->memory) : b->params->dataPtr;

    if (b->surface->surf.memType == NVBUF_MEM_CUDA_DEVICE) {
        CUdeviceptr device = (uintptr_t)at + offset;

        /* The call returns when the bytes are there; a copy from pageable memory when they are
         * staged. */
        return rt_copy(write ? device : (uintptr_t)host, write ? (uintptr_t)host : device, n,
                       RT_COPY_DEFAULT, NULL, RT_SYNC) == CUDA_SUCCESS &&
               (!write || rt_stream_synchronize(NULL) == CUDA_SUCCESS);
    }
    if (b->memory) {
        rt_shared_flush(b->memory, offset, n);
    }
    memcpy(write ? at + offset : host, write ? host : at + offset, n);
    if (b->memory && write) {
        rt_shared_flush(b->memory, offset, n);
    }
    return true;
}

/* Device memory is reached in its GPU's context. */
static bool context_enter(const struct nvbuf_buffer *b)
{
    CUcontext context;

    if (b->surface->device < 0 || rt_primary_retain(&context, b->surface->device)) {
        return false;
    }
    rt_ctx_push(context);
    return true;
}

static void context_leave(const struct nvbuf_buffer *b, bool entered)
{
    if (entered) {
        rt_ctx_pop(NULL);
        rt_primary_release(b->surface->device);
    }
}

static bool plane_bytes(const struct nvbuf_buffer *b, unsigned plane, uint8_t *host, bool write)
{
    bool entered = context_enter(b);
    bool ok = bytes_move(
        b, b->params->planeParams.offset[plane], host,
        (size_t)b->params->planeParams.pitch[plane] * b->params->planeParams.height[plane], write);

    context_leave(b, entered);
    return ok;
}

static uint8_t *plane_room(const struct nvbuf_buffer *b, unsigned plane)
{
    return g_malloc((size_t)b->params->planeParams.pitch[plane] *
                    b->params->planeParams.height[plane]);
}

static size_t row_bytes(const struct nvbuf_buffer *b, unsigned plane)
{
    return (size_t)b->params->planeParams.width[plane] * b->params->planeParams.bytesPerPix[plane];
}

/* --- fills ------------------------------------------------------------------------------------ */

int NvBufSurfaceMemSet(NvBufSurface *surf, int index, int plane, uint8_t value)
{
    struct nvbuf_range r;
    const char *why;
    bool ok = true;

    if (!nvbuf_range(surf, index, plane, &r, &why)) {
        return nvbuf_error(__func__, why);
    }
    for (uint32_t i = r.first; i < r.end; i++) {
        struct nvbuf_buffer *b = nvbuf_buffer_of(r.surf.surfaceList + i);

        for (unsigned k = 0; k < b->params->planeParams.num_planes; k++) {
            if (nvbuf_in_range(&r, k)) {
                g_autofree uint8_t *room = plane_room(b, k);

                memset(room, value,
                       (size_t)b->params->planeParams.pitch[k] * b->params->planeParams.height[k]);
                ok &= plane_bytes(b, k, room, true);
            }
        }
    }
    return ok ? 0 : nvbuf_error(__func__, "CUDA refuses the copy");
}

/* --- from one surface to another -------------------------------------------------------------- */

static bool copy_alike(const NvBufSurfaceParams *a, const NvBufSurfaceParams *b)
{
    return a->width == b->width && a->height == b->height && a->colorFormat == b->colorFormat &&
           a->planeParams.num_planes == b->planeParams.num_planes;
}

/* Row by row: pitches may differ. */
static bool buffer_copy(const struct nvbuf_buffer *from, const struct nvbuf_buffer *to)
{
    bool ok = true;

    for (unsigned i = 0; ok && i < from->params->planeParams.num_planes; i++) {
        g_autofree uint8_t *a = plane_room(from, i), *b = plane_room(to, i);
        size_t row = row_bytes(from, i);

        ok = plane_bytes(from, i, a, false) && plane_bytes(to, i, b, false);
        for (uint32_t y = 0; ok && y < from->params->planeParams.height[i]; y++) {
            memcpy(b + (size_t)y * to->params->planeParams.pitch[i],
                   a + (size_t)y * from->params->planeParams.pitch[i], row);
        }
        ok = ok && plane_bytes(to, i, b, true);
    }
    return ok;
}

int NvBufSurfaceCopy(NvBufSurface *srcSurf, NvBufSurface *dstSurf)
{
    struct nvbuf_range src, dst;
    const char *why;
    bool ok = true;

    if (!nvbuf_range(srcSurf, -1, -1, &src, &why) || !nvbuf_range(dstSurf, -1, -1, &dst, &why)) {
        return nvbuf_error(__func__, why);
    }
    for (uint32_t i = 0; i < src.end; i++) {
        if (src.end != dst.end || !copy_alike(src.surf.surfaceList + i, dst.surf.surfaceList + i)) {
            return nvbuf_error(__func__, "the batches, sizes or colour formats differ");
        }
    }
    for (uint32_t i = 0; ok && i < src.end; i++) {
        ok = buffer_copy(nvbuf_buffer_of(src.surf.surfaceList + i),
                         nvbuf_buffer_of(dst.surf.surfaceList + i));
    }
    return ok ? 0 : nvbuf_error(__func__, "CUDA refuses the copy");
}

/* --- raw planes ------------------------------------------------------------------------------- */

static int raw_move(const NvBufSurface *surf, unsigned index, unsigned plane, unsigned width,
                    unsigned height, uint8_t *raw, bool write, const char *api)
{
    struct nvbuf_range r;
    struct nvbuf_buffer *b;
    const char *why = "index or plane is none of the surface";
    g_autofree uint8_t *room = NULL;
    size_t row;
    bool ok;

    if (index > INT32_MAX || plane > INT32_MAX ||
        !nvbuf_range(surf, (int)index, (int)plane, &r, &why)) {
        return nvbuf_error(api, why);
    }
    b = nvbuf_buffer_of(r.surf.surfaceList + index);
    if (!raw || !width || !height || width > b->params->planeParams.width[plane] ||
        height > b->params->planeParams.height[plane]) {
        return nvbuf_error(api, raw ? "width and height are those of the plane at most, and not 0"
                                    : "ptr is NULL");
    }
    row = (size_t)width * b->params->planeParams.bytesPerPix[plane];
    room = plane_room(b, plane);
    ok = plane_bytes(b, plane, room, false);
    for (unsigned y = 0; ok && y < height; y++) {
        uint8_t *in = room + (size_t)y * b->params->planeParams.pitch[plane], *out = raw + y * row;

        memcpy(write ? in : out, write ? out : in, row);
    }
    ok = ok && (!write || plane_bytes(b, plane, room, true));
    return ok ? 0 : nvbuf_error(api, "CUDA refuses the copy");
}

int NvBufSurface2Raw(NvBufSurface *Surf, unsigned int index, unsigned int plane,
                     unsigned int out_width, unsigned int out_height, unsigned char *ptr)
{
    return raw_move(Surf, index, plane, out_width, out_height, ptr, false, __func__);
}

int Raw2NvBufSurface(unsigned char *ptr, unsigned int index, unsigned int plane,
                     unsigned int in_width, unsigned int in_height, NvBufSurface *Surf)
{
    return raw_move(Surf, index, plane, in_width, in_height, ptr, true, __func__);
}
