/* SPDX-License-Identifier: MIT */
/* VIC: from a configuration and the bytes of rows to the bytes of rows. */
#include "model/vic/vic.h"

#include <stddef.h>
#include <string.h>

/* --- the configuration ----------------------------------------------------------------------- */

enum {
#define MATRIX(name, byte) MATRIX_##name = (byte),
#include "model/regs/vic_config.def"
    SLOT_FIRST = 144,
    SLOT_BYTES = 176,
};

static uint32_t bits(const uint8_t *raw, unsigned byte, unsigned lsb, unsigned width)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < width; i++) {
        unsigned bit = byte * 8 + lsb + i;

        value |= (uint64_t)(raw[bit / 8] >> bit % 8 & 1) << i;
    }
    return (uint32_t)value;
}

enum {
#define CONFIG(name, byte, lsb, width) name##_AT = (byte),
#include "model/regs/vic_config.def"
};

struct raw {
#define CONFIG(name, byte, lsb, width) uint32_t name;
#include "model/regs/vic_config.def"
};

static struct raw raw_read(const uint8_t *raw)
{
    return (struct raw){
#define CONFIG(name, byte, lsb, width) .name = bits(raw, byte, lsb, width),
#include "model/regs/vic_config.def"
    };
}

static struct vic_matrix matrix_read(const uint8_t *raw, unsigned byte)
{
    static const unsigned column_lsb[4] = { 0, 64, 128, 192 };
    struct vic_matrix m = { .enable = bits(raw, byte, 127, 1), .shift = bits(raw, byte, 60, 4) };

    for (unsigned row = 0; row < 3; row++) {
        for (unsigned column = 0; column < 4; column++) {
            uint32_t value = bits(raw, byte, column_lsb[column] + row * 20, 20);

            m.c[row][column] = (int32_t)(value << 12) >> 12;
        }
    }
    return m;
}

static bool is_420(enum vic_format format)
{
    return format >= VIC_Y8___U8V8_N420;
}

static bool format_known(uint32_t format)
{
    return format == VIC_L8 || (format >= VIC_A8B8G8R8 && format <= VIC_R8G8B8X8) ||
           format == VIC_Y8___U8V8_N420 || format == VIC_Y8___V8U8_N420 ||
           format == VIC_Y8___U8___V8_N420;
}

static bool surface_known(const struct vic_surface *s)
{
    return format_known(s->format) && s->stride >= s->width &&
           (!is_420(s->format) || s->chroma_stride >= (s->width + 1) / 2);
}

static bool rect_inside(const struct vic_rect *r, uint32_t right_end, uint32_t bottom_end)
{
    return r->left <= r->right && r->top <= r->bottom && r->right < right_end &&
           r->bottom < bottom_end;
}

static bool output_known(const struct raw *r, const struct vic_config *c)
{
    return !r->OutputTranspose && !r->RegammaMode &&
           rect_inside(&c->target, c->out.width, c->out.height) &&
           (!is_420(c->out.format) || (c->target.left % 2 == 0 && c->target.top % 2 == 0));
}

static bool slot_known(const struct raw *r, const struct vic_config *c)
{
    return !r->DeNoise && !r->FrameFormat && r->FilterLengthX <= VIC_FILTER_2TAP &&
           r->FilterLengthY <= VIC_FILTER_2TAP && !r->ClearRectMask && !r->DegammaMode &&
           !r->DecompressEnable && rect_inside(&c->source, c->in.width << 16, c->in.height << 16) &&
           rect_inside(&c->dest, c->out.width, c->out.height);
}

