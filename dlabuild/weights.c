/* SPDX-License-Identifier: MIT */
/* Weights as the engine takes them. */
#include <string.h>

#include "dlabuild/build.h"

/* Weight (k, c, y, x) of the part; kernels of a group know the channels of their group alone. */
static int32_t weights_at(const struct weights *s, uint32_t k, uint32_t c, uint32_t y, uint32_t x)
{
    uint32_t some = s->all_channels / s->groups, group;

    if (s->image) {
        x = c / s->channels;
        c %= s->channels;
    }
    k += s->first_kernel;
    c += s->first_channel;
    if (s->select) {
        return k < s->all_kernels && s->select[k] == c ? s->one : 0;
    }
    group = k / (s->all_kernels / s->groups);
    if (c < group * some || c >= (group + 1) * some) {
        return 0;
    }
    return s->w[(((size_t)k * some + (c - group * some)) * s->height + y) * s->width + x];
}

/* Weights (k, c0.., y, x) of channels whose group is the kernel's: one walk through s->w. */
static void weights_run(const struct weights *s, uint32_t k, uint32_t c0, uint32_t n, uint32_t i,
                        unsigned size, uint8_t *at)
{
    size_t plane = (size_t)s->height * s->width;
    const int32_t *w =
        s->w + ((size_t)(k + s->first_kernel) * s->all_channels + s->first_channel + c0) * plane +
        i;

    for (uint32_t c = 0; c < n; c++, w += plane, at += size) {
        at[0] = (uint8_t)*w;
        if (size > 1) {
            at[1] = (uint8_t)(*w >> 8);
        }
    }
}

/* Direct mode (format.rst, "Weight Format"): groups of kernels; in a group, runs of atomic_c
 * channels; in a run line by line, column by column, kernel by kernel. */
static uint8_t *weights_pack(const struct build *b, const struct weights *s, enum dla_precision p,
                             size_t len)
{
    uint32_t group = p == DLA_INT8 ? b->cfg->kernels_int8 : b->cfg->kernels_16,
             cube = b->cfg->atomic_c;
    uint32_t columns = s->image ? 1 : s->width,
             channels = s->image ? s->channels * s->width : s->channels;
    unsigned size = precision_bytes(p);
    gboolean plain =
        s->groups == 1 && !s->image && !s->select && s->first_channel + channels <= s->all_channels;
    uint8_t *out = g_malloc0(len + 1), *at = out;

    for (uint32_t k0 = 0; k0 < s->kernels; k0 += group) {
        for (uint32_t c0 = 0; c0 < channels; c0 += cube) {
            for (uint32_t i = 0; i < s->height * columns; i++) {
                for (uint32_t k = k0; k < MIN(k0 + group, s->kernels); k++) {
                    uint32_t n = MIN(cube, channels - c0);

                    if (plain) {
                        weights_run(s, k, c0, n, i, size, at);
                        at += (size_t)n * size;
                        continue;
                    }
                    for (uint32_t c = c0; c < c0 + n; c++, at += size) {
                        desc_put(at, size, weights_at(s, k, c, i / columns, i % columns));
                    }
                }
            }
        }
    }
    return out;
}

/* Weights without their zeros (format.rst, "Sparse Compression option"). Each surface ends at 128
 * bytes.
 * @mask: WMB, a bit an element; @sizes: WGS, the bytes left of each kernel group, 32 bits each */
struct sparse {
    GByteArray *weights, *mask, *sizes;
};

static void sparse_end(GByteArray *a)
{
    static const uint8_t zeros[128];

    g_byte_array_append(a, zeros, (guint)(-a->len & 127));
}

static struct sparse weights_compress(const struct build *b, const struct weights *s,
                                      enum dla_precision p, const uint8_t *bytes, size_t len)
{
    struct sparse out = { g_byte_array_new(), g_byte_array_new(), g_byte_array_new() };
    uint32_t group = p == DLA_INT8 ? b->cfg->kernels_int8 : b->cfg->kernels_16, left = 0;
    unsigned size = precision_bytes(p);
    size_t elements = len / size, a_group = elements / s->kernels * group;

    g_byte_array_set_size(out.mask, (guint)((elements + 7) / 8));
    memset(out.mask->data, 0, out.mask->len);
    for (size_t i = 0; i < elements; i++) {
        if (desc_get(bytes + i * size, size, false) != 0) {
            out.mask->data[i / 8] |= (uint8_t)(1u << i % 8);
            g_byte_array_append(out.weights, bytes + i * size, size);
            left += size;
        }
        if ((i + 1) % a_group == 0 || i + 1 == elements) {
            uint8_t word[4];

            desc_put(word, 4, left);
            g_byte_array_append(out.sizes, word, 4);
            left = 0;
        }
    }
    sparse_end(out.weights);
    sparse_end(out.mask);
    sparse_end(out.sizes);
    return out;
}

/* With the zeros of other groups: [kernel][channel][y][x] */
static int32_t *weights_spread(const struct weights *s)
{
    int32_t *v = g_new(int32_t, (size_t)s->kernels * s->channels * s->height * s->width + 1),
            *at = v;

    for (uint32_t k = 0; k < s->kernels; k++) {
        for (uint32_t c = 0; c < s->channels; c++) {
            for (uint32_t i = 0; i < s->height * s->width; i++) {
                *at++ = weights_at(s, k, c, i / s->width, i % s->width);
            }
        }
    }
    return v;
}

/* The weights as cube 0 of @op; compressed, with their mask and group sizes as cubes 1 and 2. */
void conv_weights(struct build *b, const struct json_at *j, struct build_op *op,
                  const struct weights *s, enum dla_precision p)
{
    size_t len = (size_t)s->kernels * s->channels * s->height * s->width * precision_bytes(p);
    int32_t *all = s->winograd.on ? weights_spread(s) : NULL;
    uint8_t *bytes = all ? winograd_pack(b, all, s->kernels, s->channels, &s->winograd, p, &len)
                         : weights_pack(b, s, p, len);
    struct sparse c;

    g_free(all);
    if (!s->compress) {
        op_cube_constant(b, op, 0, bytes, len);
        /* kmd/firmware/conv.c of nvdla/sw: CHECK_ALIGN(weight_data.size, 128). What is read beyond
         * the weights are zeros: each constant ends at a multiple of 256. */
        op->ref[op->refs - 1].bytes = (uint32_t)((len + 127) / 128 * 128);
        op_cube_flying(b, op, 1, NULL);
        op_cube_flying(b, op, 2, NULL);
        g_free(bytes);
        return;
    }
    if (!b->cfg->compression) {
        build_fail(b, j->path, "%s takes no compressed weights: nv_full does", b->cfg->name);
    }
    c = weights_compress(b, s, p, bytes, len);
    DESC_PUT(op->desc, CONV, weight_format, 1);
    op_cube_constant(b, op, 0, c.weights->data, c.weights->len);
    op_cube_constant(b, op, 1, c.mask->data, c.mask->len);
    op_cube_constant(b, op, 2, c.sizes->data, c.sizes->len);
    g_byte_array_free(c.weights, TRUE);
    g_byte_array_free(c.mask, TRUE);
    g_byte_array_free(c.sizes, TRUE);
    g_free(bytes);
}
