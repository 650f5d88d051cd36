/* SPDX-License-Identifier: MIT */
/* OpenGL's commands that read or write pixels, for what may be missing between them and CUDA: each
 * is Mesa's, and before it the images that it uses are given to the core. Which these are: textures
 * of the current program's samplers, attachments of the framebuffers, the texture that a command
 * names. Image units and buffers are left out. */
#define GL_GLEXT_PROTOTYPES
#include <GLES3/gl32.h>

#include <GLES2/gl2ext.h>

#include <stdatomic.h>
#include <stdlib.h>

#include "runtime/api/egl/vendor.h"
#include "runtime/driver/interop/egl/rt_egl.h"

#ifndef GL_SAMPLER_EXTERNAL_OES
#define GL_SAMPLER_EXTERNAL_OES 0x8D66
#endif
#define ATTACHMENTS_MAX 8u

/* Desktop OpenGL's; its header does not go with GLES's. */
void glGetTexImage(GLenum target, GLint level, GLenum format, GLenum type, void *pixels);

static atomic_uint drawn;
static _Atomic(const char *) newest = "glFinish";

unsigned vendor_drawn(const char **call)
{
    *call = atomic_load(&newest);
    return atomic_load(&drawn);
}

static void gl_calls_drew(const char *call)
{
    atomic_store(&newest, call);
    atomic_fetch_add(&drawn, 1);
}

/* --- which images? --- */

static bool gl_calls_watched(void)
{
    return vendor_images_any() && rt_egl_images_busy();
}

static void name_used(GLuint name, bool renderbuffer, const char *call, bool writes)
{
    void *image = name ? vendor_image_of(name, renderbuffer) : NULL;

    if (image) {
        rt_egl_image_used(image, call, writes);
    }
}

static void texture_used(GLuint texture, const char *call, bool writes)
{
    name_used(texture, false, call, writes);
}

static void bound_used(GLenum target, const char *call, bool writes)
{
    GLint texture = 0;

    if (target == GL_TEXTURE_2D) {
        VENDOR_MESA(glGetIntegerv)(GL_TEXTURE_BINDING_2D, &texture);
        texture_used((GLuint)texture, call, writes);
    }
}

static void framebuffer_used(GLenum target, const char *call, bool writes)
{
    GLint bound = 0;

    VENDOR_MESA(glGetIntegerv)
    (target == GL_READ_FRAMEBUFFER ? GL_READ_FRAMEBUFFER_BINDING : GL_DRAW_FRAMEBUFFER_BINDING,
     &bound);
    for (unsigned i = 0; bound && i < ATTACHMENTS_MAX; i++) {
        GLint type = GL_NONE, name = 0;

        VENDOR_MESA(glGetFramebufferAttachmentParameteriv)
        (target, GL_COLOR_ATTACHMENT0 + i, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE, &type);
        if (type == GL_TEXTURE || type == GL_RENDERBUFFER) {
            VENDOR_MESA(glGetFramebufferAttachmentParameteriv)
            (target, GL_COLOR_ATTACHMENT0 + i, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME, &name);
            name_used((GLuint)name, type == GL_RENDERBUFFER, call, writes);
        }
    }
}

static void unit_used(GLint unit, GLenum binding, const char *call)
{
    GLint before = 0, texture = 0;

    VENDOR_MESA(glGetIntegerv)(GL_ACTIVE_TEXTURE, &before);
    VENDOR_MESA(glActiveTexture)(GL_TEXTURE0 + (GLenum)unit);
    VENDOR_MESA(glGetIntegerv)(binding, &texture);
    VENDOR_MESA(glActiveTexture)((GLenum)before);
    texture_used((GLuint)texture, call, false);
}

