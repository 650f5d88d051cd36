/* SPDX-License-Identifier: MIT */
/* OpenGL's objects in CUDA: CUDA Driver API, OpenGL and graphics interoperability. CUDA has memory
 * of its own for each, and map and unmap, which are the points of synchronisation, copy: what
 * OpenGL has to CUDA, and what CUDA has to OpenGL. A board has one memory for both. */
#include "runtime/driver/array/array.h"
#include "runtime/driver/array/rt_array.h"
#include "runtime/driver/core/notifier.h"
#include "runtime/driver/core/object.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/interop/egl/egl.h"
#include "runtime/driver/interop/gl/rt_gl.h"
#include "runtime/driver/memory/copy.h"
#include "runtime/driver/memory/memory.h"
#include "runtime/driver/memory/rt_memory.h"
#include "runtime/driver/stream/capture.h"
#include "runtime/driver/stream/stream.h"

#define SECTION "CUDA Driver API, OpenGL interoperability"
#define GL_TEXTURE_2D 0x0DE1u
#define GL_TEXTURE_3D 0x806Fu
#define GL_TEXTURE_RECTANGLE 0x84F5u
#define GL_TEXTURE_CUBE_MAP 0x8513u
#define GL_TEXTURE_2D_ARRAY 0x8C1Au
#define GL_RENDERBUFFER 0x8D41u

#define MAP_FLAGS_LAST CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD

/**
 * struct gl_object
 * @image: of rt_gl_calls.image_open(), NULL: it is a buffer, @name
 * @memory: CUDA's, of @bytes; of an image @array instead
 * @flags: CU_GRAPHICS_MAP_RESOURCE_FLAGS_*
 */
struct gl_object {
    struct object base;
    struct graphics *graphics;
    unsigned name, flags;
    void *image;
    struct rt_egl_shape shape;
    size_t bytes;
    CUdeviceptr memory;
    CUarray array;
    bool mapped;
};

static const struct rt_gl_calls *calls;
static struct object_list objects; /* struct gl_object */

void rt_gl_calls_set(const struct rt_gl_calls *c)
{
    egl_lock();
    calls = c;
    egl_unlock();
}

static struct gl_object *object_of(const struct graphics *g)
{
    for (struct gl_object *o = g ? object_first(&objects) : NULL; o; o = object_after(&o->base)) {
        if (o->graphics == g) {
            return o;
        }
    }
    return NULL;
}

bool gl_interop_unmapped(const struct graphics *g)
{
    const struct gl_object *o = object_of(g);

    return o && !o->mapped;
}

/* --- registration ----------------------------------------------------------------------------- */

static void gl_object_end(void *object)
{
    const struct gl_object *o = object;

    if (o->image) {
        calls->image_close(o->image);
    }
    graphics_free(o->graphics);
}

static const struct object_kind gl_object_kind = { .name = "object of OpenGL",
                                                   .end = gl_object_end };

static void context_gone(struct context *c)
{
    object_list_end_of(&objects, c);
}

/* No early free: an unmap is a wait for the stream's work. */
bool gl_interop_unregister(const struct graphics *g, CUresult *error)
{
    struct gl_object *o = object_of(g);
    struct gl_object gone;

    if (!o) {
        return false;
    }
    gone = *o;
    object_unref(&o->base);
    *error = gone.array ? array_discard(gone.array)
                        : array_memory_discard(gone.base.context, gone.memory);
    return true;
}

static CUeglFrame frame_of(const struct gl_object *o)
{
    CUeglFrame f = { .planeCount = 1 };

    if (!o->image) {
        f.frameType = CU_EGL_FRAME_TYPE_PITCH;
        f.frame.pPitch[0] = (void *)(uintptr_t)o->memory;
        return f;
    }
    f.width = o->shape.width;
    f.height = o->shape.height;
    f.numChannels = o->shape.format.channels;
    f.frameType = CU_EGL_FRAME_TYPE_ARRAY;
    f.eglColorFormat = o->shape.format.order;
    f.cuFormat = o->shape.format.channel;
    f.frame.pArray[0] = o->array;
    return f;
}

