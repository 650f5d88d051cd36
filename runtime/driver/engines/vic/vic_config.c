/* SPDX-License-Identifier: MIT */
/* A job's configuration: slots, one over the other, onto the target rectangle. Pure. */
#include "runtime/driver/engines/vic/vic.h"

#include <string.h>

#include "include/nvscibuf.h"

/* --- bits ------------------------------------------------------------------------------------- */

static void bits_put(uint8_t *raw, unsigned byte, unsigned lsb, unsigned width, uint32_t value)
{
    for (unsigned i = 0; i < width; i++) {
        unsigned bit = byte * 8 + lsb + i;

        raw[bit / 8] = (uint8_t)((raw[bit / 8] & ~(1u << bit % 8)) | (value >> i & 1) << bit % 8);
    }
}

struct values {
#define CONFIG(name, byte, lsb, width) uint32_t name;
#include "model/regs/vic_config.def"
};

static void output_put(uint8_t *raw, const struct values *v)
{
#define CONFIG(name, byte, lsb, width)            \
    if ((byte) < VIC_SLOT_FIRST) {                \
        bits_put(raw, byte, lsb, width, v->name); \
    }
#include "model/regs/vic_config.def"
}

/* @raw: as if the slot were the first. */
static void slot_put(uint8_t *raw, const struct values *v)
{
#define CONFIG(name, byte, lsb, width)            \
    if ((byte) >= VIC_SLOT_FIRST) {               \
        bits_put(raw, byte, lsb, width, v->name); \
    }
#include "model/regs/vic_config.def"
}

enum {
#define MATRIX(name, byte) MATRIX_##name = (byte),
#include "model/regs/vic_config.def"
};

/* --- colours ---------------------------------------------------------------------------------- */

/* out = m * in + the last column, of components that the VIC computes with: 10 bits. */
struct affine {
    double m[3][4];
};

/* ITU-R BT.601-7, 2.5.1; BT.709-6, 3.2; BT.2020-2, table 4: luma from R and B, the rest is G. */
static bool luma_of(uint32_t standard, double *kr, double *kb, bool *studio)
{
    switch (standard) {
    case NvSciColorStd_REC601_SR:
    case NvSciColorStd_REC601_ER:
        *kr = 0.299, *kb = 0.114;
        break;
    case NvSciColorStd_REC709_SR:
    case NvSciColorStd_REC709_ER:
        *kr = 0.2126, *kb = 0.0722;
        break;
    case NvSciColorStd_REC2020_SR:
    case NvSciColorStd_REC2020_ER:
        *kr = 0.2627, *kb = 0.0593;
        break;
    default:
        return false;
    }
    *studio = standard == NvSciColorStd_REC601_SR || standard == NvSciColorStd_REC709_SR ||
              standard == NvSciColorStd_REC2020_SR;
    return true;
}

/* Four times the value of 8 bits: what YUV is in the VIC. RGB of 8 bits has 1023 for 255 there. */
#define RGB_SCALE (1020.0 / 1023.0)

/* From RGB as the VIC has it, to four times the value of 8 bits. */
static bool yuv_from_rgb(uint32_t standard, struct affine *a)
{
    double kr, kb, range[2];
    bool studio;

    if (!luma_of(standard, &kr, &kb, &studio)) {
        return false;
    }
    range[0] = (studio ? 219 : 255) * 4 / 1023.0;
    range[1] = (studio ? 224 : 255) * 4 / 1023.0;
    *a = (struct affine){ {
        { kr, 1 - kr - kb, kb, studio ? 64 : 0 },
        { -kr / (2 * (1 - kb)), -(1 - kr - kb) / (2 * (1 - kb)), 0.5, 512 },
        { 0.5, -(1 - kr - kb) / (2 * (1 - kr)), -kb / (2 * (1 - kr)), 512 },
    } };
    for (unsigned i = 0; i < 9; i++) {
        a->m[i / 3][i % 3] *= range[i / 3 > 0];
    }
    return true;
}