static void samplers_used(const char *call)
{
    GLint program = 0, n = 0;

    VENDOR_MESA(glGetIntegerv)(GL_CURRENT_PROGRAM, &program);
    if (program) {
        VENDOR_MESA(glGetProgramiv)((GLuint)program, GL_ACTIVE_UNIFORMS, &n);
    }
    for (GLint i = 0; i < n; i++) {
        GLenum type = GL_NONE;
        GLint size = 0, at, unit = 0;
        char name[256];

        VENDOR_MESA(glGetActiveUniform)
        ((GLuint)program, (GLuint)i, sizeof(name), NULL, &size, &type, name);
        if (type != GL_SAMPLER_2D && type != GL_INT_SAMPLER_2D &&
            type != GL_UNSIGNED_INT_SAMPLER_2D && type != GL_SAMPLER_EXTERNAL_OES) {
            continue;
        }
        at = VENDOR_MESA(glGetUniformLocation)((GLuint)program, name);
        for (GLint k = 0; at >= 0 && k < size; k++) {
            VENDOR_MESA(glGetUniformiv)((GLuint)program, at + k, &unit);
            unit_used(unit,
                      type == GL_SAMPLER_EXTERNAL_OES ? GL_TEXTURE_BINDING_EXTERNAL_OES
                                                      : GL_TEXTURE_BINDING_2D,
                      call);
        }
    }
}

/* --- commands: what they use (USES), Mesa's, and that they have drawn --- */