static CUresult memory_make(struct gl_object *o)
{
    CUDA_ARRAY3D_DESCRIPTOR desc = { .Width = o->shape.width,
                                     .Height = o->shape.height,
                                     .Format = o->shape.format.channel,
                                     .NumChannels = o->shape.format.channels,
                                     .Flags = CUDA_ARRAY3D_SURFACE_LDST };

    return o->image ? rt_array_create(&o->array, &desc) : rt_mem_alloc(&o->memory, o->bytes);
}

static void memory_drop(CUarray array, CUdeviceptr memory)
{
    if (array) {
        rt_array_destroy(array);
    }
    if (memory) {
        rt_mem_free(memory);
    }
}

static CUresult object_keep(struct gl_object *like, CUgraphicsResource *resource)
{
    static bool hooked;
    struct context *c;
    struct gl_object *o;
    CUresult error = memory_make(like);
    CUeglFrame frame = frame_of(like);

    error = error ? error : core_enter_context(&c);
    if (error) {
        memory_drop(like->array, like->memory);
        return error;
    }
    if (!hooked) {
        hooked = true;
        notify_context_gone_add(context_gone);
    }
    o = object_new_like(&gl_object_kind, like, sizeof(*like), c);
    o->graphics = graphics_new(c, &frame);
    object_list_add(&objects, &o->base);
    *resource = graphics_handle(o->graphics);
    return core_leave(CUDA_SUCCESS);
}

/* The lock is held on success only. */
static CUresult register_enter(const void *result, unsigned flags, unsigned known, const char *api)
{
    struct context *c;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    if (!result || (flags & ~known)) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (!calls || !calls->current()) {
        return core_leave(report_error(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, api, SECTION,
                                       "no context of OpenGL is current in this thread"));
    }
    return CUDA_SUCCESS;
}

/* Of CU_GRAPHICS_REGISTER_FLAGS_*, which begin with the same two. */
static unsigned map_flags(unsigned flags)
{
    return flags & (CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY |
                    CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD);
}

CUresult rt_gl_register_buffer(CUgraphicsResource *resource, unsigned buffer, unsigned flags)
{
    static const char api[] = "cuGraphicsGLRegisterBuffer";
    const unsigned known =
        CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY | CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD;
    struct gl_object o = { .name = buffer, .flags = map_flags(flags) };
    CUresult error = register_enter(resource, flags, known, api);

    if (error) {
        return error;
    }
    if (!calls->buffer_size(buffer, &o.bytes) || !o.bytes) {
        return core_leave(report_error(CUDA_ERROR_INVALID_VALUE, api, SECTION,
                                       "%u is no buffer of the current context of OpenGL with "
                                       "storage (glBufferData)",
                                       buffer));
    }
    core_leave(CUDA_SUCCESS);
    return object_keep(&o, resource);
}

