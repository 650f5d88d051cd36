/* SPDX-License-Identifier: MIT */
/* CDMA: the input of one batch, padded, as [y][x][c]. */
#include "model/dla/conv.h"
#include "model/dla/vec.h"

#include <stdlib.h>
#include <string.h>

/* One element where the arithmetic wants it. */
static void dla_data_put(struct dla_conv *c, size_t at, int32_t v)
{
    if (c->op->precision != DLA_FP16) {
        c->data[at] = (int16_t)v;
        return;
    }
    c->stats->nan_data += fp16_is_nan((uint32_t)v);
    c->stats->inf_data += fp16_is_inf((uint32_t)v);
    if (fp16_is_nan((uint32_t)v)) {
        c->nan |= !c->op->nan_to_zero;
        c->wide_data[at] = c->op->nan_to_zero ? 0 : DLA_FIXED_NAN;
    } else {
        c->wide_data[at] = fp16_to_fixed((uint32_t)v);
    }
}

/* Where channel @ch of the padded pixel (x, y) lies. Winograd's stride phases become channels: an
 * atom of phase (0, 0), the same atom of phase (1, 0) .. (sx - 1, sy - 1), then the next atom.
 * Inferred: format.rst draws the extension but does not number the channels. */
static size_t dla_data_at(const struct dla_conv *c, uint32_t x, uint32_t y, uint32_t ch)
{
    const struct dla_conv_op *op = c->op;
    uint32_t sx = op->winograd ? op->stride_x : 1, sy = op->winograd ? op->stride_y : 1;
    uint32_t atom = dla_atom_channels(c->cfg, op->precision);
    uint32_t phase = y % sy * sx + x % sx;

    if (sx * sy > 1) {
        ch = (ch / atom * sx * sy + phase) * atom + ch % atom;
    }
    return ((size_t)(y / sy) * c->width + x / sx) * c->channels + ch;
}

static int32_t dla_pad_value(const struct dla_conv *c)
{
    int32_t v = c->op->pad_value;

    return c->op->precision == DLA_INT8 ? (int8_t)v : c->op->precision == DLA_FP16 ? v & 0xffff : v;
}

/* Padding has no atom to round up to in memory: extended channels hold zeros, with zero weights. */
static enum dla_status dla_data_fill(struct dla_conv *c)
{
    int32_t v = dla_pad_value(c);
    size_t n = (size_t)c->width * c->height * c->channels;
    int64_t wide = fp16_is_nan((uint32_t)v) ? 0 : fp16_to_fixed((uint32_t)v);
    enum dla_status status = DLA_OK;

    for (size_t i = 0, end; status == DLA_OK && i < n; i = end) {
        end = i + DLA_REST < n ? i + DLA_REST : n;
        if (v == 0) {
            memset(c->wide_data ? (void *)(c->wide_data + i) : c->data + i, 0,
                   (end - i) * (c->wide_data ? sizeof(*c->wide_data) : sizeof(*c->data)));
        }
        for (size_t k = i; v != 0 && k < end; k++) {
            if (c->wide_data) {
                c->wide_data[k] = wide;
            } else {
                c->data[k] = (int16_t)v;
            }
        }
        status = dla_rest(c->port, end - i);
    }
    return status;
}

static enum dla_status dla_data_features(struct dla_conv *c, uint32_t batch, int32_t *line)
{
    const struct dla_conv_op *op = c->op;
    uint32_t channels = op->winograd
                            ? dla_round_up(op->channels, dla_atom_channels(c->cfg, op->precision))
                            : op->channels;
    struct dla_surface s = op->src;
    struct dla_line l;
    enum dla_status status;

    s.iova += (uint64_t)batch * op->batch_stride;
    status = dla_line_init(&l, c->cfg, c->port, "CONV", &s, op->precision, op->width, channels,
                           channels);
    for (uint32_t y = 0; status == DLA_OK && y < op->height; y++) {
        status = dla_line_read(&l, c->port, y, 0, op->width, line);
        for (uint32_t x = 0; status == DLA_OK && x < op->width; x++) {
            for (uint32_t ch = 0; ch < channels; ch++) {
                size_t at = dla_data_at(c, x + op->pad_left, y + op->pad_top, ch);

                dla_data_put(c, at, line[(size_t)x * channels + ch]);
            }
            status = dla_rest(c->port, (uint64_t)channels * 4);
        }
    }
    dla_line_free(&l);
    return status;
}

/* As above for int8 in direct mode, where channels stay side by side: atom by atom. */
static enum dla_status dla_data_features8(struct dla_conv *c, uint32_t batch)
{
    const struct dla_conv_op *op = c->op;
    unsigned atom = c->cfg->atom;
    uint8_t *bytes = dla_alloc(c->port, "CONV", (uint64_t)op->width * atom, 1);
    enum dla_status status = bytes ? DLA_OK : DLA_UNSUPPORTED;

    for (uint32_t y = 0; status == DLA_OK && y < op->height; y++) {
        int16_t *line =
            c->data + ((size_t)(y + op->pad_top) * c->width + op->pad_left) * c->channels;

        for (uint32_t c0 = 0; status == DLA_OK && c0 < op->channels; c0 += atom) {
            status = dla_read(c->port, op->src.ram,
                              op->src.iova + (uint64_t)batch * op->batch_stride +
                                  (uint64_t)(c0 / atom) * op->src.surf_stride +
                                  (uint64_t)y * op->src.line_stride,
                              bytes, (size_t)op->width * atom);
            for (uint32_t x = 0; status == DLA_OK && x < op->width; x++) {
                dla_vec_widen8_16(bytes + (size_t)x * atom, dla_min(atom, op->channels - c0),
                                  line + (size_t)x * c->channels + c0);
            }
            status = status == DLA_OK ? dla_rest(c->port, (uint64_t)op->width * atom) : status;
        }
    }
    free(bytes);
    return status;
}

static enum dla_status dla_data_image(struct dla_conv *c, int32_t *line)
{
    const struct dla_conv_op *op = c->op;
    uint8_t *raw = dla_alloc(c->port, "CONV", dla_image_bytes(op), 1);
    enum dla_status status = raw ? DLA_OK : DLA_UNSUPPORTED;

    for (uint32_t y = 0; status == DLA_OK && y < op->height; y++) {
        status = dla_image_line(c, y, raw, line);
        for (uint32_t x = 0; status == DLA_OK && x < op->width; x++) {
            for (uint32_t ch = 0; ch < op->channels; ch++) {
                dla_data_put(c, dla_data_at(c, x + op->pad_left, y + op->pad_top, ch),
                             line[(size_t)x * op->channels + ch]);
            }
            status = dla_rest(c->port, (uint64_t)op->channels * 16);
        }
    }
    free(raw);
    return status;
}

enum dla_status dla_conv_load_data(struct dla_conv *c, uint32_t batch)
{
    const struct dla_conv_op *op = c->op;
    int32_t *line;
    enum dla_status status = dla_data_fill(c);

    if (status != DLA_OK) {
        return status;
    }
    if (op->precision == DLA_INT8 && !op->image && !op->winograd) {
        return dla_data_features8(c, batch);
    }
    line = dla_alloc(c->port, "CONV", (uint64_t)op->width * (op->channels + c->cfg->atom),
                     sizeof(*line));
    if (!line) {
        return DLA_UNSUPPORTED;
    }
    status = op->image ? dla_data_image(c, line) : dla_data_features(c, batch, line);
    free(line);
    return status;
}
