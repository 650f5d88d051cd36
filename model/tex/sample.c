/* SPDX-License-Identifier: MIT */
/* A fetch of one lane: coordinates, level, texels, weights. CUDA Programming Guide, Texture
 * Fetching; how fractions and weights are rounded was measured on an H200. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "model/tex/tex_internal.h"

/* Where a fetch reads along one dimension: texel @i (and @i + 1 with weight @w / 256). */
struct axis {
    int64_t i;
    unsigned w;
};

/* Coordinates are fixed point beyond the unit: nothing is lost that a texture could hold. */
#define COORD_LIMIT 1e9

static double coord_of(const struct bus_tex_fetch *f, unsigned n, unsigned lane)
{
    uint32_t bits = f->coord[n][lane];
    float v;

    if (f->integer) {
        return (int32_t)bits;
    }
    memcpy(&v, &bits, 4);
    return isnan(v) || fabsf(v) < 0x1p-126f ? 0 : (double)v; /* no denormals (measured) */
}

/* @x: in texels */
static struct axis axis_of(double x, bool linear)
{
    double t;

    x = x > COORD_LIMIT ? COORD_LIMIT : x < -COORD_LIMIT ? -COORD_LIMIT : x;
    if (!linear) {
        return (struct axis){ (int64_t)floor(x), 0 };
    }
    t = floor((x - 0.5) * 256 + 0.5);
    return (struct axis){ (int64_t)floor(t / 256), (unsigned)((int64_t)t & 255) };
}

/* Return: -1: the border */
static int64_t sample_address(int64_t i, uint32_t n, enum tex_address mode, bool normalized)
{
    int64_t period;

    if (!normalized && (mode == TEX_WRAP || mode == TEX_MIRROR)) {
        mode = TEX_CLAMP; /* both need normalised coordinates */
    }
    switch (mode) {
    case TEX_WRAP:
        i %= n;
        return i < 0 ? i + n : i;
    case TEX_MIRROR:
        period = 2 * (int64_t)n;
        i %= period;
        i = i < 0 ? i + period : i;
        return i < n ? i : period - 1 - i;
    case TEX_BORDER:
        return i < 0 || i >= n ? -1 : i;
    default:
        return i < 0 ? 0 : i >= n ? n - 1 : i;
    }
}

/* A place in one level: three axes; @layer: the slice, of cubes 6 a layer. @seamless: of a cube
 * whose faces are neighbours. */
struct spot {
    struct axis axis[3];
    unsigned dims;
    uint32_t layer;
    bool seamless;
};

static bool is_border(const int64_t at[3])
{
    return at[0] < 0 || at[1] < 0 || at[2] < 0;
}

static const uint8_t *sample_element(struct bus_tex *t, const struct tex_object *o,
                                     const struct tex_level *l, const int64_t at[3])
{
    return tex_bytes(t,
                     l->va + (uint64_t)at[2] * l->slice + (uint64_t)at[1] * l->pitch +
                         (uint64_t)at[0] * o->texel,
                     o->texel);
}

/* For the filter. */
static bool sample_texel(struct bus_tex *t, const struct tex_object *o, const struct tex_level *l,
                         const int64_t at[3], union tex_value out[4])
{
    const uint8_t *bytes;

    if (is_border(at)) {
        tex_border(&o->h, out);
        return true;
    }
    bytes = sample_element(t, o, l, at);
    if (bytes) {
        tex_decode(&o->h, bytes, out);
    }
    return bytes != NULL;
}

/* Without a filter: channel @first and those behind it, @n in all, to the registers from @to on. */
static bool texel_put(struct bus_tex *t, const struct tex_object *o, const struct tex_level *l,
                      const int64_t at[3], const struct bus_tex_fetch *f, unsigned lane,
                      unsigned first, unsigned n, unsigned to)
{
    const uint8_t *bytes = NULL;

    if (!is_border(at)) {
        bytes = sample_element(t, o, l, at);
        if (!bytes) {
            return false;
        }
    }
    for (unsigned k = 0; k < n; k++) {
        unsigned c = first + k;

        f->out[to + k][lane] = c >= o->h.channels ? 0
                               : bytes            ? tex_convert(&o->h, c, bytes)
                                                  : tex_border_convert(&o->h, c);
    }
    return true;
}

