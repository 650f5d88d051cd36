/* SPDX-License-Identifier: MIT */
/* Shared by egl_image.c (pixels), egl_image_give.c (CUDA's to GL) and egl_image_check.c (what is
 * not synchronised). */
#ifndef RUNTIME_DRIVER_INTEROP_EGL_EGL_IMAGE_H
#define RUNTIME_DRIVER_INTEROP_EGL_EGL_IMAGE_H

#include <glib.h>

#include "runtime/driver/interop/egl/egl_internal.h"

/**
 * struct egl_arrival - pixels of GL that are on their way to CUDA's copy, in stream order
 * @fence: when they are there; @base: what the image's @met was when they left
 */
struct egl_arrival {
    struct egl_arrival *next;
    struct fence fence;
    uint8_t *gl, *base;
};

/**
 * struct egl_image - a registered one
 * @met: what both sides had when they last met
 * @gl, @cuda: room for either's pixels; each lies in its room
 * @touched: work was submitted that may have written CUDA's copy since it was @met
 * @copied: a copy to it is being submitted, which may wait for other work first
 * @number: registrations are counted from 1 on
 * @drawn: GL has drawn what CUDA does not have; @again: see whether that is so still
 * @destroyed: by the program; the library of EGL keeps it for us
 */
struct egl_image {
    struct object base;
    struct egl_arrival *arrivals;
    struct graphics *graphics;
    void *egl;
    CUarray array;
    struct rt_egl_format format;
    unsigned number, width, height;
    uint8_t *met, *gl, *cuda;
    struct hal_mem met_room, gl_room, cuda_room;
    bool touched, copied, drawn, again, destroyed;
};

/**
 * struct egl_span - rows of an image that are copied
 */
struct egl_span {
    unsigned y, rows;
};

/* egl_image_give.c */
void egl_image_give_init(void);
/* Under the core's lock: struct egl_image. */
extern struct object_list egl_images;
bool egl_images_any(void); /* one was registered once */
extern const struct rt_egl_images *egl_image_calls;

size_t egl_image_bytes(const struct egl_image *i);
void egl_image_settle(struct egl_image *i); /* what has arrived is what both sides have */

size_t egl_image_row(const struct egl_image *i); /* bytes */
/* From the first row that differs to the last one; and all rows. */
struct egl_span egl_image_span(const struct egl_image *i, const uint8_t *a, const uint8_t *b);
struct egl_span egl_image_all(const struct egl_image *i);
/* The driver's own copy, in its own stream, and waited for. @room: memory that the copy engine
 * reaches: images are large, and twice as fast without staging. */
CUresult egl_image_copy(const struct egl_image *i, const struct hal_mem *room, bool to_array,
                        struct egl_span span);
void egl_images_each(void (*merge)(struct egl_image *i)); /* not again from inside */

/* egl_image_check.c */
void egl_image_check_init(void);
struct egl_image *egl_image_find(const void *egl); /* the first that was registered of it */
void egl_image_registered(const struct egl_image *i);
void egl_image_met(struct egl_image *i); /* glFinish(): CUDA has all of GL's */

#endif
