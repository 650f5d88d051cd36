/* SPDX-License-Identifier: MIT */
/* fp16 in direct mode: sums of products as fixed-point numbers in 64 bits, where these hold every
 * sum. They are exact, as those of dla_conv_mac_wide(), so both give the same numbers. */
#include "model/dla/conv.h"

#include <stdlib.h>

/* Of numbers: the largest magnitude, and the bits that any of them has. */
struct dla_extent {
    uint64_t most, bits;
};

static void dla_extent_add(struct dla_extent *e, const int64_t *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t a = v[i] < 0 ? -(uint64_t)v[i] : (uint64_t)v[i];

        e->most = a > e->most ? a : e->most;
        e->bits |= a;
    }
}

/* Zeros at the right end of all of them. */
static unsigned dla_extent_shift(const struct dla_extent *e)
{
    return e->bits ? (unsigned)__builtin_ctzll(e->bits) : 0;
}

/* Element @i of a kernel, [y][x][c], relative to the first one of its pixel in the data. */
static uint32_t dla_fixed_offset(const struct dla_conv *c, uint32_t i)
{
    uint32_t ch = i % c->channels, x = i / c->channels % c->kernel_width;
    uint32_t y = i / c->channels / c->kernel_width;

    return (y * c->op->dilation_y * c->width + x * c->op->dilation_x) * c->channels + ch;
}

/* Kernels @k0 .. of a block: rows of elements of which one is not zero. Returns their number. */
static uint32_t dla_fixed_block(struct dla_conv *c, struct dla_fixed *f, uint32_t k0,
                                uint32_t elements, int32_t *to, uint32_t *offset)
{
    uint32_t n = dla_min(DLA_FIXED_KERNELS, c->op->kernels - k0), rows = 0;

    for (uint32_t i = 0; i < elements; i++) {
        int64_t any = 0;

        for (uint32_t k = 0; k < DLA_FIXED_KERNELS; k++) {
            int64_t w = k < n ? c->wide_weights[(size_t)(k0 + k) * elements + i] : 0;

            any |= w;
            /* The kernels of even and of odd places lie side by side (dla_fixed_mac). */
            to[(size_t)rows * DLA_FIXED_KERNELS + k % 4 * 2 + k / 4] =
                (int32_t)(w / (INT64_C(1) << f->weight_shift));
        }
        if (any) {
            offset[rows++] = dla_fixed_offset(c, i);
        }
    }
    return rows;
}

enum dla_status dla_fixed_init(struct dla_conv *c)
{
    const struct dla_conv_op *op = c->op;
    struct dla_fixed *f = &c->fixed;
    uint32_t elements = c->kernel_width * c->kernel_height * c->channels;
    uint32_t blocks = (op->kernels + DLA_FIXED_KERNELS - 1) / DLA_FIXED_KERNELS;
    struct dla_extent e = { 0 };
    enum dla_status status = DLA_OK;

    dla_extent_add(&e, c->wide_weights, (size_t)op->kernels * elements);
    f->weight_shift = dla_extent_shift(&e);
    if (op->winograd || c->nan || e.most >> f->weight_shift > INT32_MAX) {
        return DLA_OK;
    }
    for (uint32_t k = 0; k < op->kernels; k++) {
        uint64_t sum = 0;

        for (uint32_t i = 0; i < elements; i++) {
            sum += (uint64_t)llabs(c->wide_weights[(size_t)k * elements + i]);
        }
        f->weight_sum = sum > f->weight_sum ? sum : f->weight_sum;
    }
    f->weight_sum >>= f->weight_shift;
    f->weights = dla_alloc_raw(c->port, "CONV", (uint64_t)blocks * elements * DLA_FIXED_KERNELS,
                               sizeof(*f->weights));
    f->offset = dla_alloc_raw(c->port, "CONV", (uint64_t)blocks * elements, sizeof(*f->offset));
    f->rows = dla_alloc(c->port, "CONV", blocks, sizeof(*f->rows));
    if (!f->weights || !f->offset || !f->rows) {
        return DLA_UNSUPPORTED;
    }
    for (uint32_t b = 0; status == DLA_OK && b < blocks; b++) {
        f->rows[b] = dla_fixed_block(c, f, b * DLA_FIXED_KERNELS, elements,
                                     f->weights + (size_t)b * elements * DLA_FIXED_KERNELS,
                                     f->offset + (size_t)b * elements);
        status = dla_rest(c->port, (uint64_t)elements * 2);
    }
    return status;
}

/* A number as high * 2^DLA_FIXED_LOW + low. */
#define DLA_FIXED_LOW 20

enum dla_status dla_fixed_load(struct dla_conv *c)
{
    struct dla_fixed *f = &c->fixed;
    size_t n = (size_t)c->width * c->height * c->channels;
    struct dla_extent e = { 0 };

