/* SPDX-License-Identifier: MIT */
/* EGLImages of pictures in shared memory: rt_egl_buffer.h. Their use by CUDA: graphics.c. */
#include "runtime/driver/interop/egl/rt_egl_buffer.h"

#include "runtime/driver/core/handle.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/device/rt_init.h"
#include "runtime/driver/interop/egl/egl_buffer.h"
#include "runtime/driver/memory/external.h"

/* --- images ----------------------------------------------------------------------------------- */

void *rt_egl_buffer_image(const struct rt_egl_buffer *buffer)
{
    struct egl_buffer_image *i;

    if (rt_init(0) || core_enter_any()) {
        return NULL;
    }
    i = g_new0(struct egl_buffer_image, 1);
    i->buffer = *buffer;
    i->handle = handle_new(HANDLE_EGL_BUFFER, i);
    shared_ref(buffer->memory);
    core_leave(CUDA_SUCCESS);
    return i->handle;
}

bool rt_egl_buffer_image_free(void *image, const char *api)
{
    struct egl_buffer_image *i;

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
    if (i) {
        handle_free(i->handle);
        shared_unref(i->buffer.memory);
        g_free(i);
    }
    core_leave(CUDA_SUCCESS);
    return i;
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
