/* SPDX-License-Identifier: MIT */
/* The ISP's arithmetic: demosaic, colour matrix, crop, scale, packing. */
#include "model/vi/isp.h"

#include <string.h>

static bool isp_type_raw(enum sensor_type type)
{
    return type == SENSOR_RAW8 || type == SENSOR_RAW10 || type == SENSOR_RAW12;
}

static bool isp_format_rgb(enum vi_format format)
{
    return format == VI_T_A8R8G8B8 || format == VI_T_A8B8G8R8;
}

bool isp_config_raw(const struct isp_config *c)
{
    return (c->type == SENSOR_RAW8 && c->format == VI_T_L8) ||
           ((c->type == SENSOR_RAW10 || c->type == SENSOR_RAW12) && c->format == VI_T_R16_I);
}

bool isp_config_yuv(const struct isp_config *c)
{
    return c->type == SENSOR_YUV422_8 && !isp_format_rgb(c->format) && c->width == c->crop_width &&
           c->height == c->crop_height;
}

static bool isp_format_known(const struct isp_config *c)
{
    switch (c->format) {
    case VI_T_R16_I:
        return isp_config_raw(c);
    case VI_T_L8:
    case VI_T_A8R8G8B8:
    case VI_T_A8B8G8R8:
    case VI_T_U8_Y8__V8_Y8:
    case VI_T_Y8_U8__Y8_V8:
    case VI_T_Y8__V8U8_N420:
        return true;
    default:
        return false;
    }
}

bool isp_config_valid(const struct isp_config *c)
{
    bool inside = c->x < c->sensor_width && c->crop_width <= c->sensor_width - c->x &&
                  c->y < c->sensor_height && c->crop_height <= c->sensor_height - c->y;

    return isp_format_known(c) && inside && !((c->x | c->y) & 1) && c->crop_width &&
           c->crop_height && c->width && c->height && c->width <= VI_SIZE_MAX &&
           c->height <= VI_SIZE_MAX && !((c->width | c->height) & 1) &&
           (!isp_config_raw(c) || (c->width == c->crop_width && c->height == c->crop_height));
}

uint32_t isp_plane_bytes(enum vi_format format, unsigned plane, uint32_t width)
{
    if (plane) {
        return format == VI_T_Y8__V8U8_N420 ? width : 0;
    }
    switch (format) {
    case VI_T_L8:
    case VI_T_Y8__V8U8_N420:
        return width;
    case VI_T_A8R8G8B8:
    case VI_T_A8B8G8R8:
        return width * 4;
    default:
        return width * 2;
    }
}

/* The pixel whose centre is nearest, the lower one of two. */
static uint32_t isp_nearest(uint32_t at, uint32_t from, uint32_t to)
{
    return (uint32_t)(((uint64_t)at * 2 + 1) * from / ((uint64_t)to * 2));
}

uint32_t isp_source_line(const struct isp_config *c, uint32_t y)
{
    return c->y + isp_nearest(y, c->crop_height, c->height);
}

uint32_t isp_source_column(const struct isp_config *c, uint32_t x)
{
    return c->x + isp_nearest(x, c->crop_width, c->width);
}

/* --- a sensor's line -------------------------------------------------------------------------- */

static uint32_t isp_sample(const struct isp_config *c, const uint8_t *line, uint32_t x)
{
    if (c->type == SENSOR_RAW8) {
        return line[x];
    }
    return ((uint32_t)line[x * 2 + 1] << 8 | line[x * 2]) >> (c->type == SENSOR_RAW10 ? 2 : 4) &
           255;
}