/* Return: false: a corner of a seamless cube, where no texel is. */
static bool sample_place(const struct tex_object *o, const struct tex_level *l,
                         const struct spot *s, unsigned corner, int64_t at[3])
{
    const uint32_t n[3] = { l->width, l->height, l->depth };
    bool normalized = o->h.flags & TEX_NORMALIZED;

    for (unsigned k = 0; k < 3; k++) {
        int64_t i = s->axis[k].i + (corner >> k & 1);

        at[k] = k >= s->dims ? 0
                : s->seamless
                    ? i
                    : sample_address(i, n[k], (enum tex_address)o->h.address[k], normalized);
    }
    if (s->layer) {
        at[2] = s->layer;
    }
    return !s->seamless || tex_cube_neighbour(l, at);
}

/* Weights by corner (bit k: the far texel of axis k) of a level that has @total of 256: it is split
 * by z, then by x, then by y. Halves go to the near texel of z, to the far one of x, and of y to
 * the one that x is (measured: H200, all weights of 54,872 places in volumes and 240,000 between
 * levels). */
static void sample_weights(const struct spot *s, int total, int w[8])
{
    int a = (int)s->axis[0].w, b = s->dims > 1 ? (int)s->axis[1].w : 0,
        c = s->dims > 2 ? (int)s->axis[2].w : 0;
    int far = (total * c + 127) >> 8;

    for (unsigned z = 0; z < 2; z++) {
        int share = z ? far : total - far, right = (share * a + 128) >> 8;

        for (unsigned x = 0; x < 2; x++) {
            int column = x ? right : share - right, up = (column * b + (x ? 128 : 127)) >> 8;

            w[x | z << 2] = column - up;
            w[x | 2 | z << 2] = up;
        }
    }
}

/* Where three faces meet the fourth texel is the mean of the three (inferred). */
static bool corner_sample(struct bus_tex *t, const struct tex_object *o, const struct tex_level *l,
                          const struct spot *s, int weight, struct tex_blend *to)
{
    int64_t at[3];

    for (unsigned corner = 0; corner < 4; corner++) {
        if (!sample_place(o, l, s, corner, at)) {
            continue;
        }
        if (!sample_texel(t, o, l, at, tex_blend_add(to, weight, 768))) {
            return false;
        }
    }
    return true;
}

/* One level of a filtered fetch, added to @to. Return: false:
 * the port refused. */
static bool level_sample(struct bus_tex *t, const struct tex_object *o, unsigned level,
                         const struct spot *s, int total, struct tex_blend *to)
{
    struct tex_level l = tex_level(&o->h, level);
    int64_t at[3];
    int missing = 0, w[8];

    sample_weights(s, total, w);
    for (unsigned corner = 0; corner < 1u << s->dims; corner++) {
        if (!w[corner]) {
            continue;
        }
        if (!sample_place(o, &l, s, corner, at)) {
            missing = w[corner];
            continue;
        }
        if (!sample_texel(t, o, &l, at, tex_blend_add(to, w[corner], 256))) {
            return false;
        }
    }
    return !missing || corner_sample(t, o, &l, s, missing, to);
}

/* Coordinates of the fetch without its layer; @layer: the slice, 0 without layers. */
static void sample_coords(const struct tex_object *o, const struct bus_tex_fetch *f, unsigned lane,
                          double x[3], uint32_t *layer)
{
    bool layered =
        f->geometry == BUS_TEX_A1D || f->geometry == BUS_TEX_A2D || f->geometry == BUS_TEX_ACUBE;
    bool cube = f->geometry == BUS_TEX_CUBE || f->geometry == BUS_TEX_ACUBE;
    unsigned first = layered, n = cube ? 3 : tex_dims[f->geometry];
    int64_t layers = cube ? o->h.layers / 6 : o->h.layers, l;

    for (unsigned k = 0; k < n; k++) {
        x[k] = coord_of(f, first + k, lane);
    }
    l = layered ? f->coord[0][lane] : 0; /* without a sign: below 0 is far above (measured) */
    l = l >= layers ? layers - 1 : l;
    *layer = layers > 0 ? (uint32_t)l : 0;
    if (cube) {
        *layer = *layer * 6 + tex_cube_face(x[0], x[1], x[2], &x[0], &x[1]);
    }
}

