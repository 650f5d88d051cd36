/* SPDX-License-Identifier: MIT */
/* Weights: from the order in memory to [kernel][y][x][c]. Source: format.rst, "Weight Format". */
#include "model/dla/conv.h"

#include <stdlib.h>
#include <string.h>

/* The bytes as if uncompressed, in a buffer of @total bytes. */
struct dla_weight_bytes {
    uint8_t *bytes;
    size_t total;
};

static unsigned dla_weight_group(const struct dla_conv *c)
{
    return c->op->precision == DLA_INT8 ? c->cfg->kernels_int8 : c->cfg->kernels_16;
}

/* One kernel group: a bit an element in the mask, the elements that are not zero one after another.
 */
static enum dla_status dla_weight_expand(struct dla_conv *c, const uint8_t *mask,
                                         uint64_t first_bit, uint64_t elements,
                                         const uint8_t *packed, size_t packed_len, uint8_t *out)
{
    unsigned size = dla_bytes(c->op->precision);
    size_t used = 0;

    for (uint64_t i = 0; i < elements; i++) {
        uint64_t bit = first_bit + i;

        if (!(mask[bit / 8] >> (bit % 8) & 1)) {
            continue;
        }
        if (packed_len - used < size) {
            return dla_fail(c->port, DLA_INVALID, "CONV", "WGS", (int64_t)packed_len,
                            "a group holds as many weights as its mask has bits set");
        }
        memcpy(out + i * size, packed + used, size);
        used += size;
    }
    return dla_rest(c->port, elements * 2);
}

static enum dla_status dla_weight_groups(struct dla_conv *c, struct dla_weight_bytes *w,
                                         const uint8_t *mask, uint8_t *packed)
{
    const struct dla_conv_op *op = c->op;
    unsigned size = dla_bytes(op->precision), group = dla_weight_group(c);
    uint64_t per_kernel = w->total / op->kernels, done = 0, offset = 0;

    for (uint32_t k = 0; k < op->kernels; k += group) {
        uint64_t bytes = per_kernel * dla_min(group, op->kernels - k);
        uint8_t wgs[4];
        uint32_t len;
        enum dla_status status =
            dla_read(c->port, op->weight_ram, op->wgs + 4 * (k / group), wgs, 4);

        if (status != DLA_OK) {
            return status;
        }
        len = wgs[0] | wgs[1] << 8 | wgs[2] << 16 | (uint32_t)wgs[3] << 24;
        if (len > bytes) {
            return dla_fail(c->port, DLA_INVALID, "CONV", "WGS", len,
                            "a compressed group is no longer than the group");
        }
        status = dla_read(c->port, op->weight_ram, op->weights + offset, packed, len);
        if (status == DLA_OK) {
            status =
                dla_weight_expand(c, mask, done / size, bytes / size, packed, len, w->bytes + done);
        }
        if (status != DLA_OK) {
            return status;
        }
        offset += len;
        done += bytes;
    }
    return DLA_OK;
}

static enum dla_status dla_weight_decompress(struct dla_conv *c, struct dla_weight_bytes *w)
{
    const struct dla_conv_op *op = c->op;
    uint64_t mask_bytes = (w->total / dla_bytes(op->precision) + 7) / 8;
    uint8_t *mask = dla_alloc(c->port, "CONV", mask_bytes, 1);
    uint8_t *packed = dla_alloc(c->port, "CONV", w->total, 1);
    enum dla_status status = mask && packed ? DLA_OK : DLA_UNSUPPORTED;

    if (status == DLA_OK) {
        status = dla_read(c->port, op->weight_ram, op->wmb, mask, mask_bytes);
    }
    if (status == DLA_OK) {
        status = dla_weight_groups(c, w, mask, packed);
    }
    free(mask);
    free(packed);
    return status;
}

static void dla_weight_put(struct dla_conv *c, size_t at, const uint8_t *b)
{
    enum dla_precision p = c->op->precision;
    uint32_t v = p == DLA_INT8 ? b[0] : b[0] | (uint32_t)b[1] << 8;

    if (p == DLA_FP16) {
        c->stats->nan_weights += fp16_is_nan(v);
        c->stats->inf_weights += fp16_is_inf(v);
        if (fp16_is_nan(v)) {
            c->nan |= !c->op->nan_to_zero;
            c->wide_weights[at] = c->op->nan_to_zero ? 0 : DLA_FIXED_NAN;
        } else {
            c->wide_weights[at] = fp16_to_fixed(v);
        }
    } else {
        c->weights[at] = p == DLA_INT8 ? (int8_t)v : (int16_t)v;
    }
}

/* @n channels from @c0 on of position (@x, @y) of kernel @k. */
static void dla_weight_run(struct dla_conv *c, uint32_t k, uint32_t y, uint32_t x, uint32_t c0,
                           uint32_t n, const uint8_t *b)
{
    const struct dla_conv_op *op = c->op;
    unsigned size = dla_bytes(op->precision);
    size_t at = (((size_t)k * op->kernel_height + y) * op->kernel_width + x) * op->kernel_channels;

    if (c->packed) {
        dla_conv_pack(c, k, y, x * op->kernel_channels + c0, n, b);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        dla_weight_put(c, at + c0 + i, b + (size_t)i * size);
    }
}