/* Bilinear: a missing colour is the rounded mean of its neighbours of that colour. */
static void isp_demosaic(const struct isp_config *c, uint32_t y, const uint8_t *above,
                         const uint8_t *line, const uint8_t *below, struct isp_pixel *out)
{
    uint32_t last = c->sensor_width - 1, odd = y & 1;

    for (uint32_t x = 0; x <= last; x++) {
        uint32_t l = x ? x - 1 : 1, r = x < last ? x + 1 : last - 1;
        uint32_t here = isp_sample(c, line, x);
        uint32_t sides = isp_sample(c, line, l) + isp_sample(c, line, r);
        uint32_t ends = isp_sample(c, above, x) + isp_sample(c, below, x);
        uint32_t corners = isp_sample(c, above, l) + isp_sample(c, above, r) +
                           isp_sample(c, below, l) + isp_sample(c, below, r);

        if ((x & 1) == odd) { /* R of an even line, B of an odd one */
            out[x].c[odd ? 2 : 0] = (uint8_t)here;
            out[x].c[1] = (uint8_t)((sides + ends + 2) >> 2);
            out[x].c[odd ? 0 : 2] = (uint8_t)((corners + 2) >> 2);
        } else {
            out[x].c[1] = (uint8_t)here;
            out[x].c[odd ? 2 : 0] = (uint8_t)((sides + 1) >> 1);
            out[x].c[odd ? 0 : 2] = (uint8_t)((ends + 1) >> 1);
        }
    }
}

void isp_line_decode(const struct isp_config *c, uint32_t y, const uint8_t *above,
                     const uint8_t *line, const uint8_t *below, struct isp_pixel *out)
{
    if (isp_type_raw(c->type)) {
        isp_demosaic(c, y, above, line, below, out);
        return;
    }
    for (uint32_t x = 0; x < c->sensor_width; x++) {
        const uint8_t *pair = line + (x & ~1u) * 2;

        if (c->type == SENSOR_RGB888) {
            memcpy(out[x].c, line + x * 3, 3);
        } else {
            out[x] = (struct isp_pixel){ { line[x * 2 + 1], pair[0], pair[2] } };
        }
    }
}

/* --- colours ---------------------------------------------------------------------------------- */

