/* SPDX-License-Identifier: MIT */
/* cudaEGL.h, CUeglColorFormat: "ARGB: four channels in one surface with BGRA byte ordering", and so
 * on. YUV 4:2:0: planes of half the width and height; two planes: the second has U and V in turn,
 * as NV12 and NV21 have them. ITU-R BT.601, of limited range; "ER": full range, as JFIF has it. */
#include "runtime/driver/interop/egl/egl_pixels.h"

#include <glib.h>

/* Bytes of a pixel, and which of them are red, green, blue and alpha; NONE: there is none. */
#define NONE 4
struct packed {
    CUeglColorFormat format;
    uint8_t bytes, r, g, b, a;
};

static const struct packed packed_formats[] = {
    { CU_EGL_COLOR_FORMAT_ARGB, 4, 2, 1, 0, 3 },
    { CU_EGL_COLOR_FORMAT_RGBA, 4, 3, 2, 1, 0 },
    { CU_EGL_COLOR_FORMAT_ABGR, 4, 0, 1, 2, 3 },
    { CU_EGL_COLOR_FORMAT_BGRA, 4, 1, 2, 3, 0 },
    { CU_EGL_COLOR_FORMAT_RGB, 3, 2, 1, 0, NONE },
    { CU_EGL_COLOR_FORMAT_BGR, 3, 0, 1, 2, NONE },
    { CU_EGL_COLOR_FORMAT_L, 1, 0, 0, 0, NONE },
    { CU_EGL_COLOR_FORMAT_R, 1, 0, NONE, NONE, NONE },
    { CU_EGL_COLOR_FORMAT_RG, 2, 0, 1, NONE, NONE },
};

struct planar {
    CUeglColorFormat format;
    uint8_t planes;
    bool v_first, full;
};

static const struct planar planar_formats[] = {
    { CU_EGL_COLOR_FORMAT_YUV420_PLANAR, 3, false, false },
    { CU_EGL_COLOR_FORMAT_YUV420_SEMIPLANAR, 2, false, false },
    { CU_EGL_COLOR_FORMAT_YVU420_PLANAR, 3, true, false },
    { CU_EGL_COLOR_FORMAT_YVU420_SEMIPLANAR, 2, true, false },
    { CU_EGL_COLOR_FORMAT_YUV420_PLANAR_ER, 3, false, true },
    { CU_EGL_COLOR_FORMAT_YUV420_SEMIPLANAR_ER, 2, false, true },
    { CU_EGL_COLOR_FORMAT_YVU420_PLANAR_ER, 3, true, true },
    { CU_EGL_COLOR_FORMAT_YVU420_SEMIPLANAR_ER, 2, true, true },
};

static const struct packed *packed_of(CUeglColorFormat format)
{
    for (size_t i = 0; i < G_N_ELEMENTS(packed_formats); i++) {
        if (packed_formats[i].format == format) {
            return &packed_formats[i];
        }
    }
    return NULL;
}

static const struct planar *planar_of(CUeglColorFormat format)
{
    for (size_t i = 0; i < G_N_ELEMENTS(planar_formats); i++) {
        if (planar_formats[i].format == format) {
            return &planar_formats[i];
        }
    }
    return NULL;
}

bool egl_pixels_planes(const CUeglFrame *f, struct egl_plane planes[MAX_PLANES])
{
    const struct packed *p = packed_of(f->eglColorFormat);
    const struct planar *y = planar_of(f->eglColorFormat);
    size_t half = (f->width + 1) / 2;

    for (unsigned i = 0; i < MAX_PLANES; i++) {
        planes[i] = (struct egl_plane){ 0 };
    }
    if ((!p && !y) || f->planeCount != (p ? 1 : y->planes) || !f->width || !f->height ||
        (f->cuFormat != CU_AD_FORMAT_UNSIGNED_INT8 && f->cuFormat != CU_AD_FORMAT_SIGNED_INT8)) {
        return false;
    }
    planes[0] = (struct egl_plane){ .width = (size_t)f->width * (p ? p->bytes : 1),
                                    .rows = f->height,
                                    .pitch = f->pitch };
    for (unsigned i = 1; i < f->planeCount; i++) {
        bool two = f->planeCount == 2;

        planes[i] = (struct egl_plane){ .width = two ? 2 * half : half,
                                        .rows = (f->height + 1) / 2,
                                        .pitch = two ? f->pitch : f->pitch / 2 };
    }
    return true;
}

static void packed_rgba(const CUeglFrame *f, const struct packed *p, const uint8_t *from,
                        uint8_t *rgba)
{
    for (size_t n = (size_t)f->width * f->height; n > 0; n--, from += p->bytes, rgba += 4) {
        rgba[0] = from[p->r];
        rgba[1] = p->g == NONE ? 0 : from[p->g];
        rgba[2] = p->b == NONE ? 0 : from[p->b];
        rgba[3] = p->a == NONE ? 255 : from[p->a];
    }
}

static uint8_t egl_pixels_clip(int v)
{
    return (uint8_t)CLAMP(v, 0, 255);
}

/* In 65536ths. */
static void yuv_rgba(int y, int u, int v, bool full, uint8_t *rgba)
{
    int luma = full ? y * 65536 : (y - 16) * 76309;
    int red = full ? 91881 : 104597, blue = full ? 116130 : 132201;
    int green_u = full ? 22554 : 25675, green_v = full ? 46802 : 53279;

    u -= 128;
    v -= 128;
    rgba[0] = egl_pixels_clip((luma + red * v + 32768) / 65536);
    rgba[1] = egl_pixels_clip((luma - green_u * u - green_v * v + 32768) / 65536);
    rgba[2] = egl_pixels_clip((luma + blue * u + 32768) / 65536);
    rgba[3] = 255;
}

static void planar_rgba(const CUeglFrame *f, const struct planar *p, const struct egl_plane *planes,
                        uint8_t *rgba)
{
    for (unsigned y = 0; y < f->height; y++) {
        for (unsigned x = 0; x < f->width; x++, rgba += 4) {
            size_t row = (y / 2) * planes[1].width;
            const uint8_t *first = p->planes == 2 ? planes[1].bytes + row + (x / 2) * 2
                                                  : planes[1].bytes + row + x / 2;
            const uint8_t *second = p->planes == 2 ? first + 1 : planes[2].bytes + row + x / 2;

            yuv_rgba(planes[0].bytes[y * planes[0].width + x], p->v_first ? *second : *first,
                     p->v_first ? *first : *second, p->full, rgba);
        }
    }
}

void egl_pixels_rgba(const CUeglFrame *f, const struct egl_plane planes[MAX_PLANES], uint8_t *rgba)
{
    const struct packed *p = packed_of(f->eglColorFormat);

    if (p) {
        packed_rgba(f, p, planes[0].bytes, rgba);
    } else {
        planar_rgba(f, planar_of(f->eglColorFormat), planes, rgba);
    }
}
