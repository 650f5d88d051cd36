/* SPDX-License-Identifier: MIT */
/* From pixels to pixels as the VIC's configuration says, as pure functions: for the VIC, and for
 * the same work as a kernel of a GPU (model/library/picture_op.c).
 *
 * config.c reads a job's configuration; image.c has the pixels. Of VIC 4.2 stand here: the slots
 * with their blending, pitch-linear surfaces of 8 bits a component (10 bits of one kind), nearest
 * and bilinear filters, both colour matrices, flips and the transposition, the background.
 */
#ifndef MODEL_PICTURE_PICTURE_H
#define MODEL_PICTURE_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/regs/vic.h"

enum { VIC_SIZE_MAX = 16384 };

/* Components as they are computed with: 10 bits each; R, G, B or Y, U, V. */
struct picture_pixel {
    int32_t c[3], a;
};

/* 20-bit fixed point: out = ((c * in >> shift) + offset) >> 8 (as the open drivers fill it:
 * vaapi-tegra, FFmpeg's nvtegra; inferred). */
struct picture_matrix {
    bool enable;
    unsigned shift;
    int32_t c[3][4];
};

/**
 * struct picture_surface - an image in memory, pitch linear
 * @width, @height: pixels; @stride: pixels of a row of plane 0, @chroma_stride: samples of a row of
 * the others
 */
struct picture_surface {
    enum vic_format format;
    unsigned width, height, stride, chroma_stride;
};

/* Inclusive; @source: 16 bits of fraction. */
struct picture_rect {
    uint32_t left, right, top, bottom;
};

/* How a slot's pixel goes over what lies below: colour = source * src_c + below * dst_c, alpha with
 * the factors of alpha; enum vic_factor*. Not @on: it takes the place of what lies below. */
struct picture_blend {
    bool on;
    int32_t k1, k2;
    unsigned src_c, dst_c, src_a, dst_a;
};

struct picture_slot {
    bool enabled;
    struct picture_surface in;
    struct picture_rect source, dest;
    struct picture_matrix matrix;
    struct picture_blend blend;
    int32_t clamp_low, clamp_high;
    int constant_alpha; /* -1: the image's */
    bool bilinear_x, bilinear_y;
};

/* Rectangles of the target and of destinations are before the transposition: what is made at (x, y)
 * is written to (y, x) (inferred). */
struct picture_config {
    struct picture_surface out;
    struct picture_rect target;
    struct picture_pixel background;
    struct picture_matrix out_matrix;
    unsigned chroma_x, chroma_y; /* location: 0 the even pixel, 1 between, 2 the odd one */
    bool flip_x, flip_y, transpose;
    struct picture_slot slot[VIC_SLOTS];
};

/**
 * picture_config_read - take a configuration as it lies in memory
 * @raw: VIC_CONFIG_BYTES
 * @wrong: byte of @raw of the struct that asks for what is not there
 * Return: false with @wrong set.
 */
bool picture_config_read(const uint8_t *raw, struct picture_config *out, uint32_t *wrong);

/* Bytes of one row of a plane of @s, and how many rows the plane has; 0: there is no such plane. */
unsigned picture_plane_row_bytes(const struct picture_surface *s, unsigned plane, unsigned *rows);
unsigned picture_plane_stride_bytes(const struct picture_surface *s, unsigned plane);

/* A row of an image from its planes' rows (of chroma the row that belongs to it). @out: width
 * pixels. */
void picture_row_decode(const struct picture_surface *s, const uint8_t *const plane[VIC_PLANES],
                        struct picture_pixel *out);

/* Which rows of the slot's source output row @y needs, and how much of the second (of 256). Return:
 * false: none, the slot does not reach it. */
bool picture_row_sources(const struct picture_config *c, const struct picture_slot *slot,
                         unsigned y, unsigned *first, unsigned *second, unsigned *weight);

/* One row of the output, before packing, from the background on, slot by slot, to the matrix of the
 * output. @out: pixels target.left to target.right; @a, @b: the source rows of
 * picture_row_sources().
 */
void picture_row_begin(const struct picture_config *c, struct picture_pixel *out);
void picture_row_add(const struct picture_config *c, const struct picture_slot *slot,
                     const struct picture_pixel *a, const struct picture_pixel *b, unsigned weight,
                     struct picture_pixel *out);
void picture_row_end(const struct picture_config *c, struct picture_pixel *out);

/* Pack @n pixels of plane 0, and of the rows that share it (one: twice the same) the chroma of the
 * others, from a column on that begins a sample. */
void picture_luma_encode(const struct picture_config *c, const struct picture_pixel *in, unsigned n,
                         uint8_t *out);
void picture_chroma_encode(const struct picture_config *c, const struct picture_pixel *even,
                           const struct picture_pixel *odd, unsigned n, unsigned plane,
                           uint8_t *out);

#endif