static void config_fill(const struct raw *r, struct vic_config *c)
{
    *c = (struct vic_config){
        .out = { r->OutPixelFormat, r->OutSurfaceWidth + 1, r->OutSurfaceHeight + 1,
                 r->OutLumaWidth + 1, r->OutChromaWidth + 1 },
        .in = { r->SlotPixelFormat, r->SlotSurfaceWidth + 1, r->SlotSurfaceHeight + 1,
                r->SlotLumaWidth + 1, r->SlotChromaWidth + 1 },
        .target = { r->TargetRectLeft, r->TargetRectRight, r->TargetRectTop, r->TargetRectBottom },
        .source = { r->SourceRectLeft, r->SourceRectRight, r->SourceRectTop, r->SourceRectBottom },
        .dest = { r->DestRectLeft, r->DestRectRight, r->DestRectTop, r->DestRectBottom },
        .background = { { (int32_t)r->BackgroundR, (int32_t)r->BackgroundG,
                          (int32_t)r->BackgroundB },
                        (int32_t)(r->BackgroundAlpha << 2 | r->BackgroundAlpha >> 6) },
        .clamp_low = (int32_t)r->SoftClampLow,
        .clamp_high = (int32_t)r->SoftClampHigh,
        .constant_alpha = r->ConstantAlpha ? (int)(r->PlanarAlpha << 2 | r->PlanarAlpha >> 6) : -1,
        .chroma_x = r->OutChromaLocHoriz,
        .chroma_y = r->OutChromaLocVert,
        .slot = r->SlotEnable,
        .flip_x = r->OutputFlipX,
        .flip_y = r->OutputFlipY,
        .bilinear_x = r->FilterLengthX == VIC_FILTER_2TAP,
        .bilinear_y = r->FilterLengthY == VIC_FILTER_2TAP,
    };
}

bool vic_config_read(const uint8_t *raw, struct vic_config *out, uint32_t *wrong)
{
    struct raw r = raw_read(raw);

    config_fill(&r, out);
    out->out_matrix = matrix_read(raw, MATRIX_OUT);
    out->in_matrix = matrix_read(raw, MATRIX_SLOT);
    for (unsigned slot = 1; slot < VIC_SLOTS; slot++) {
        if (bits(raw, SLOT_FIRST + slot * SLOT_BYTES, 0, 1)) {
            *wrong = SLOT_FIRST + slot * SLOT_BYTES;
            return false;
        }
    }
    *wrong = OutPixelFormat_AT;
    if (r.OutBlkKind || r.OutChromaLocHoriz > 2 || r.OutChromaLocVert > 2 ||
        !surface_known(&out->out)) {
        return false;
    }
    *wrong = TargetRectLeft_AT;
    if (!output_known(&r, out)) {
        return false;
    }
    if (!out->slot) {
        return true;
    }
    *wrong = SlotPixelFormat_AT;
    if (r.SlotBlkKind || !surface_known(&out->in)) {
        return false;
    }
    *wrong = GamutMatrixEnable_AT;
    if (r.GamutMatrixEnable) {
        return false;
    }
    *wrong = SlotEnable_AT;
    return slot_known(&r, out);
}

/* --- surfaces -------------------------------------------------------------------------------- */

static unsigned samples_bytes(enum vic_format format, unsigned plane)
{
    if (plane == 0) {
        return format == VIC_L8 || is_420(format) ? 1 : 4;
    }
    if (!is_420(format)) {
        return 0;
    }
    return format == VIC_Y8___U8___V8_N420 ? 1 : plane == 1 ? 2 : 0;
}

unsigned vic_plane_row_bytes(const struct vic_surface *s, unsigned plane, unsigned *rows)
{
    *rows = plane == 0 ? s->height : (s->height + 1) / 2;
    return samples_bytes(s->format, plane) * (plane == 0 ? s->width : (s->width + 1) / 2);
}

unsigned vic_plane_stride_bytes(const struct vic_surface *s, unsigned plane)
{
    return samples_bytes(s->format, plane) * (plane == 0 ? s->stride : s->chroma_stride);
}

/* Bytes of a 32-bit pixel where R, G, B and A (or X) lie. */
static const uint8_t *rgba_bytes(enum vic_format format)
{
    static const uint8_t order[4][4] = {
        { 0, 1, 2, 3 }, /* A8B8G8R8 */
        { 2, 1, 0, 3 }, /* A8R8G8B8 */
        { 1, 2, 3, 0 }, /* B8G8R8A8: A lowest, then R, G, B */
        { 3, 2, 1, 0 }, /* R8G8B8A8 */
    };

    return order[(format - VIC_A8B8G8R8) % 4];
}

