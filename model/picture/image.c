/* SPDX-License-Identifier: MIT */
/* Pictures: from the bytes of rows to the bytes of rows, as a configuration says. */
#include "model/picture/picture.h"

#include <stddef.h>
#include <string.h>

/* --- surfaces -------------------------------------------------------------------------------- */

static unsigned samples_bytes(enum vic_format format, unsigned plane)
{
    struct vic_layout l = vic_layout_of(format);

    return plane == 0 ? l.first : plane < l.planes ? l.chroma : 0;
}

unsigned picture_plane_row_bytes(const struct picture_surface *s, unsigned plane, unsigned *rows)
{
    struct vic_layout l = vic_layout_of(s->format);
    unsigned width = plane ? (s->width + l.sub_x - 1) / l.sub_x : s->width;

    *rows = plane ? (s->height + l.sub_y - 1) / l.sub_y : s->height;
    return samples_bytes(s->format, plane) * width;
}

unsigned picture_plane_stride_bytes(const struct picture_surface *s, unsigned plane)
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

static void rgb_decode(enum vic_format format, const uint8_t *in, struct picture_pixel *out)
{
    const uint8_t *at = rgba_bytes(format);

    for (unsigned i = 0; i < 3; i++) {
        out->c[i] = rgb_widen(in[at[i]]);
    }
    out->a = format >= VIC_X8B8G8R8 ? 1023 : rgb_widen(in[at[3]]);
}

/* The component of sample @i where each has @bytes, 10 bits */
static int32_t sample_get(const struct vic_layout *l, const uint8_t *plane, size_t i)
{
    return l->deep ? (plane[i * 2] | plane[i * 2 + 1] << 8) >> 6 : plane[i] << 2;
}

static void packed_decode(enum vic_format format, const uint8_t *line, unsigned x,
                          struct picture_pixel *out)
{
    const uint8_t *pair = line + (size_t)(x / 2) * 4;
    unsigned u = vic_packed_u(format);

    *out = (struct picture_pixel){
        { pair[vic_packed_y(format) + x % 2 * 2] << 2, pair[u] << 2, pair[u ^ 2] << 2 }, 1023
    };
}

static bool v_comes_first(enum vic_format format)
{
    return format == VIC_Y8___V8U8_N444 || format == VIC_Y8___V8U8_N422 ||
           format == VIC_Y8___V8U8_N420 || format == VIC_Y10___V10U10_N420;
}

static void yuv_decode(enum vic_format format, const struct vic_layout *l,
                       const uint8_t *const plane[VIC_PLANES], unsigned x,
                       struct picture_pixel *out)
{
    bool planar = l->planes == 3, v_first = v_comes_first(format);
    size_t i = x >> (l->sub_x - 1);

    *out = (struct picture_pixel){
        { sample_get(l, plane[0], x),
          planar ? sample_get(l, plane[1], i) : sample_get(l, plane[1], i * 2 + v_first),
          planar ? sample_get(l, plane[2], i) : sample_get(l, plane[1], i * 2 + !v_first) },
        1023
    };
}

void picture_row_decode(const struct picture_surface *s, const uint8_t *const plane[VIC_PLANES],
                        struct picture_pixel *out)
{
    struct vic_layout l = vic_layout_of(s->format);

