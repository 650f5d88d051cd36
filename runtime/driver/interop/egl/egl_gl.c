/* SPDX-License-Identifier: MIT */
/* OpenGL at an end of an EGLStream. GL runs on the host's CPU, so a texture gets a copy of the
 * frame's pixels at its acquire, for which the CPU waits, and a surface's frame is a copy of its
 * pixels at eglSwapBuffers(). A consumer of CUDA gets those in an array of its own context, in
 * order of the stream of its acquire. In a stream of two processes an end of GL has a context of
 * CUDA: a surface's frames are arrays there from eglSwapBuffers() on, which cross as CUDA's do, and
 * a texture's acquire maps the other process's frames there.
 * EGL_KHR_stream_consumer_gltexture, 3.10.2.1 and 3.10.4;
 * EGL_KHR_stream_producer_eglsurface, 3.10.3.1. Which row of a surface is a frame's first no text
 * says: it is the lowest one, as glReadPixels() has it. */
#include <stdlib.h>
#include <string.h>

#include "runtime/driver/array/array.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/interop/egl/egl_pixels.h"
#include "runtime/driver/interop/egl/egl_share.h"
#include "runtime/driver/memory/copy.h"
#include "runtime/driver/memory/memory.h"
#include "runtime/driver/stream/stream.h"

#define A_FRAME "a frame of an EGLStream"

/* A call of EGL's. Return: CUDA's core is up. */
static bool egl_gl_enter(void)
{
    if (core_enter_any() == CUDA_SUCCESS) {
        return true;
    }
    egl_lock();
    return false;
}

static void egl_gl_leave(bool up)
{
    if (up) {
        core_leave(CUDA_SUCCESS);
    } else {
        egl_unlock();
    }
}

static enum egl_stream_result state_connect(struct egl_object *o, bool producer)
{
    enum egl_stream_result result;

    egl_state_take(o);
    result =
        producer ? egl_stream_connect_producer(&o->s) : egl_stream_connect_consumer(&o->s, true);
    if (!result) {
        egl_state_connected(o, producer);
        egl_far_connected(o, producer, NULL);
    }
    egl_state_give(o);
    return result;
}

static void end_leave(void *object)
{
    const struct rt_egl_gl_end *end = object;
    struct egl_object *o = end->object;

    *(end->producer ? &o->gl_producer : &o->gl_consumer) = NULL;
    egl_object_left(o, end->producer);
    egl_far_leave(o, end->producer, end->base.context);
    if (o->share) {
        egl_state_take(o);
        egl_pass_leave(o, end->producer, end->base.context);
        egl_state_give(o);
    }
    egl_object_release(o);
    if (end->base.context) {
        context_destroy(end->base.context);
    }
}

static const struct object_kind end_kind = { .name = "OpenGL's end of an EGLStream",
                                             .end = end_leave };

static enum egl_stream_result egl_gl_connect(const void *display, void *stream,
                                             const struct rt_egl_gl_end *as,
                                             struct rt_egl_gl_end **end)
{
    enum egl_stream_result result = EGL_STREAM_BAD_FRAME;
    struct context *context = NULL;
    struct egl_object *o;
    bool up = egl_gl_enter();

    o = egl_object_find(display, stream);
    if (o && o->share) {
        egl_ends_init();
    }
    if (o) {
        result = o->share && context_new(device_graphics(), 0, &context)
                     ? EGL_STREAM_BAD_ALLOC
                     : state_connect(o, as->producer);
    }
    if (!result) {
        *end = object_new_like(&end_kind, as, sizeof(*as), context);
        (*end)->object = o;
        *(as->producer ? &o->gl_producer : &o->gl_consumer) = *end;
        egl_object_hold(o);
    } else if (context) {
        context_destroy(context);
    }
    egl_gl_leave(up);
    return result;
}

enum egl_stream_result rt_egl_gl_consumer_connect(const void *display, void *stream,
                                                  struct rt_egl_gl_end **end)
{
    struct rt_egl_gl_end as = { .producer = false };

    return egl_gl_connect(display, stream, &as, end);
}

enum egl_stream_result rt_egl_gl_producer_connect(const void *display, void *stream, unsigned width,
                                                  unsigned height, struct rt_egl_gl_end **end)
{
    struct rt_egl_gl_end as = { .producer = true, .width = width, .height = height };

    return egl_gl_connect(display, stream, &as, end);
}

