/* SPDX-License-Identifier: MIT */
/* NvBufSurface: descriptors, other processes, EGLImages. */
#include <string.h>

#include "runtime/api/nvbuf/nvbuf.h"
#include "runtime/driver/interop/egl/rt_egl_buffer.h"

int NvBufSurfaceFromFd(int dmabuf_fd, void **buffer)
{
    struct nvbuf_buffer *own = nvbuf_buffer_of_fd(dmabuf_fd);
    struct nvbuf_surface *s;
    const char *why;

    if (!buffer) {
        return nvbuf_error(__func__, "buffer is NULL");
    }
    s = own ? own->surface : nvbuf_fd_import(dmabuf_fd, NULL, &why);
    if (!s) {
        return nvbuf_error(__func__, why);
    }
    *buffer = &s->surf;
    return 0;
}

int NvBufSurfaceImport(NvBufSurface **out_nvbuf_surf, const NvBufSurfaceMapParams *in_params)
{
    struct nvbuf_surface *s;
    const char *why;

    if (!out_nvbuf_surf || !in_params) {
        return nvbuf_error(__func__, "an argument is NULL");
    }
    s = nvbuf_fd_import(in_params->fd > INT32_MAX ? -1 : (int)in_params->fd, in_params, &why);
    if (!s) {
        return nvbuf_error(__func__, why);
    }
    *out_nvbuf_surf = &s->surf;
    return 0;
}

int NvBufSurfaceGetMapParams(const NvBufSurface *surf, int index, NvBufSurfaceMapParams *params)
{
    struct nvbuf_range r;
    const struct nvbuf_buffer *b;
    const char *why;

    if (!params || !nvbuf_range(surf, index, -1, &r, &why) || index < 0) {
        return nvbuf_error(__func__, params ? index < 0 ? "index is no buffer of the batch" : why
                                            : "params is NULL");
    }
    b = nvbuf_buffer_of(r.surf.surfaceList + index);
    if (!b->memory) {
        return nvbuf_error(__func__, "memory of this type has no descriptor");
    }
    nvbuf_map_params(b, params);
    return 0;
}

/* --- EGLImages -------------------------------------------------------------------------------- */

static bool image_describe(const struct nvbuf_buffer *b, struct rt_egl_buffer *out)
{
    const NvBufSurfacePlaneParams *pl = &b->params->planeParams;
    const struct nvbuf_format *f = nvbuf_format_of(b->params->colorFormat);
    unsigned bytes;

    if (!f || f->egl < 0 || b->surface->surf.memType != NVBUF_MEM_SURFACE_ARRAY) {
        return false;
    }
    bytes = f->channel == CU_AD_FORMAT_UNSIGNED_INT8 ? 1 : f->channel == CU_AD_FORMAT_FLOAT ? 4 : 2;
    *out = (struct rt_egl_buffer){
        .memory = b->memory,
        .frame = { .width = b->params->width,
                   .height = b->params->height,
                   .depth = 1,
                   .pitch = b->params->pitch,
                   .planeCount = f->planes,
                   .numChannels = f->bytes[0] / bytes,
                   .frameType = b->params->layout == NVBUF_LAYOUT_PITCH ? CU_EGL_FRAME_TYPE_PITCH
                                                                        : CU_EGL_FRAME_TYPE_ARRAY,
                   .eglColorFormat = (CUeglColorFormat)f->egl,
                   .cuFormat = f->channel },
    };
    for (unsigned i = 0; i < f->planes; i++) {
        out->offset[i] = pl->offset[i];
        out->width[i] = pl->width[i];
        out->height[i] = pl->height[i];
        out->channels[i] = f->bytes[i > 0] / bytes;
    }
    return true;
}

int NvBufSurfaceMapEglImage(NvBufSurface *surf, int index)
{
    struct rt_egl_buffer image;
    struct nvbuf_range r;
    const char *why;

    if (!nvbuf_range(surf, index, -1, &r, &why)) {
        return nvbuf_error(__func__, why);
    }
    for (uint32_t i = r.first; i < r.end; i++) {
        struct nvbuf_buffer *b = nvbuf_buffer_of(r.surf.surfaceList + i);

        if (b->image || !image_describe(b, &image)) {
            return nvbuf_error(__func__,
                               b->image ? "the buffer has an EGLImage: unmap that first"
                                        : "only NVBUF_MEM_SURFACE_ARRAY has EGLImages, and CUDA "
                                          "has to know the colour format (docs/frames.md)");
        }
    }
    for (uint32_t i = r.first; i < r.end; i++) {
        struct nvbuf_buffer *b = nvbuf_buffer_of(r.surf.surfaceList + i);

        image_describe(b, &image);
        b->image = b->params->mappedAddr.eglImage = rt_egl_buffer_image(&image);
    }
    return 0;
}

int NvBufSurfaceUnMapEglImage(NvBufSurface *surf, int index)
{
    struct nvbuf_range r;
    const char *why;
    bool any = false;

    if (!nvbuf_range(surf, index, -1, &r, &why)) {
        return nvbuf_error(__func__, why);
    }
    for (uint32_t i = r.first; i < r.end; i++) {
        struct nvbuf_buffer *b = nvbuf_buffer_of(r.surf.surfaceList + i);

        if (b->image) {
            rt_egl_buffer_image_free(b->image, __func__);
            b->image = b->params->mappedAddr.eglImage = NULL;
            any = true;
        }
    }
    return any ? 0 : nvbuf_error(__func__, "no buffer of these has an EGLImage");
}
