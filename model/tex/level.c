/* SPDX-License-Identifier: MIT */
/* Which level of a mipmapped texture a fetch reads.
 *
 * Of gradients the CUDA Programming Guide says no formula; the longer one is taken (inferred). On
 * an H200 the level is up to half a level coarser where the gradients are not along the axes. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "model/tex/tex_internal.h"

const uint8_t tex_dims[] = { 1, 2, 3, 1, 2, 2, 2 };

static float float_of(const uint32_t *lanes, unsigned lane)
{
    float v;

    memcpy(&v, &lanes[lane], 4);
    return v;
}

/* The level of a gradient: log2 of the longer one, in texels of the finest level. */
static double gradient_level(const struct tex_object *o, const struct bus_tex_fetch *f,
                             unsigned lane)
{
    unsigned n = tex_dims[f->geometry];
    const double size[3] = { o->h.width, o->h.height, o->h.depth };
    double longest = 0;

    for (unsigned d = 0; d < 2; d++) {
        double sum = 0;

        for (unsigned k = 0; k < n; k++) {
            double v = (double)float_of(f->extra[d * n + k], lane) *
                       (o->h.flags & TEX_NORMALIZED ? size[k] : 1);

            sum += v * v;
        }
        longest = MAX(longest, sum);
    }
    return longest > 0 ? log2(longest) / 2 : -1000;
}

static double level_cut(double lod)
{
    return floor(lod * 256) / 256;
}

/* Levels have 8 bits of fraction, cut off (measured). A plain fetch takes the finest level that the
 * clamps allow, without the bias (measured). */
double tex_lod(const struct tex_object *o, const struct bus_tex_fetch *f, unsigned lane)
{
    double lod = 0, bias = f->mode == BUS_TEX_BASE ? 0 : trunc((double)o->h.bias * 256) / 256;

    if (f->mode == BUS_TEX_LEVEL) {
        lod = (double)float_of(f->extra[0], lane);
    } else if (f->mode == BUS_TEX_GRAD) {
        lod = gradient_level(o, f, lane);
    }
    lod = isnan(lod) ? 0 : CLAMP(lod, -1000, 1000);
    lod = level_cut(lod) + bias;
    lod = MIN(lod, level_cut((double)o->h.max));
    lod = MAX(lod, level_cut((double)o->h.min));
    return CLAMP(lod, 0, o->h.levels - 1);
}