void rt_egl_gl_leave(struct rt_egl_gl_end *end)
{
    bool up = egl_gl_enter();

    object_unref(&end->base);
    egl_gl_leave(up);
}

/* --- a texture as consumer -------------------------------------------------------------------- */

/* The frame's width: a sample of NVIDIA's gives it in bytes. */
static CUeglFrame egl_gl_described(const struct egl_object *o, const struct egl_frame *f)
{
    CUeglFrame desc = *egl_far_seen(f);
    int width = o->producer ? o->producer->width : o->share ? o->share->page->width : 0;

    if (width && desc.width == (unsigned)width * desc.numChannels) {
        desc.width = (unsigned)width;
    }
    return desc;
}

static CUresult plane_read(struct stream *s, const CUeglFrame *desc, unsigned i,
                           struct egl_plane *plane)
{
    struct box box = { .width = plane->width, .height = plane->rows, .depth = 1 };

    if (desc->frameType == CU_EGL_FRAME_TYPE_ARRAY) {
        const struct array *a = array_find(desc->frame.pArray[i]);

        box.src = a ? array_va(a) : 0;
        box.src_pitch = a ? array_pitch(a) : 0;
    } else {
        box.src = (uintptr_t)desc->frame.pPitch[i];
        box.src_pitch = plane->pitch;
    }
    box.src_region = box.src ? region_at(box.src) : NULL;
    if (!box.src_region || box.src_pitch < box.width ||
        box.src + box.src_pitch * (box.height - 1) + box.width >
            region_address(box.src_region) + region_bytes(box.src_region)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    plane->bytes = g_malloc(box.width * box.height);
    box.dst = (uintptr_t)plane->bytes;
    box.dst_pitch = box.width;
    return staging_from_device(s, &box);
}

/* CUDA's frame, when its producer's work is done. The producer's next work on it is behind our
 * copy: that is where GL releases it. */
static enum egl_stream_result cuda_picture(const struct rt_egl_gl_end *end, struct egl_frame *f,
                                           struct rt_egl_picture *p)
{
    static const char api[] = "eglStreamConsumerAcquireKHR";
    struct egl_object *o = end->object;
    struct context *c = end->base.context ? end->base.context : o->producer->base.context;
    struct stream *s = stream_service(c);
    struct egl_plane planes[MAX_PLANES];
    CUresult error =
        end->base.context && egl_far_apart(o) ? egl_far_place(o, f, c, api) : CUDA_SUCCESS;
    CUeglFrame desc = egl_gl_described(o, f);

    if (error) {
        return EGL_STREAM_BAD_STATE;
    }
    if (!egl_pixels_planes(&desc, planes)) {
        report_error(CUDA_ERROR_NOT_SUPPORTED, api, "vtegra",
                     "OpenGL is given frames of 8 bits a channel, RGB or YUV 4:2:0; colour format "
                     "0x%x with %u planes is not among them",
                     desc.eglColorFormat, desc.planeCount);
        return EGL_STREAM_BAD_MATCH;
    }
    error = f->serial[0] ? CUDA_SUCCESS : egl_frame_map(f, c);
    error = !error && f->presented.fence.id ? egl_point_wait(s, &f->presented) : error;
    for (unsigned i = 0; !error && i < desc.planeCount; i++) {
        error = plane_read(s, &desc, i, &planes[i]);
    }
    if (!error) {
        *p = (struct rt_egl_picture){ desc.width, desc.height,
                                      malloc((size_t)desc.width * desc.height * 4) };
        egl_pixels_rgba(&desc, planes, p->rgba);
        egl_point_clear(&f->released);
        f->released.fence = stream_fence(s);
        clock_merge(&f->released.known, stream_known(s));
    }
    for (unsigned i = 0; i < MAX_PLANES; i++) {
        g_free(planes[i].bytes);
    }
    return error ? EGL_STREAM_BAD_STATE : EGL_STREAM_DONE;
}

static enum egl_stream_result picture_take(const struct rt_egl_gl_end *end, struct egl_frame *f,
                                           struct rt_egl_picture *p)
{
    size_t bytes = (size_t)f->desc.width * f->desc.height * 4;

