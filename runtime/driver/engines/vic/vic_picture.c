/* SPDX-License-Identifier: MIT */
/* Which surfaces of NvSciBuf the VIC reads and writes here, and as what. */
#include "runtime/driver/engines/vic/vic.h"

#include "include/nvscibuf.h"

#define ALIGN 256u /* of a plane: methods take addresses >> 8 */

/* By the colour formats of its planes; @swapped: the buffer has V before U. Names of both sides
 * begin with the highest byte, but for VIC's chroma of two samples, which begin with the lowest
 * (model/vic/image.c). */
static const struct surface {
    uint32_t planes, color[VIC_PLANES];
    enum vic_format format;
    bool swapped;
} surfaces[] = {
    { 1, { NvSciColor_A8B8G8R8 }, VIC_A8B8G8R8, false },
    { 1, { NvSciColor_A8R8G8B8 }, VIC_A8R8G8B8, false },
    { 1, { NvSciColor_B8G8R8A8 }, VIC_B8G8R8A8, false },
    { 1, { NvSciColor_Y8 }, VIC_L8, false },
    { 2, { NvSciColor_Y8, NvSciColor_V8U8 }, VIC_Y8___U8V8_N420, false },
    { 2, { NvSciColor_Y8, NvSciColor_U8V8 }, VIC_Y8___V8U8_N420, false },
    { 3, { NvSciColor_Y8, NvSciColor_U8, NvSciColor_V8 }, VIC_Y8___U8___V8_N420, false },
    { 3, { NvSciColor_Y8, NvSciColor_V8, NvSciColor_U8 }, VIC_Y8___U8___V8_N420, true },
};

static const struct surface *surface_of(const struct rt_sci_buf *buf)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(surfaces); i++) {
        const struct surface *s = &surfaces[i];
        bool same = s->planes == buf->planes;

        for (unsigned k = 0; same && k < s->planes; k++) {
            same = s->color[k] == buf->plane[k].format;
        }
        if (same) {
            return s;
        }
    }
    return NULL;
}

/* 4:2:0 alone of the subsamplings. */
static bool planes_fit(const struct rt_sci_buf *buf)
{
    const struct rt_sci_plane *p = buf->plane;

    for (unsigned i = 1; i < buf->planes; i++) {
        if (p[i].width != (p[0].width + 1) / 2 || p[i].height != (p[0].height + 1) / 2) {
            return false;
        }
    }
    return true;
}

static bool planes_aligned(const struct rt_sci_buf *buf)
{
    for (unsigned i = 0; i < buf->planes; i++) {
        if (buf->plane[i].offset % ALIGN || buf->plane[i].pitch % sizeof(uint32_t) ||
            (i > 1 && buf->plane[i].pitch != buf->plane[1].pitch)) {
            return false;
        }
    }
    return true;
}

static void picture_fill(const struct rt_sci_buf *buf, const struct surface *s,
                         struct vic_picture *out)
{
    bool rgb = vic_is_rgb(s->format);
    const struct rt_sci_plane *p = buf->plane;

    *out = (struct vic_picture){
        .format = s->format,
        .width = p->width,
        .height = p->height,
        .planes = s->planes,
        .stride = p->pitch / (rgb ? 4 : 1),
        .chroma_stride = s->planes > 1 ? p[1].pitch / (s->planes == 2 ? 2 : 1) : 0,
        .standard = p->standard != RT_SCI_NO_STANDARD ? p->standard
                    : rgb                             ? NvSciColorStd_SRGB
                                                      : NvSciColorStd_REC601_SR,
        .yuv = !rgb,
        .luma_only = s->format == VIC_L8,
        .sub = s->planes > 1,
    };
    for (unsigned i = 0; i < s->planes; i++) {
        out->offset[i] = p[s->swapped && i ? 3 - i : i].offset;
    }
}

const char *vic_picture_read(const struct rt_sci_buf *buf, struct vic_picture *out)
{
    const struct surface *s = surface_of(buf);

    if (!s) {
        return "vtegra's VIC has RGBA of 8 bits, Y8, and 4:2:0 of 8 bits in 2 or 3 planes";
    }
    if (!buf->progressive) {
        return "vtegra's VIC has progressive surfaces alone (NvSciBufScan_ProgressiveType)";
    }
    if (!planes_fit(buf)) {
        return "vtegra's VIC has 4:2:0 alone of the subsamplings";
    }
    if (!planes_aligned(buf)) {
        return "a plane does not lie as the VIC needs it: give NvMedia2DFillNvSciBufAttrList() a "
               "list that is reconciled for the buffer";
    }
    picture_fill(buf, s, out);
    return NULL;
}
