/* SPDX-License-Identifier: MIT */
/* What the files of the texture unit share. */
#ifndef MODEL_TEX_TEX_INTERNAL_H
#define MODEL_TEX_TEX_INTERNAL_H

#include "model/bus.h"
#include "model/regs/texture.h"

#define TEX_LINES 512u /* 64 KiB: an SM's texture cache is of this order (inferred) */
#define TEX_HEADERS 16u

struct tex_line {
    uint64_t va; /* of the line, plus 1; 0: empty */
    unsigned sectors;
    uint8_t data[BUS_LINE];
};

/* A header that was fetched. */
struct tex_object {
    uint64_t handle; /* 0: none */
    struct tex_header h;
    unsigned texel; /* bytes */
};

struct bus_tex {
    struct bus_port *port;
    enum bus_status status; /* of the first access that failed */
    bool stale;             /* the fetch under way got bytes that are older than the L2's */
    uint64_t stale_va;
    uint64_t kept; /* observed: a line plus 1 that had these bytes in the cache; 0: none */
    struct bus_mask kept_bytes;
    unsigned kept_each;       /* fetch's */
    bus_tex_touched *touched; /* NULL: not watched; for @lane */
    void *opaque;
    unsigned lane;
    struct tex_object object[TEX_HEADERS];
    const struct tex_object *last;
    struct tex_line line[TEX_LINES];
};

/* Where in the cache a byte's line lies. */
static inline unsigned tex_line_index(uint64_t va)
{
    uint64_t n = va / BUS_LINE;

    return (n ^ n >> 9) % TEX_LINES;
}

/* One level of a texture: of layer 0. */
struct tex_level {
    uint64_t va, slice;
    uint32_t width, height, depth, pitch;
};
struct tex_level tex_level(const struct tex_header *h, unsigned level);

/* A channel as the filter computes with it: numbers in f (texel.c has the units), integers in i. */
union tex_value {
    double f;
    uint32_t i;
};

/* texel.c */
/* Is the result of a fetch a float? */
static inline bool tex_is_float(const struct tex_header *h)
{
    return h->channel >= TEX_F16 || (h->channel <= TEX_S16 && (h->flags & TEX_FLOATS));
}
void tex_decode(const struct tex_header *h, const uint8_t *bytes, union tex_value out[4]);
void tex_border(const struct tex_header *h, union tex_value out[4]);
uint32_t tex_border_convert(const struct tex_header *h, unsigned channel);
/* From the sum of a filter to the bits of a register; from an element to one, without a filter. */
uint32_t tex_encode(const struct tex_header *h, unsigned channel, union tex_value v);
uint32_t tex_convert(const struct tex_header *h, unsigned channel, const uint8_t *bytes);
uint16_t tex_half(double v);
uint16_t tex_half_cut(double v); /* rounded towards zero */
float tex_half_value(uint16_t bits);

/* Texels and their weights, @w of @of, before they become one: eight of each of two levels, or
 * three at a cube's corner for one of them */
struct tex_blend {
    unsigned n;
    struct {
        int w, of;
        union tex_value v[4];
    } part[20];
};

/* Return: where its channels go. @of: 256 or 768 */
static inline union tex_value *tex_blend_add(struct tex_blend *b, int w, int of)
{
    b->part[b->n].w = w;
    b->part[b->n].of = of;
    return b->part[b->n++].v;
}
uint32_t tex_blend_give(const struct tex_header *h, const struct tex_blend *b, unsigned channel);

/* tex.c: @n bytes at @va through the texture's cache; NULL with t->status set. Valid until the
 * next. */
const uint8_t *tex_bytes(struct bus_tex *t, uint64_t va, unsigned n);
const struct tex_object *tex_object(struct bus_tex *t, uint64_t handle);

/* sample.c */
bool tex_sample(struct bus_tex *t, const struct tex_object *o, const struct bus_tex_fetch *f,
                unsigned lane);
/* A filtered float as a register has it: no denormals, one NaN. */
uint32_t tex_float(double v);

/* Without a filter, of what is tex_is_flat(): the same result. */
bool tex_sample_nearest(struct bus_tex *t, const struct tex_object *o,
                        const struct bus_tex_fetch *f, unsigned lane);

/* Two dimensions, one level, no layers */
static inline bool tex_is_flat(const struct tex_header *h, const struct bus_tex_fetch *f)
{
    const uint32_t never = TEX_BUFFER | TEX_LAYERED | TEX_CUBE | TEX_ROW;

    return f->geometry == BUS_TEX_2D && f->mode == BUS_TEX_BASE && !f->integer && h->levels == 1 &&
           !(h->flags & never);
}

/* linear.c: the commonest fetch */
bool tex_is_plain(const struct tex_header *h, const struct bus_tex_fetch *f);
bool tex_sample_plain(struct bus_tex *t, const struct tex_object *o, const struct bus_tex_fetch *f,
                      unsigned lane);
/* cube.c: the face that the direction's largest part names, and the place on it, from 0 to 1. */
uint32_t tex_cube_face(double x, double y, double z, double *s, double *t);
/* A texel beside a face, on the face that lies there; false: at a cube's corner there is none. */
bool tex_cube_neighbour(const struct tex_level *l, int64_t at[3]);
/* level.c: with 8 bits of fraction, within the clamps and the levels. */
double tex_lod(const struct tex_object *o, const struct bus_tex_fetch *f, unsigned lane);
extern const uint8_t tex_dims[]; /* coordinates of a geometry, without its layer */

/* surface.c */
enum bus_tex_result tex_surface(struct bus_tex *t, struct bus_tex_access *a, uint32_t mask,
                                unsigned *lane);
uint32_t tex_query(const struct tex_header *h, enum bus_tex_query q, unsigned level);

#endif