    if (!f->pixels) {
        return cuda_picture(end, f, p);
    }
    *p = (struct rt_egl_picture){ f->desc.width, f->desc.height, malloc(bytes) };
    memcpy(p->rgba, f->pixels, bytes);
    return EGL_STREAM_DONE;
}

static void held_release(struct egl_object *o)
{
    struct egl_frame *f;
    bool released;

    egl_state_take(o);
    f = o->s.held.frame ? egl_frame_find(o, o->s.held.frame) : NULL;
    if (f) { /* without the fence the producer waits for nothing: the CPU has read the frame */
        egl_pass_released(o, f->id, f->released.fence);
    }
    released = f && egl_stream_release(&o->s, f->id) == EGL_STREAM_DONE;
    egl_state_give(o);
    if (released) {
        egl_frame_owner(f, FRAME_RELEASED, o->s.consumer_frame);
        wait_acted();
    }
}

/* EGL_KHR_stream_consumer_gltexture, eglStreamConsumerAcquireKHR: "until either the timeout ...
 * expires, or the value ... is neither EMPTY nor OLD_FRAME_AVAILABLE". */
static bool look_frame(void *opaque)
{
    struct egl_object *o = opaque;
    enum egl_stream_state state;

    egl_state_look(o);
    state = egl_stream_state(&o->s);
    return state != EGL_STREAM_EMPTY && state != EGL_STREAM_OLD;
}

static void wait_for(struct egl_object *o, bool (*look)(void *), uint32_t limit_us)
{
    (o->share ? wait_elsewhere : wait_others)(look, o, A_FRAME, limit_us);
}

/* A frame of another process that has ended cannot be had: it is released. */
static struct egl_frame *frame_acquire(struct rt_egl_gl_end *end, struct egl_stream_slot *slot,
                                       enum egl_stream_result *result)
{
    struct egl_object *o = end->object;
    struct egl_frame *f = NULL;

    egl_state_take(o);
    *result = egl_stream_acquire(&o->s, true, slot);
    if (!*result) {
        f = egl_pass_get(o, slot->frame, end->base.context);
        if (!f) {
            egl_stream_release(&o->s, slot->frame);
            *result = EGL_STREAM_BAD_STATE;
        }
    }
    egl_state_give(o);
    return f;
}

enum egl_stream_result rt_egl_gl_acquire(struct rt_egl_gl_end *end, struct rt_egl_picture *p)
{
    struct egl_object *o = end->object;
    struct egl_stream_slot slot;
    enum egl_stream_result result;
    struct egl_frame *f;
    bool up = egl_gl_enter();

    egl_object_hold(o);
    if (o->share) {
        egl_pass_reap();
    }
    held_release(o);
    if (o->s.acquire_timeout_us) {
        wait_for(o, look_frame,
                 o->s.acquire_timeout_us < 0 ? UINT32_MAX : (uint32_t)o->s.acquire_timeout_us);
    }
    f = frame_acquire(end, &slot, &result);
    if (f) {
        egl_frame_owner(f, FRAME_CONSUMER, slot.number);
        result = picture_take(end, f, p);
        if (result) {
            held_release(o);
        }
    }
    egl_object_release(o);
    egl_gl_leave(up);
    return result == EGL_STREAM_TIMEOUT ? EGL_STREAM_BAD_STATE : result;
}

enum egl_stream_result rt_egl_gl_release(struct rt_egl_gl_end *end)
{
    struct egl_object *o = end->object;
    enum egl_stream_result result;
    bool up = egl_gl_enter();

    egl_state_look(o);
    result = o->s.held.frame || egl_stream_state(&o->s) >= EGL_STREAM_EMPTY ? EGL_STREAM_DONE
                                                                            : EGL_STREAM_BAD_STATE;
    if (o->s.base == EGL_STREAM_DISCONNECTED) {
        result = EGL_STREAM_BAD_STATE;
    }
    held_release(o);
    egl_gl_leave(up);
    return result;
}

/* --- a surface as producer -------------------------------------------------------------------- */

static struct egl_frame *frame_returned(struct egl_object *o)
{
    struct egl_frame *f = NULL;
    uint64_t id;

    egl_state_take(o);
    if (egl_stream_return(&o->s, true, &id) == EGL_STREAM_DONE) {
        f = egl_frame_find(o, id);
    }
    if (f) {
        egl_pass_returned(o, f);
    }
    egl_state_give(o);
    return f;
}

/* Frames that came back are for the next ones, with their arrays. */
static void egl_gl_collect(struct egl_object *o)
{
    struct egl_frame *f;

    while ((f = frame_returned(o)) != NULL) {
        egl_frame_owner(f, FRAME_PRODUCER, 0);
        g_ptr_array_remove(o->frames, f);
        g_ptr_array_add(o->spare, f);
    }
}

static struct egl_frame *frame_take(struct rt_egl_gl_end *end, const uint8_t *rgba)
{
    struct egl_object *o = end->object;
    struct egl_frame *f;

