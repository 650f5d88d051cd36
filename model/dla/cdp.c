/* SPDX-License-Identifier: MIT */
/* The channel data processor: local response normalisation.
 *
 * out = convert(x * LUT(sum of squares of the neighbouring channels)). Source: unit_description.rst
 * "Cross-channel Data Processor", precision.rst "CDP convertors", lut-programming.rst.
 */
#include "model/dla/cube.h"
#include "model/dla/fp.h"
#include "model/dla/lut.h"

#include <stdlib.h>

static enum dla_status dla_cdp_check(const struct dla_config *cfg, struct dla_port *port,
                                     const struct dla_cdp_op *op)
{
    if (op->precision > DLA_FP16 || (op->precision == DLA_INT16 && !cfg->int16) ||
        (op->precision == DLA_FP16 && !cfg->fp16)) {
        return dla_fail(port, DLA_UNSUPPORTED, "CDP", "precision", op->precision,
                        "this configuration has no such precision");
    }
    if (op->width < 1 || op->width > 8192 || op->height < 1 || op->height > 8192 ||
        op->channels < 1 || op->channels > 8192) {
        return dla_fail(port, DLA_INVALID, "CDP", "width", op->width,
                        "width, height and channels are 1..8192");
    }
    if (op->length < 3 || op->length > 9 || op->length % 2 == 0) {
        return dla_fail(port, DLA_INVALID, "CDP", "length", op->length, "3, 5, 7 or 9");
    }
    if (!op->lut) {
        return dla_fail(port, DLA_INVALID, "CDP", "lut", -1, "a look-up table");
    }
    return DLA_OK;
}

static void dla_cdp_pixel(const struct dla_cdp_op *op, const int64_t *x, int32_t *out,
                          struct dla_stats *stats)
{
    unsigned bits = op->precision == DLA_INT8 ? 8 : 16;
    uint32_t half = op->length / 2;

    for (uint32_t c = 0; c < op->channels; c++) {
        int64_t sum = op->sqsum_bypass ? x[c] : 0, v;
        uint32_t end = dla_min(op->channels, c + half + 1);

        for (uint32_t i = c > half ? c - half : 0; !op->sqsum_bypass && i < end; i++) {
            sum += x[i] * x[i];
        }
        v = dla_lut_int(op->lut, sum, 16, 16, stats);
        v = op->mul_bypass ? v : v * x[c];
        v = dla_shr((dla_wide)(v - op->out_cvt.offset) * op->out_cvt.scale, op->out_cvt.truncate,
                    60);
        stats->cdp_saturated += v != dla_sat(v, bits);
        out[c] = (int32_t)dla_sat(v, bits);
    }
}

/* fp32 squares added from the middle outwards: (-1) + (+1), then the middle, then each further
 * pair. */
static uint32_t dla_cdp_sum_fp(const struct dla_cdp_op *op, const uint32_t *sq, int64_t c)
{
    uint32_t sum = 0;

    for (int64_t d = 1; d <= op->length / 2; d++) {
        uint32_t below = c - d >= 0 ? sq[c - d] : 0;
        uint32_t above = c + d < op->channels ? sq[c + d] : 0;
        uint32_t pair = fp32_add(below, above);

        sum = d == 1 ? fp32_add(pair, sq[c]) : fp32_add(sum, pair);
    }
    return sum;
}

static void dla_cdp_pixel_fp(const struct dla_cdp_op *op, const int32_t *in, uint32_t *sq,
                             int32_t *out, struct dla_stats *stats)
{
    for (uint32_t c = 0; c < op->channels; c++) {
        uint32_t v = fp17_to_fp32(fp16_to_fp17((uint32_t)in[c]));

        sq[c] = op->sqsum_bypass ? v : fp32_mul(v, v);
    }
    for (uint32_t c = 0; c < op->channels; c++) {
        uint32_t x = fp16_to_fp17((uint32_t)in[c]), r;

        r = dla_lut_fp(op->lut, op->sqsum_bypass ? sq[c] : dla_cdp_sum_fp(op, sq, c), true, stats);
        if (op->mul_bypass) {
            r = fp16_is_nan((uint32_t)in[c]) ? x : r;
        } else {
            r = fp17_mul(x, r);
        }
        out[c] = (int32_t)fp17_to_fp16(r);
        stats->nan_out += fp16_is_nan((uint32_t)out[c]);
    }
}

