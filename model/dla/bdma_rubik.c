/* SPDX-License-Identifier: MIT */
/* BDMA and RUBIK: they move and reorder, and compute nothing.
 * Source: unit_description.rst "Bridge DMA", "Rubik Engine". */
#include "model/dla/cube.h"

#include <stdlib.h>
#include <string.h>

enum dla_status dla_run_bdma(const struct dla_config *cfg, struct dla_port *port,
                             const struct dla_bdma_op *op)
{
    uint8_t *line;
    enum dla_status status = DLA_OK;

    if (!cfg->bdma) {
        return dla_fail(port, DLA_UNSUPPORTED, "BDMA", "op", 0, "this configuration has no BDMA");
    }
    if (op->line_bytes > 8192 * 32 || op->lines > 1u << 24 || op->surfaces > 1u << 24) {
        return dla_fail(port, DLA_INVALID, "BDMA", "line_bytes", op->line_bytes,
                        "lines of at most 8192 atoms, repeats of at most 2^24");
    }
    line = dla_alloc(port, "BDMA", op->line_bytes, 1);
    if (!line) {
        return DLA_UNSUPPORTED;
    }
    for (uint32_t s = 0; status == DLA_OK && s < op->surfaces; s++) {
        for (uint32_t l = 0; status == DLA_OK && l < op->lines; l++) {
            uint64_t from = (uint64_t)s * op->src_surf + (uint64_t)l * op->src_line;
            uint64_t to = (uint64_t)s * op->dst_surf + (uint64_t)l * op->dst_line;

            status = dla_read(port, op->src_ram, op->src + from, line, op->line_bytes);
            if (status == DLA_OK) {
                status = dla_write(port, op->dst_ram, op->dst + to, line, op->line_bytes);
            }
            if (status == DLA_OK) {
                status = dla_tick(port, op->line_bytes);
            }
        }
    }
    free(line);
    return status;
}

/* Deconvolution: channels of the phases become pixels. Phase (i, j) is the (j * stride_x + i)-th
 * run of output channels, in whole atoms. */
static enum dla_status dla_rubik_contract(const struct dla_config *cfg, struct dla_port *port,
                                          const struct dla_rubik_op *op, int32_t *in, int32_t *out)
{
    uint32_t per = dla_atom_channels(cfg, op->precision);
    uint32_t run = dla_round_up(op->out_channels, per), width = op->width * op->stride_x;
    struct dla_line from, to;
    enum dla_status status =
        dla_line_init(&from, cfg, port, "RUBIK", &op->src, op->precision, op->width,
                      run * op->stride_x * op->stride_y, run * op->stride_x * op->stride_y);

    if (status == DLA_OK) {
        status = dla_line_init(&to, cfg, port, "RUBIK", &op->dst, op->precision, width, run, run);
    }
    for (uint32_t y = 0; status == DLA_OK && y < op->height; y++) {
        status = dla_line_read(&from, port, y, 0, op->width, in);
        for (uint32_t j = 0; status == DLA_OK && j < op->stride_y; j++) {
            for (uint32_t x = 0; status == DLA_OK && x < width; x++) {
                uint32_t phase = j * op->stride_x + x % op->stride_x;

                memcpy(out + (size_t)x * run,
                       in + (size_t)(x / op->stride_x) * from.stride + (size_t)phase * run,
                       run * sizeof(*out));
                status = dla_rest(port, run);
            }
            if (status == DLA_OK) {
                status = dla_line_write(&to, port, y * op->stride_y + j, 0, width, out);
            }
        }
        if (status == DLA_OK) {
            status = dla_tick(port, (uint64_t)width * run * op->stride_y);
        }
    }
    dla_line_free(&from);
    dla_line_free(&to);
    return status;
}

/* One line of one plane: @out to memory, or from it. */
static enum dla_status dla_planar(const struct dla_rubik_op *op, struct dla_port *port,
                                  const struct dla_surface *s, uint32_t planar_stride, uint32_t c,
                                  uint32_t y, uint8_t *bytes, bool write)
{
    uint64_t iova = s->iova + (uint64_t)c * planar_stride + (uint64_t)y * s->line_stride;
    size_t len = (size_t)op->width * dla_bytes(op->precision);

    return write ? dla_write(port, s->ram, iova, bytes, len)
                 : dla_read(port, s->ram, iova, bytes, len);
}

static enum dla_status dla_rubik_split_line(struct dla_port *port, const struct dla_rubik_op *op,
                                            uint32_t y, unsigned stride, const int32_t *in,
                                            uint8_t *bytes)
{
    unsigned size = dla_bytes(op->precision);
    enum dla_status status = DLA_OK;

    for (uint32_t c = 0; status == DLA_OK && c < op->channels; c++) {
        for (uint32_t x = 0; x < op->width; x++) {
            uint32_t v = (uint32_t)in[(size_t)x * stride + c];

            bytes[x * size] = (uint8_t)v;
            if (size == 2) {
                bytes[x * 2 + 1] = (uint8_t)(v >> 8);
            }
        }
        status = dla_planar(op, port, &op->dst, op->dst_planar_stride, c, y, bytes, true);
    }
    return status;
}