    for (unsigned x = 0; x < s->width; x++) {
        if (l.planes > 1) {
            yuv_decode(s->format, &l, plane, x, &out[x]);
        } else if (vic_is_packed(s->format)) {
            packed_decode(s->format, plane[0], x, &out[x]);
        } else if (s->format == VIC_L8) {
            int32_t v = rgb_widen(plane[0][x]);

            out[x] = (struct picture_pixel){ { v, v, v }, 1023 };
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

bool picture_row_sources(const struct picture_config *c, const struct picture_slot *s, unsigned y,
                         unsigned *first, unsigned *second, unsigned *weight)
{
    if (c->flip_y) {
        y = c->target.top + c->target.bottom - y;
    }
    if (y < s->dest.top || y > s->dest.bottom) {
        return false;
    }
    source_find(s->source.top, s->source.bottom, y - s->dest.top, s->dest.bottom - s->dest.top + 1,
                s->bilinear_y, first, second, weight);
    return true;
}

static int32_t image_mix(int32_t a, int32_t b, unsigned weight)
{
    return (a * (int32_t)(256 - weight) + b * (int32_t)weight + 128) >> 8;
}

static struct picture_pixel pixel_mix(const struct picture_pixel *a, const struct picture_pixel *b,
                                      unsigned weight)
{
    return (struct picture_pixel){ { image_mix(a->c[0], b->c[0], weight),
                                     image_mix(a->c[1], b->c[1], weight),
                                     image_mix(a->c[2], b->c[2], weight) },
                                   image_mix(a->a, b->a, weight) };
}

/* --- colours --------------------------------------------------------------------------------- */

static int32_t image_clamp(int64_t v, int32_t low, int32_t high)
{
    return (int32_t)(v < low ? low : v > high ? high : v);
}

static struct picture_pixel pixel_convert(const struct picture_matrix *m, struct picture_pixel p,
                                          int32_t low, int32_t high)
{
    struct picture_pixel out = p;

    for (unsigned i = 0; i < 3; i++) {
        int64_t sum = p.c[i];

        if (m->enable) {
            sum = (int64_t)m->c[i][0] * p.c[0] + (int64_t)m->c[i][1] * p.c[1] +
                  (int64_t)m->c[i][2] * p.c[2];
            sum = ((sum >> m->shift) + m->c[i][3]) >> 8;
        }
        out.c[i] = image_clamp(sum, low, high);
    }
    return out;
}

static struct picture_pixel slot_pixel(const struct picture_slot *s, unsigned x,
                                       const struct picture_pixel *a, const struct picture_pixel *b,
                                       unsigned weight_y)
{
    unsigned first, second, weight;
    struct picture_pixel up, down, p;

    source_find(s->source.left, s->source.right, x - s->dest.left, s->dest.right - s->dest.left + 1,
                s->bilinear_x, &first, &second, &weight);
    up = pixel_mix(&a[first], &a[second], weight);
    down = pixel_mix(&b[first], &b[second], weight);
    p = pixel_convert(&s->matrix, pixel_mix(&up, &down, weight_y), s->clamp_low, s->clamp_high);
    p.a = s->constant_alpha >= 0 ? s->constant_alpha : p.a;
    return p;
}

/* --- blending -------------------------------------------------------------------------------- */

/* Of 1023, rounded (inferred). */
static int32_t alpha_product(int32_t a, int32_t b)
{
    return (a * b + 511) / 1023;
}

static int32_t factor_src_c(const struct picture_blend *b, int32_t src, int32_t dst)
{
    switch (b->src_c) {
    case VIC_SRC_C_K1:
        return b->k1;
    case VIC_SRC_C_K1_TIMES_DST:
        return alpha_product(b->k1, dst);
    case VIC_SRC_C_NEG_K1_TIMES_DST:
        return 1023 - alpha_product(b->k1, dst);
    case VIC_SRC_C_K1_TIMES_SRC:
        return alpha_product(b->k1, src);
    default:
        return 0;
    }
}

static int32_t factor_dst_c(const struct picture_blend *b, int32_t src, int32_t dst)
{
    switch (b->dst_c) {
    case VIC_DST_C_K1:
        return b->k1;
    case VIC_DST_C_K2:
        return b->k2;
    case VIC_DST_C_K1_TIMES_DST:
        return alpha_product(b->k1, dst);
    case VIC_DST_C_NEG_K1_TIMES_DST:
        return 1023 - alpha_product(b->k1, dst);
    case VIC_DST_C_NEG_K1_TIMES_SRC:
        return 1023 - alpha_product(b->k1, src);
    case VIC_DST_C_ONE:
        return 1023;
    default:
        return 0;
    }
}

static int32_t blended_alpha(const struct picture_blend *b, int32_t src, int32_t dst)
{
    int32_t of_src = b->src_a == VIC_SRC_A_K1                 ? b->k1
                     : b->src_a == VIC_SRC_A_K2               ? b->k2
                     : b->src_a == VIC_SRC_A_NEG_K1_TIMES_DST ? 1023 - alpha_product(b->k1, dst)
                                                              : 0;
    int32_t of_dst = b->dst_a == VIC_DST_A_K2                 ? b->k2
                     : b->dst_a == VIC_DST_A_NEG_K1_TIMES_SRC ? 1023 - alpha_product(b->k1, src)
                     : b->dst_a == VIC_DST_A_ONE              ? 1023
                                                              : 0;

    return image_clamp((src * of_src + dst * of_dst + 511) / 1023, 0, 1023);
}

static struct picture_pixel pixel_blend(const struct picture_blend *b,
                                        const struct picture_pixel *src,
                                        const struct picture_pixel *dst)
{
    int32_t of_src = factor_src_c(b, src->a, dst->a), of_dst = factor_dst_c(b, src->a, dst->a);
    struct picture_pixel out = { .a = blended_alpha(b, src->a, dst->a) };

    for (unsigned i = 0; i < 3; i++) {
        out.c[i] = image_clamp((src->c[i] * of_src + dst->c[i] * of_dst + 511) / 1023, 0, 1023);
    }
    return out;
}

/* --- a row ----------------------------------------------------------------------------------- */

void picture_row_begin(const struct picture_config *c, struct picture_pixel *out)
{
    for (unsigned i = 0; i <= c->target.right - c->target.left; i++) {
        out[i] = c->background;
    }
}

void picture_row_add(const struct picture_config *c, const struct picture_slot *s,
                     const struct picture_pixel *a, const struct picture_pixel *b, unsigned weight,
                     struct picture_pixel *out)
{
    for (unsigned at = c->target.left; at <= c->target.right; at++) {
        unsigned x = c->flip_x ? c->target.left + c->target.right - at : at;
        struct picture_pixel *below = &out[at - c->target.left], p;

        if (x >= s->dest.left && x <= s->dest.right) {
            p = slot_pixel(s, x, a, b, weight);
            *below = s->blend.on ? pixel_blend(&s->blend, &p, below) : p;
        }
    }
}

void picture_row_end(const struct picture_config *c, struct picture_pixel *out)
{
    for (unsigned i = 0; i <= c->target.right - c->target.left; i++) {
        out[i] = pixel_convert(&c->out_matrix, out[i], 0, 1023);
    }
}

/* --- packing --------------------------------------------------------------------------------- */

static void sample_put(const struct vic_layout *l, uint8_t *plane, size_t i, int32_t value)
{
    if (l->deep) {
        plane[i * 2] = (uint8_t)(value << 6);
        plane[i * 2 + 1] = (uint8_t)(value >> 2);
    } else {
        plane[i] = (uint8_t)(value >> 2);
    }
}

/* Of the pixels that share a chroma sample, four at most: those at its location, averaged. */
static int32_t chroma_sample(const struct picture_config *c, unsigned sub_x,
                             const struct picture_pixel *even, const struct picture_pixel *odd,
                             unsigned x, unsigned n, unsigned component)
{
    int32_t sum = 0, count = 0;

    for (unsigned i = 0; i < 4; i++) {
        unsigned dx = i % 2, dy = i / 2, column = x + dx < n ? x + dx : n - 1;

        if ((sub_x == 1 ? dx == 0 : c->chroma_x == 1 || dx == c->chroma_x / 2) &&
            (c->chroma_y == 1 || dy == c->chroma_y / 2)) {
            sum += (dy ? odd : even)[column].c[component];
            count++;
        }
    }
    return (sum + count / 2) / count;
}

/* Chroma of two pixels of one row. */
static void packed_encode(const struct picture_config *c, const struct picture_pixel *in,
                          unsigned n, uint8_t *out)
{
    unsigned y = vic_packed_y(c->out.format), u = vic_packed_u(c->out.format);

    for (unsigned x = 0; x < n; x += 2, out += 4) {
        out[y] = (uint8_t)(in[x].c[0] >> 2);
        out[y + 2] = (uint8_t)(in[x + 1 < n ? x + 1 : x].c[0] >> 2);
        out[u] = (uint8_t)(chroma_sample(c, 2, in, in, x, n, 1) >> 2);
        out[u ^ 2] = (uint8_t)(chroma_sample(c, 2, in, in, x, n, 2) >> 2);
    }
}

void picture_luma_encode(const struct picture_config *c, const struct picture_pixel *in, unsigned n,
                         uint8_t *out)
{
    struct vic_layout l = vic_layout_of(c->out.format);
    const uint8_t *at = vic_is_rgb(c->out.format) ? rgba_bytes(c->out.format) : NULL;

    if (vic_is_packed(c->out.format)) {
        packed_encode(c, in, n, out);
        return;
    }
    for (unsigned x = 0; x < n; x++) {
        if (!at) {
            sample_put(&l, out, x, in[x].c[0]);
            continue;
        }
        for (unsigned i = 0; i < 3; i++) {
            out[x * 4 + at[i]] = (uint8_t)(in[x].c[i] >> 2);
        }
        out[x * 4 + at[3]] = (uint8_t)(in[x].a >> 2);
    }
}

void picture_chroma_encode(const struct picture_config *c, const struct picture_pixel *even,
                           const struct picture_pixel *odd, unsigned n, unsigned plane,
                           uint8_t *out)
{
    struct vic_layout l = vic_layout_of(c->out.format);
    unsigned v_first = v_comes_first(c->out.format);

    for (unsigned x = 0; x < n; x += l.sub_x) {
        size_t i = x / l.sub_x;

        if (l.planes == 3) {
            sample_put(&l, out, i, chroma_sample(c, l.sub_x, even, odd, x, n, plane));
        } else {
            sample_put(&l, out, i * 2 + v_first, chroma_sample(c, l.sub_x, even, odd, x, n, 1));
            sample_put(&l, out, i * 2 + !v_first, chroma_sample(c, l.sub_x, even, odd, x, n, 2));
        }
    }
}
