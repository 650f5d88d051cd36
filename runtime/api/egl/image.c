/* SPDX-License-Identifier: MIT */
/* EGLImages of textures and renderbuffers, for CUDA: their pixels are read and written through a
 * context of our own, which binds the image; the program's is put back. What CUDA may see of an
 * image is what it was at its creation or at the last glFinish(): later commands have no end that
 * CUDA knows of. */
#define GL_GLEXT_PROTOTYPES
#include <GLES3/gl32.h>

#include <GLES2/gl2ext.h>

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/api/egl/format.h"
#include "runtime/api/egl/vendor.h"
#include "runtime/driver/interop/egl/rt_egl.h"

/**
 * struct image - an EGLImage of a 2D texture or a renderbuffer
 * @name: of @context; @renderbuffer: that is one
 * @seen: pixels at the last point that counts, rows without gaps; @now: room for others
 * @asked: of vendor_drawn(), when the core asked what GL has drawn
 * @registered: the core has asked for its size; @destroyed: by the program, and the core holds it
 */
struct image {
    struct image *next;
    EGLDisplay display;
    EGLImage image;
    EGLContext context;
    GLuint name;
    const struct vendor_format *format;
    unsigned width, height, asked;
    uint8_t *seen, *now;
    bool renderbuffer, registered, destroyed;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct image *images;

/* --- pixels ----------------------------------------------------------------------------------- */

static size_t row_of(const struct image *i)
{
    return (size_t)i->width * i->format->cuda.bytes;
}

/* Rows from @y on, to (@write) or from @pixels, where the image begins. Return: false: GL refuses.
 */
static bool rows_transfer(const struct image *i, uint8_t *pixels, bool write, unsigned y,
                          unsigned rows)
{
    const struct vendor_pixels p = { i->display, i->image, i->format, i->width, i->height };

    return vendor_pixels_copy(&p, pixels, write, y, rows);
}

static bool image_transfer(const struct image *i, uint8_t *pixels, bool write)
{
    return rows_transfer(i, pixels, write, 0, i->height);
}

static size_t bytes_of(const struct image *i)
{
    return i->height * row_of(i);
}

/* --- for the driver core -----------------------------------------------------------------------
 */

static struct image *image_find(const void *handle)
{
    struct image *i = images;

