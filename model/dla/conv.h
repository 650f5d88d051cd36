/* SPDX-License-Identifier: MIT */
/* The convolution pipeline (CDMA, CSC, CMAC, CACC), asked for its output a line at a time. */
#ifndef MODEL_DLA_CONV_H
#define MODEL_DLA_CONV_H

#include "model/dla/cube.h"
#include "model/dla/fp.h"

#define DLA_FIXED_NAN INT64_MIN /* an fp16 NaN among the fixed-point numbers of an fp16 layer */

/**
 * struct dla_fixed - fp16 in direct mode, in units of 2^(shift - 24); see conv_fixed.c
 * @weights: [block of kernels][row][DLA_FIXED_KERNELS]; @offset, @rows: of a row's element from the
 *        pixel's first one, and rows of each block; NULL: 32 bits do not hold the weights
 * @weight_sum: the largest sum of magnitudes of a kernel
 * @data: [y][x][c]; with @split the low bits, and the high ones in the second
 * @ready: the data of the batch under way is there
 */
struct dla_fixed {
    int32_t *weights, *data[2];
    uint32_t *offset, *rows;
    unsigned weight_shift, data_shift;
    uint64_t weight_sum;
    bool split, ready;
};

/**
 * struct dla_conv - a convolution under way
 * @kernel_width, @kernel_height, @channels: as the arithmetic sees them: an image's kernel folded
 *        back to width x channels, a winograd input after channel extension
 * @width, @height: of the input with its padding, likewise extended
 * @data, @weights: [y][x][c] and [kernel][y][x][c]; 16-bit numbers, or for fp16 @wide ones (2^-24)
 * @packed: int8 in direct mode: weights as dla_mac_block() takes them, @packed_pairs of elements a
 *        run, @packed_block elements a block of kernels
 * @tile: winograd: one transformed tile, [16][c], int32_t or (fp16) int64_t
 * @band: lines of output computed at once, [line][x][kernel] from @band_y on of @batch
 * @pixel: direct mode: first element of each pixel of a band, from its first one
 */
struct dla_conv {
    const struct dla_config *cfg;
    struct dla_port *port;
    const struct dla_conv_op *op;
    struct dla_stats *stats;
    uint32_t kernel_width, kernel_height, channels, width, height;
    int16_t *data, *weights;
    int16_t *packed;
    uint32_t packed_pairs;
    size_t packed_block;
    int64_t *wide_data, *wide_weights;
    struct dla_fixed fixed;
    bool nan;
    int32_t *band;
    size_t *pixel;
    void *tile;
    uint32_t band_lines, band_y, band_count, batch;
    bool loaded;
};

enum dla_status dla_conv_init(struct dla_conv *c, const struct dla_config *cfg,
                              struct dla_port *port, const struct dla_conv_op *op,
                              struct dla_stats *stats);
void dla_conv_free(struct dla_conv *c);
/* Line @y of batch @batch: out[x * stride + kernel]; int32, or fp32 bits. Lines in rising order. */
enum dla_status dla_conv_line(struct dla_conv *c, uint32_t batch, uint32_t y, int32_t *out,
                              unsigned stride);

/* Parts, each in a file of its own. */
enum dla_status dla_conv_check(const struct dla_config *cfg, struct dla_port *port,
                               const struct dla_conv_op *op);
enum dla_status dla_conv_load_weights(struct dla_conv *c);
enum dla_status dla_conv_load_data(struct dla_conv *c, uint32_t batch);
/* Channels and precision that the pixel format goes with. */
enum dla_status dla_image_check(struct dla_port *port, const struct dla_conv_op *op);
enum dla_status dla_image_line(struct dla_conv *c, uint32_t y, uint8_t *raw, int32_t *out);
/* Bytes of line @y that dla_image_line() wants room for. */
size_t dla_image_bytes(const struct dla_conv_op *op);
enum dla_status dla_conv_mac(struct dla_conv *c, uint32_t y, int32_t *out);
enum dla_status dla_conv_mac_wide(struct dla_conv *c, uint32_t y, int32_t *out);
enum dla_status dla_conv_mac_winograd(struct dla_conv *c, uint32_t y, int32_t *out);

