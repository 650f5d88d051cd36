/* SPDX-License-Identifier: MIT */
/* Winograd: 4 x 4 input tiles give 2 x 2 outputs of a 3 x 3 kernel.
 *
 * Source: unit_description.rst "Winograd" and format.rst: S = A^T [ (G g G^T) * (C^T d C) ] A, the
 * weights already transformed by software. CSC transforms the data (pre-addition), then truncates
 * by pra_truncate, rounds and saturates to the precision of the MAC.
 */
#include "model/dla/conv.h"

/* One dimension of C^T d. */
static void dla_pra4(const int32_t *d, unsigned step, int32_t *out)
{
    int32_t a = d[0], b = d[step], c = d[2 * step], e = d[3 * step];

    out[0] = a - c;
    out[step] = b + c;
    out[2 * step] = c - b;
    out[3 * step] = b - e;
}

static void dla_pra_int(const struct dla_conv *c, int32_t *t)
{
    unsigned bits = c->op->precision == DLA_INT8 ? 8 : 16;

    for (unsigned x = 0; x < 4; x++) {
        dla_pra4(t + x, 4, t + x);
    }
    for (unsigned y = 0; y < 4; y++) {
        dla_pra4(t + 4 * y, 1, t + 4 * y);
    }
    for (unsigned i = 0; i < 16; i++) {
        t[i] = (int32_t)dla_shr(t[i], c->op->pra_truncate, bits);
    }
}

/* fp16 adds in fp17 and narrows back. */
static void dla_pra4_fp(uint32_t *d, unsigned step)
{
    uint32_t a = d[0], b = d[step], c = d[2 * step], e = d[3 * step], minus = 1u << 16;

    d[0] = fp17_add(a, c ^ minus);
    d[step] = fp17_add(b, c);
    d[2 * step] = fp17_add(c, b ^ minus);
    d[3 * step] = fp17_add(b, e ^ minus);
}

/* The sums of one tile and kernel over all channels, in the transformed domain. */
static void dla_tile_sums(const struct dla_conv *c, const int32_t *tile, uint32_t k, int64_t *sum)
{
    for (unsigned i = 0; i < 16; i++) {
        const int16_t *w = c->weights + ((size_t)k * 16 + i) * c->channels;
        const int32_t *t = tile + (size_t)i * c->channels;
        int64_t s = 0;

        for (uint32_t ch = 0; ch < c->channels; ch++) {
            s += (int64_t)t[ch] * w[ch];
        }
        sum[i] = s;
    }
}

/* A^T m A: the output (u, v) of a tile. */
static dla_wide dla_poa(const dla_wide *m, unsigned u, unsigned v)
{
    static const int8_t at[2][4] = { { 1, 1, 1, 0 }, { 0, 1, -1, -1 } };
    dla_wide s = 0;

    for (unsigned y = 0; y < 4; y++) {
        for (unsigned x = 0; x < 4; x++) {
            s += m[4 * y + x] * (at[u][y] * at[v][x]);
        }
    }
    return s;
}

static void dla_tile_out(struct dla_conv *c, const dla_wide *m, uint32_t x, uint32_t k,
                         int32_t *out)
{
    const struct dla_conv_op *op = c->op;

    for (unsigned u = 0; u < 2; u++) {
        for (unsigned v = 0; v < 2; v++) {
            dla_wide s = dla_poa(m, u, v);
            int32_t r =
                op->precision == DLA_FP16 ? (int32_t)fp32_from_fixed(s) : dla_conv_clip(c, s);

            out[((size_t)u * op->out_width + x + v) * op->kernels + k] = r;
        }
    }
}

/* Units of work of one kernel at one tile. */
static uint64_t dla_tile_work(const struct dla_conv *c)
{
    return 1 + (uint64_t)c->channels * 16 / DLA_MACS_A_UNIT16;
}

static enum dla_status dla_tile_int(struct dla_conv *c, uint32_t x, uint32_t y, int32_t *tile,
                                    int32_t *out)
{
    enum dla_status status = DLA_OK;

    for (uint32_t ch = 0; ch < c->channels; ch++) {
        int32_t t[16];

        for (unsigned i = 0; i < 16; i++) {
            t[i] = c->data[((size_t)(y + i / 4) * c->width + x + i % 4) * c->channels + ch];
        }
        dla_pra_int(c, t);
        for (unsigned i = 0; i < 16; i++) {
            tile[(size_t)i * c->channels + ch] = t[i];
        }
    }
    for (uint32_t k = 0; status == DLA_OK && k < c->op->kernels; k++) {
        int64_t sum[16];
        dla_wide m[16];

        dla_tile_sums(c, tile, k, sum);
        for (unsigned i = 0; i < 16; i++) {
            m[i] = sum[i];
        }
        dla_tile_out(c, m, x, k, out);
        status = dla_rest(c->port, dla_tile_work(c));
    }
    return status;
}

/* The transformed tile as fixed-point fp16 numbers. False if there is a NaN. */
static bool dla_tile_transform_fp(struct dla_conv *c, uint32_t x, uint32_t y, int64_t *tile)
{
    for (uint32_t ch = 0; ch < c->channels; ch++) {
        uint32_t t[16];

        for (unsigned i = 0; i < 16; i++) {
            int64_t v =
                c->wide_data[((size_t)(y + i / 4) * c->width + x + i % 4) * c->channels + ch];

            if (v == DLA_FIXED_NAN) {
                return false;
            }
            /* Exact: it came from fp16. Winograd takes infinity as 65504 (format.rst). */
            t[i] = fp16_to_fp17(fp32_to_fp16(fp32_from_fixed((dla_wide)v * (1 << 24))));
        }
        for (unsigned i = 0; i < 4; i++) {
            dla_pra4_fp(t + i, 4);
        }
        for (unsigned i = 0; i < 4; i++) {
            dla_pra4_fp(t + 4 * i, 1);
        }
        for (unsigned i = 0; i < 16; i++) {
            tile[(size_t)i * c->channels + ch] = fp16_to_fixed(fp17_to_fp16(t[i]));
        }
    }
    return true;
}

static enum dla_status dla_tile_fp(struct dla_conv *c, uint32_t x, uint32_t y, int64_t *tile,
                                   int32_t *out)
{
    const struct dla_conv_op *op = c->op;
    bool ok = dla_tile_transform_fp(c, x, y, tile);
    enum dla_status status = DLA_OK;

    for (uint32_t k = 0; status == DLA_OK && k < op->kernels; k++) {
        dla_wide m[16] = { 0 };
        bool nan = !ok;

        for (size_t i = 0; !nan && i < 16 * (size_t)c->channels; i++) {
            int64_t w = c->wide_weights[(size_t)k * 16 * c->channels + i];

            nan = w == DLA_FIXED_NAN;
            m[i / c->channels] += nan ? 0 : (dla_wide)tile[i] * w;
        }
        dla_tile_out(c, m, x, k, out);
        for (unsigned i = 0; nan && i < 4; i++) {
            out[((size_t)(i / 2) * op->out_width + x + i % 2) * op->kernels + k] = 0x7f800200;
        }
        status = dla_rest(c->port, dla_tile_work(c) * 4); /* 128 bits */
    }
    return status;
}

enum dla_status dla_conv_mac_winograd(struct dla_conv *c, uint32_t y, int32_t *out)
{
    enum dla_status status = DLA_OK;

    for (uint32_t x = 0; status == DLA_OK && x < c->op->out_width; x += 2) {
        status =
            c->wide_data ? dla_tile_fp(c, x, y, c->tile, out) : dla_tile_int(c, x, y, c->tile, out);
    }
    return status;
}
