/* SPDX-License-Identifier: MIT */
/* EGLImages of pictures in shared memory: rt_egl_buffer.h. Their use by CUDA: graphics.c. */
#include "runtime/driver/interop/egl/rt_egl_buffer.h"

#include "runtime/driver/core/handle.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/device/rt_init.h"
#include "runtime/driver/interop/egl/egl_buffer.h"
#include "runtime/driver/memory/external.h"

/* --- images ----------------------------------------------------------------------------------- */

static void egl_buffer_image_end(void *object)
{
    const struct egl_buffer_image *i = object;

    shared_unref(i->buffer.memory);
}

static const struct object_kind image_kind = { .name = "EGLImage of shared memory",
                                               .type = HANDLE_EGL_BUFFER,
                                               .end = egl_buffer_image_end };

void *rt_egl_buffer_image(const struct rt_egl_buffer *buffer)
{
    struct egl_buffer_image *i;
    void *image;

    if (rt_init(0) || core_enter_any()) {
        return NULL;
    }
    if (handle_count() >= HANDLES_MAX) { /* EGL_BAD_ALLOC */
        core_leave(CUDA_SUCCESS);
        return NULL;
    }
    i = object_new(&image_kind, sizeof(*i), NULL);
    i->buffer = *buffer;
    shared_ref(buffer->memory);
    image = object_open(&i->base);
    core_leave(CUDA_SUCCESS);
    return image;
}

bool rt_egl_buffer_image_free(void *image, const char *api)
{
    struct egl_buffer_image *i;
    bool found;

    if (core_enter_any() != CUDA_SUCCESS) {
        return false;
    }
    i = handle_find(HANDLE_EGL_BUFFER, image);
    if (i && graphics_buffer_gone(i)) {
        report_finding(&check_rules[CHECK_RULE_SURFACE_IMAGE_GONE],
                       shared_mem(i->buffer.memory)->id, 0, 0, NULL,
                       "%s ends an EGLImage that CUDA still has registered: what CUDA does with "
                       "its frame from now on is undefined",
                       api);
    }
    found = i != NULL;
    if (found) {
        object_unref(&i->base);
    }
    core_leave(CUDA_SUCCESS);
    return found;
}

bool rt_egl_buffer_image_is(const void *image)
{
    bool is = false;

    if (core_enter_any() == CUDA_SUCCESS) {
        is = handle_find(HANDLE_EGL_BUFFER, image);
        core_leave(CUDA_SUCCESS);
    }
    return is;
}