/* The inverse, to four times the value of 8 bits. */
static bool rgb_from_yuv(uint32_t standard, struct affine *a)
{
    double kr, kb, y, c;
    bool studio;

    if (!luma_of(standard, &kr, &kb, &studio)) {
        return false;
    }
    y = studio ? 255 / 219.0 : 1;
    c = studio ? 255 / 224.0 : 1;
    *a = (struct affine){ {
        { y, 0, 2 * (1 - kr) * c, 0 },
        { y, -2 * (1 - kb) * kb / (1 - kr - kb) * c, -2 * (1 - kr) * kr / (1 - kr - kb) * c, 0 },
        { y, 2 * (1 - kb) * c, 0, 0 },
    } };
    for (unsigned i = 0; i < 3; i++) {
        a->m[i][3] = -(studio ? 64 : 0) * a->m[i][0] - 512 * (a->m[i][1] + a->m[i][2]);
    }
    return true;
}

/* Y8 comes in as RGB does, the same value in each component: no chroma. */
static void luma_only(struct affine *a)
{
    for (unsigned i = 0; i < 3; i++) {
        a->m[i][3] += 512 * (a->m[i][1] + a->m[i][2]);
        a->m[i][0] *= RGB_SCALE;
        a->m[i][1] = a->m[i][2] = 0;
    }
}

static struct affine vic_config_identity(double scale)
{
    struct affine a = { { { 0 } } };

    for (unsigned i = 0; i < 3; i++) {
        a.m[i][i] = scale;
    }
    return a;
}

/* @second behind @first; RGB between them has a scale of its own. */
static struct affine affine_join(const struct affine *first, const struct affine *second)
{
    struct affine a = { { { 0 } } };

    for (unsigned row = 0; row < 3; row++) {
        for (unsigned column = 0; column < 4; column++) {
            for (unsigned i = 0; i < 3; i++) {
                a.m[row][column] += second->m[row][i] * first->m[i][column] / RGB_SCALE;
            }
        }
        a.m[row][3] += second->m[row][3];
    }
    return a;
}

/* Between two standards of YUV, by way of RGB. */
static bool affine_recode(const struct vic_picture *src, const struct vic_picture *dst,
                          struct affine *a)
{
    struct affine to_rgb, from_rgb;
    bool known = rgb_from_yuv(src->standard, &to_rgb) && yuv_from_rgb(dst->standard, &from_rgb);

    if (known) {
        *a = affine_join(&to_rgb, &from_rgb);
    }
    return known;
}

/* *@needed: the bytes are not what they were. Return: false: there is no such conversion. */
static bool conversion_find(const struct vic_picture *src, const struct vic_picture *dst,
                            bool recodes, struct affine *a, bool *needed)
{
    bool same = src->standard == dst->standard;

    if (recodes && src->yuv && dst->yuv && !src->luma_only && !dst->luma_only && !same) {
        *needed = true;
        return affine_recode(src, dst, a);
    }
    *needed = src->yuv != dst->yuv || src->luma_only != dst->luma_only;
    if (src->yuv == dst->yuv) {
        *a = vic_config_identity(1);
    } else if (src->yuv) {
        same = dst->standard == NvSciColorStd_SRGB && rgb_from_yuv(src->standard, a);
    } else {
        same = src->standard == NvSciColorStd_SRGB && yuv_from_rgb(dst->standard, a);
    }
    if (same && src->luma_only && *needed) {
        luma_only(a);
    }
    return same;
}

static int32_t vic_config_nearest(double v)
{
    return (int32_t)(v < 0 ? v - 0.5 : v + 0.5);
}

/* out = ((c * in >> shift) + offset) >> 8, of 20 bits each, and the lowest two bits of the result
 * are cut off: half of them is added, so that the result is rounded. */
static void matrix_put(uint8_t *raw, const struct affine *a)
{
    unsigned shift = 10;

    for (unsigned i = 0; i < 9; i++) {
        double c = a->m[i / 3][i % 3];

        shift = c >= 1.99 || c <= -1.99 ? 9 : shift;
    }
    for (unsigned i = 0; i < 12; i++) {
        unsigned row = i / 4, column = i % 4;
        double value =
            column < 3 ? a->m[row][column] * (1u << (8 + shift)) : (a->m[row][3] + 2) * 256;

        bits_put(raw, MATRIX_SLOT, column * 64 + row * 20, 20, (uint32_t)vic_config_nearest(value));
    }
    bits_put(raw, MATRIX_SLOT, 60, 4, shift);
    bits_put(raw, MATRIX_SLOT, 127, 1, 1);
}

/* --- the whole -------------------------------------------------------------------------------- */