/* To 10 bits: RGB repeats its highest bits, YUV has zeros (open-gpu-doc, BIT_PAD_DEFAULT). */
static int32_t rgb_widen(uint8_t v)
{
    return v << 2 | v >> 6;
}

static void rgb_decode(enum vic_format format, const uint8_t *in, struct vic_pixel *out)
{
    const uint8_t *at = rgba_bytes(format);

    for (unsigned i = 0; i < 3; i++) {
        out->c[i] = rgb_widen(in[at[i]]);
    }
    out->a = format >= VIC_X8B8G8R8 ? 1023 : rgb_widen(in[at[3]]);
}

static void yuv_decode(enum vic_format format, const uint8_t *const plane[VIC_PLANES], unsigned x,
                       struct vic_pixel *out)
{
    bool planar = format == VIC_Y8___U8___V8_N420;
    const uint8_t *u =
        planar ? plane[1] + x / 2 : plane[1] + x / 2 * 2 + (format == VIC_Y8___V8U8_N420);
    const uint8_t *v =
        planar ? plane[2] + x / 2 : plane[1] + x / 2 * 2 + (format == VIC_Y8___U8V8_N420);

    *out = (struct vic_pixel){ { plane[0][x] << 2, *u << 2, *v << 2 }, 1023 };
}

void vic_row_decode(const struct vic_surface *s, const uint8_t *const plane[VIC_PLANES],
                    struct vic_pixel *out)
{
    for (unsigned x = 0; x < s->width; x++) {
        if (is_420(s->format)) {
            yuv_decode(s->format, plane, x, &out[x]);
        } else if (s->format == VIC_L8) {
            int32_t v = rgb_widen(plane[0][x]);

            out[x] = (struct vic_pixel){ { v, v, v }, 1023 };
        } else {
            rgb_decode(s->format, plane[0] + x * 4, &out[x]);
        }
    }
}

/* --- scaling --------------------------------------------------------------------------------- */

/* Centres of pixels map to centres: source = left + (i + 1/2) * ratio - 1/2, 16 bits of fraction
 * (inferred). The last whole pixel of the rectangle is its right edge. */
static void source_find(uint32_t from, uint32_t to, uint32_t i, uint32_t n, bool bilinear,
                        unsigned *first, unsigned *second, unsigned *weight)
{
    int64_t extent = (int64_t)to - from + 65536, last = to >> 16;
    int64_t centre = from + (2 * (int64_t)i + 1) * extent / (2 * (int64_t)n);
    int64_t at = bilinear ? centre - 32768 : centre;
    int64_t low = from >> 16, whole = at >> 16;

    *weight = bilinear ? (unsigned)(at >> 8 & 255) : 0;
    *first = (unsigned)(whole < low ? low : whole > last ? last : whole);
    *second = (unsigned)(whole + 1 < low ? low : whole + 1 > last ? last : whole + 1);
}

bool vic_row_sources(const struct vic_config *c, unsigned y, unsigned *first, unsigned *second,
                     unsigned *weight)
{
    if (c->flip_y) {
        y = c->target.top + c->target.bottom - y;
    }
    if (!c->slot || y < c->dest.top || y > c->dest.bottom) {
        return false;
    }
    source_find(c->source.top, c->source.bottom, y - c->dest.top, c->dest.bottom - c->dest.top + 1,
                c->bilinear_y, first, second, weight);
    return true;
}

static int32_t mix(int32_t a, int32_t b, unsigned weight)
{
    return (a * (int32_t)(256 - weight) + b * (int32_t)weight + 128) >> 8;
}

static struct vic_pixel pixel_mix(const struct vic_pixel *a, const struct vic_pixel *b,
                                  unsigned weight)
{
    return (struct vic_pixel){ { mix(a->c[0], b->c[0], weight), mix(a->c[1], b->c[1], weight),
                                 mix(a->c[2], b->c[2], weight) },
                               mix(a->a, b->a, weight) };
}

/* --- colours --------------------------------------------------------------------------------- */

static int32_t clamp(int64_t v, int32_t low, int32_t high)
{
    return (int32_t)(v < low ? low : v > high ? high : v);
}