/* Buffers of a layer. */
struct dla_cdp {
    struct dla_line in, out;
    int32_t *line;
    int64_t *x;
    uint32_t *square;
    int32_t *result;
};

/* What an element costs the host: as many squares as the window has, and a table (measured). */
enum { WORK_INT = 32, WORK_FP = 128 };

static enum dla_status dla_cdp_line(const struct dla_cdp_op *op, struct dla_cdp *s,
                                    struct dla_port *port, struct dla_stats *stats)
{
    unsigned bits = op->precision == DLA_INT8 ? 9 : 17;
    uint64_t work = (uint64_t)op->channels * (op->precision == DLA_FP16 ? WORK_FP : WORK_INT);
    enum dla_status status = DLA_OK;

    for (uint32_t x = 0; status == DLA_OK && x < op->width; x++) {
        int32_t *v = s->line + (size_t)x * op->channels;

        for (uint32_t c = 0; c < op->channels; c++) {
            uint32_t h = (uint32_t)v[c];

            if (op->precision == DLA_FP16) {
                stats->nan_in += fp16_is_nan(h);
                stats->inf_in += fp16_is_inf(h);
                v[c] = op->nan_to_zero && fp16_is_nan(h) ? 0 : v[c];
            } else {
                s->x[c] = dla_convert(&op->in_cvt, v[c], bits);
            }
        }
        if (op->precision == DLA_FP16) {
            dla_cdp_pixel_fp(op, v, s->square, s->result, stats);
        } else {
            dla_cdp_pixel(op, s->x, s->result, stats);
        }
        for (uint32_t c = 0; c < op->channels; c++) {
            v[c] = s->result[c];
        }
        status = dla_rest(port, work);
    }
    return status;
}

static enum dla_status dla_cdp_init(struct dla_cdp *s, const struct dla_config *cfg,
                                    struct dla_port *port, const struct dla_cdp_op *op)
{
    enum dla_status status = dla_line_init(&s->in, cfg, port, "CDP", &op->src, op->precision,
                                           op->width, op->channels, op->channels);

    if (status == DLA_OK) {
        status = dla_line_init(&s->out, cfg, port, "CDP", &op->dst, op->precision, op->width,
                               op->channels, op->channels);
    }
    s->line = dla_alloc(port, "CDP", (uint64_t)op->width * op->channels, sizeof(*s->line));
    s->x = dla_alloc(port, "CDP", op->channels, sizeof(*s->x));
    s->square = dla_alloc(port, "CDP", op->channels, sizeof(*s->square));
    s->result = dla_alloc(port, "CDP", op->channels, sizeof(*s->result));
    return status == DLA_OK && s->line && s->x && s->square && s->result ? DLA_OK : DLA_UNSUPPORTED;
}

enum dla_status dla_run_cdp(const struct dla_config *cfg, struct dla_port *port,
                            const struct dla_cdp_op *op, struct dla_stats *stats)
{
    enum dla_status status = dla_cdp_check(cfg, port, op);
    struct dla_cdp s = { 0 };

    if (status == DLA_OK) {
        status = dla_cdp_init(&s, cfg, port, op);
    }
    for (uint32_t y = 0; status == DLA_OK && y < op->height; y++) {
        status = dla_line_read(&s.in, port, y, 0, op->width, s.line);
        if (status == DLA_OK) {
            status = dla_cdp_line(op, &s, port, stats);
        }
        if (status == DLA_OK) {
            status = dla_line_write(&s.out, port, y, 0, op->width, s.line);
        }
        if (status == DLA_OK) {
            status = dla_tick(port, (uint64_t)op->width * op->channels);
        }
    }
    free(s.line);
    free(s.x);
    free(s.square);
    free(s.result);
    dla_line_free(&s.in);
    dla_line_free(&s.out);
    return status;
}
