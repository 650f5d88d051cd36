/* SPDX-License-Identifier: MIT */
/* Pixels of EGLImages, through the helper's context: the program's state stays as it is. */
#define GL_GLEXT_PROTOTYPES
#include "runtime/api/egl/format.h"

#include <GLES2/gl2ext.h>

#include "runtime/api/egl/vendor.h"

bool vendor_pixels_copy(const struct vendor_pixels *p, uint8_t *pixels, bool write, unsigned y,
                        unsigned rows)
{
    uint8_t *first = pixels + (size_t)y * p->width * p->format->cuda.bytes;
    GLenum format = p->format->format, type = p->format->type;
    struct vendor_before before;
    GLuint texture, framebuffer;
    bool ok = vendor_helper_begin(p->display, EGL_NO_SURFACE, &before);

    if (ok) {
        VENDOR_MESA(glGenTextures)(1, &texture);
        VENDOR_MESA(glBindTexture)(GL_TEXTURE_2D, texture);
        VENDOR_MESA(glEGLImageTargetTexture2DOES)(GL_TEXTURE_2D, p->image);
        VENDOR_MESA(glPixelStorei)(GL_PACK_ALIGNMENT, 1);
        VENDOR_MESA(glPixelStorei)(GL_UNPACK_ALIGNMENT, 1);
        if (write) {
            VENDOR_MESA(glTexSubImage2D)(GL_TEXTURE_2D, 0, 0, (int)y, (int)p->width, (int)rows,
                                         format, type, first);
        } else {
            VENDOR_MESA(glGenFramebuffers)(1, &framebuffer);
            VENDOR_MESA(glBindFramebuffer)(GL_FRAMEBUFFER, framebuffer);
            VENDOR_MESA(glFramebufferTexture2D)(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                                                texture, 0);
            VENDOR_MESA(glReadPixels)(0, (int)y, (int)p->width, (int)rows, format, type, first);
            VENDOR_MESA(glBindFramebuffer)(GL_FRAMEBUFFER, 0);
            VENDOR_MESA(glDeleteFramebuffers)(1, &framebuffer);
        }
        VENDOR_MESA(glFinish)();
        ok = VENDOR_MESA(glGetError)() == GL_NO_ERROR;
        VENDOR_MESA(glDeleteTextures)(1, &texture);
    }
    vendor_helper_end(&before);
    return ok;
}

/* --- of an object of the current context --- */

static GLint texture_format(GLuint texture, GLint *width, GLint *height)
{
    GLint before = 0, format = 0;

    VENDOR_MESA(glGetIntegerv)(GL_TEXTURE_BINDING_2D, &before);
    VENDOR_MESA(glBindTexture)(GL_TEXTURE_2D, texture);
    VENDOR_MESA(glGetTexLevelParameteriv)(GL_TEXTURE_2D, 0, GL_TEXTURE_WIDTH, width);
    VENDOR_MESA(glGetTexLevelParameteriv)(GL_TEXTURE_2D, 0, GL_TEXTURE_HEIGHT, height);
    VENDOR_MESA(glGetTexLevelParameteriv)(GL_TEXTURE_2D, 0, GL_TEXTURE_INTERNAL_FORMAT, &format);
    VENDOR_MESA(glBindTexture)(GL_TEXTURE_2D, (GLuint)before);
    return format;
}

static GLint renderbuffer_format(GLuint renderbuffer, GLint *width, GLint *height)
{
    GLint before = 0, format = 0;

    VENDOR_MESA(glGetIntegerv)(GL_RENDERBUFFER_BINDING, &before);
    VENDOR_MESA(glBindRenderbuffer)(GL_RENDERBUFFER, renderbuffer);
    VENDOR_MESA(glGetRenderbufferParameteriv)(GL_RENDERBUFFER, GL_RENDERBUFFER_WIDTH, width);
    VENDOR_MESA(glGetRenderbufferParameteriv)(GL_RENDERBUFFER, GL_RENDERBUFFER_HEIGHT, height);
    VENDOR_MESA(glGetRenderbufferParameteriv)
    (GL_RENDERBUFFER, GL_RENDERBUFFER_INTERNAL_FORMAT, &format);
    VENDOR_MESA(glBindRenderbuffer)(GL_RENDERBUFFER, (GLuint)before);
    return format;
}

bool vendor_pixels_of(GLuint name, bool renderbuffer, struct vendor_pixels *p)
{
    GLint width = 0, height = 0;

    p->format = vendor_format_of(renderbuffer ? renderbuffer_format(name, &width, &height)
                                              : texture_format(name, &width, &height));
    p->width = (unsigned)width;
    p->height = (unsigned)height;
    return p->format && width > 0 && height > 0;
}
