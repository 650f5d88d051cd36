/* SPDX-License-Identifier: MIT */
/* CUDA's OpenGL interoperability: buffers, textures and renderbuffers of the current context, to be
 * copied. A texture goes through an EGLImage of ours, a buffer through a binding point of the
 * program's context that is put back. */
#define GL_GLEXT_PROTOTYPES
#include "runtime/api/egl/format.h"

#include <GLES2/gl2ext.h>

#include <stdlib.h>
#include <string.h>

#include "runtime/api/egl/vendor.h"
#include "runtime/driver/interop/gl/rt_gl.h"

static bool interop_current(void)
{
    return vendor_glvnd->getCurrentContext();
}

static void interop_finish(void)
{
    VENDOR_MESA(glFinish)();
}

/* --- buffers --- */

static GLuint buffer_bind(GLuint buffer)
{
    GLint before = 0;

    VENDOR_MESA(glGetIntegerv)(GL_COPY_READ_BUFFER_BINDING, &before);
    VENDOR_MESA(glBindBuffer)(GL_COPY_READ_BUFFER, buffer);
    return (GLuint)before;
}

static bool buffer_size(unsigned buffer, size_t *bytes)
{
    GLint64 size = 0;
    GLuint before;

    if (!buffer || !VENDOR_MESA(glIsBuffer)(buffer)) {
        return false;
    }
    before = buffer_bind(buffer);
    VENDOR_MESA(glGetBufferParameteri64v)(GL_COPY_READ_BUFFER, GL_BUFFER_SIZE, &size);
    VENDOR_MESA(glBindBuffer)(GL_COPY_READ_BUFFER, before);
    *bytes = (size_t)size;
    return true;
}

static bool bound_copy(void *bytes, GLsizeiptr size, bool write)
{
    GLint mapped = GL_FALSE;
    void *at;

    VENDOR_MESA(glGetBufferParameteriv)(GL_COPY_READ_BUFFER, GL_BUFFER_MAPPED, &mapped);
    if (mapped) {
        return false;
    }
    if (write) {
        VENDOR_MESA(glBufferSubData)(GL_COPY_READ_BUFFER, 0, size, bytes);
        return true;
    }
    at = VENDOR_MESA(glMapBufferRange)(GL_COPY_READ_BUFFER, 0, size, GL_MAP_READ_BIT);
    if (!at) {
        return false;
    }
    memcpy(bytes, at, (size_t)size);
    return VENDOR_MESA(glUnmapBuffer)(GL_COPY_READ_BUFFER);
}

static bool buffer_copy(unsigned buffer, void *bytes, size_t size, bool write)
{
    size_t now = 0;
    GLuint before;
    bool ok;

    if (!buffer_size(buffer, &now) || now != size) {
        return false;
    }
    before = buffer_bind(buffer);
    ok = bound_copy(bytes, (GLsizeiptr)size, write);
    VENDOR_MESA(glBindBuffer)(GL_COPY_READ_BUFFER, before);
    return ok;
}

/* --- images --- */

static void *image_open(unsigned name, unsigned target, struct rt_egl_shape *shape)
{
    bool renderbuffer = target == GL_RENDERBUFFER;
    struct vendor_pixels p = { .display = vendor_glvnd->getCurrentDisplay() };
    struct vendor_pixels *made;

    if (!name ||
        !(renderbuffer ? VENDOR_MESA(glIsRenderbuffer)(name) : VENDOR_MESA(glIsTexture)(name)) ||
        !vendor_pixels_of(name, renderbuffer, &p)) {
        return NULL;
    }
    p.image = VENDOR_MESA(eglCreateImageKHR)(p.display, vendor_glvnd->getCurrentContext(),
                                             renderbuffer ? EGL_GL_RENDERBUFFER_KHR
                                                          : EGL_GL_TEXTURE_2D_KHR,
                                             (EGLClientBuffer)(uintptr_t)name, NULL);
    if (p.image == EGL_NO_IMAGE_KHR) {
        VENDOR_MESA(eglGetError)();
        return NULL;
    }
    *shape = (struct rt_egl_shape){ p.width, p.height, p.format->cuda };
    made = malloc(sizeof(*made));
    *made = p;
    return made;
}

static bool image_copy(void *image, void *pixels, bool write)
{
    const struct vendor_pixels *p = image;

    return vendor_pixels_copy(p, pixels, write, 0, p->height);
}

static void image_close(void *image)
{
    struct vendor_pixels *p = image;

    VENDOR_MESA(eglDestroyImageKHR)(p->display, p->image);
    free(p);
}

void vendor_interop_begin(void)
{
    static const struct rt_gl_calls calls = { interop_current, interop_finish, buffer_size,
                                              buffer_copy,     image_open,     image_copy,
                                              image_close };

    rt_gl_calls_set(&calls);
}