    while (i && i->image != handle) {
        i = i->next;
    }
    return i;
}

static bool image_shape(void *handle, struct rt_egl_shape *shape)
{
    struct image *i;

    pthread_mutex_lock(&lock);
    i = image_find(handle);
    if (i && i->destroyed) {
        i = NULL;
    }
    if (i) {
        *shape = (struct rt_egl_shape){ i->width, i->height, i->format->cuda };
        i->registered = true;
    }
    pthread_mutex_unlock(&lock);
    return i;
}

static bool image_seen(void *handle, void *pixels)
{
    const struct image *i;

    pthread_mutex_lock(&lock);
    i = image_find(handle);
    if (i) {
        memcpy(pixels, i->seen, bytes_of(i));
    }
    pthread_mutex_unlock(&lock);
    return i;
}

/* Bytes of these rows that differ from @base are CUDA's: GL's own are kept. */
static bool rows_store(struct image *i, const uint8_t *from, const uint8_t *base, unsigned y,
                       unsigned rows)
{
    size_t first = y * row_of(i), end = first + rows * row_of(i);
    uint8_t *now = i->now, *seen = i->seen;

    if (!rows_transfer(i, now, false, y, rows)) {
        return false;
    }
    for (size_t n = first; n < end; n++) {
        now[n] = from[n] != base[n] ? from[n] : now[n];
        seen[n] = from[n] != base[n] ? from[n] : seen[n];
    }
    return rows_transfer(i, now, true, y, rows);
}

static bool image_store(void *handle, const void *pixels, const void *base, unsigned y,
                        unsigned rows)
{
    struct image *i;
    bool ok;

    pthread_mutex_lock(&lock);
    i = image_find(handle);
    ok = i && rows_store(i, pixels, base, y, rows);
    pthread_mutex_unlock(&lock);
    return ok;
}

static bool image_now(void *handle, bool again, void *pixels, const char **call)
{
    unsigned drawn = vendor_drawn(call);
    struct image *i;
    bool ok = false;

    pthread_mutex_lock(&lock);
    i = image_find(handle);
    if (i && (again || i->asked != drawn)) {
        i->asked = drawn;
        ok = image_transfer(i, pixels, false);
    }
    pthread_mutex_unlock(&lock);
    return ok;
}

static void image_forget(EGLImage image);

static void image_drop(void *handle)
{
    EGLDisplay display = EGL_NO_DISPLAY;
    const struct image *i;

    pthread_mutex_lock(&lock);
    i = image_find(handle);
    if (i) {
        display = i->display;
    }
    pthread_mutex_unlock(&lock);
    if (display != EGL_NO_DISPLAY) {
        image_forget(handle);
        VENDOR_MESA(eglDestroyImageKHR)(display, handle);
    }
}

static const struct rt_egl_images calls = { image_shape, image_seen, image_store, image_now,
                                            image_drop };

/* --- for programs ------------------------------------------------------------------------------
 */

/* Of the current context. Other formats are none that CUDA can be given. */
static void image_track(EGLDisplay display, EGLenum target, GLuint name, EGLImage image)
{
    bool renderbuffer = target == EGL_GL_RENDERBUFFER_KHR;
    struct vendor_pixels p;
    struct image *i;

    if ((target != EGL_GL_TEXTURE_2D_KHR && !renderbuffer) ||
        !vendor_pixels_of(name, renderbuffer, &p)) {
        return;
    }
    i = calloc(1, sizeof(*i));
    *i = (struct image){ .display = display,
                         .image = image,
                         .format = p.format,
                         .context = vendor_glvnd->getCurrentContext(),
                         .name = name,
                         .renderbuffer = renderbuffer,
                         .width = p.width,
                         .height = p.height };
    i->seen = calloc(1, bytes_of(i));
    i->now = malloc(bytes_of(i));
    pthread_mutex_lock(&lock);
    image_transfer(i, i->seen, false);
    i->next = images;
    images = i;
    pthread_mutex_unlock(&lock);
    rt_egl_images_set(&calls);
}

static void image_forget(EGLImage image)
{
    struct image **at, *i;

    pthread_mutex_lock(&lock);
    for (at = &images; *at && (*at)->image != image; at = &(*at)->next) {
    }
    i = *at;
    if (i) {
        *at = i->next;
        free(i->seen);
        free(i->now);
        free(i);
    }
    pthread_mutex_unlock(&lock);
}

static EGLImageKHR create_image_khr(EGLDisplay display, EGLContext context, EGLenum target,
                                    EGLClientBuffer buffer, const EGLint *list)
{
    EGLImageKHR image = VENDOR_MESA(eglCreateImageKHR)(display, context, target, buffer, list);

    if (vendor_passed(image)) {
        image_track(display, target, (GLuint)(uintptr_t)buffer, image);
    }
    return image;
}

static EGLImage create_image(EGLDisplay display, EGLContext context, EGLenum target,
                             EGLClientBuffer buffer, const EGLAttrib *list)
{
    EGLImage image = VENDOR_MESA(eglCreateImage)(display, context, target, buffer, list);

    if (vendor_passed(image)) {
        image_track(display, target, (GLuint)(uintptr_t)buffer, image);
    }
    return image;
}

/* CUDA holds its registered images: "lifetime by reference", EGL_KHR_image_base. */
static bool destroy_later(EGLDisplay display, EGLImage image)
{
    struct image *i;
    bool known, later = false;

    pthread_mutex_lock(&lock);
    i = image_find(image);
    known = i && i->display == display && !i->destroyed;
    pthread_mutex_unlock(&lock);
    if (known && rt_egl_image_destroyed(image)) {
        pthread_mutex_lock(&lock);
        i = image_find(image);
        later = i;
        if (i) {
            i->destroyed = true;
        }
        pthread_mutex_unlock(&lock);
    }
    return later;
}

static EGLBoolean destroy_image_khr(EGLDisplay display, EGLImageKHR image)
{
    if (destroy_later(display, image)) {
        return vendor_enter(display);
    }
    image_forget(image);
    return vendor_passed(VENDOR_MESA(eglDestroyImageKHR)(display, image));
}

static EGLBoolean destroy_image(EGLDisplay display, EGLImage image)
{
    if (destroy_later(display, image)) {
        return vendor_enter(display);
    }
    image_forget(image);
    return vendor_passed(VENDOR_MESA(eglDestroyImage)(display, image));
}

/* The display is terminated: Mesa's images are gone. */
void vendor_images_forget(EGLDisplay display)
{
    EGLImage image;

    do {
        image = EGL_NO_IMAGE;
        pthread_mutex_lock(&lock);
        for (struct image *i = images; i; i = i->next) {
            image = i->display == display ? i->image : image;
        }
        pthread_mutex_unlock(&lock);
        image_forget(image);
    } while (image != EGL_NO_IMAGE);
}

/* --- textures that share an image's pixels --- */

#define SIBLINGS_MAX 256u

static struct sibling {
    EGLContext context;
    GLuint texture;
    EGLImage image;
} siblings[SIBLINGS_MAX];
static unsigned n_siblings;

static void target_texture(GLenum target, GLeglImageOES image)
{
    GLint texture = 0;

    VENDOR_MESA(glEGLImageTargetTexture2DOES)(target, image);
    VENDOR_MESA(glGetIntegerv)
    (target == GL_TEXTURE_2D ? GL_TEXTURE_BINDING_2D : GL_TEXTURE_BINDING_EXTERNAL_OES, &texture);
    pthread_mutex_lock(&lock);
    if (image_find(image)) {
        siblings[n_siblings++ % SIBLINGS_MAX] =
            (struct sibling){ vendor_glvnd->getCurrentContext(), (GLuint)texture, image };
    }
    pthread_mutex_unlock(&lock);
}

void *vendor_image_of(GLuint name, bool renderbuffer)
{
    EGLContext context = vendor_glvnd->getCurrentContext();
    void *image = NULL;

    pthread_mutex_lock(&lock);
    for (const struct image *i = images; i && !image; i = i->next) {
        image = i->context == context && i->name == name && i->renderbuffer == renderbuffer
                    ? i->image
                    : NULL;
    }
    for (unsigned n = 0; n < SIBLINGS_MAX && !image && !renderbuffer; n++) {
        const struct sibling *s = &siblings[n];

        image = s->image && s->context == context && s->texture == name && image_find(s->image)
                    ? s->image
                    : NULL;
    }
    pthread_mutex_unlock(&lock);
    return image;
}

bool vendor_images_any(void)
{
    bool any;

    pthread_mutex_lock(&lock);
    any = images;
    pthread_mutex_unlock(&lock);
    return any;
}

/* --- at a fence --- */

/**
 * struct vendor_shot - one image's pixels, and the next one's
 */
struct vendor_shot {
    struct vendor_shot *next;
    EGLImage image;
    size_t bytes;
    uint8_t pixels[];
};

struct vendor_shot *vendor_shot_take(void)
{
    struct vendor_shot *first = NULL, *s;

