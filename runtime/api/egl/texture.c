/* SPDX-License-Identifier: MIT */
/* EGL_KHR_stream_consumer_gltexture: a texture as a stream's consumer. An acquired frame's pixels
 * go into an image of the helper's, of which the program's texture is a sibling: it stays what it
 * was for the program's context, with new pixels. After a release they stay there. */
#define GL_GLEXT_PROTOTYPES
#include <GLES3/gl32.h>

#include <GLES2/gl2ext.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/api/egl/vendor.h"
#include "runtime/driver/interop/egl/rt_egl.h"
#include "runtime/driver/interop/egl/rt_egl_gl.h"

const char vendor_gl_extensions[] =
    "EGL_KHR_stream_consumer_gltexture EGL_KHR_stream_producer_eglsurface";

/**
 * struct consumer - a texture that is one
 * @texture: of @context; @pixels, @image: the helper's texture and its image, of @width x @height
 */
struct consumer {
    struct consumer *next;
    EGLDisplay display;
    EGLStreamKHR stream;
    struct rt_egl_gl_end *end;
    EGLContext context;
    GLuint texture, pixels;
    EGLImageKHR image;
    unsigned width, height;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct consumer *consumers;

/* Without the list's lock: these may wait. */
static void consumer_free(struct consumer *c)
{
    struct vendor_before before;

    rt_egl_gl_leave(c->end);
    if (c->image) {
        if (vendor_helper_begin(c->display, EGL_NO_SURFACE, &before)) {
            VENDOR_MESA(glDeleteTextures)(1, &c->pixels);
        }
        vendor_helper_end(&before);
        VENDOR_MESA(eglDestroyImageKHR)(c->display, c->image);
    }
    free(c);
}

typedef bool match_fn(const struct consumer *c, const void *key, GLuint texture);

static void consumers_end(match_fn *match, const void *key, GLuint texture)
{
    struct consumer *gone = NULL;

    pthread_mutex_lock(&lock);
    for (struct consumer **at = &consumers; *at;) {
        struct consumer *c = *at;

        if (match(c, key, texture)) {
            *at = c->next;
            c->next = gone;
            gone = c;
        } else {
            at = &c->next;
        }
    }
    pthread_mutex_unlock(&lock);
    while (gone) {
        struct consumer *next = gone->next;

        consumer_free(gone);
        gone = next;
    }
}

static bool of_stream(const struct consumer *c, const void *key, GLuint texture)
{
    (void)texture;
    return c->stream == key;
}

static bool of_context(const struct consumer *c, const void *key, GLuint texture)
{
    return c->context == key && (!texture || c->texture == texture);
}

static bool of_display(const struct consumer *c, const void *key, GLuint texture)
{
    (void)texture;
    return c->display == key;
}

void vendor_texture_forget(const void *stream)
{
    consumers_end(of_stream, stream, 0);
}

/* --- connecting --- */

/* What glBindTexture() has bound to GL_TEXTURE_EXTERNAL_OES; 0: none, or no GLES. */
static GLuint external_bound(EGLDisplay display, EGLContext context)
{
    EGLint api = 0;
    GLint texture = 0;

    VENDOR_MESA(eglQueryContext)(display, context, EGL_CONTEXT_CLIENT_TYPE, &api);
    if (api == EGL_OPENGL_ES_API) {
        VENDOR_MESA(glGetIntegerv)(GL_TEXTURE_BINDING_EXTERNAL_OES, &texture);
    }
    return (GLuint)texture;
}

static EGLBoolean consumer_connect(EGLDisplay display, EGLStreamKHR stream)
{
    struct consumer c = { .display = display, .stream = stream }, *made;

    if (!vendor_enter(display)) {
        return EGL_FALSE;
    }
    if (!rt_egl_stream_exists(display, stream)) {
        return vendor_fail(EGL_BAD_STREAM_KHR);
    }
    c.context = vendor_glvnd->getCurrentContext();
    c.texture = c.context ? external_bound(display, c.context) : 0;
    if (!c.texture) {
        return vendor_fail(EGL_BAD_ACCESS);
    }
    if (!vendor_answer(rt_egl_gl_consumer_connect(display, stream, &c.end))) {
        return EGL_FALSE;
    }
    made = malloc(sizeof(*made));
    *made = c;
    pthread_mutex_lock(&lock);
    made->next = consumers;
    consumers = made;
    pthread_mutex_unlock(&lock);
    return EGL_TRUE;
}

/* The stream's texture, whose context is current; NULL: the error is set. */
static struct consumer *consumer_enter(EGLDisplay display, EGLStreamKHR stream)
{
    struct consumer *c;