static enum dla_status dla_rubik_merge_line(struct dla_port *port, const struct dla_rubik_op *op,
                                            uint32_t y, unsigned stride, int32_t *out,
                                            uint8_t *bytes)
{
    unsigned size = dla_bytes(op->precision);
    enum dla_status status = DLA_OK;

    for (uint32_t c = 0; status == DLA_OK && c < op->channels; c++) {
        status = dla_planar(op, port, &op->src, op->src_planar_stride, c, y, bytes, false);
        for (uint32_t x = 0; status == DLA_OK && x < op->width; x++) {
            out[(size_t)x * stride + c] =
                size == 1 ? bytes[x] : bytes[x * 2] | bytes[x * 2 + 1] << 8;
        }
    }
    return status;
}

/* Feature cube to planes, or back; the channels that fill the last atom up become zero. */
static enum dla_status dla_rubik_planes(const struct dla_config *cfg, struct dla_port *port,
                                        const struct dla_rubik_op *op, int32_t *v, uint8_t *bytes)
{
    bool split = op->mode == DLA_RUBIK_SPLIT;
    uint32_t stride = dla_round_up(op->channels, dla_atom_channels(cfg, op->precision));
    struct dla_line cube;
    enum dla_status status = dla_line_init(&cube, cfg, port, "RUBIK", split ? &op->src : &op->dst,
                                           op->precision, op->width, stride, stride);

    for (uint32_t y = 0; status == DLA_OK && y < op->height; y++) {
        if (split) {
            status = dla_line_read(&cube, port, y, 0, op->width, v);
            status =
                status == DLA_OK ? dla_rubik_split_line(port, op, y, stride, v, bytes) : status;
        } else {
            status = dla_rubik_merge_line(port, op, y, stride, v, bytes);
            status = status == DLA_OK ? dla_line_write(&cube, port, y, 0, op->width, v) : status;
        }
        if (status == DLA_OK) {
            status = dla_tick(port, (uint64_t)op->width * stride);
        }
    }
    dla_line_free(&cube);
    return status;
}

static enum dla_status dla_rubik_check(const struct dla_config *cfg, struct dla_port *port,
                                       const struct dla_rubik_op *op)
{
    uint32_t run;

    if (!cfg->rubik) {
        return dla_fail(port, DLA_UNSUPPORTED, "RUBIK", "mode", op->mode,
                        "this configuration has no RUBIK");
    }
    if (op->mode > DLA_RUBIK_MERGE || op->precision > DLA_FP16) {
        return dla_fail(port, DLA_INVALID, "RUBIK", "mode", op->mode, "0..2, precision 0..2");
    }
    if (op->width < 1 || op->width > 8192 || op->height < 1 || op->height > 8192 ||
        op->channels < 1 || op->channels > 8192 || op->out_channels < 1 ||
        op->out_channels > 8192) {
        return dla_fail(port, DLA_INVALID, "RUBIK", "width", op->width,
                        "width, height and channels are 1..8192");
    }
    if (op->mode != DLA_RUBIK_CONTRACT) {
        return DLA_OK;
    }
    if (op->stride_x < 1 || op->stride_x > 32 || op->stride_y < 1 || op->stride_y > 32) {
        return dla_fail(port, DLA_INVALID, "RUBIK", "stride_x", op->stride_x, "1..32");
    }
    run = dla_round_up(op->out_channels, dla_atom_channels(cfg, op->precision));
    if (op->channels != run * op->stride_x * op->stride_y) {
        return dla_fail(port, DLA_INVALID, "RUBIK", "channels", op->channels,
                        "the output's channels in whole atoms, times both strides");
    }
    return DLA_OK;
}

enum dla_status dla_run_rubik(const struct dla_config *cfg, struct dla_port *port,
                              const struct dla_rubik_op *op)
{
    enum dla_status status = dla_rubik_check(cfg, port, op);
    uint64_t line;
    int32_t *in, *out;
    uint8_t *bytes;

    if (status != DLA_OK) {
        return status;
    }
    /* A line of input, or one of output: as many elements, plus one atom of padding. */
    line = (uint64_t)op->width * (op->channels + cfg->atom);
    in = dla_alloc(port, "RUBIK", line, sizeof(*in));
    out = dla_alloc(port, "RUBIK", line, sizeof(*out));
    bytes = dla_alloc(port, "RUBIK", (uint64_t)op->width * 2, 1);
    if (!in || !out || !bytes) {
        status = DLA_UNSUPPORTED;
    } else if (op->mode == DLA_RUBIK_CONTRACT) {
        status = dla_rubik_contract(cfg, port, op, in, out);
    } else {
        status = dla_rubik_planes(cfg, port, op, in, bytes);
    }
    free(in);
    free(out);
    free(bytes);
    return status;
}
