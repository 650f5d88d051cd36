/* SPDX-License-Identifier: MIT */
/* Graphics resources: frames that CUDA may use although it did not make them. CUDA Driver API,
 * graphics interoperability and EGL interoperability. */
#include "runtime/driver/array/array.h"
#include "runtime/driver/array/rt_array.h"
#include "runtime/driver/core/handle.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/interop/egl/egl_internal.h"
#include "runtime/driver/memory/memory.h"

/**
 * struct graphics - an acquired frame of a stream, or a registered image
 * @frame: as cuGraphicsResourceGetMappedEglFrame gives it
 */
struct graphics {
    CUgraphicsResource handle;
    struct context *context;
    CUeglFrame frame;
};

struct graphics *graphics_new(struct context *context, const CUeglFrame *frame)
{
    struct graphics *g = g_new0(struct graphics, 1);

    g->context = context;
    g->frame = *frame;
    g->handle = handle_new(HANDLE_GRAPHICS, g);
    return g;
}

void graphics_free(struct graphics *g)
{
    handle_free(g->handle);
    g_free(g);
}

CUgraphicsResource graphics_handle(const struct graphics *g)
{
    return g->handle;
}

struct graphics *graphics_find(CUgraphicsResource resource)
{
    return handle_find(HANDLE_GRAPHICS, resource);
}

/* The lock is held on success only. */
static CUresult enter(const void *result, CUgraphicsResource resource, struct graphics **g)
{
    struct context *c;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    *g = graphics_find(resource);
    return !result ? core_leave(CUDA_ERROR_INVALID_VALUE)
           : !*g   ? core_leave(CUDA_ERROR_INVALID_HANDLE)
                   : CUDA_SUCCESS;
}

/* For what needs it mapped. */
static CUresult enter_mapped(const void *result, CUgraphicsResource resource, struct graphics **g)
{
    CUresult error = enter(result, resource, g);

    return error                     ? error
           : gl_interop_unmapped(*g) ? core_leave(CUDA_ERROR_NOT_MAPPED)
                                     : CUDA_SUCCESS;
}

CUresult rt_graphics_frame(CUeglFrame *frame, CUgraphicsResource resource, unsigned index,
                           unsigned level)
{
    struct graphics *g;
    CUresult error = enter_mapped(frame, resource, &g);

    if (error) {
        return error;
    }
    (void)index; /* measured: both are ignored */
    (void)level;
    *frame = g->frame;
    return core_leave(CUDA_SUCCESS);
}

/* CUDA for Tegra 5.2.1: for single-planar resources. */
static CUresult single(const struct graphics *g, const char *api)
{
    return g->frame.planeCount == 1
               ? CUDA_SUCCESS
               : report_error(CUDA_ERROR_INVALID_VALUE, api, "CUDA for Tegra 5.2.1",
                              "the resource has %u planes: cuGraphicsResourceGetMappedEglFrame() "
                              "gives them all",
                              g->frame.planeCount);
}

CUresult rt_graphics_pointer(CUdeviceptr *address, size_t *bytes, CUgraphicsResource resource)
{
    struct graphics *g;
    const struct region *r;
    CUresult error = enter_mapped(address, resource, &g);

    if (error) {
        return error;
    }
    error = single(g, "cuGraphicsResourceGetMappedPointer");
    if (error) {
        return core_leave(error);
    }
    if (g->frame.frameType != CU_EGL_FRAME_TYPE_PITCH) {
        return core_leave(report_error(CUDA_ERROR_NOT_MAPPED_AS_POINTER,
                                       "cuGraphicsResourceGetMappedPointer", "CUDA for Tegra 5.2.1",
                                       "an EGLImage, and a frame of arrays, is an array and has no "
                                       "pointer: ask for the mapped array"));
    }
    r = region_at((uintptr_t)g->frame.frame.pPitch[0]);
    *address = (uintptr_t)g->frame.frame.pPitch[0];
    if (bytes) {
        *bytes = r ? region_address(r) + region_bytes(r) - *address : 0;
    }
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_graphics_array(CUarray *array, CUgraphicsResource resource, unsigned index,
                           unsigned level)
{
    struct graphics *g;
    CUresult error = enter_mapped(array, resource, &g);

    if (error) {
        return error;
    }
    error = single(g, "cuGraphicsSubResourceGetMappedArray");
    if (error) {
        return core_leave(error);
    }
    if (g->frame.frameType != CU_EGL_FRAME_TYPE_ARRAY) {
        return core_leave(CUDA_ERROR_NOT_MAPPED_AS_ARRAY);
    }
    if (index || level) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *array = g->frame.frame.pArray[0];
    return core_leave(CUDA_SUCCESS);
}

/* Measured: an acquired frame may be unregistered, and is released all the same. */
CUresult rt_graphics_unregister(CUgraphicsResource resource)
{
    struct graphics *g;
    CUarray array;
    CUresult error = enter(&g, resource, &g);

    if (error) {
        return error;
    }
    if (gl_interop_unregister(g, &error)) {
        return core_leave(error);
    }
    array = egl_image_unregister(g);
    core_leave(CUDA_SUCCESS);
    return array ? rt_array_destroy(array) : CUDA_SUCCESS;
}
