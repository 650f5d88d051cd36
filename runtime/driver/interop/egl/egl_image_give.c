/* SPDX-License-Identifier: MIT */
/* What CUDA has drawn into an EGLImage goes to GL when the CPU has waited for it. Apart from
 * egl_image.c, whose calls wait for streams: every wait comes here. */
#include "runtime/driver/core/notifier.h"
#include "runtime/driver/interop/egl/egl_image.h"

#include <string.h>

#include "runtime/driver/array/array.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/memory/copy.h"
#include "runtime/driver/memory/memory.h"
#include "runtime/driver/stream/stream.h"

const struct rt_egl_images *egl_image_calls;

struct object_list egl_images;
static bool any;

size_t egl_image_bytes(const struct egl_image *i)
{
    return (size_t)i->width * i->height * i->format.bytes;
}

size_t egl_image_row(const struct egl_image *i)
{
    return (size_t)i->width * i->format.bytes;
}

/* From the first row that differs to the last one. */
struct egl_span egl_image_span(const struct egl_image *i, const uint8_t *a, const uint8_t *b)
{
    size_t row = egl_image_row(i);
    unsigned y = 0, end = i->height;

    while (y < end && memcmp(a + y * row, b + y * row, row) == 0) {
        y++;
    }
    while (end > y && memcmp(a + (end - 1) * row, b + (end - 1) * row, row) == 0) {
        end--;
    }
    return (struct egl_span){ y, end - y };
}

struct egl_span egl_image_all(const struct egl_image *i)
{
    return (struct egl_span){ 0, i->height };
}

/* The driver's own copy, in its own stream, and waited for. @room: memory that the copy engine
 * reaches: images are large, and twice as fast without staging. */
CUresult egl_image_copy(const struct egl_image *i, const struct hal_mem *room, bool to_array,
                        struct egl_span span)
{
    const struct array *a = array_find(i->array);
    struct stream *s = stream_service(i->base.context);
    struct box box = { .width = egl_image_row(i), .height = span.rows, .depth = 1 };
    uint64_t rows = as_va(room) + span.y * egl_image_row(i);
    struct fence fence;
    CUresult error;

    if (!a || context_error(i->base.context)) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    box.src = to_array ? rows : array_va(a) + span.y * array_pitch(a);
    box.dst = to_array ? array_va(a) + span.y * array_pitch(a) : rows;
    box.src_pitch = to_array ? box.width : array_pitch(a);
    box.dst_pitch = to_array ? array_pitch(a) : box.width;
    *(to_array ? &box.dst_region : &box.src_region) = region_at(array_va(a));
    error = engine_copy(s, &box, &fence);
    error = error ? error : wait_fence(i->base.context, fence);
    if (!error) {
        hal_note(core_hal(), HAL_NOTE_WAITED, fence.id, fence.threshold);
    }
    return error;
}

/* What has arrived is what both sides have. */
void egl_image_settle(struct egl_image *i)
{
    struct egl_arrival **at = &i->arrivals;

    while (*at) {
        struct egl_arrival *a = *at;

        if (!fence_reached(a->fence)) {
            at = &a->next;
            continue;
        }
        for (size_t n = 0, end = egl_image_bytes(i); n < end; n++) {
            i->met[n] = a->gl[n] != a->base[n] ? a->gl[n] : i->met[n];
        }
        *at = a->next;
        g_free(a->gl);
        g_free(a->base);
        g_free(a);
    }
}

/* Work that is pending may write later. */
static bool pending_any(void)
{
    g_autoptr(GArray) pending = inuse_pending();

    return pending->len > 0;
}

static void merge_from_cuda(struct egl_image *i)
{
    struct egl_span span;
    size_t first;

    egl_image_settle(i);
    if (!i->touched || egl_image_copy(i, &i->cuda_room, false, egl_image_all(i))) {
        return;
    }
    i->touched = i->arrivals || i->copied || pending_any();
    i->copied = false;
    span = egl_image_span(i, i->cuda, i->met);
    first = span.y * egl_image_row(i);
    if (span.rows && egl_image_calls->store(i->egl, i->cuda, i->met, span.y, span.rows)) {
        memcpy(i->met + first, i->cuda + first, span.rows * egl_image_row(i));
    }
}

void egl_images_each(void (*merge)(struct egl_image *i))
{
    static bool inside;

    for (struct egl_image *i = object_first(&egl_images); i && !inside;
         i = object_after(&i->base)) {
        inside = true;
        merge(i);
        inside = false;
    }
}

void egl_images_give(void)
{
    egl_images_each(merge_from_cuda);
}

void egl_image_give_init(void)
{
    any = true;
    notify_covered_add(egl_images_give);
}

bool egl_images_any(void)
{
    return any;
}