    f->ready = false;
    if (!f->weights || c->nan) {
        return DLA_OK;
    }
    dla_extent_add(&e, c->wide_data, n);
    f->data_shift = dla_extent_shift(&e);
    e.most >>= f->data_shift;
    f->split = e.most > INT32_MAX || (dla_wide)e.most * f->weight_sum > INT64_MAX;
    if (f->split && f->weight_sum >> (62 - DLA_FIXED_LOW)) {
        return DLA_OK;
    }
    for (int i = 0; i <= f->split; i++) {
        if (!f->data[i]) {
            f->data[i] = dla_alloc_raw(c->port, "CONV", n, sizeof(*f->data[i]));
        }
        if (!f->data[i]) {
            return DLA_UNSUPPORTED;
        }
    }
    for (size_t i = 0; i < n; i++) {
        int64_t v = c->wide_data[i] / (INT64_C(1) << f->data_shift);

        if (f->split) { /* the shift rounds down, so the rest is not negative */
            f->data[1][i] = (int32_t)(v >> DLA_FIXED_LOW);
            v -= (v >> DLA_FIXED_LOW) * (INT64_C(1) << DLA_FIXED_LOW);
        }
        f->data[0][i] = (int32_t)v;
    }
    f->ready = true;
    return dla_rest(c->port, n);
}

void dla_fixed_free(struct dla_fixed *f)
{
    free(f->weights);
    free(f->offset);
    free(f->rows);
    free(f->data[0]);
    free(f->data[1]);
}

/* fp32 of a sum in units of 2^-48 * 2^shift. */
static int32_t dla_fixed_round(const struct dla_fixed *f, const int64_t *low, const int64_t *high)
{
    unsigned shift = f->data_shift + f->weight_shift;
    uint32_t v;

    if (f->split) {
        return (int32_t)fp32_from_fixed(((dla_wide)*high * (1 << DLA_FIXED_LOW) + *low) *
                                        ((dla_wide)1 << shift));
    }
    v = fp32_from_fixed64(*low);
    return (int32_t)(v ? v + (shift << 23) : 0);
}

/* @n pixels from @i on of the band, block @b of kernels. */
static void dla_fixed_pixels(struct dla_conv *c, dla_fixed_mac *mac, uint32_t y, uint32_t i,
                             uint32_t n, uint32_t b, int32_t *out)
{
    const struct dla_conv_op *op = c->op;
    const struct dla_fixed *f = &c->fixed;
    uint32_t elements = c->kernel_width * c->kernel_height * c->channels;
    uint32_t k0 = b * DLA_FIXED_KERNELS, kernels = dla_min(DLA_FIXED_KERNELS, op->kernels - k0);
    int64_t acc[2][DLA_FIXED_PIXELS * DLA_FIXED_KERNELS];
    size_t at[DLA_FIXED_PIXELS];

    dla_conv_pixels(c, y, i, n, at);
    for (int half = 0; half <= f->split; half++) {
        const int32_t *d[DLA_FIXED_PIXELS];

        for (uint32_t p = 0; p < DLA_FIXED_PIXELS; p++) {
            d[p] = f->data[half] + at[p];
        }
        mac(d, f->offset + (size_t)b * elements,
            f->weights + (size_t)b * elements * DLA_FIXED_KERNELS, f->rows[b], acc[half]);
    }
    for (uint32_t p = 0; p < n; p++) {
        for (uint32_t k = 0; k < kernels; k++) {
            size_t sum = (size_t)p * DLA_FIXED_KERNELS + k;

            out[(size_t)(i + p) * op->kernels + k0 + k] =
                dla_fixed_round(f, &acc[0][sum], &acc[1][sum]);
        }
    }
}

enum dla_status dla_conv_mac_fixed(struct dla_conv *c, uint32_t y, int32_t *out)
{
    const struct dla_conv_op *op = c->op;
    uint32_t blocks = (op->kernels + DLA_FIXED_KERNELS - 1) / DLA_FIXED_KERNELS;
    uint32_t pixels = c->band_count * op->out_width;
    dla_fixed_mac *mac = dla_fixed_mac_at(0);
    enum dla_status status = DLA_OK;

    for (uint32_t b = 0; b < blocks; b++) {
        uint64_t work = DLA_FIXED_KERNELS + (uint64_t)c->fixed.rows[b] * DLA_FIXED_KERNELS *
                                                DLA_FIXED_PIXELS / DLA_MACS_A_UNIT_FIXED;

        for (uint32_t i = 0; status == DLA_OK && i < pixels; i += DLA_FIXED_PIXELS) {
            dla_fixed_pixels(c, mac, y, i, dla_min(DLA_FIXED_PIXELS, pixels - i), b, out);
            status = dla_rest(c->port, work);
        }
    }
    return status;
}