static uint8_t isp_clamp(int v)
{
    return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

/* Rec. 601, limited range, coefficients of 256 (Microsoft, "Converting Between YUV and RGB"). */
static struct isp_pixel isp_yuv(struct isp_pixel p)
{
    int r = p.c[0], g = p.c[1], b = p.c[2];

    return (struct isp_pixel){ { (uint8_t)(((66 * r + 129 * g + 25 * b + 128) >> 8) + 16),
                                 (uint8_t)((-38 * r - 74 * g + 112 * b + 128 + 32768) >> 8),
                                 (uint8_t)((112 * r - 94 * g - 18 * b + 128 + 32768) >> 8) } };
}

static struct isp_pixel isp_rgb(struct isp_pixel p)
{
    int y = 298 * (p.c[0] - 16) + 128, u = p.c[1] - 128, v = p.c[2] - 128;

    return (struct isp_pixel){ { isp_clamp((y + 409 * v) / 256),
                                 isp_clamp((y - 100 * u - 208 * v) / 256),
                                 isp_clamp((y + 516 * u) / 256) } };
}

void isp_line_scale(const struct isp_config *c, const struct isp_pixel *in, struct isp_pixel *out)
{
    bool from_rgb = c->type != SENSOR_YUV422_8, to_rgb = isp_format_rgb(c->format);

    for (uint32_t x = 0; x < c->width; x++) {
        struct isp_pixel p = in[isp_source_column(c, x)];

        out[x] = from_rgb == to_rgb ? p : from_rgb ? isp_yuv(p) : isp_rgb(p);
    }
}

/* --- YUV as it comes -------------------------------------------------------------------------- */

/* The same loops, for hosts with wider vectors, too. */
#define ISP_LUMA(name, attributes)                                                           \
    attributes static void name(const uint8_t *restrict in, size_t n, uint8_t *restrict out) \
    {                                                                                        \
        for (size_t x = 0; x < n; x++) {                                                     \
            out[x] = in[x * 2 + 1];                                                          \
        }                                                                                    \
    }
#define ISP_CHROMA(name, attributes)                                                            \
    attributes static void name(const uint8_t *restrict a, const uint8_t *restrict b, size_t n, \
                                uint8_t *restrict out)                                          \
    {                                                                                           \
        for (size_t x = 0; x < n; x++) {                                                        \
            out[x] = (uint8_t)((a[x * 2] + b[x * 2] + 1) >> 1);                                 \
        }                                                                                       \
    }
ISP_LUMA(isp_luma_any, )
ISP_CHROMA(isp_chroma_any, )
#if defined(__x86_64__)
ISP_LUMA(isp_luma_avx2, __attribute__((target("avx2"))))
ISP_CHROMA(isp_chroma_avx2, __attribute__((target("avx2"))))
#define ISP_BEST(any, avx2) (__builtin_cpu_supports("avx2") ? avx2 : any)
#else
#define ISP_BEST(any, avx2) any
#endif

static void isp_luma_pick(const uint8_t *in, size_t n, uint8_t *out)
{
    ISP_BEST(isp_luma_any, isp_luma_avx2)(in, n, out);
}

void isp_yuv_pack(const struct isp_config *c, const uint8_t *restrict line, uint8_t *restrict out)
{
    const uint8_t *in = line + (size_t)c->x * 2;
    size_t width = c->width; /* size_t: or the loops are not vectors */

    switch (c->format) {
    case VI_T_U8_Y8__V8_Y8:
        memcpy(out, in, width * 2);
        break;
    case VI_T_Y8_U8__Y8_V8:
        for (size_t i = 0; i < width; i++) {
            out[i * 2] = in[i * 2 + 1];
            out[i * 2 + 1] = in[i * 2];
        }
        break;
    default:
        isp_luma_pick(in, width, out);
        break;
    }
}

void isp_yuv_chroma(const struct isp_config *c, const uint8_t *restrict even,
                    const uint8_t *restrict odd, uint8_t *restrict out)
{
    const uint8_t *a = even + (size_t)c->x * 2, *b = odd + (size_t)c->x * 2;

    ISP_BEST(isp_chroma_any, isp_chroma_avx2)(a, b, c->width, out);
}

/* --- a surface's line ------------------------------------------------------------------------- */

static void isp_pair_pack(const struct isp_pixel *p, bool luma_first, uint8_t *out)
{
    unsigned y = luma_first ? 0 : 1, c = luma_first ? 1 : 0;

    out[y] = p[0].c[0];
    out[y + 2] = p[1].c[0];
    out[c] = (uint8_t)((p[0].c[1] + p[1].c[1] + 1) >> 1);
    out[c + 2] = (uint8_t)((p[0].c[2] + p[1].c[2] + 1) >> 1);
}

static void isp_rgb_pack(const struct isp_pixel *p, bool red_first, uint8_t *out)
{
    out[0] = p->c[red_first ? 0 : 2];
    out[1] = p->c[1];
    out[2] = p->c[red_first ? 2 : 0];
    out[3] = 255;
}

void isp_line_pack(const struct isp_config *c, const struct isp_pixel *in, uint8_t *out)
{
    for (uint32_t x = 0; x < c->width; x++) {
        switch (c->format) {
        case VI_T_A8R8G8B8:
        case VI_T_A8B8G8R8:
            isp_rgb_pack(in + x, c->format == VI_T_A8B8G8R8, out + x * 4);
            break;
        case VI_T_U8_Y8__V8_Y8:
        case VI_T_Y8_U8__Y8_V8:
            if (x % 2 == 0) {
                isp_pair_pack(in + x, c->format == VI_T_Y8_U8__Y8_V8, out + x * 2);
            }
            break;
        default:
            out[x] = in[x].c[0];
            break;
        }
    }
}

void isp_chroma_pack(const struct isp_config *c, const struct isp_pixel *even,
                     const struct isp_pixel *odd, uint8_t *out)
{
    for (uint32_t x = 0; x < c->width; x += 2) {
        for (unsigned k = 1; k <= 2; k++) {
            out[x + k - 1] =
                (uint8_t)((even[x].c[k] + even[x + 1].c[k] + odd[x].c[k] + odd[x + 1].c[k] + 2) >>
                          2);
        }
    }
}