/* Small cubes of atomic_c channels, kernel after kernel of a group, then x, then y, then channels.
 * Post-extension puts the channels of two or four lines side by side as one small cube. */
static enum dla_status dla_weight_direct(struct dla_conv *c, const uint8_t *b)
{
    const struct dla_conv_op *op = c->op;
    unsigned size = dla_bytes(op->precision), group = dla_weight_group(c), cube = c->cfg->atomic_c;
    uint32_t kw = op->kernel_width, kh = op->kernel_height, kc = op->kernel_channels;
    enum dla_status status = DLA_OK;

    for (uint32_t k0 = 0; k0 < op->kernels; k0 += group) {
        uint32_t k1 = dla_min(k0 + group, op->kernels);

        for (uint32_t c0 = 0; c0 < kc; c0 += cube) {
            uint32_t c1 = dla_min(c0 + cube, kc);

            for (uint32_t y0 = 0; y0 < kh; y0 += op->post_extension) {
                uint32_t y1 = dla_min(y0 + op->post_extension, kh);

                for (uint32_t x = 0; status == DLA_OK && x < kw; x++) {
                    for (uint32_t k = k0; k < k1; k++) {
                        if (c->packed && y1 - y0 == 1 && k % DLA_BLOCK_KERNELS == 0 &&
                            k1 - k >= DLA_BLOCK_KERNELS) {
                            dla_conv_pack_block(c, k, y0, x * kc + c0, c1 - c0, b);
                            b += (size_t)(c1 - c0) * DLA_BLOCK_KERNELS;
                            k += DLA_BLOCK_KERNELS - 1;
                            continue;
                        }
                        for (uint32_t y = y0; y < y1; y++) {
                            dla_weight_run(c, k, y, x, c0, c1 - c0, b);
                            b += (size_t)(c1 - c0) * size;
                        }
                    }
                    status = dla_rest(c->port, (uint64_t)(k1 - k0) * (y1 - y0) * (c1 - c0) * 2);
                }
            }
        }
    }
    return status;
}

/* Small cubes of 4 x 4 x 4 elements: the channel changes fastest, then x, then y. */
static enum dla_status dla_weight_winograd(struct dla_conv *c, const uint8_t *b)
{
    const struct dla_conv_op *op = c->op;
    unsigned size = dla_bytes(op->precision), group = dla_weight_group(c);
    enum dla_status status = DLA_OK;

    for (uint32_t k0 = 0; k0 < op->kernels; k0 += group) {
        uint32_t k1 = dla_min(k0 + group, op->kernels);

        for (uint32_t c0 = 0; status == DLA_OK && c0 < op->kernel_channels; c0 += 4) {
            for (uint32_t k = k0; k < k1; k++) {
                for (uint32_t i = 0; i < 64; i++, b += size) {
                    dla_weight_put(c, ((size_t)k * 16 + i / 4) * op->kernel_channels + c0 + i % 4,
                                   b);
                }
            }
            status = dla_rest(c->port, (uint64_t)(k1 - k0) * 64 * 2);
        }
    }
    return status;
}

enum dla_status dla_conv_load_weights(struct dla_conv *c)
{
    const struct dla_conv_op *op = c->op;
    uint64_t elements = (uint64_t)op->kernels * op->kernel_width * op->kernel_height *
                        op->kernel_channels; /* below 2^13 * 2^5 * 2^5 * 2^13 */
    struct dla_weight_bytes w = { .total = elements * dla_bytes(op->precision) };
    enum dla_status status = DLA_OK;

    w.bytes = (op->compressed ? dla_alloc : dla_alloc_raw)(c->port, "CONV", w.total, 1);
    if (op->precision == DLA_FP16) {
        c->wide_weights = dla_alloc_raw(c->port, "CONV", elements, sizeof(*c->wide_weights));
    } else if (op->precision == DLA_INT8 && !op->winograd) {
        status = dla_conv_pack_init(c);
    } else {
        c->weights = dla_alloc_raw(c->port, "CONV", elements, sizeof(*c->weights));
    }
    if (!w.bytes || !(c->weights || c->wide_weights || c->packed)) {
        status = DLA_UNSUPPORTED;
    }
    if (status == DLA_OK) {
        status = op->compressed ? dla_weight_decompress(c, &w)
                                : dla_read(c->port, op->weight_ram, op->weights, w.bytes, w.total);
    }
    if (status == DLA_OK) {
        status = op->winograd ? dla_weight_winograd(c, w.bytes) : dla_weight_direct(c, w.bytes);
    }
    c->port->weight_bytes += w.total;
    free(w.bytes);
    return status;
}
