/* SPDX-License-Identifier: MIT */
/* EGLImages as CUDA arrays. CUDA for Tegra 5.2: no implicit synchronisation. GL and CUDA each have
 * a copy of the pixels here, and what one has changed goes to the other, byte by changed byte, at
 * two points only: GL's at glFinish(), CUDA's when the CPU has waited for it. So a program that
 * leaves one of them out reads old pixels, each time, and no side's work is lost. An EGLSync is
 * such a point, too (egl_sync.c): then pixels travel in the order of the stream that waits. */
#include <string.h>

#include "runtime/driver/array/array.h"
#include "runtime/driver/array/rt_array.h"
#include "runtime/driver/core/cost.h"
#include "runtime/driver/core/handle.h"
#include "runtime/driver/core/notifier.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/core/rules.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/interop/egl/egl_buffer.h"
#include "runtime/driver/interop/egl/egl_image.h"
#include "runtime/driver/memory/copy.h"
#include "runtime/driver/memory/memory.h"
#include "runtime/driver/stream/stream.h"

void rt_egl_images_set(const struct rt_egl_images *c)
{
    egl_lock();
    egl_image_calls = c;
    egl_unlock();
}

/* GL's changed bytes of these rows become CUDA's, too. */
static void rows_merge(const struct egl_image *i, const uint8_t *gl, struct egl_span span)
{
    size_t row = egl_image_row(i);

    for (unsigned y = span.y; y < span.y + span.rows; y++) {
        const uint8_t *from = gl + y * row, *base = i->met + y * row;
        uint8_t *cuda = i->cuda + y * row;

        if (memcmp(from, base, row) == 0) {
            continue;
        }
        for (size_t n = 0; n < row; n++) {
            cuda[n] = from[n] != base[n] ? from[n] : cuda[n];
        }
    }
}

static void rooms_swap(struct egl_image *i)
{
    struct hal_mem room = i->met_room;

    i->met_room = i->gl_room;
    i->gl_room = room;
    i->met = i->met_room.cpu;
    i->gl = i->gl_room.cpu;
}

/* Where CUDA cannot have written, its copy is what both sides have. */
static void merge_pixels(struct egl_image *i, const uint8_t *gl)
{
    struct egl_span span;
    size_t first;

    egl_image_settle(i);
    span = egl_image_span(i, gl, i->met);
    first = span.y * egl_image_row(i);
    if (!span.rows || (i->touched && egl_image_copy(i, &i->cuda_room, false, span))) {
        return;
    }
    if (i->touched) {
        rows_merge(i, gl, span);
    }
    if (gl == i->gl) { /* the rest of it is what @met has */
        rooms_swap(i);
    } else {
        memcpy(i->met + first, gl + first, span.rows * egl_image_row(i));
    }
    egl_image_copy(i, i->touched ? &i->cuda_room : &i->met_room, true, span);
}

static void merge_from_gl(struct egl_image *i)
{
    if (egl_image_calls->seen(i->egl, i->gl)) {
        merge_pixels(i, i->gl);
        egl_image_met(i);
    }
}

void rt_egl_images_finished(void)
{
    if (!egl_images_any() || core_enter()) {
        return;
    }
    egl_images_each(merge_from_gl);
    core_leave(CUDA_SUCCESS);
}

/* --- in stream order --- */

#define BOXES 4096u /* copies of one image; with more the CPU waits and merges */

/* From @x on, the pixels of a row that GL has drawn: up to where? */
static unsigned run_end(const struct egl_image *i, const uint8_t *gl, const uint8_t *base,
                        unsigned x)
{
    size_t bytes = i->format.bytes;

    while (x < i->width && memcmp(gl + x * bytes, base + x * bytes, bytes) != 0) {
        x++;
    }
    return x;
}

