/* SPDX-License-Identifier: MIT */
/* Surface loads, stores and reductions: through the L2, past the texture cache. PTX ISA 9.7.11. */
#include <math.h>
#include <string.h>

#include "model/tex/tex_internal.h"

/* The byte that a lane means; false: outside. Clamped coordinates are inside. */
static bool surface_place(const struct tex_object *o, const struct bus_tex_access *a, unsigned lane,
                          uint64_t *va)
{
    static const uint8_t dims[] = { 1, 2, 3, 1, 2, 2, 2 };
    const struct tex_header *h = &o->h;
    bool layered =
        a->geometry == BUS_TEX_A1D || a->geometry == BUS_TEX_A2D || a->geometry == BUS_TEX_ACUBE;
    unsigned n = dims[a->geometry];
    int64_t x[3] = { 0 }, size[3] = { 0 };
    bool outside = false;

    for (unsigned k = 0; k < n; k++) {
        x[k] = (int32_t)a->coord[layered + k][lane];
    }
    if (layered) {
        x[2] = a->coord[0][lane]; /* without a sign: below 0 is far above (measured) */
    }
    if (!a->formatted) { /* x counts bytes */
        x[0] = x[0] < 0 ? -1 : x[0] / o->texel * o->texel + x[0] % o->texel;
    }
    size[0] = a->formatted ? h->width : (int64_t)h->width * o->texel;
    size[1] = h->height;
    size[2] = h->flags & (TEX_LAYERED | TEX_CUBE) ? h->layers : h->depth;
    for (unsigned k = 0; k < 3; k++) {
        int64_t last = size[k] - (k == 0 && !a->formatted ? (int64_t)a->bytes : 1);

        if (x[k] < 0 || x[k] > last) {
            outside = true;
            x[k] = x[k] < 0 ? 0 : last;
        }
    }
    *va = h->level[0] + (uint64_t)x[2] * h->slice + (uint64_t)x[1] * h->pitch +
          (uint64_t)x[0] * (a->formatted ? o->texel : 1);
    return !outside;
}

static double surface_clamped(double v, double low, double high)
{
    return v >= low ? (v <= high ? v : high) : low; /* a NaN is the lowest */
}

/* sust.p: a register becomes an element's channel. */
static void surface_format(const struct tex_header *h, uint32_t bits, uint8_t *to)
{
    int32_t s = (int32_t)bits;
    uint16_t half;
    float f;

    memcpy(&f, &bits, 4);
    switch (h->channel) {
    case TEX_U8:
        *to = (uint8_t)(bits > 255 ? 255 : bits);
        return;
    case TEX_S8:
        *to = (uint8_t)(int8_t)surface_clamped(s, -128, 127);
        return;
    case TEX_U16:
        half = (uint16_t)(bits > 65535 ? 65535 : bits);
        break;
    case TEX_S16:
        half = (uint16_t)(int16_t)surface_clamped(s, -32768, 32767);
        break;
    case TEX_F16:
        half = isnan(f) ? (uint16_t)(bits >> 16 & 0x8000) | 0x7c00 | (bits >> 13 & 0x3ff)
                        : tex_half_cut((double)f);
        break;
    default:
        memcpy(to, &bits, 4);
        return;
    }
    memcpy(to, &half, 2);
}

static enum bus_status surface_move(struct bus_tex *t, const struct tex_object *o,
                                    const struct bus_tex_access *a, unsigned lane, uint64_t va)
{
    uint8_t bytes[16] = { 0 };
    unsigned channel = o->texel / o->h.channels, n = a->formatted ? o->texel : a->bytes;
    enum bus_status status;
    uint64_t old;

    if (a->reduce >= 0) {
        return t->port->ops->atomic(
            t->port, va, (enum bus_atomic_op)a->reduce, a->bytes,
            a->bytes == 8 ? (uint64_t)a->data[1][lane] << 32 | a->data[0][lane] : a->data[0][lane],
            0, BUS_SCOPE_GPU, &old);
    }
    if (!a->store) {
        status = bus_port_read(t->port, va, bytes, n);
        for (unsigned k = 0; k < 4; k++) {
            memcpy(&a->data[k][lane], bytes + 4 * k, 4);
        }
        return status;
    }
    for (unsigned k = 0; k < 4; k++) {
        if (!a->formatted) {
            memcpy(bytes + 4 * k, &a->data[k][lane], 4);
        } else if (k < o->h.channels) {
            surface_format(&o->h, a->data[k][lane], bytes + k * channel);
        }
    }
    return bus_port_write(t->port, va, bytes, n);
}

enum bus_tex_result tex_surface(struct bus_tex *t, struct bus_tex_access *a, uint32_t mask,
                                unsigned *lane)
{
    for (uint32_t todo = mask; todo; todo &= todo - 1) {
        unsigned l = (unsigned)__builtin_ctz(todo);
        const struct tex_object *o = tex_object(t, a->handle[l]);
        uint64_t va;
        bool inside;

        *lane = l;
        if (!o || !(o->h.flags & TEX_SURFACE)) {
            return BUS_TEX_NO_OBJECT;
        }
        inside = surface_place(o, a, l, &va);
        if (!inside && a->clamp == BUS_TEX_TRAP) {
            return BUS_TEX_OUTSIDE;
        }
        if (!inside && a->clamp == BUS_TEX_ZERO) {
            for (unsigned k = 0; k < 4 && !a->store && a->reduce < 0; k++) {
                a->data[k][l] = 0;
            }
            continue;
        }
        if (t->touched) {
            t->touched(t->opaque, l, va, a->formatted ? o->texel : a->bytes);
        }
        t->status = surface_move(t, o, a, l, va);
        if (t->status != BUS_OK) {
            return BUS_TEX_FAILED;
        }
    }
    return BUS_TEX_OK;
}
