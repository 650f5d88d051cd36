/* SPDX-License-Identifier: MIT */
/* The Video Image Compositor: reads an image, scales it, converts its colours, writes it.
 *
 * vic.c has the window, the queue and memory; image.c the pixels, as pure functions. Of VIC 4.2
 * stand here: one slot, pitch-linear surfaces of 8 bits a component, nearest and bilinear filters,
 * both colour matrices, flips, the background. What a configuration asks for beyond that fails the
 * job with VIC_ERR_CONFIG, and nothing is written.
 */
#ifndef MODEL_VIC_VIC_H
#define MODEL_VIC_VIC_H

#include <stdbool.h>
#include <stdint.h>

#include "model/regs/vic.h"

enum { VIC_SLOTS = 16, VIC_SIZE_MAX = 16384 };

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

struct vic_config {
    struct vic_surface out, in;
    struct vic_rect target, source, dest;
    struct vic_pixel background;
    struct vic_matrix in_matrix, out_matrix;
    int32_t clamp_low, clamp_high;
    int constant_alpha;          /* -1: the image's */
    unsigned chroma_x, chroma_y; /* location: 0 the even pixel, 1 between, 2 the odd one */
    bool slot, flip_x, flip_y, bilinear_x, bilinear_y;
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

/* Which rows of the source output row @y needs, and how much of the second (of 256). Return: false:
 * none, it is all background. */
bool vic_row_sources(const struct vic_config *c, unsigned y, unsigned *first, unsigned *second,
                     unsigned *weight);

/**
 * vic_row_make - one row of the output, before packing
 * @a, @b: the source rows of vic_row_sources(); NULL where it answered false
 * @out: pixels target.left to target.right
 */
void vic_row_make(const struct vic_config *c, unsigned y, const struct vic_pixel *a,
                  const struct vic_pixel *b, unsigned weight, struct vic_pixel *out);

/* Pack @n pixels of plane 0, and of two rows the chroma (from an even column on) of the others. */
void vic_luma_encode(enum vic_format format, const struct vic_pixel *in, unsigned n, uint8_t *out);
void vic_chroma_encode(const struct vic_config *c, const struct vic_pixel *even,
                       const struct vic_pixel *odd, unsigned n, unsigned plane, uint8_t *out);

#endif