    pthread_mutex_lock(&lock);
    for (struct image *i = images; i; i = i->next) {
        s = malloc(sizeof(*s) + bytes_of(i));
        *s = (struct vendor_shot){ first, i->image, bytes_of(i) };
        if (image_transfer(i, s->pixels, false)) {
            first = s;
        } else {
            free(s);
        }
    }
    pthread_mutex_unlock(&lock);
    return first;
}

static const struct vendor_shot *shot_of(const struct vendor_shot *s, const void *image)
{
    while (s && s->image != image) {
        s = s->next;
    }
    return s;
}

bool vendor_shot_copy(const struct vendor_shot *shot, const void *image, void *pixels, size_t bytes)
{
    const struct vendor_shot *s = shot_of(shot, image);
    bool same = s && s->bytes == bytes;

    if (same) {
        memcpy(pixels, s->pixels, bytes);
    }
    return same;
}

bool vendor_shot_seen(const struct vendor_shot *shot, bool registered)
{
    bool any = false;

    pthread_mutex_lock(&lock);
    for (struct image *i = images; i; i = i->next) {
        const struct vendor_shot *s = shot_of(shot, i->image);

        if (s && s->bytes == bytes_of(i) && (registered || !i->registered)) {
            memcpy(i->seen, s->pixels, s->bytes);
            any = true;
        }
    }
    pthread_mutex_unlock(&lock);
    return any;
}

void vendor_shot_free(struct vendor_shot *shot)
{
    while (shot) {
        struct vendor_shot *next = shot->next;

        free(shot);
        shot = next;
    }
}

static void image_finish(void)
{
    const char *call;
    bool any;

    VENDOR_MESA(glFinish)();
    pthread_mutex_lock(&lock);
    any = images;
    for (struct image *i = images; i; i = i->next) {
        i->asked = vendor_drawn(&call);
        image_transfer(i, i->seen, false);
    }
    pthread_mutex_unlock(&lock);
    if (any) {
        rt_egl_images_finished();
    }
}

const struct vendor_function vendor_image_functions[] = {
    VENDOR_FUNCTION("eglCreateImageKHR", create_image_khr),
    VENDOR_FUNCTION("eglCreateImage", create_image),
    VENDOR_FUNCTION("eglDestroyImageKHR", destroy_image_khr),
    VENDOR_FUNCTION("eglDestroyImage", destroy_image),
    VENDOR_FUNCTION("glFinish", image_finish),
    VENDOR_FUNCTION("glEGLImageTargetTexture2DOES", target_texture),
    { 0 },
};
