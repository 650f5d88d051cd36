/* SPDX-License-Identifier: MIT */
#include "model/dla/conv.h"

#include "model/dla/buffer.h"

#include <stdlib.h>
#include <string.h>

#define CHECK(field, ok, rule)                                                            \
    do {                                                                                  \
        if (!(ok)) {                                                                      \
            return dla_fail(port, DLA_INVALID, "CONV", #field, (int64_t)op->field, rule); \
        }                                                                                 \
    } while (0)
#define NEED(field, ok, rule)                                                                 \
    do {                                                                                      \
        if (!(ok)) {                                                                          \
            return dla_fail(port, DLA_UNSUPPORTED, "CONV", #field, (int64_t)op->field, rule); \
        }                                                                                     \
    } while (0)

static enum dla_status dla_conv_check_config(const struct dla_config *cfg, struct dla_port *port,
                                             const struct dla_conv_op *op)
{
    CHECK(precision, op->precision <= DLA_FP16, "0 int8, 1 int16, 2 fp16");
    NEED(precision, op->precision != DLA_INT16 || cfg->int16, "this configuration has no int16");
    NEED(precision, op->precision != DLA_FP16 || cfg->fp16, "this configuration has no fp16");
    NEED(compressed, !op->compressed || cfg->compression,
         "this configuration takes no compressed weights");
    NEED(winograd, !op->winograd || cfg->winograd, "this configuration has no winograd mode");
    NEED(batches, op->batches <= cfg->max_batch, "more batches than this configuration takes");
    return DLA_OK;
}

static enum dla_status dla_conv_check_sizes(struct dla_port *port, const struct dla_conv_op *op)
{
    CHECK(width, op->width >= 1 && op->width <= 8192, "1..8192");
    CHECK(height, op->height >= 1 && op->height <= 8192, "1..8192");
    CHECK(channels, op->channels >= 1 && op->channels <= 8192, "1..8192");
    CHECK(out_width, op->out_width >= 1 && op->out_width <= 8192, "1..8192");
    CHECK(out_height, op->out_height >= 1 && op->out_height <= 8192, "1..8192");
    CHECK(kernels, op->kernels >= 1 && op->kernels <= 8192, "1..8192");
    CHECK(kernel_width, op->kernel_width >= 1 && op->kernel_width <= 32, "1..32");
    CHECK(kernel_height, op->kernel_height >= 1 && op->kernel_height <= 32, "1..32");
    CHECK(kernel_channels, op->kernel_channels >= 1 && op->kernel_channels <= 8192, "1..8192");
    CHECK(kernel_channels,
          (uint64_t)op->kernel_width * op->kernel_height * op->kernel_channels *
                  dla_bytes(op->precision) <=
              1u << 18,
          "a kernel has at most 2^18 bytes (D_WEIGHT_SIZE_0)");
    CHECK(batches, op->batches >= 1 && op->batches <= 32, "1..32");
    CHECK(stride_x, op->stride_x >= 1 && op->stride_x <= 8, "1..8");
    CHECK(stride_y, op->stride_y >= 1 && op->stride_y <= 8, "1..8");
    CHECK(dilation_x, op->dilation_x >= 1 && op->dilation_x <= 32, "1..32");
    CHECK(dilation_y, op->dilation_y >= 1 && op->dilation_y <= 32, "1..32");
    CHECK(pad_left, op->pad_left <= 31, "0..31");
    CHECK(pad_right, op->pad_right <= 63, "0..63");
    CHECK(pad_top, op->pad_top <= 31, "0..31");
    CHECK(pad_bottom, op->pad_bottom <= 63, "0..63");
    return DLA_OK;
}

static enum dla_status dla_conv_check_modes(struct dla_port *port, const struct dla_conv_op *op)
{
    /* format.rst, "Precision Conversion": features are not converted on the way in. */
    CHECK(in_precision, op->image || op->in_precision == op->precision,
          "feature input has the precision of the MAC");
    CHECK(pixel_format, !op->image || op->pixel_format < DLA_PIXEL_COUNT, "0..35");
    CHECK(image, !(op->image && op->winograd), "an image cannot be convolved in winograd mode");
    CHECK(batches, op->batches == 1 || (!op->image && !op->winograd),
          "more than one batch needs feature input in direct mode");
    CHECK(dilation_x, op->dilation_x == 1 || (!op->image && !op->winograd),
          "dilation needs feature input in direct mode");
    CHECK(dilation_y, op->dilation_y == 1 || (!op->image && !op->winograd),
          "dilation needs feature input in direct mode");
    CHECK(post_extension,
          op->post_extension == 1 ||
              (op->image && (op->post_extension == 2 || op->post_extension == 4)),
          "1, or 2 or 4 for an image");
    CHECK(kernel_channels, !op->image || op->kernel_channels % op->channels == 0,
          "an image's kernel channels are its width times the image's channels");
    CHECK(kernel_width, !op->image || op->kernel_width == 1,
          "an image's kernel is 1 wide after channel pre-extension");
    CHECK(kernel_width, !op->winograd || op->kernel_width == 4, "4 in winograd mode");
    CHECK(kernel_height, !op->winograd || op->kernel_height == 4, "4 in winograd mode");
    CHECK(out_width, !op->winograd || op->out_width % 2 == 0, "even in winograd mode");
    CHECK(out_height, !op->winograd || op->out_height % 2 == 0, "even in winograd mode");
    CHECK(kernel_channels, op->image || op->winograd || op->kernel_channels == op->channels,
          "the kernel has the channels of the input");
    return op->image ? dla_image_check(port, op) : DLA_OK;
}

enum dla_status dla_conv_check(const struct dla_config *cfg, struct dla_port *port,
                               const struct dla_conv_op *op)
{
    enum dla_status status = dla_conv_check_config(cfg, port, op);

    if (status == DLA_OK) {
        status = dla_conv_check_sizes(port, op);
    }
    if (status == DLA_OK) {
        status = dla_conv_check_modes(port, op);
    }
    if (status == DLA_OK && !dla_cbuf_fits(cfg, op)) {
        return dla_fail(port, DLA_HUNG, "CONV", "data_bank", op->data_banks,
                        "input and kernels fit into their banks of the convolution buffer: the "
                        "hardware hangs");
    }
    return status;
}

/* What the arithmetic sees. Winograd with a stride turns the stride's phases into channels
 * (format.rst, "Channel Extension for Winograd"). */
static enum dla_status dla_conv_shape(struct dla_conv *c)
{
    const struct dla_conv_op *op = c->op;
    struct dla_port *port = c->port;
    uint32_t sx = op->winograd ? op->stride_x : 1, sy = op->winograd ? op->stride_y : 1;
    uint32_t step_x = op->winograd ? 1 : op->stride_x, step_y = op->winograd ? 1 : op->stride_y;
    uint32_t reach_x, reach_y;

    c->channels = op->channels;
    c->kernel_width = op->image ? op->kernel_channels / op->channels : op->kernel_width;
    c->kernel_height = op->kernel_height;
    if (op->winograd) {
        c->channels =
            dla_round_up(op->channels, dla_atom_channels(c->cfg, op->precision)) * sx * sy;
        CHECK(kernel_channels, op->kernel_channels == c->channels,
              "winograd: input channels in whole atoms, times both strides");
    }
    c->width = (op->width + op->pad_left + op->pad_right) / sx;
    c->height = (op->height + op->pad_top + op->pad_bottom) / sy;
    reach_x = (op->out_width - 1) * step_x + (c->kernel_width - 1) * op->dilation_x + 1;
    reach_y = (op->out_height - 1) * step_y + (c->kernel_height - 1) * op->dilation_y + 1;
    /* CSC pads as far as the output reaches; CDMA's right and bottom padding only sizes the buffer.
     */
    c->width = reach_x > c->width ? reach_x : c->width;
    c->height = reach_y > c->height ? reach_y : c->height;
    return DLA_OK;
}

enum dla_status dla_conv_init(struct dla_conv *c, const struct dla_config *cfg,
                              struct dla_port *port, const struct dla_conv_op *op,
                              struct dla_stats *stats)
{
    enum dla_status status = dla_conv_check(cfg, port, op);
    uint64_t elements, line;
    bool wide = op->precision == DLA_FP16;

    *c = (struct dla_conv){ .cfg = cfg, .port = port, .op = op, .stats = stats };
    if (status == DLA_OK) {
        status = dla_conv_shape(c);
    }
    if (status == DLA_OK) {
        status = dla_conv_load_weights(c);
    }
    if (status == DLA_OK && wide) {
        status = dla_fixed_init(c);
    }
    if (status != DLA_OK) {
        return status;
    }
    /* Below 2^14 * 2^14 * 2^17 */
    elements = (uint64_t)c->width * c->height * c->channels;
    line = (uint64_t)op->out_width * op->kernels;
    /* Weights are read once a band: take enough pixels for that to pay, but no endless band. */
    c->band_lines = op->winograd ? 2 : 1 + 63 / op->out_width;
    if (!op->winograd && dla_conv_pixels_init(c) != DLA_OK) {
        return DLA_UNSUPPORTED;
    }
    c->band = dla_alloc_raw(port, "CONV", line * c->band_lines, sizeof(*c->band));
    c->tile =
        dla_alloc(port, "CONV", op->winograd ? (uint64_t)c->channels * 16 : 1, sizeof(int64_t));
    if (wide) {
        c->wide_data = dla_alloc_raw(port, "CONV", elements, sizeof(*c->wide_data));
    } else {
        /* One more: the inner loop takes elements in pairs. */
        c->data = dla_alloc_raw(port, "CONV", elements + 1, sizeof(*c->data));
        if (c->data) {
            c->data[elements] = 0;
        }
    }
    return c->band && c->tile && (c->data || c->wide_data) ? DLA_OK : DLA_UNSUPPORTED;
}

void dla_conv_free(struct dla_conv *c)
{
    free(c->data);
    free(c->weights);
    free(c->packed);
    free(c->wide_data);
    free(c->wide_weights);
    dla_fixed_free(&c->fixed);
    free(c->band);
    free(c->pixel);
    free(c->tile);
    memset(c, 0, sizeof(*c));
}

/* As many channels as the MACs take at once, or idle over (NVDLA hardware architecture,
 * atomic-C): half of them in 16 bits (inferred: on Orin a layer of 3 channels takes as long as one
 * of 32, branes-ai/graphs). */
static enum dla_status dla_conv_tick(struct dla_conv *c, uint64_t outputs)
{
    bool half = c->op->precision != DLA_INT8;
    uint64_t atom = (c->cfg->atomic_c + half) >> half;
    uint64_t channels = (c->channels + atom - 1) / atom * atom;
    enum dla_status status;

    c->port->half = half;
    status = dla_tick(c->port, outputs * c->kernel_width * c->kernel_height * channels);
    c->port->half = false;
    return status;
}

static enum dla_status dla_conv_band(struct dla_conv *c, uint32_t y)
{
    const struct dla_conv_op *op = c->op;
    size_t line = (size_t)op->out_width * op->kernels;
    enum dla_status status = DLA_OK;

    c->band_y = y;
    c->band_count = dla_min(c->band_lines, op->out_height - y);
    if (op->winograd) {
        status = dla_conv_mac_winograd(c, y, c->band);
    } else if (c->fixed.ready) {
        status = dla_conv_mac_fixed(c, y, c->band);
    } else if (c->wide_data) {
        for (uint32_t i = 0; status == DLA_OK && i < c->band_count; i++) {
            status = dla_conv_mac_wide(c, y + i, c->band + i * line);
        }
    } else {
        status = dla_conv_mac(c, y, c->band);
    }
    return status != DLA_OK ? status : dla_conv_tick(c, (uint64_t)line * c->band_count);
}

enum dla_status dla_conv_line(struct dla_conv *c, uint32_t batch, uint32_t y, int32_t *out,
                              unsigned stride)
{
    const struct dla_conv_op *op = c->op;
    const int32_t *line;
    enum dla_status status = DLA_OK;

    if (!c->loaded || batch != c->batch) {
        c->batch = batch;
        c->loaded = true;
        c->band_count = 0;
        status = dla_conv_load_data(c, batch);
        if (status == DLA_OK && c->wide_data) {
            status = dla_fixed_load(c);
        }
    }
    if (status == DLA_OK && (y < c->band_y || y >= c->band_y + c->band_count)) {
        status = dla_conv_band(c, op->winograd ? y & ~1u : y);
    }
    if (status != DLA_OK) {
        return status;
    }
    line = c->band + (size_t)(y - c->band_y) * op->out_width * op->kernels;
    if (stride == op->kernels) {
        memcpy(out, line, (size_t)op->out_width * stride * sizeof(*out));
        return dla_rest(c->port, (uint64_t)op->out_width * op->kernels);
    }
    for (uint32_t x = 0; status == DLA_OK && x < op->out_width; x++) {
        memcpy(out + (size_t)x * stride, line + (size_t)x * op->kernels,
               op->kernels * sizeof(*out));
        status = dla_rest(c->port, op->kernels);
    }
    return status;
}