/* Drawn pixels as boxes; rows with the same one run are one. GL writes whole pixels, as here. */
static bool boxes_find(const struct egl_image *i, const uint8_t *gl, GArray *boxes)
{
    const uint8_t *now = gl, *old = i->met;
    size_t bytes = i->format.bytes;
    const struct array *a = array_find(i->array);
    struct box *last = NULL;

    for (unsigned y = 0; y < i->height; y++, now += egl_image_row(i), old += egl_image_row(i)) {
        for (unsigned x = 0, end; x < i->width; x = end + (end == x)) {
            struct box box = { .height = 1, .depth = 1 };

            end = run_end(i, now, old, x);
            if (end == x) {
                continue;
            }
            box.width = (end - x) * bytes;
            box.src = (uintptr_t)(now + x * bytes);
            box.src_pitch = egl_image_row(i);
            box.dst = array_va(a) + y * array_pitch(a) + x * bytes;
            box.dst_pitch = array_pitch(a);
            box.dst_region = region_at(array_va(a));
            last = boxes->len ? &g_array_index(boxes, struct box, boxes->len - 1) : NULL;
            if (last && last->width == box.width &&
                last->dst + last->height * array_pitch(a) == box.dst) {
                last->height++;
            } else if (boxes->len < BOXES) {
                g_array_append_val(boxes, box);
            } else {
                return false;
            }
        }
    }
    return true;
}

static CUresult image_join(struct egl_image *i, struct stream *s, uint8_t *gl)
{
    g_autoptr(GArray) boxes = g_array_new(FALSE, FALSE, sizeof(struct box));
    struct egl_arrival *a;
    CUresult error = CUDA_SUCCESS;

    egl_image_settle(i);
    i->again = i->touched = true;
    if (context_error(i->base.context) || !array_find(i->array)) {
        return context_error(i->base.context);
    }
    if (!boxes_find(i, gl, boxes)) {
        error = wait_fence(stream_context(s), stream_fence(s));
        merge_pixels(i, gl);
        return error;
    }
    for (guint n = 0; !error && n < boxes->len; n++) {
        error = staging_to_device(s, &g_array_index(boxes, struct box, n));
    }
    if (boxes->len) {
        a = g_new(struct egl_arrival, 1);
        *a = (struct egl_arrival){ i->arrivals, stream_fence(s), g_memdup2(gl, egl_image_bytes(i)),
                                   g_memdup2(i->met, egl_image_bytes(i)) };
        i->arrivals = a;
    }
    return error;
}

CUresult egl_images_join(struct stream *s, egl_shot_fn *shot, void *held)
{
    CUresult error = CUDA_SUCCESS;

    for (struct egl_image *i = object_first(&egl_images); i && !error; i = object_after(&i->base)) {
        g_autofree uint8_t *gl = g_malloc(egl_image_bytes(i));

        if (shot(held, i->egl, gl, egl_image_bytes(i))) {
            error = image_join(i, s, gl);
        }
    }
    return error;
}

void egl_images_meet(egl_shot_fn *shot, void *held)
{
    for (struct egl_image *i = object_first(&egl_images); i; i = object_after(&i->base)) {
        g_autofree uint8_t *gl = g_malloc(egl_image_bytes(i));

        if (shot(held, i->egl, gl, egl_image_bytes(i))) {
            i->again = true;
            merge_pixels(i, gl);
        }
    }
}

static void arrivals_free(struct egl_image *i)
{
    while (i->arrivals) {
        struct egl_arrival *a = i->arrivals;

        i->arrivals = a->next;
        g_free(a->gl);
        g_free(a->base);
        g_free(a);
    }
}

static void rooms_free(struct egl_image *i)
{
    kernel_free(i->base.context, &i->met_room);
    kernel_free(i->base.context, &i->gl_room);
    kernel_free(i->base.context, &i->cuda_room);
}

static void image_end(void *object)
{
    struct egl_image *i = object;

    arrivals_free(i);
    if (i->destroyed && !egl_image_find(i->egl)) {
        egl_image_calls->drop(i->egl);
    }
    if (i->graphics) {
        graphics_free(i->graphics);
    }
    rooms_free(i);
}

static const struct object_kind image_kind = { .name = "EGLImage", .end = image_end };

static void context_gone(struct context *c)
{
    object_list_end_of(&egl_images, c);
}