/* Repeated textures: first the part that counts, so that far coordinates lose nothing. */
static double sample_wrapped(double x, enum tex_address mode)
{
    if (mode == TEX_WRAP) {
        return isinf(x) ? 0 : x - floor(x);
    }
    if (mode == TEX_MIRROR) {
        return isinf(x) ? 0 : x - 2 * floor(x / 2);
    }
    return x;
}

/* A clamped coordinate lies on the outermost texel's centre, without a fraction (measured). */
static void axis_clamp(struct axis *a, uint32_t n, enum tex_address mode, bool normalized)
{
    if (mode == TEX_BORDER || (normalized && mode != TEX_CLAMP)) {
        return;
    }
    if (a->i < 0 || a->i >= (int64_t)n - 1) {
        a->i = a->i < 0 ? 0 : (int64_t)n - 1;
        a->w = 0;
    }
}

static struct spot spot_of(const struct tex_object *o, unsigned level, const double x[3],
                           unsigned dims, uint32_t layer, bool linear, bool clamp)
{
    struct tex_level l = tex_level(&o->h, level);
    const uint32_t n[3] = { l.width, l.height, l.depth };
    bool seamless = o->h.flags & TEX_CUBE && o->h.flags & TEX_SEAMLESS;
    struct spot s = { .dims = dims, .layer = layer, .seamless = seamless && linear };

    for (unsigned k = 0; k < dims; k++) {
        s.axis[k] = axis_of(
            o->h.flags & TEX_NORMALIZED
                ? (seamless ? x[k] : sample_wrapped(x[k], (enum tex_address)o->h.address[k])) * n[k]
                : x[k],
            linear);
    }
    for (unsigned k = 0; k < dims && seamless && !linear; k++) {
        s.axis[k].i = CLAMP(s.axis[k].i, 0, (int64_t)n[k] - 1);
    }
    for (unsigned k = 0; k < dims && linear && clamp && !seamless; k++) {
        axis_clamp(&s.axis[k], n[k], (enum tex_address)o->h.address[k],
                   o->h.flags & TEX_NORMALIZED);
    }
    if (dims == 1 && linear && o->h.address[1] == TEX_BORDER) {
        s.dims =
            2; /* a row alone lies between two borders: y is 0, half a texel outside (measured) */
        s.axis[1] = axis_of(0, true);
    }
    return s;
}

/* Counter-clockwise from the lower left: (0,1) (1,1) (1,0) (0,0). */
static bool sample_gather(struct bus_tex *t, const struct tex_object *o,
                          const struct bus_tex_fetch *f, unsigned lane, const struct spot *s)
{
    static const uint8_t corner[4] = { 2, 3, 1, 0 };
    struct tex_level l = tex_level(&o->h, 0);
    int64_t at[3];

    for (unsigned k = 0; k < 4; k++) {
        sample_place(o, &l, s, corner[k], at);
        if (!texel_put(t, o, &l, at, f, lane, f->channel, 1, k)) {
            return false;
        }
    }
    return true;
}

static void sample_zero(const struct bus_tex_fetch *f, unsigned lane)
{
    for (unsigned k = 0; k < 4; k++) {
        f->out[k][lane] = 0;
    }
}

/* An element by its number, of linear memory; and by integer coordinates, of an array: outside it
 * reads zero, in any mode (measured). */
static bool fetch_integer(struct bus_tex *t, const struct tex_object *o,
                          const struct bus_tex_fetch *f, unsigned lane)
{
    struct tex_level l = tex_level(&o->h, 0);
    bool buffer = o->h.flags & TEX_BUFFER, layered = f->geometry == BUS_TEX_A2D;
    unsigned dims = tex_dims[f->geometry];
    int64_t at[3] = { 0 };
    const uint32_t n[3] = { buffer ? o->h.width : l.width, l.height, l.depth };

    /* Such a fetch reads linear memory alone, and no other one reads that (measured). */
    if (buffer ? !f->integer : dims == 1) {
        sample_zero(f, lane);
        return true;
    }
    for (unsigned k = 0; k < (buffer ? 1 : dims); k++) {
        at[k] = (int64_t)CLAMP(floor(coord_of(f, layered + k, lane)), -1, COORD_LIMIT * 10);
    }
    if (layered && !buffer) {
        at[2] = f->coord[0][lane];
    }
    if (is_border(at) || at[0] >= n[0] || at[1] >= n[1] || at[2] >= n[2]) {
        sample_zero(f, lane);
        return true;
    }
    return texel_put(t, o, &l, at, f, lane, 0, 4, 0);
}