/* Products that cost the host a unit of work (model/soc.h): int8 side by side in vectors, and
 * fp16 where 64 bits hold its sums; the others one by one. */
enum { DLA_MACS_A_UNIT8 = 16, DLA_MACS_A_UNIT16 = 2, DLA_MACS_A_UNIT_FIXED = 8 };

/* Kernels and pixels of one block of the int8 inner loop. */
#define DLA_BLOCK_KERNELS 16u
#define DLA_BLOCK_PIXELS 4u

/**
 * dla_mac_block - sums of products of 16 kernels and four pixels
 * @d: elements of each pixel
 * @w: [pair of elements][kernel][2], @pairs of them; an odd last element has a zero beside it
 * @acc: [pixel][kernel], pixels @stride apart: written, or with @add added to
 */
typedef void dla_mac_block(const int16_t *const *d, const int16_t *w, uint32_t pairs, int32_t *acc,
                           size_t stride, bool add);
/* The versions for this machine, the fastest first, NULL past the last; all give the same numbers.
 */
dla_mac_block *dla_mac_block_at(unsigned i);
enum dla_status dla_conv_pack_init(struct dla_conv *c);
/* @n bytes of line @y of kernel @k into their places, from element @first of the line on. */
void dla_conv_pack(struct dla_conv *c, uint32_t k, uint32_t y, uint32_t first, uint32_t n,
                   const uint8_t *b);
/* As that for DLA_BLOCK_KERNELS kernels from @k on, a multiple, whose bytes follow each other. */
void dla_conv_pack_block(struct dla_conv *c, uint32_t k, uint32_t y, uint32_t first, uint32_t n,
                         const uint8_t *b);
/* 16 rows of 16 bytes, @stride apart, to [pair of bytes][row][2]: false where there is no fast one.
 */
bool dla_pack_16x16(const uint8_t *b, size_t stride, int16_t *to);

/* Kernels and pixels of one block of the fp16 inner loop. */
#define DLA_FIXED_KERNELS 8u
#define DLA_FIXED_PIXELS DLA_BLOCK_PIXELS

/**
 * dla_fixed_mac - sums of products of 8 kernels and four pixels
 * @d: first element of each pixel; @offset: from there, of each of @rows elements
 * @w: [row][8]: kernels 0, 4, 1, 5, 2, 6, 3, 7
 * @acc: [pixel][kernel], written
 */
typedef void dla_fixed_mac(const int32_t *const *d, const uint32_t *offset, const int32_t *w,
                           uint32_t rows, int64_t *acc);
dla_fixed_mac *dla_fixed_mac_at(unsigned i);
/* Weights and data for it, made of the wide ones where it can be used. */
enum dla_status dla_fixed_init(struct dla_conv *c);
enum dla_status dla_fixed_load(struct dla_conv *c);
void dla_fixed_free(struct dla_fixed *f);
enum dla_status dla_conv_mac_fixed(struct dla_conv *c, uint32_t y, int32_t *out);

/* Where the first elements of a block's pixels are, @n of them from pixel @i of the band that
 * begins at line @y; past the last one: that one again. */
static inline void dla_conv_pixels(const struct dla_conv *c, uint32_t y, uint32_t i, uint32_t n,
                                   size_t *at)
{
    size_t line = (size_t)y * c->op->stride_y * c->width * c->channels;

    for (uint32_t p = 0; p < DLA_BLOCK_PIXELS; p++) {
        at[p] = line + c->pixel[i + (p < n ? p : n - 1)];
    }
}
enum dla_status dla_conv_pixels_init(struct dla_conv *c);

/* CACC: round, saturate to 32 bits and count (unit_description.rst, "CACC precision"). */
static inline int32_t dla_conv_clip(struct dla_conv *c, dla_wide sum)
{
    unsigned bits = c->op->precision == DLA_INT8 ? 34 : 48;
    dla_wide v = dla_shr(dla_sat_wide(sum, bits), c->op->clip_truncate, 60);

    c->stats->conv_saturated += v > INT32_MAX || v < INT32_MIN;
    return (int32_t)dla_sat_wide(v, 32);
}

#endif
