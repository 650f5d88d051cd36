/* SPDX-License-Identifier: MIT */
/* The fetch that programs spend their time in: two dimensions, floats, one level, linear. The same
 * results in the same order as sample.c gives, without its questions. */
#include <math.h>
#include <string.h>

#include "model/tex/tex_internal.h"

/* Coordinates that are not normalised are never repeated. */
static bool linear_clamps(const struct tex_header *h, unsigned axis)
{
    return h->address[axis] == TEX_CLAMP ||
           (!(h->flags & TEX_NORMALIZED) && h->address[axis] != TEX_BORDER);
}

bool tex_is_plain(const struct tex_header *h, const struct bus_tex_fetch *f)
{
    return tex_is_flat(h, f) && h->channel == TEX_F32 && h->flags & TEX_LINEAR &&
           linear_clamps(h, 0) && linear_clamps(h, 1);
}

/* Texels @i and @next, the weight of the second. Clamped: tex_axis() of a fraction outside is none.
 */
struct pair {
    uint32_t i, next;
    int w;
};

static struct pair pair_of(uint32_t bits, uint32_t n, bool normalized)
{
    double x, t;
    float v;
    int64_t i;

    memcpy(&v, &bits, 4);
    x = fabsf(v) >= 0x1p-126f ? (double)v : 0; /* a NaN is 0 too */
    x = normalized ? x * n : x;
    t = (x - 0.5) * 256 + 0.5;
    if (t < 256) { /* left of the second texel's centre */
        if (!(t >= 0)) {
            return (struct pair){ 0, 0, 0 };
        }
        i = 0;
    } else if (t >= ((double)n - 1) * 256) {
        return (struct pair){ n - 1, n - 1, 0 };
    } else {
        i = (int64_t)t >> 8;
    }
    if (i >= (int64_t)n - 1) {
        return (struct pair){ n - 1, n - 1, 0 };
    }
    return (struct pair){ (uint32_t)i, (uint32_t)i + 1, (int)((int64_t)t & 255) };
}

static inline const uint8_t *bytes_at(struct bus_tex *t, uint64_t va, unsigned n)
{
    const struct tex_line *l = &t->line[tex_line_index(va)];
    unsigned off = va % BUS_LINE;

    if (l->va == va - off + 1 && l->sectors >> off / BUS_SECTOR & 1 && !t->port->observed &&
        !t->touched) {
        return l->data + off;
    }
    return tex_bytes(t, va, n);
}

typedef float floats __attribute__((vector_size(16)));
typedef double doubles __attribute__((vector_size(32)));

static inline bool linear_add(struct bus_tex *t, uint64_t va, unsigned texel, int w, doubles *sum)
{
    const uint8_t *bytes;
    floats v = { 0 };

    if (!w) {
        return true;
    }
    bytes = bytes_at(t, va, texel);
    if (!bytes) {
        return false;
    }
    memcpy(&v, bytes, texel);
    *sum += __builtin_convertvector(v, doubles) * (w * (1 / 256.0));
    return true;
}

static inline bool sum_up(struct bus_tex *t, const struct tex_object *o, struct pair x,
                          struct pair y, unsigned texel, doubles *sum)
{
    uint64_t near = o->h.level[0] + (uint64_t)y.i * o->h.pitch,
             far = o->h.level[0] + (uint64_t)y.next * o->h.pitch;
    int low = ((256 - x.w) * y.w + 127) >> 8, high = (x.w * y.w + 128) >> 8;

    return linear_add(t, near + x.i * texel, texel, 256 - x.w - low, sum) &&
           linear_add(t, near + x.next * texel, texel, x.w - high, sum) &&
           linear_add(t, far + x.i * texel, texel, low, sum) &&
           linear_add(t, far + x.next * texel, texel, high, sum);
}

/* tex_float() of what is a normal number or zero */
static inline uint32_t float_bits(double v)
{
    float f = (float)v;
    uint32_t bits;

    memcpy(&bits, &f, 4);
    return (bits + 0x00800000) & 0x7f000000 ? bits : tex_float(v);
}

bool tex_sample_plain(struct bus_tex *t, const struct tex_object *o, const struct bus_tex_fetch *f,
                      unsigned lane)
{
    bool normalized = o->h.flags & TEX_NORMALIZED;
    struct pair x = pair_of(f->coord[0][lane], o->h.width, normalized),
                y = pair_of(f->coord[1][lane], o->h.height, normalized);
    doubles sum = { 0 };

    if (!(o->h.channels == 4   ? sum_up(t, o, x, y, 16, &sum)
          : o->h.channels == 2 ? sum_up(t, o, x, y, 8, &sum)
                               : sum_up(t, o, x, y, 4, &sum))) {
        return false;
    }
    for (unsigned k = 0; k < 4; k++) { /* channels that are not there are zero */
        f->out[k][lane] = float_bits(sum[k]);
    }
    return true;
}