CUresult rt_gl_register_image(CUgraphicsResource *resource, unsigned image, unsigned target,
                              unsigned flags)
{
    static const char api[] = "cuGraphicsGLRegisterImage";
    const unsigned known =
        CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY | CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD |
        CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST | CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER;
    struct gl_object o = { .name = image, .flags = map_flags(flags) };
    CUresult error = register_enter(resource, flags, known, api);

    if (error) {
        return error;
    }
    switch (target) {
    case GL_TEXTURE_2D:
    case GL_RENDERBUFFER:
        break;
    case GL_TEXTURE_3D:
    case GL_TEXTURE_RECTANGLE:
    case GL_TEXTURE_CUBE_MAP:
    case GL_TEXTURE_2D_ARRAY:
        return core_leave(report_error(CUDA_ERROR_NOT_SUPPORTED, api, "vtegra",
                                       "targets are GL_TEXTURE_2D and GL_RENDERBUFFER here, 0x%x "
                                       "is none of them",
                                       target));
    default:
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    o.image = calls->image_open(image, target, &o.shape);
    if (!o.image) {
        return core_leave(report_error(CUDA_ERROR_INVALID_VALUE, api, SECTION,
                                       "%u is no image with storage of the current context of "
                                       "OpenGL that has one, two or four channels of 8, 16 or 32 "
                                       "bits",
                                       image));
    }
    o.bytes = (size_t)o.shape.width * o.shape.height * o.shape.format.bytes;
    core_leave(CUDA_SUCCESS);
    error = object_keep(&o, resource);
    if (error) {
        egl_lock();
        calls->image_close(o.image);
        egl_unlock();
    }
    return error;
}

/* One device, which renders whatever is on the screen: whichever GPU is current (measured,
 * 580.159.04 with two GPUs). Beside an integrated GPU it is no discrete one's work (DriveWorks SDK
 * reference, Choosing the GPU for Execution). */
CUresult rt_gl_devices(unsigned *count, CUdevice *devices, unsigned most, unsigned list)
{
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    if (!count || list < CU_GL_DEVICE_LIST_ALL || list > CU_GL_DEVICE_LIST_NEXT_FRAME ||
        (most && !devices)) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (!calls || !calls->current()) {
        return core_leave(report_error(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, "cuGLGetDevices",
                                       SECTION, "no context of OpenGL is current in this thread"));
    }
    *count = device_draws(device_graphics());
    if (most && *count) {
        devices[0] = device_ordinal(device_graphics());
    }
    return core_leave(*count ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE);
}

/* --- map and unmap ---------------------------------------------------------------------------- */

static CUresult box_of(const struct gl_object *o, const void *bytes, bool to_cuda, struct box *box)
{
    const struct array *a = o->image ? array_find(o->array) : NULL;
    size_t row = o->image ? o->shape.width * o->shape.format.bytes : o->bytes;
    uint64_t at = o->image ? (a ? array_va(a) : 0) : o->memory;
    size_t pitch = a ? array_pitch(a) : row;
    struct region *r = at ? region_at(at) : NULL;

    *box = (struct box){ .width = row, .height = o->image ? o->shape.height : 1, .depth = 1 };
    box->src = to_cuda ? (uintptr_t)bytes : at;
    box->dst = to_cuda ? at : (uintptr_t)bytes;
    box->src_pitch = to_cuda ? row : pitch;
    box->dst_pitch = to_cuda ? pitch : row;
    *(to_cuda ? &box->dst_region : &box->src_region) = r;
    return r ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE; /* freed by the program */
}

static bool gl_copy(const struct gl_object *o, void *bytes, bool write)
{
    return o->image ? calls->image_copy(o->image, bytes, write)
                    : calls->buffer_copy(o->name, bytes, o->bytes, write);
}

/* @s waits for the driver's own copy. */
static CUresult object_map(const struct gl_object *o, struct stream *s)
{
    g_autofree uint8_t *bytes = g_malloc(o->bytes);
    struct stream *service = stream_service(o->base.context);
    struct fence fence;
    struct box box;
    CUresult error = box_of(o, bytes, true, &box);

    if (!error && o->flags != CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD) {
        error = gl_copy(o, bytes, false) ? staging_to_device(service, &box) : CUDA_ERROR_MAP_FAILED;
    }
    fence = stream_fence(service); /* also of the copy at the last unmap */
    return error || !fence.id ? error : egl_fence_wait(s, fence, NULL);
}

static CUresult object_unmap(const struct gl_object *o, struct stream *s)
{
    g_autofree uint8_t *bytes = g_malloc(o->bytes);
    struct stream *service = stream_service(o->base.context);
    struct fence fence = stream_fence(s);
    struct box box;
    CUresult error = box_of(o, bytes, false, &box);

    if (error || o->flags == CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY) {
        return error;
    }
    error = fence.id ? egl_fence_wait(service, fence, stream_known(s)) : CUDA_SUCCESS;
    error = error ? error : staging_from_device(service, &box);
    return error ? error : gl_copy(o, bytes, true) ? CUDA_SUCCESS : CUDA_ERROR_UNMAP_FAILED;
}

/* CUDA Driver API, cuGraphicsEGLRegisterImage: "Additional Mapping/Unmapping is not required", and
 * the mapped frame "can be directly called on" the resource. No document names the code. */
static CUresult no_object(CUgraphicsResource resource, const char *api)
{
    if (!graphics_find(resource)) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    return report_error(CUDA_ERROR_INVALID_HANDLE, api,
                        "CUDA Driver API, cuGraphicsEGLRegisterImage",
                        "an EGLImage, and a frame of an EGLStream, is neither mapped nor unmapped: "
                        "call cuGraphicsResourceGetMappedEglFrame() or "
                        "cuGraphicsSubResourceGetMappedArray() at once, and glFinish() or an "
                        "EGLSync for the order of OpenGL and CUDA");
}

/* What all of them have to be. One of the other GPU: measured, 580.159.04 with two GPUs. */
static CUresult all_check(const struct context *c, unsigned count,
                          const CUgraphicsResource *resources, bool mapped, const char *api)
{
    if (!count || !resources) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (unsigned i = 0; i < count; i++) {
        const struct gl_object *o = object_of(graphics_find(resources[i]));

        if (!o) {
            return no_object(resources[i], api);
        }
        if (context_device(o->base.context) != context_device(c)) {
            return report_error(CUDA_ERROR_INVALID_HANDLE, api, SECTION,
                                "the resource was registered while the other GPU was current");
        }
        if (o->mapped != mapped) {
            return mapped ? CUDA_ERROR_NOT_MAPPED : CUDA_ERROR_ALREADY_MAPPED;
        }
        for (unsigned n = 0; n < i; n++) {
            if (resources[n] == resources[i]) {
                return mapped ? CUDA_ERROR_NOT_MAPPED : CUDA_ERROR_ALREADY_MAPPED;
            }
        }
    }
    return CUDA_SUCCESS;
}

static CUresult all_do(unsigned count, CUgraphicsResource *resources, CUstream stream, bool map)
{
    const char *api = map ? "cuGraphicsMapResources" : "cuGraphicsUnmapResources";
    struct context *c;
    struct stream *s;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    error = all_check(c, count, resources, !map, api);
    error = error ? error : stream_resolve(c, stream, &s);
    if (!error && stream_captured(s)) {
        error = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    if (!error && !calls->current()) {
        error = report_error(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, api, SECTION,
                             "no context of OpenGL is current in this thread");
    }
    if (error) {
        return core_leave(error);
    }
    calls->finish();
    for (unsigned i = 0; i < count && !error; i++) {
        struct gl_object *o = object_of(graphics_find(resources[i]));

        error = !o ? CUDA_ERROR_INVALID_HANDLE : map ? object_map(o, s) : object_unmap(o, s);
        o = object_of(graphics_find(resources[i])); /* a wait may have let another thread in */
        if (o && !error) {
            o->mapped = map;
        }
    }
    if (error == CUDA_ERROR_MAP_FAILED || error == CUDA_ERROR_UNMAP_FAILED) {
        error = report_error(error, api, SECTION,
                             "OpenGL's buffer has another size than when it was registered, is "
                             "mapped (glMapBuffer), or is none of the current context");
    }
    return core_leave(error);
}

CUresult rt_graphics_map(unsigned count, CUgraphicsResource *resources, CUstream stream)
{
    return all_do(count, resources, stream, true);
}

CUresult rt_graphics_unmap(unsigned count, CUgraphicsResource *resources, CUstream stream)
{
    return all_do(count, resources, stream, false);
}

CUresult rt_graphics_map_flags(CUgraphicsResource resource, unsigned flags)
{
    struct gl_object *o;
    struct context *c;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    o = object_of(graphics_find(resource));
    if (!o) {
        return core_leave(no_object(resource, "cuGraphicsResourceSetMapFlags"));
    }
    if (flags > MAP_FLAGS_LAST) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (o->mapped) {
        return core_leave(CUDA_ERROR_ALREADY_MAPPED);
    }
    o->flags = flags;
    return core_leave(CUDA_SUCCESS);
}
