/* SPDX-License-Identifier: MIT */
/* The Video Image Compositor: reads an image, scales it, converts its colours, writes it.
 *
 * vic.c has the window, the queue and memory; config.c reads a job's configuration; image.c has the
 * pixels, as pure functions. Of VIC 4.2 stand here: the slots with their blending, pitch-linear
 * surfaces of 8 bits a component (10 bits of one kind), nearest and bilinear filters, both colour
 * matrices, flips and the transposition, the background. What a configuration asks for beyond that
 * fails the job with VIC_ERR_CONFIG, and nothing is written.
 */
#ifndef MODEL_VIC_VIC_H
#define MODEL_VIC_VIC_H

#include <stdbool.h>
#include <stdint.h>

#include "model/regs/vic.h"

enum { VIC_SIZE_MAX = 16384 };

/* Components as they are computed with: 10 bits each; R, G, B or Y, U, V. */
struct vic_pixel {
    int32_t c[3], a;
};

/* 20-bit fixed point: out = ((c * in >> shift) + offset) >> 8 (as the open drivers fill it:
 * vaapi-tegra, FFmpeg's nvtegra; inferred). */
struct vic_matrix {
    bool enable;
    unsigned shift;
    int32_t c[3][4];
};

/**
 * struct vic_surface - an image in memory, pitch linear
 * @width, @height: pixels; @stride: pixels of a row of plane 0, @chroma_stride: samples of a row of
 * the others
 */
struct vic_surface {
    enum vic_format format;
    unsigned width, height, stride, chroma_stride;
};

/* Inclusive; @source: 16 bits of fraction. */
struct vic_rect {
    uint32_t left, right, top, bottom;
};

/* How a slot's pixel goes over what lies below: colour = source * src_c + below * dst_c, alpha with
 * the factors of alpha; enum vic_factor*. Not @on: it takes the place of what lies below. */
struct vic_blend {
    bool on;
    int32_t k1, k2;
    unsigned src_c, dst_c, src_a, dst_a;
};

struct vic_slot {
    bool enabled;
    struct vic_surface in;
    struct vic_rect source, dest;
    struct vic_matrix matrix;
    struct vic_blend blend;
    int32_t clamp_low, clamp_high;
    int constant_alpha; /* -1: the image's */
    bool bilinear_x, bilinear_y;
};

/* Rectangles of the target and of destinations are before the transposition: what is made at (x, y)
 * is written to (y, x) (inferred). */
struct vic_config {
    struct vic_surface out;
    struct vic_rect target;
    struct vic_pixel background;
    struct vic_matrix out_matrix;
    unsigned chroma_x, chroma_y; /* location: 0 the even pixel, 1 between, 2 the odd one */
    bool flip_x, flip_y, transpose;
    struct vic_slot slot[VIC_SLOTS];
};

/**
 * vic_config_read - take a configuration as it lies in memory
 * @raw: VIC_CONFIG_BYTES
 * @wrong: byte of @raw of the struct that asks for what is not there
 * Return: false with @wrong set.
 */
bool vic_config_read(const uint8_t *raw, struct vic_config *out, uint32_t *wrong);

/* Bytes of one row of a plane of @s, and how many rows the plane has; 0: there is no such plane. */
unsigned vic_plane_row_bytes(const struct vic_surface *s, unsigned plane, unsigned *rows);
unsigned vic_plane_stride_bytes(const struct vic_surface *s, unsigned plane);

/* A row of an image from its planes' rows (of chroma the row that belongs to it). @out: width
 * pixels. */
void vic_row_decode(const struct vic_surface *s, const uint8_t *const plane[VIC_PLANES],
                    struct vic_pixel *out);

/* Which rows of the slot's source output row @y needs, and how much of the second (of 256). Return:
 * false: none, the slot does not reach it. */
bool vic_row_sources(const struct vic_config *c, const struct vic_slot *slot, unsigned y,
                     unsigned *first, unsigned *second, unsigned *weight);

/* One row of the output, before packing, from the background on, slot by slot, to the matrix of the
 * output. @out: pixels target.left to target.right; @a, @b: the source rows of vic_row_sources().
 */
void vic_row_begin(const struct vic_config *c, struct vic_pixel *out);
void vic_row_add(const struct vic_config *c, const struct vic_slot *slot, const struct vic_pixel *a,
                 const struct vic_pixel *b, unsigned weight, struct vic_pixel *out);
void vic_row_end(const struct vic_config *c, struct vic_pixel *out);

/* Pack @n pixels of plane 0, and of the rows that share it (one: twice the same) the chroma of the
 * others, from a column on that begins a sample. */
void vic_luma_encode(const struct vic_config *c, const struct vic_pixel *in, unsigned n,
                     uint8_t *out);
void vic_chroma_encode(const struct vic_config *c, const struct vic_pixel *even,
                       const struct vic_pixel *odd, unsigned n, unsigned plane, uint8_t *out);

#endif
