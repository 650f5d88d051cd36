/* SPDX-License-Identifier: MIT */
/* Graphics resources: frames that CUDA may use although it did not make them. CUDA Driver API,
 * graphics interoperability and EGL interoperability. */
#include "runtime/driver/array/array.h"
#include "runtime/driver/array/rt_array.h"
#include "runtime/driver/core/notifier.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/interop/egl/egl_buffer.h"
#include "runtime/driver/interop/egl/egl_internal.h"
#include "runtime/driver/memory/memory.h"
#include "runtime/driver/memory/pending.h"

/**
 * struct graphics - an acquired frame of a stream, or a registered image
 * @frame: as cuGraphicsResourceGetMappedEglFrame gives it
 */
struct graphics {
    struct object base;
    CUeglFrame frame;
};

static const struct object_kind graphics_kind = { .name = "graphics resource",
                                                  .type = HANDLE_GRAPHICS };

struct graphics *graphics_new(struct context *context, const CUeglFrame *frame)
{
    struct graphics *g = object_new(&graphics_kind, sizeof(*g), context);

    g->frame = *frame;
    object_open(&g->base);
    return g;
}

void graphics_free(struct graphics *g)
{
    object_unref(&g->base);
}

CUgraphicsResource graphics_handle(const struct graphics *g)
{
    return g->base.handle;
}

struct graphics *graphics_find(CUgraphicsResource resource)
{
    return handle_find(HANDLE_GRAPHICS, resource);
}

/* The lock is held on success only. */
static CUresult graphics_enter(const void *result, CUgraphicsResource resource, struct graphics **g)
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
    CUresult error = graphics_enter(result, resource, g);

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
static CUresult graphics_single(const struct graphics *g, const char *api)
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
    error = graphics_single(g, "cuGraphicsResourceGetMappedPointer");
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
    error = graphics_single(g, "cuGraphicsSubResourceGetMappedArray");
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

/* --- pictures in shared memory (egl_buffer.c) ---------------------------------------------------
 *
 * The iGPU accesses them past its L2, as pinned memory: so no maintenance of the L2 is missing
 * between CUDA and the other engines. CUDA for Tegra 3.1 says that the driver manages the GPU's
 * caches where interop memory is used, and not how (inferred). */

/* CUDA has it. @image: NULL: the program has destroyed it since. */
struct registered {
    struct object base;
    struct graphics *graphics;
    const struct egl_buffer_image *image;
    uint64_t va; /* of the mapping */
    CUarray array[MAX_PLANES];
};

static struct object_list registered; /* struct registered */

bool graphics_buffer_gone(const struct egl_buffer_image *image)
{
    bool any = false;

    for (struct registered *r = object_first(&registered); r; r = object_after(&r->base)) {
        any |= r->image == image;
        r->image = r->image == image ? NULL : r->image;
    }
    return any;
}

static void arrays_drop(struct registered *r)
{
    for (unsigned i = 0; i < MAX_PLANES; i++) {
        array_drop(r->array[i]);
        r->array[i] = NULL;
    }
}

static void registered_end(void *object)
{
    const struct registered *r = object;

    graphics_free(r->graphics);
}

static const struct object_kind registered_kind = { .name = "registered EGLImage",
                                                    .end = registered_end };

/* Its arrays and regions go with it. */
static void context_gone(struct context *c)
{
    object_list_end_of(&registered, c);
}

/* Return: false: an array does not fit. */
static bool arrays_make(struct context *c, struct registered *r, const struct rt_egl_buffer *b,
                        CUeglFrame *frame)
{
    for (unsigned i = 0; i < frame->planeCount; i++) {
        CUDA_ARRAY3D_DESCRIPTOR desc = { .Width = b->width[i],
                                         .Height = b->height[i],
                                         .Format = frame->cuFormat,
                                         .NumChannels = b->channels[i],
                                         .Flags = CUDA_ARRAY3D_SURFACE_LDST };

        r->array[i] =
            array_new_at(c, &desc, r->va + b->offset[i], shared_bytes(b->memory) - b->offset[i], 0,
                         "cuGraphicsEGLRegisterImage");
        if (!r->array[i]) {
            return false;
        }
        frame->frame.pArray[i] = r->array[i];
    }
    return true;
}

static CUresult frame_make(struct context *c, struct registered *r, const struct rt_egl_buffer *b,
                           CUeglFrame *frame)
{
    CUresult error = CUDA_SUCCESS;
    struct region *region =
        region_map_shared(c, b->memory, 0, shared_bytes(b->memory), false, true, &error);

    if (!region) {
        return error;
    }
    pending_region_new(region);
    region_keep(region); /* the resource alone ends it */
    r->va = region_first(region);
    *frame = b->frame;
    if (frame->frameType == CU_EGL_FRAME_TYPE_ARRAY) {
        if (!arrays_make(c, r, b, frame)) {
            arrays_drop(r);
            region_free(region);
            return CUDA_ERROR_INVALID_VALUE;
        }
        return CUDA_SUCCESS;
    }
    for (unsigned i = 0; i < frame->planeCount; i++) {
        frame->frame.pPitch[i] = (void *)(uintptr_t)(r->va + b->offset[i]);
    }
    return CUDA_SUCCESS;
}

CUresult graphics_buffer_register(struct context *context, const struct egl_buffer_image *image,
                                  CUgraphicsResource *resource)
{
    struct registered made = { .image = image };
    static bool hooked;
    struct registered *r;
    CUeglFrame frame;
    CUresult error = frame_make(context, &made, &image->buffer, &frame);

    if (error) {
        return error;
    }
    if (!hooked) {
        hooked = true;
        notify_context_gone_add(context_gone);
    }
    r = object_new_like(&registered_kind, &made, sizeof(made), context);
    r->graphics = graphics_new(context, &frame);
    object_list_add(&registered, &r->base);
    *resource = graphics_handle(r->graphics);
    return CUDA_SUCCESS;
}

static bool buffer_unregister(const struct graphics *g, CUresult *error)
{
    for (struct registered *r = object_first(&registered); r; r = object_after(&r->base)) {
        if (r->graphics == g) {
            struct context *context = r->base.context;
            uint64_t va = r->va;

            arrays_drop(r);
            object_unref(&r->base);
            *error = array_memory_discard(context, va);
            return true;
        }
    }
    return false;
}

/* Measured: an acquired frame may be unregistered, and is released all the same. */
CUresult rt_graphics_unregister(CUgraphicsResource resource)
{
    struct graphics *g;
    CUarray array;
    CUresult error = graphics_enter(&g, resource, &g);

    if (error) {
        return error;
    }
    if (gl_interop_unregister(g, &error) || buffer_unregister(g, &error)) {
        return core_leave(error);
    }
    array = egl_image_unregister(g);
    core_leave(CUDA_SUCCESS);
    return array ? rt_array_destroy(array) : CUDA_SUCCESS;
}