static struct vic_pixel pixel_convert(const struct vic_matrix *m, struct vic_pixel p, int32_t low,
                                      int32_t high)
{
    struct vic_pixel out = p;

    for (unsigned i = 0; i < 3; i++) {
        int64_t sum = p.c[i];

        if (m->enable) {
            sum = (int64_t)m->c[i][0] * p.c[0] + (int64_t)m->c[i][1] * p.c[1] +
                  (int64_t)m->c[i][2] * p.c[2];
            sum = ((sum >> m->shift) + m->c[i][3]) >> 8;
        }
        out.c[i] = clamp(sum, low, high);
    }
    return out;
}

static struct vic_pixel slot_pixel(const struct vic_config *c, unsigned x,
                                   const struct vic_pixel *a, const struct vic_pixel *b,
                                   unsigned weight_y)
{
    unsigned first, second, weight;
    struct vic_pixel up, down, p;

    source_find(c->source.left, c->source.right, x - c->dest.left, c->dest.right - c->dest.left + 1,
                c->bilinear_x, &first, &second, &weight);
    up = pixel_mix(&a[first], &a[second], weight);
    down = pixel_mix(&b[first], &b[second], weight);
    p = pixel_convert(&c->in_matrix, pixel_mix(&up, &down, weight_y), c->clamp_low, c->clamp_high);
    p.a = c->constant_alpha >= 0 ? c->constant_alpha : p.a;
    return p;
}

void vic_row_make(const struct vic_config *c, unsigned y, const struct vic_pixel *a,
                  const struct vic_pixel *b, unsigned weight, struct vic_pixel *out)
{
    (void)y;
    for (unsigned at = c->target.left; at <= c->target.right; at++) {
        unsigned x = c->flip_x ? c->target.left + c->target.right - at : at;
        bool inside = a && x >= c->dest.left && x <= c->dest.right;
        struct vic_pixel p = inside ? slot_pixel(c, x, a, b, weight) : c->background;

        out[at - c->target.left] = pixel_convert(&c->out_matrix, p, 0, 1023);
    }
}

/* --- packing --------------------------------------------------------------------------------- */

void vic_luma_encode(enum vic_format format, const struct vic_pixel *in, unsigned n, uint8_t *out)
{
    bool one = samples_bytes(format, 0) == 1;
    const uint8_t *at = one ? NULL : rgba_bytes(format);

    for (unsigned x = 0; x < n; x++) {
        if (one) {
            out[x] = (uint8_t)(in[x].c[0] >> 2);
            continue;
        }
        for (unsigned i = 0; i < 3; i++) {
            out[x * 4 + at[i]] = (uint8_t)(in[x].c[i] >> 2);
        }
        out[x * 4 + at[3]] = (uint8_t)(in[x].a >> 2);
    }
}

/* Of the four pixels that share a chroma sample: those at its location, averaged. */
static uint8_t chroma_sample(const struct vic_config *c, const struct vic_pixel *even,
                             const struct vic_pixel *odd, unsigned x, unsigned n,
                             unsigned component)
{
    int32_t sum = 0, count = 0;

    for (unsigned i = 0; i < 4; i++) {
        unsigned dx = i % 2, dy = i / 2, column = x + dx < n ? x + dx : n - 1;

        if ((c->chroma_x == 1 || dx == c->chroma_x / 2) &&
            (c->chroma_y == 1 || dy == c->chroma_y / 2)) {
            sum += (dy ? odd : even)[column].c[component];
            count++;
        }
    }
    return (uint8_t)((sum + count / 2) / count >> 2);
}

void vic_chroma_encode(const struct vic_config *c, const struct vic_pixel *even,
                       const struct vic_pixel *odd, unsigned n, unsigned plane, uint8_t *out)
{
    bool planar = c->out.format == VIC_Y8___U8___V8_N420;
    unsigned v_first = c->out.format == VIC_Y8___V8U8_N420;

    for (unsigned x = 0; x < n; x += 2) {
        if (planar) {
            out[x / 2] = chroma_sample(c, even, odd, x, n, plane);
        } else {
            out[x + v_first] = chroma_sample(c, even, odd, x, n, 1);
            out[x + !v_first] = chroma_sample(c, even, odd, x, n, 2);
        }
    }
}
