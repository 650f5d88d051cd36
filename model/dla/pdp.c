/* SPDX-License-Identifier: MIT */
/* The planar data processor: max, min and average pooling.
 *
 * Source: unit_description.rst "Planar Data Processor"; precision.rst: padding stands for the
 * input's offset, so an average adds pad_value[n] for n padded columns and kernel_width *
 * pad_value[n] for n padded lines; maximum and minimum ignore padding. A split along the width only
 * changes the order of the hardware's work, not the numbers.
 */
#include "model/dla/buffer.h"
#include "model/dla/fp.h"
#include "model/dla/sdp.h"
#include "model/dla/vec.h"

#include <stdlib.h>
#include <string.h>

/**
 * struct dla_pool - a pooling under way
 * @stride: elements from pixel to pixel, @channels: those that are computed
 * @ring: the last kernel_height lines of input, line y in slot y % kernel_height
 * @next: the next line of input to fetch
 */
struct dla_pool_state {
    const struct dla_config *cfg;
    struct dla_port *port;
    const struct dla_pdp_op *op;
    struct dla_stats *stats;
    struct dla_sdp *sdp;
    struct dla_line in, out;
    unsigned stride;
    uint32_t next;
    int32_t *ring, *line;
};

#define CHECK(field, ok, rule)                                                           \
    do {                                                                                 \
        if (!(ok)) {                                                                     \
            return dla_fail(port, DLA_INVALID, "PDP", #field, (int64_t)op->field, rule); \
        }                                                                                \
    } while (0)

static enum dla_status dla_pdp_check_split(struct dla_port *port, const struct dla_pdp_op *op)
{
    uint64_t out = (uint64_t)op->out_first + op->out_last;

    CHECK(splits, op->splits >= 1 && op->splits <= 256, "1..256");
    if (op->splits > 1) {
        CHECK(flying, !op->flying, "a split pooling reads from memory");
        out += (uint64_t)(op->splits - 2) * op->out_mid;
        CHECK(out_width, out == op->out_width, "the partial output widths add up to it");
    }
    return DLA_OK;
}

static enum dla_status dla_pdp_check(const struct dla_config *cfg, struct dla_port *port,
                                     const struct dla_pdp_op *op)
{
    CHECK(precision,
          op->precision <= DLA_FP16 && (op->precision != DLA_INT16 || cfg->int16) &&
              (op->precision != DLA_FP16 || cfg->fp16),
          "this configuration has no such precision");
    CHECK(width, op->width >= 1 && op->width <= 8192, "1..8192");
    CHECK(height, op->height >= 1 && op->height <= 8192, "1..8192");
    CHECK(channels, op->channels >= 1 && op->channels <= 8192, "1..8192");
    CHECK(out_width, op->out_width >= 1 && op->out_width <= 8192, "1..8192");
    CHECK(out_height, op->out_height >= 1 && op->out_height <= 8192, "1..8192");
    CHECK(method, op->method <= DLA_POOL_MIN, "0 average, 1 maximum, 2 minimum");
    CHECK(kernel_width, op->kernel_width >= 1 && op->kernel_width <= 8, "1..8");
    CHECK(kernel_height, op->kernel_height >= 1 && op->kernel_height <= 8, "1..8");
    CHECK(stride_x, op->stride_x >= 1 && op->stride_x <= 16, "1..16");
    CHECK(stride_y, op->stride_y >= 1 && op->stride_y <= 16, "1..16");
    CHECK(pad_left, op->pad_left <= 7, "0..7");
    CHECK(pad_top, op->pad_top <= 7, "0..7");
    return dla_pdp_check_split(port, op);
}

/* What the line buffer must hold: the columns of the widest part. */
static enum dla_status dla_pdp_check_buffer(const struct dla_config *cfg, struct dla_port *port,
                                            const struct dla_pdp_op *op)
{
    uint32_t columns = op->out_width;

    if (op->splits > 1) {
        columns = op->out_first > op->out_last ? op->out_first : op->out_last;
        columns = op->splits > 2 && op->out_mid > columns ? op->out_mid : columns;
    }
    if (columns > dla_pool_columns(cfg, op->kernel_height, op->stride_y)) {
        return dla_fail(port, DLA_HUNG, "PDP", "out_width", columns,
                        "the line buffer holds the windows of all columns, or the layer is split "
                        "along its width: the hardware hangs");
    }
    return DLA_OK;
}

/* The columns or lines of one window that lie in the input, and how many do not. */
struct dla_window {
    uint32_t first, end, padded;
};

static struct dla_window dla_window_at(uint32_t out, uint32_t stride, uint32_t pad, uint32_t kernel,
                                       uint32_t size)
{
    int64_t first = (int64_t)out * stride - pad, end = first + kernel;
    struct dla_window w;

    first = first < 0 ? 0 : first > size ? size : first;
    end = end < 0 ? 0 : end > size ? size : end;
    w = (struct dla_window){ (uint32_t)first, (uint32_t)end, kernel - (uint32_t)(end - first) };
    return w;
}

/* pad_value[n]; eight padded elements happen in no valid layer. */
static int32_t dla_padded(const struct dla_pdp_op *op, uint32_t n)
{
    return op->pad_value[n > 7 ? 7 : n];
}

static const int32_t *dla_ring(const struct dla_pool_state *s, uint32_t y, uint32_t x)
{
    return s->ring + ((size_t)(y % s->op->kernel_height) * s->op->width + x) * s->stride;
}

/* Integers: all channels of a pixel at once. A window without input gives zeros. */
static void dla_extreme(const struct dla_pool_state *s, struct dla_window h, struct dla_window w,
                        int32_t *out)
{
    bool max = s->op->method == DLA_POOL_MAX, first = true;

    memset(out, 0, s->stride * sizeof(*out));
    for (uint32_t y = h.first; y < h.end; y++) {
        for (uint32_t x = w.first; x < w.end; x++, first = false) {
            const int32_t *v = dla_ring(s, y, x);

            if (first) {
                memcpy(out, v, s->stride * sizeof(*out));
            } else if (max) {
                dla_vec_max(out, v, s->stride);
            } else {
                dla_vec_min(out, v, s->stride);
            }
        }
    }
}

static int32_t dla_extreme_fp(const struct dla_pool_state *s, struct dla_window h,
                              struct dla_window w, uint32_t c)
{
    bool max = s->op->method == DLA_POOL_MAX, first = true;
    uint32_t best = 0;

    for (uint32_t y = h.first; y < h.end; y++) {
        for (uint32_t x = w.first; x < w.end; x++, first = false) {
            uint32_t v = (uint32_t)dla_ring(s, y, x)[c];

            best = first ? v : max ? fp16_max(best, v) : fp16_min(best, v);
        }
    }
    return (int32_t)best;
}

static int32_t dla_average(const struct dla_pool_state *s, struct dla_window h, struct dla_window w,
                           uint32_t c)
{
    const struct dla_pdp_op *op = s->op;
    int64_t sum = (int64_t)op->kernel_width * (h.padded ? dla_padded(op, h.padded) : 0);
    unsigned bits = op->precision == DLA_INT8 ? 8 : 16;

    for (uint32_t y = h.first; y < h.end; y++) {
        for (uint32_t x = w.first; x < w.end; x++) {
            sum += dla_ring(s, y, x)[c];
        }
        sum += w.padded ? dla_padded(op, w.padded) : 0;
    }
    sum = dla_shr((dla_wide)sum * op->recip_width, 16, 60);
    return (int32_t)dla_shr((dla_wide)sum * op->recip_height, 16, bits);
}

/* fp17 in the hardware's order: along a line, its padding, then line after line. */
static int32_t dla_average_fp(const struct dla_pool_state *s, struct dla_window h,
                              struct dla_window w, uint32_t c)
{
    static const uint32_t count[9] = { 0,      0x7c00, 0x8000, 0x8200, 0x8400,
                                       0x8500, 0x8600, 0x8700, 0x8800 };
    const struct dla_pdp_op *op = s->op;
    uint32_t sum = 0;

    for (uint32_t y = h.first; y < h.end; y++) {
        uint32_t line = 0;

        for (uint32_t x = w.first; x < w.end; x++) {
            uint32_t v = fp16_to_fp17((uint32_t)dla_ring(s, y, x)[c]);

            line = x == w.first ? v : fp17_add(line, v);
        }
        if (w.padded) {
            line = fp17_add(line, (uint32_t)dla_padded(op, w.padded) & 0x1ffff);
        }
        sum = y == h.first ? line : fp17_add(line, sum);
    }
    if (h.padded) {
        sum = fp17_add(
            sum, fp17_mul((uint32_t)dla_padded(op, h.padded) & 0x1ffff, count[op->kernel_width]));
    }
    return (int32_t)fp17_to_fp16(fp17_mul(fp17_mul(sum, op->recip_width), op->recip_height));
}

static enum dla_status dla_pool_flush(struct dla_pool_state *s, int32_t *line)
{
    enum dla_status status = DLA_OK;

    for (uint32_t x = 0; status == DLA_OK && x < s->op->width; x++, line += s->stride) {
        for (uint32_t c = 0; c < s->stride; c++) {
            uint32_t h = (uint32_t)line[c];

            s->stats->pool_nan_in += fp16_is_nan(h);
            s->stats->pool_inf_in += fp16_is_inf(h);
            line[c] = s->op->nan_to_zero && fp16_is_nan(h) ? 0 : line[c];
        }
        status = dla_rest(s->port, s->stride);
    }
    return status;
}

/* Fetch input up to line @end, exclusive. */
static enum dla_status dla_pool_fetch(struct dla_pool_state *s, uint32_t end)
{
    enum dla_status status = DLA_OK;

    for (; status == DLA_OK && s->next < end; s->next++) {
        int32_t *line =
            s->ring + (size_t)(s->next % s->op->kernel_height) * s->op->width * s->stride;

        status = s->sdp ? dla_sdp_line(s->sdp, 0, s->next, line)
                        : dla_line_read(&s->in, s->port, s->next, 0, s->op->width, line);
        if (status == DLA_OK && s->op->precision == DLA_FP16) {
            status = dla_pool_flush(s, line);
        }
    }
    return status;
}

/* What an element of a window costs the host (measured). */
static uint64_t dla_pool_work(const struct dla_pdp_op *op)
{
    return op->precision == DLA_FP16 ? 16 : op->method == DLA_POOL_AVERAGE ? 4 : 1;
}

static enum dla_status dla_pool_line(struct dla_pool_state *s, uint32_t y)
{
    const struct dla_pdp_op *op = s->op;
    struct dla_window h =
        dla_window_at(y, op->stride_y, op->pad_top, op->kernel_height, op->height);
    uint64_t work = (uint64_t)s->stride * op->kernel_width * op->kernel_height * dla_pool_work(op);
    enum dla_status status = DLA_OK;

    for (uint32_t x = 0; status == DLA_OK && x < op->out_width; x++) {
        struct dla_window w =
            dla_window_at(x, op->stride_x, op->pad_left, op->kernel_width, op->width);
        int32_t *out = s->line + (size_t)x * s->stride;

        status = dla_rest(s->port, work);
        if (op->method != DLA_POOL_AVERAGE && op->precision != DLA_FP16) {
            dla_extreme(s, h, w, out);
            continue;
        }
        for (uint32_t c = 0; c < s->stride; c++) {
            out[c] = op->method != DLA_POOL_AVERAGE ? dla_extreme_fp(s, h, w, c)
                     : op->precision == DLA_FP16    ? dla_average_fp(s, h, w, c)
                                                    : dla_average(s, h, w, c);
            s->stats->pool_nan_out += op->precision == DLA_FP16 && fp16_is_nan((uint32_t)out[c]);
        }
    }
    return status;
}

static enum dla_status dla_pool_lines(struct dla_pool_state *s)
{
    const struct dla_pdp_op *op = s->op;
    enum dla_status status = DLA_OK;

    for (uint32_t y = 0; status == DLA_OK && y < op->out_height; y++) {
        struct dla_window h =
            dla_window_at(y, op->stride_y, op->pad_top, op->kernel_height, op->height);

        status = dla_pool_fetch(s, h.end);
        if (status == DLA_OK) {
            status = dla_pool_line(s, y);
        }
        if (status == DLA_OK) {
            status = dla_line_write(&s->out, s->port, y, 0, op->out_width, s->line);
        }
        if (status == DLA_OK) {
            status = dla_tick(s->port, (uint64_t)op->out_width * s->stride * op->kernel_width *
                                           op->kernel_height);
        }
    }
    return status == DLA_OK ? dla_pool_fetch(s, op->height) : status;
}

static enum dla_status dla_pool_run(struct dla_pool_state *s)
{
    const struct dla_pdp_op *op = s->op;
    uint32_t per = dla_atom_channels(s->cfg, op->precision);
    uint32_t channels = dla_round_up(op->channels, per);
    enum dla_status status;

    s->stride = s->sdp ? s->sdp->stride : channels;
    status = dla_line_init(&s->in, s->cfg, s->port, "PDP", &op->src, op->precision, op->width,
                           channels, s->stride);
    if (status == DLA_OK) {
        status = dla_line_init(&s->out, s->cfg, s->port, "PDP", &op->dst, op->precision,
                               op->out_width, channels, s->stride);
    }
    if (status == DLA_OK) {
        s->ring = dla_alloc(s->port, "PDP", (uint64_t)op->width * s->stride * op->kernel_height,
                            sizeof(*s->ring));
        s->line = dla_alloc(s->port, "PDP", (uint64_t)op->out_width * s->stride, sizeof(*s->line));
        status = s->ring && s->line ? dla_pool_lines(s) : DLA_UNSUPPORTED;
    }
    free(s->ring);
    free(s->line);
    dla_line_free(&s->in);
    dla_line_free(&s->out);
    return status;
}

enum dla_status dla_pdp_from_sdp(const struct dla_config *cfg, struct dla_port *port,
                                 const struct dla_pdp_op *op, struct dla_sdp *p,
                                 struct dla_stats *stats)
{
    struct dla_pool_state s = { .cfg = cfg, .port = port, .op = op, .stats = stats, .sdp = p };
    enum dla_status status = dla_pdp_check(cfg, port, op);

    if (status != DLA_OK) {
        return status;
    }
    if (op->width != p->op->width || op->height != p->op->height ||
        op->channels != p->op->channels || op->precision != p->op->out || p->op->batches != 1 ||
        p->compare) {
        return dla_fail(port, DLA_INVALID, "PDP", "width", op->width,
                        "the cube on the fly is the output of the SDP");
    }
    status = dla_pdp_check_buffer(cfg, port, op);
    return status == DLA_OK ? dla_pool_run(&s) : status;
}

enum dla_status dla_run_pdp(const struct dla_config *cfg, struct dla_port *port,
                            const struct dla_pdp_op *op, struct dla_stats *stats)
{
    struct dla_pool_state s = { .cfg = cfg, .port = port, .op = op, .stats = stats };
    enum dla_status status = dla_pdp_check(cfg, port, op);

    if (status == DLA_OK) {
        status = dla_pdp_check_buffer(cfg, port, op);
    }
    return status == DLA_OK ? dla_pool_run(&s) : status;
}