#define LOC_CENTRE 1u /* chroma is of all four pixels that share it (inferred) */
#define FRACTION 16   /* bits, of the source rectangle */

static struct values output_values(const struct vic_job *job)
{
    const struct vic_picture *out = &job->dst;

    return (struct values){
        .BackgroundAlpha = job->background[3] >> 2,
        .BackgroundR = job->background[0],
        .BackgroundG = job->background[1],
        .BackgroundB = job->background[2],
        .OutputFlipX = job->flip_x,
        .OutputFlipY = job->flip_y,
        .OutputTranspose = job->transpose,
        .TargetRectLeft = job->target.x0,
        .TargetRectRight = job->target.x1 - 1u,
        .TargetRectTop = job->target.y0,
        .TargetRectBottom = job->target.y1 - 1u,
        .OutPixelFormat = out->format,
        .OutChromaLocHoriz = LOC_CENTRE,
        .OutChromaLocVert = LOC_CENTRE,
        .OutSurfaceWidth = out->width - 1,
        .OutSurfaceHeight = out->height - 1,
        .OutLumaWidth = out->stride - 1,
        .OutChromaWidth = out->sub ? out->chroma_stride - 1 : 0,
    };
}

static struct values slot_values(const struct vic_slot_job *slot)
{
    const struct vic_picture *in = &slot->src;
    unsigned filter = slot->bilinear ? VIC_FILTER_2TAP : VIC_FILTER_1TAP;

    return (struct values){
        .SlotEnable = 1,
        .FilterLengthX = filter,
        .FilterLengthY = filter,
        .SoftClampHigh = 1023,
        .SourceRectLeft = (uint32_t)slot->from.x0 << FRACTION,
        .SourceRectRight = (slot->from.x1 - 1u) << FRACTION,
        .SourceRectTop = (uint32_t)slot->from.y0 << FRACTION,
        .SourceRectBottom = (slot->from.y1 - 1u) << FRACTION,
        .DestRectLeft = slot->to.x0,
        .DestRectRight = slot->to.x1 - 1u,
        .DestRectTop = slot->to.y0,
        .DestRectBottom = slot->to.y1 - 1u,
        .SlotPixelFormat = in->format,
        .SlotSurfaceWidth = in->width - 1,
        .SlotSurfaceHeight = in->height - 1,
        .SlotLumaWidth = in->stride - 1,
        .SlotChromaWidth = in->sub ? in->chroma_stride - 1 : 0,
        .AlphaK1 = slot->blend ? slot->alpha : 0,
        .SrcFactCMatchSelect = slot->blend ? VIC_SRC_C_K1_TIMES_SRC : 0,
        .DstFactCMatchSelect = slot->blend ? VIC_DST_C_NEG_K1_TIMES_SRC : 0,
        .SrcFactAMatchSelect = slot->blend ? VIC_SRC_A_K1 : 0,
        .DstFactAMatchSelect = slot->blend ? VIC_DST_A_NEG_K1_TIMES_SRC : 0,
    };
}

void vic_background_rgb(struct vic_job *job, const double rgba[4])
{
    struct affine a;
    bool yuv = job->dst.yuv && yuv_from_rgb(job->dst.standard, &a);

    for (unsigned i = 0; i < 3; i++) {
        double value = rgba[i] * 1023;

        if (yuv) {
            value = a.m[i][3];
            for (unsigned k = 0; k < 3; k++) {
                value += a.m[i][k] * rgba[k] * 1023;
            }
        }
        job->background[i] = (uint32_t)CLAMP(vic_config_nearest(value), 0, 1023);
    }
    job->background[3] = (uint32_t)CLAMP(vic_config_nearest(rgba[3] * 1023), 0, 1023);
}

bool vic_config_write(const struct vic_job *job, uint8_t *raw)
{
    struct values v = output_values(job);

    memset(raw, 0, VIC_CONFIG_BYTES);
    output_put(raw, &v);
    for (unsigned i = 0; i < job->slots; i++) {
        uint8_t *at = raw + (size_t)i * VIC_SLOT_STEP;
        struct affine a;
        bool needed;

        if (!conversion_find(&job->slot[i].src, &job->dst, job->recodes, &a, &needed)) {
            return false;
        }
        v = slot_values(&job->slot[i]);
        slot_put(at, &v);
        if (needed) {
            matrix_put(at, &a);
        }
    }
    return true;
}