/* Between texels or levels. */
static bool fetch_filtered(struct bus_tex *t, const struct tex_object *o,
                           const struct bus_tex_fetch *f, unsigned lane, const double x[3],
                           uint32_t layer, unsigned level, unsigned part)
{
    bool linear = o->h.flags & TEX_LINEAR;
    unsigned dims = tex_dims[f->geometry];
    struct spot s = spot_of(o, level, x, dims, layer, linear, true);
    struct tex_blend sum = { .n = 0 };

    if (!level_sample(t, o, level, &s, 256 - (int)part, &sum)) {
        return false;
    }
    if (part) {
        s = spot_of(o, level + 1, x, dims, layer, linear, true);
        if (!level_sample(t, o, level + 1, &s, (int)part, &sum)) {
            return false;
        }
    }
    for (unsigned k = 0; k < 4; k++) {
        f->out[k][lane] = k < o->h.channels ? tex_blend_give(&o->h, &sum, k) : 0;
    }
    return true;
}

bool tex_sample_nearest(struct bus_tex *t, const struct tex_object *o,
                        const struct bus_tex_fetch *f, unsigned lane)
{
    const struct tex_header *h = &o->h;
    const struct tex_level l = { h->level[0], h->slice, h->width, h->height, h->depth, h->pitch };
    bool normalized = h->flags & TEX_NORMALIZED;
    int64_t at[3] = { 0 };

    for (unsigned k = 0; k < 2; k++) {
        uint32_t n = k ? h->height : h->width;
        enum tex_address mode = (enum tex_address)h->address[k];
        double x = coord_of(f, k, lane);

        x = normalized ? sample_wrapped(x, mode) * n : x;
        at[k] = sample_address(axis_of(x, false).i, n, mode, normalized);
    }
    return texel_put(t, o, &l, at, f, lane, 0, 4, 0);
}

bool tex_sample(struct bus_tex *t, const struct tex_object *o, const struct bus_tex_fetch *f,
                unsigned lane)
{
    bool floats = tex_is_float(&o->h), between = o->h.flags & TEX_MIP_LINEAR;
    unsigned dims = tex_dims[f->geometry], level, part;
    struct tex_level l;
    double x[3], lod;
    uint32_t layer;
    struct spot s;
    int64_t at[3];

    if (f->integer || o->h.flags & TEX_BUFFER) {
        return fetch_integer(t, o, f, lane);
    }
    sample_coords(o, f, lane, x, &layer);
    if (f->mode == BUS_TEX_GATHER) {
        s = spot_of(o, 0, x, dims, layer, true, false);
        return sample_gather(t, o, f, lane, &s);
    }
    lod = o->h.levels > 1 ? tex_lod(o, f, lane) : 0;
    level = (unsigned)(between ? floor(lod) : floor(lod + 0.5));
    part = between && floats ? (unsigned)((lod - level) * 256) : 0;
    if (floats && (part || o->h.flags & TEX_LINEAR)) {
        return fetch_filtered(t, o, f, lane, x, layer, level, part);
    }
    s = spot_of(o, level, x, dims, layer, false, true);
    l = tex_level(&o->h, level);
    sample_place(o, &l, &s, 0, at);
    return texel_put(t, o, &l, at, f, lane, 0, 4, 0);
}

/* What a query of a bindless object answers (measured): layers stand behind the dimensions. */
uint32_t tex_query(const struct tex_header *h, enum bus_tex_query q, unsigned level)
{
    struct tex_level l;
    bool surface = h->flags & TEX_SURFACE, layered = h->flags & TEX_LAYERED,
         cube = h->flags & TEX_CUBE, flat = h->flags & TEX_ROW;

    if (level >= h->levels) {
        return 0;
    }
    l = tex_level(h, level);
    switch (q) {
    case BUS_TEX_WIDTH:
        return l.width;
    case BUS_TEX_HEIGHT:
        return flat ? (layered ? h->layers : surface ? 0 : 1) : l.height;
    default:
        return flat || (!layered && h->depth == 1) ? 0
               : cube && !surface                  ? (layered ? h->layers / 6 : 0)
                                                   : l.depth;
    }
}
