/* SPDX-License-Identifier: MIT */
/* Colour formats, and where planes lie. Pitches are multiples of 256 bytes, as the VIC writes them;
 * of block linear surfaces of 64. The pitch of a chroma plane follows from that of the first, as a
 * CUeglFrame has one pitch. Planes of NVRM's memory begin at multiples of 128 KiB (inferred, from
 * offsets that people print on boards). */
#include "runtime/api/nvbuf/nvbuf.h"

#include <string.h>

#include "include/nvscibuf.h"
#include "model/regs/vic.h"

#define CU_EGL_COLOR_FORMAT_NONE (-1)

static const struct nvbuf_format formats[] = {
#define FORMAT(name, planes, sub_x, sub_y, first, others, vic, standard, swapped, egl, channel) \
    { NVBUF_COLOR_FORMAT_##name,                                                                \
      planes,                                                                                   \
      sub_x,                                                                                    \
      sub_y,                                                                                    \
      { first, others },                                                                        \
      vic,                                                                                      \
      NvSciColorStd_##standard,                                                                 \
      swapped,                                                                                  \
      (int)CU_EGL_COLOR_FORMAT_##egl,                                                           \
      CU_AD_FORMAT_##channel },
#include "runtime/api/nvbuf/formats.def"
};

const struct nvbuf_format *nvbuf_format_of(NvBufSurfaceColorFormat color)
{
    for (unsigned i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
        if (formats[i].color == color) {
            return &formats[i];
        }
    }
    return NULL;
}

unsigned nvbuf_plane_order(const struct nvbuf_format *f, unsigned plane)
{
    return f->swapped && plane ? 3 - plane : plane;
}

static uint32_t round_up(uint32_t value, uint32_t align)
{
    return (value + align - 1) / align * align;
}

static uint32_t pitch_of(const struct nvbuf_format *f, const NvBufSurfaceCreateParams *p,
                         bool dense, unsigned plane, uint32_t width, uint32_t first)
{
    uint32_t row = width * f->bytes[plane > 0];

    if (dense) {
        return round_up(row, 2);
    }
    if (p->layout == NVBUF_LAYOUT_BLOCK_LINEAR) {
        return round_up(row, 64);
    }
    return plane ? first / f->sub_x * f->bytes[1] / f->bytes[0]
                 : round_up(row, f->planes == 3 && f->sub_x == 2 ? 512 : 256);
}

static bool is_nvrm(NvBufSurfaceMemType type)
{
    return type == NVBUF_MEM_SURFACE_ARRAY || type == NVBUF_MEM_HANDLE || type == NVBUF_MEM_DEFAULT;
}

static void raw_shape(uint32_t size, NvBufSurfaceParams *out)
{
    NvBufSurfacePlaneParams *pl = &out->planeParams;

    out->dataSize = round_up(size, 4096);
    out->width = out->pitch = size;
    out->height = 1;
    pl->num_planes = 1;
    pl->width[0] = pl->pitch[0] = size;
    pl->height[0] = pl->bytesPerPix[0] = 1;
    pl->psize[0] = out->dataSize;
}

void nvbuf_shape(const struct nvbuf_format *f, const NvBufSurfaceCreateParams *p, bool dense,
                 NvBufSurfaceParams *out)
{
    NvBufSurfacePlaneParams *pl = &out->planeParams;
    uint32_t at = 0;

    memset(out, 0, sizeof(*out));
    out->colorFormat = p->colorFormat;
    out->layout = p->layout;
    if (p->size) {
        raw_shape(p->size, out);
        return;
    }
    out->width = p->width;
    out->height = p->height;
    pl->num_planes = f->planes;
    for (unsigned i = 0; i < f->planes; i++) {
        pl->width[i] = i ? (p->width + f->sub_x - 1) / f->sub_x : p->width;
        pl->height[i] = i ? (p->height + f->sub_y - 1) / f->sub_y : p->height;
        pl->bytesPerPix[i] = f->bytes[i > 0];
        pl->pitch[i] = pitch_of(f, p, dense, i, pl->width[i], pl->pitch[0]);
        pl->offset[i] = at;
        pl->psize[i] = round_up(pl->pitch[i] * pl->height[i], is_nvrm(p->memType) ? 131072 : 4096);
        at += pl->psize[i];
    }
    out->pitch = pl->pitch[0];
    out->dataSize = at;
}