/* Both sides have what GL had at its last point. */
static CUresult pixels_begin(struct egl_image *i)
{
    CUresult error = kernel_alloc(i->base.context, egl_image_bytes(i), &i->met_room);

    error = error ? error : kernel_alloc(i->base.context, egl_image_bytes(i), &i->gl_room);
    error = error ? error : kernel_alloc(i->base.context, egl_image_bytes(i), &i->cuda_room);
    i->met = i->met_room.cpu;
    i->gl = i->gl_room.cpu;
    i->cuda = i->cuda_room.cpu;
    if (!error && !egl_image_calls->seen(i->egl, i->met)) {
        error = CUDA_ERROR_INVALID_HANDLE;
    }
    return error ? error : egl_image_copy(i, &i->met_room, true, egl_image_all(i));
}

/* @like: what it is; its array is made here, and stays when that fails. */
static CUresult image_make(struct egl_image *like, struct egl_image **out)
{
    static unsigned registered;
    static bool hooked;
    struct context *c;
    struct egl_image *i;
    CUDA_ARRAY3D_DESCRIPTOR desc = { .Width = like->width,
                                     .Height = like->height,
                                     .Format = like->format.channel,
                                     .NumChannels = like->format.channels,
                                     .Flags = CUDA_ARRAY3D_SURFACE_LDST };
    CUresult error = rt_array_create(&like->array, &desc);

    if (error) {
        return error;
    }
    error = core_enter_context(&c);
    if (error) {
        return error;
    }
    if (!hooked) {
        hooked = true;
        egl_image_give_init();
        notify_context_gone_add(context_gone);
        egl_image_check_init();
    }
    i = object_new_like(&image_kind, like, sizeof(*like), c);
    error = pixels_begin(i);
    if (error) {
        object_unref(&i->base);
    } else {
        CUeglFrame frame = { .width = i->width,
                             .height = i->height,
                             .planeCount = 1,
                             .numChannels = i->format.channels,
                             .frameType = CU_EGL_FRAME_TYPE_ARRAY,
                             .eglColorFormat = i->format.order,
                             .cuFormat = i->format.channel };

        frame.frame.pArray[0] = i->array;
        i->graphics = graphics_new(c, &frame);
        i->number = ++registered;
        array_lend(i->array, true);
        object_list_add(&egl_images, &i->base);
        egl_image_registered(i);
        *out = i;
    }
    return core_leave(error);
}

CUresult rt_egl_register_image(CUgraphicsResource *resource, void *image, unsigned flags)
{
    static const char api[] = "cuGraphicsEGLRegisterImage";
    struct egl_image i = { .egl = image }, *made = NULL;
    struct rt_egl_shape shape;
    struct context *c;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    cost_pass(COST_MAP, 1);
    if (!resource) {
        return core_leave(report_error(CUDA_ERROR_INVALID_VALUE, api, "CUDA for Tegra 5.2.1",
                                       "there is no place for the resource: NULL"));
    }
    if (flags) {
        return core_leave(report_error(CUDA_ERROR_INVALID_VALUE, api, "CUDA for Tegra 5.2.1",
                                       "flags are 0x%x: only 0 is allowed", flags));
    }
    error = rule_check(api);
    if (error) {
        return core_leave(error);
    }
    if (handle_find(HANDLE_EGL_BUFFER, image)) {
        return core_leave(
            graphics_buffer_register(c, handle_find(HANDLE_EGL_BUFFER, image), resource));
    }
    if (!egl_image_calls || !egl_image_calls->shape(image, &shape)) {
        return core_leave(report_error(
            CUDA_ERROR_INVALID_HANDLE, api, "vtegra",
            "there is no such EGLImage, or it is destroyed, or it was not made of a 2D "
            "texture or renderbuffer with one, two or four channels of 8, 16 or 32 "
            "bits: only EGLImages that were made of those can be registered here"));
    }
    i.width = shape.width;
    i.height = shape.height;
    i.format = shape.format;
    core_leave(CUDA_SUCCESS);
    error = image_make(&i, &made);
    if (error) {
        if (i.array) {
            rt_array_destroy(i.array);
        }
        return error;
    }
    *resource = graphics_handle(made->graphics);
    return CUDA_SUCCESS;
}

CUarray egl_image_unregister(const struct graphics *g)
{
    for (struct egl_image *i = object_first(&egl_images); i; i = object_after(&i->base)) {
        if (i->graphics == g) {
            CUarray array = i->array;

            if (array_find(array)) {
                array_lend(array, false);
            }
            object_unref(&i->base);
            return array;
        }
    }
    return NULL;
}