#define REAL(name)                                    \
    static __typeof__(&name) real;                    \
    if (!real) {                                      \
        real = (__typeof__(&name))vendor_mesa(#name); \
    }

#define DRAW(name, parameters, arguments, uses) \
    static void hook_##name parameters          \
    {                                           \
        static const char call[] = #name;       \
        REAL(name)                              \
        if (gl_calls_watched()) {               \
            uses;                               \
        }                                       \
        real arguments;                         \
        gl_calls_drew(call);                    \
    }

#define DRAWN                                              \
    do {                                                   \
        samplers_used(call);                               \
        framebuffer_used(GL_DRAW_FRAMEBUFFER, call, true); \
    } while (0)
#define CLEARED framebuffer_used(GL_DRAW_FRAMEBUFFER, call, true)

DRAW(glDrawArrays, (GLenum mode, GLint first, GLsizei count), (mode, first, count), DRAWN)
DRAW(glDrawElements, (GLenum mode, GLsizei count, GLenum type, const void *indices),
     (mode, count, type, indices), DRAWN)
DRAW(glDrawRangeElements,
     (GLenum mode, GLuint start, GLuint end, GLsizei count, GLenum type, const void *indices),
     (mode, start, end, count, type, indices), DRAWN)
DRAW(glDrawArraysInstanced, (GLenum mode, GLint first, GLsizei count, GLsizei n),
     (mode, first, count, n), DRAWN)
DRAW(glDrawElementsInstanced,
     (GLenum mode, GLsizei count, GLenum type, const void *indices, GLsizei n),
     (mode, count, type, indices, n), DRAWN)
DRAW(glDrawElementsBaseVertex,
     (GLenum mode, GLsizei count, GLenum type, const void *indices, GLint base),
     (mode, count, type, indices, base), DRAWN)
DRAW(glDrawArraysIndirect, (GLenum mode, const void *indirect), (mode, indirect), DRAWN)
DRAW(glDrawElementsIndirect, (GLenum mode, GLenum type, const void *indirect),
     (mode, type, indirect), DRAWN)
DRAW(glDispatchCompute, (GLuint x, GLuint y, GLuint z), (x, y, z), samplers_used(call))
DRAW(glClear, (GLbitfield mask), (mask), CLEARED)
DRAW(glClearBufferfv, (GLenum buffer, GLint index, const GLfloat *value), (buffer, index, value),
     CLEARED)
DRAW(glClearBufferiv, (GLenum buffer, GLint index, const GLint *value), (buffer, index, value),
     CLEARED)
DRAW(glClearBufferuiv, (GLenum buffer, GLint index, const GLuint *value), (buffer, index, value),
     CLEARED)
DRAW(glBlitFramebuffer,
     (GLint x0, GLint y0, GLint x1, GLint y1, GLint to_x0, GLint to_y0, GLint to_x1, GLint to_y1,
      GLbitfield mask, GLenum filter),
     (x0, y0, x1, y1, to_x0, to_y0, to_x1, to_y1, mask, filter), {
         framebuffer_used(GL_READ_FRAMEBUFFER, call, false);
         framebuffer_used(GL_DRAW_FRAMEBUFFER, call, true);
     })
DRAW(glTexImage2D,
     (GLenum target, GLint level, GLint internal, GLsizei width, GLsizei height, GLint border,
      GLenum format, GLenum type, const void *pixels),
     (target, level, internal, width, height, border, format, type, pixels),
     bound_used(target, call, true))
DRAW(glTexSubImage2D,
     (GLenum target, GLint level, GLint x, GLint y, GLsizei width, GLsizei height, GLenum format,
      GLenum type, const void *pixels),
     (target, level, x, y, width, height, format, type, pixels), bound_used(target, call, true))
DRAW(glCopyTexSubImage2D,
     (GLenum target, GLint level, GLint to_x, GLint to_y, GLint x, GLint y, GLsizei width,
      GLsizei height),
     (target, level, to_x, to_y, x, y, width, height), {
         framebuffer_used(GL_READ_FRAMEBUFFER, call, false);
         bound_used(target, call, true);
     })
DRAW(glGenerateMipmap, (GLenum target), (target), bound_used(target, call, true))
DRAW(glCopyImageSubData,
     (GLuint from, GLenum from_target, GLint from_level, GLint from_x, GLint from_y, GLint from_z,
      GLuint to, GLenum to_target, GLint to_level, GLint to_x, GLint to_y, GLint to_z,
      GLsizei width, GLsizei height, GLsizei depth),
     (from, from_target, from_level, from_x, from_y, from_z, to, to_target, to_level, to_x, to_y,
      to_z, width, height, depth),
     {
         texture_used(from_target == GL_TEXTURE_2D ? from : 0, call, false);
         texture_used(to_target == GL_TEXTURE_2D ? to : 0, call, true);
     })

static void hook_glReadPixels(GLint x, GLint y, GLsizei width, GLsizei height, GLenum format,
                              GLenum type, void *pixels)
{
    REAL(glReadPixels)
    if (gl_calls_watched()) {
        framebuffer_used(GL_READ_FRAMEBUFFER, "glReadPixels", false);
    }
    real(x, y, width, height, format, type, pixels);
}

static void hook_glGetTexImage(GLenum target, GLint level, GLenum format, GLenum type, void *pixels)
{
    REAL(glGetTexImage)
    if (gl_calls_watched()) {
        bound_used(target, "glGetTexImage", false);
    }
    real(target, level, format, type, pixels);
}

#define HOOK(name) VENDOR_FUNCTION(#name, hook_##name)
const struct vendor_function vendor_gl_functions[] = {
    HOOK(glDrawArrays),
    HOOK(glDrawElements),
    HOOK(glDrawRangeElements),
    HOOK(glDrawArraysInstanced),
    HOOK(glDrawElementsInstanced),
    HOOK(glDrawElementsBaseVertex),
    HOOK(glDrawArraysIndirect),
    HOOK(glDrawElementsIndirect),
    HOOK(glDispatchCompute),
    HOOK(glClear),
    HOOK(glClearBufferfv),
    HOOK(glClearBufferiv),
    HOOK(glClearBufferuiv),
    HOOK(glBlitFramebuffer),
    HOOK(glTexImage2D),
    HOOK(glTexSubImage2D),
    HOOK(glCopyTexSubImage2D),
    HOOK(glGenerateMipmap),
    HOOK(glCopyImageSubData),
    HOOK(glReadPixels),
    HOOK(glGetTexImage),
    { 0 },
};