    if (!vendor_enter(display)) {
        return NULL;
    }
    if (!rt_egl_stream_exists(display, stream)) {
        vendor_fail(EGL_BAD_STREAM_KHR);
        return NULL;
    }
    pthread_mutex_lock(&lock);
    for (c = consumers; c && c->stream != stream; c = c->next) {
    }
    pthread_mutex_unlock(&lock);
    if (!c || c->context != vendor_glvnd->getCurrentContext()) {
        vendor_fail(EGL_BAD_ACCESS); /* measured for a consumer of CUDA's, too */
        return NULL;
    }
    return c;
}

/* --- frames --- */

static bool image_make(struct consumer *c, const struct rt_egl_picture *p)
{
    static const EGLint none[] = { EGL_NONE };
    EGLContext helper = VENDOR_MESA(eglGetCurrentContext)();

    if (c->image) {
        VENDOR_MESA(glDeleteTextures)(1, &c->pixels);
        VENDOR_MESA(eglDestroyImageKHR)(c->display, c->image);
    }
    VENDOR_MESA(glGenTextures)(1, &c->pixels);
    VENDOR_MESA(glBindTexture)(GL_TEXTURE_2D, c->pixels);
    VENDOR_MESA(glTexStorage2D)(GL_TEXTURE_2D, 1, GL_RGBA8, (int)p->width, (int)p->height);
    c->image = VENDOR_MESA(eglCreateImageKHR)(c->display, helper, EGL_GL_TEXTURE_2D_KHR,
                                              (EGLClientBuffer)(uintptr_t)c->pixels, none);
    c->width = p->width;
    c->height = p->height;
    return c->image;
}

static void sibling_bind(const struct consumer *c)
{
    GLint before = 0;

    VENDOR_MESA(glGetIntegerv)(GL_TEXTURE_BINDING_EXTERNAL_OES, &before);
    VENDOR_MESA(glBindTexture)(GL_TEXTURE_EXTERNAL_OES, c->texture);
    VENDOR_MESA(glEGLImageTargetTexture2DOES)(GL_TEXTURE_EXTERNAL_OES, c->image);
    VENDOR_MESA(glBindTexture)(GL_TEXTURE_EXTERNAL_OES, (GLuint)before);
}

/* What the program has drawn with the frame before is done first. */
static bool texture_latch(struct consumer *c, const struct rt_egl_picture *p)
{
    bool fresh = !c->image || c->width != p->width || c->height != p->height;
    struct vendor_before before;
    bool ok;

    VENDOR_MESA(glFinish)();
    ok = vendor_helper_begin(c->display, EGL_NO_SURFACE, &before);
    if (ok && fresh) {
        ok = image_make(c, p);
    }
    if (ok) {
        VENDOR_MESA(glBindTexture)(GL_TEXTURE_2D, c->pixels);
        VENDOR_MESA(glTexSubImage2D)
        (GL_TEXTURE_2D, 0, 0, 0, (int)p->width, (int)p->height, GL_RGBA, GL_UNSIGNED_BYTE, p->rgba);
        VENDOR_MESA(glFinish)();
    }
    vendor_helper_end(&before);
    if (ok && fresh) {
        sibling_bind(c);
    }
    return ok;
}

static EGLBoolean consumer_acquire(EGLDisplay display, EGLStreamKHR stream)
{
    struct consumer *c = consumer_enter(display, stream);
    struct rt_egl_picture p = { 0 };
    bool ok;

    if (!c || !vendor_answer(rt_egl_gl_acquire(c->end, &p))) {
        return EGL_FALSE;
    }
    ok = texture_latch(c, &p);
    free(p.rgba);
    if (!ok) {
        rt_egl_gl_release(c->end);
        return vendor_fail(EGL_BAD_ALLOC);
    }
    return EGL_TRUE;
}

static EGLBoolean consumer_release(EGLDisplay display, EGLStreamKHR stream)
{
    struct consumer *c = consumer_enter(display, stream);

    return c && vendor_answer(rt_egl_gl_release(c->end));
}

/* EGL_KHR_stream_attrib has no attributes for these two. */
static bool no_attributes(EGLDisplay display, const EGLAttrib *list)
{
    return !list || list[0] == EGL_NONE || !vendor_enter(display) || vendor_fail(EGL_BAD_ATTRIBUTE);
}

static EGLBoolean consumer_acquire_attrib(EGLDisplay display, EGLStreamKHR stream,
                                          const EGLAttrib *list)
{
    return no_attributes(display, list) && consumer_acquire(display, stream);
}

static EGLBoolean consumer_release_attrib(EGLDisplay display, EGLStreamKHR stream,
                                          const EGLAttrib *list)
{
    return no_attributes(display, list) && consumer_release(display, stream);
}

/* --- the texture goes: "the stream is placed in the state DISCONNECTED" --- */

static void delete_textures(GLsizei n, const GLuint *textures)
{
    const void *context = vendor_glvnd->getCurrentContext();

    for (GLsizei i = 0; context && textures && i < n; i++) {
        if (textures[i]) {
            consumers_end(of_context, context, textures[i]);
        }
    }
    VENDOR_MESA(glDeleteTextures)(n, textures);
}

static EGLBoolean destroy_context(EGLDisplay display, EGLContext context)
{
    consumers_end(of_context, context, 0);
    return vendor_passed(VENDOR_MESA(eglDestroyContext)(display, context));
}

static EGLBoolean texture_terminate(EGLDisplay display)
{
    consumers_end(of_display, display, 0);
    if (vendor_second_is(display)) {
        return vendor_second_terminate();
    }
    vendor_surfaces_forget(display);
    vendor_images_forget(display);
    return vendor_passed(VENDOR_MESA(eglTerminate)(display));
}

/* NVIDIA's name of the extension in shaders; Mesa's compiler knows the other one. */
#define SHADER_NAME "GL_NV_EGL_stream_consumer_external"
#define SHADER_MESA "GL_OES_EGL_image_external"

static void shader_source(GLuint shader, GLsizei count, const GLchar *const *string,
                          const GLint *length)
{
    char *text;
    size_t size = 1, at = 0;

    for (GLsizei i = 0; i < count; i++) {
        size += length && length[i] >= 0 ? (size_t)length[i] : strlen(string[i]);
    }
    text = calloc(1, size);
    for (GLsizei i = 0; text && i < count; i++) {
        size_t n = length && length[i] >= 0 ? (size_t)length[i] : strlen(string[i]);

        memcpy(text + at, string[i], n);
        at += n;
    }
    if (count > 0 && text && strstr(text, SHADER_NAME)) {
        const GLchar *one = text;

        for (char *name; (name = strstr(text, SHADER_NAME)) != NULL;) {
            memset(name, ' ', sizeof(SHADER_NAME) - 1);
            memcpy(name, SHADER_MESA, sizeof(SHADER_MESA) - 1);
        }
        VENDOR_MESA(glShaderSource)(shader, 1, &one, NULL);
    } else {
        VENDOR_MESA(glShaderSource)(shader, count, string, length);
    }
    free(text);
}

/* Where this extension's shaders work: GLES. */
static const GLubyte *get_string(GLenum name)
{
    const GLubyte *text = VENDOR_MESA(glGetString)(name);

    return text && name == GL_EXTENSIONS && strstr((const char *)text, SHADER_MESA)
               ? (const GLubyte *)vendor_joined((const char *)text, SHADER_NAME)
               : text;
}

const struct vendor_function vendor_texture_functions[] = {
    VENDOR_FUNCTION("eglStreamConsumerGLTextureExternalKHR", consumer_connect),
    VENDOR_FUNCTION("eglStreamConsumerAcquireKHR", consumer_acquire),
    VENDOR_FUNCTION("eglStreamConsumerReleaseKHR", consumer_release),
    VENDOR_FUNCTION("eglStreamConsumerAcquireAttribKHR", consumer_acquire_attrib),
    VENDOR_FUNCTION("eglStreamConsumerReleaseAttribKHR", consumer_release_attrib),
    VENDOR_FUNCTION("glDeleteTextures", delete_textures),
    VENDOR_FUNCTION("eglDestroyContext", destroy_context),
    VENDOR_FUNCTION("eglTerminate", texture_terminate),
    VENDOR_FUNCTION("glShaderSource", shader_source),
    VENDOR_FUNCTION("glGetString", get_string),
    { 0 },
};