    if (o->spare->len) {
        f = g_ptr_array_steal_index(o->spare, 0);
    } else {
        f = g_new0(struct egl_frame, 1);
        f->of_gl = true;
        f->producer_channel = UINT32_MAX;
        f->desc = (CUeglFrame){ .width = end->width,
                                .height = end->height,
                                .planeCount = 1,
                                .numChannels = 4,
                                .frameType = CU_EGL_FRAME_TYPE_ARRAY,
                                .eglColorFormat = CU_EGL_COLOR_FORMAT_ABGR,
                                .cuFormat = CU_AD_FORMAT_UNSIGNED_INT8 };
        f->id = ++end->frames; /* it stays: another process knows the array by it */
    }
    g_free(f->pixels);
    f->pixels = g_memdup2(rgba, (size_t)end->width * end->height * 4);
    g_ptr_array_add(o->frames, f);
    return f;
}

static bool look_room(void *opaque)
{
    struct egl_object *o = opaque;

    egl_state_look(o);
    return egl_stream_may_insert(&o->s, UINT64_MAX) != EGL_STREAM_WAIT;
}

/* Into @f, which another process is to see as CUDA's. */
static enum egl_stream_result frame_present(const struct rt_egl_gl_end *end, struct egl_frame *f)
{
    struct egl_object *o = end->object;

    if (end->base.context && egl_gl_upload(f, end->base.context)) {
        egl_frame_drop(o, f);
        return EGL_STREAM_BAD_ALLOC;
    }
    return egl_frame_insert(o, f) ? EGL_STREAM_BAD_STATE : EGL_STREAM_DONE;
}

enum egl_stream_result rt_egl_gl_present(struct rt_egl_gl_end *end, const uint8_t *rgba)
{
    struct egl_object *o = end->object;
    enum egl_stream_result result;
    bool up = egl_gl_enter();

    egl_object_hold(o);
    egl_gl_collect(o);
    wait_for(o, look_room, UINT32_MAX);
    egl_gl_collect(o);
    result = o->base.handle ? egl_stream_may_insert(&o->s, UINT64_MAX) : EGL_STREAM_BAD_FRAME;
    if (!result) {
        result = frame_present(end, frame_take(end, rgba));
        wait_acted();
    }
    egl_object_release(o);
    egl_gl_leave(up);
    return result;
}

/* The driver's own copy; the stream of the acquire waits for it as for a producer's work. */
CUresult egl_gl_upload(struct egl_frame *f, struct context *c)
{
    CUDA_ARRAY3D_DESCRIPTOR desc = { .Width = f->desc.width,
                                     .Height = f->desc.height,
                                     .Format = CU_AD_FORMAT_UNSIGNED_INT8,
                                     .NumChannels = 4,
                                     .Flags = CUDA_ARRAY3D_SURFACE_LDST };
    struct box box = { .width = (size_t)f->desc.width * 4, .height = f->desc.height, .depth = 1 };
    g_autofree uint8_t *pixels = g_steal_pointer(&f->pixels);
    struct region *regions[MAX_PLANES];
    const struct array *a;
    CUresult error = f->array ? CUDA_SUCCESS : array_new(c, &desc, &f->array);

    f->desc.frame.pArray[0] = f->array;
    egl_frame_regions(&f->desc, regions);
    f->region[0] = regions[0] ? region_id(regions[0]) : 0;
    a = error || !pixels ? NULL : array_find(f->array);
    if (!a) {
        return error;
    }
    box.src = (uintptr_t)pixels;
    box.src_pitch = box.width;
    box.dst = array_va(a);
    box.dst_pitch = array_pitch(a);
    box.dst_region = regions[0];
    if (f->released.fence.id) {
        error = egl_point_wait(stream_service(c), &f->released);
    }
    error = error ? error : staging_to_device(stream_service(c), &box);
    egl_point_clear(&f->presented);
    egl_point_clear(&f->released);
    f->presented.fence = stream_fence(stream_service(c));
    clock_merge(&f->presented.known, stream_known(stream_service(c)));
    return error;
}
