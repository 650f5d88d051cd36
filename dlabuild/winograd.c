/* SPDX-License-Identifier: MIT */
/* Weights of convolutions in winograd mode: transformed here, because the hardware transforms data
 * alone. Source: format.rst, "Basic Weight for Winograd Convolution". */
#include "dlabuild/build.h"

#define MAX_DATA_SHIFT 3 /* D_PRA_CFG has two bits */

void winograd_read(struct build *b, const struct json_at *j, struct winograd *w)
{
    struct json_at at;

    *w = (struct winograd){ .weight_shift = 2 };
    if (!json_has(j, "winograd")) {
        return;
    }
    if (!JSON_NODE_HOLDS_OBJECT(json_object_get_member(j->object, "winograd"))) {
        w->on = json_flag(b, j, "winograd");
        return;
    }
    at = json_object(b, j, "winograd");
    json_keys(b, &at, "weight_shift|data_shift");
    w->on = TRUE;
    w->weight_shift = (int)json_int_or(b, &at, "weight_shift", 0, 15, 2);
    w->data_shift = (int)json_int_or(b, &at, "data_shift", 0, MAX_DATA_SHIFT, 0);
}

void winograd_check(struct build *b, const struct json_at *j, const struct tensor *in,
                    const struct window *w, const struct tensor *out)
{
    if (!b->cfg->winograd) {
        build_fail(b, j->path, "%s has no winograd mode: nv_full has", b->cfg->name);
    } else if (in->pixel_format != DESC_FEATURE) {
        build_fail(b, j->path, "an image cannot be convolved in winograd mode (format.rst)");
    } else if (w->size[0] != 3 || w->size[1] != 3 || w->stride[0] != 1 || w->stride[1] != 1 ||
               w->dilation[0] != 1 || w->dilation[1] != 1) {
        build_fail(b, j->path, "winograd: size 3, stride 1 and dilation 1");
    } else if (out->height % 2 || out->width % 2) {
        build_fail(b, j->path, "winograd: the output is %u x %u, both must be even", out->height,
                   out->width);
    }
}

/* v >> shift, half away from zero, within the precision. */
static int32_t winograd_narrow(int64_t v, int shift, enum dla_precision p)
{
    return (int32_t)dla_shr(v, (unsigned)shift, p == DLA_INT8 ? 8 : 16);
}

/* Place (y, x) of G g GT, times 4 where numbers are integers. @g: [3][3] */
static int32_t winograd_transformed(const int32_t *g, unsigned y, unsigned x, int shift,
                                    enum dla_precision p)
{
    static const int8_t twice_g[4][3] = { { 2, 0, 0 }, { 1, 1, 1 }, { 1, -1, 1 }, { 0, 0, 2 } };
    int64_t sum = 0;
    double number = 0;

    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < 3; k++) {
            int factor = twice_g[y][i] * twice_g[x][k];

            sum += (int64_t)factor * g[3 * i + k];
            number += p == DLA_FP16 ? factor * half_to_double(g[3 * i + k]) : 0;
        }
    }
    return p == DLA_FP16 ? half_from_double(number / 4) : winograd_narrow(sum, shift, p);
}

/* Groups of kernels; in each, cubes of 4 x 4 x 4, kernel by kernel, the channel changes fastest. */
uint8_t *winograd_pack(const struct build *b, const int32_t *w, uint32_t kernels, uint32_t channels,
                       const struct winograd *how, enum dla_precision p, size_t *len)
{
    uint32_t group = p == DLA_INT8 ? b->cfg->kernels_int8 : b->cfg->kernels_16;
    uint32_t whole = winograd_channels(b, channels, p);
    unsigned size = precision_bytes(p);
    uint8_t *out, *at;

    *len = (size_t)kernels * whole * 16 * size;
    out = at = g_malloc0(*len + 1);
    for (uint32_t k0 = 0; k0 < kernels; k0 += group) {
        for (uint32_t c0 = 0; c0 < whole; c0 += 4) {
            for (uint32_t k = k0; k < MIN(k0 + group, kernels); k++) {
                for (uint32_t i = 0; i < 64; i++, at += size) {
                    uint32_t c = c0 + i % 4;

                    if (c < channels) {
                        desc_put(at, size,
                                 winograd_transformed(w + ((size_t)k * channels + c) * 9, i / 16,
                                                      i / 4 % 4, how->weight_shift, p));
                    }
                }
            }
        }
    }
    return out;
}

uint32_t winograd_channels(const struct build *b, uint32_t channels, enum dla_precision p)
{
    uint32_t atom = atom_channels(b, p);

    return (channels + atom - 1) / atom * atom;
}
