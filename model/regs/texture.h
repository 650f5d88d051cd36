/* SPDX-License-Identifier: MIT */
/* Texture and surface objects in memory: what a driver writes and the texture unit reads. Invented:
 * NVIDIA publishes no format of its texture headers and samplers for these chips. A handle
 * (CUtexObject, CUsurfObject) is the GPU virtual address of a struct tex_header. */
#ifndef MODEL_REGS_TEXTURE_H
#define MODEL_REGS_TEXTURE_H

#include <stdint.h>

#define TEX_MAGIC 0x78657476u /* "vtex": an address where none lies is found out */
#define TEX_LEVELS_MAX 16u
#define TEX_HEADER_BYTES 256u /* distance of headers */

enum tex_channel { /* type of one channel */
                   TEX_U8,
                   TEX_S8,
                   TEX_U16,
                   TEX_S16,
                   TEX_U32,
                   TEX_S32,
                   TEX_F16,
                   TEX_F32,
                   TEX_CHANNELS_COUNT
};

enum tex_address { TEX_WRAP, TEX_CLAMP, TEX_MIRROR, TEX_BORDER };

#define TEX_NORMALIZED 1u /* coordinates from 0 to 1 */
#define TEX_FLOATS 2u     /* integers of 8 and 16 bits are read as fractions */
#define TEX_SRGB 4u
#define TEX_SEAMLESS 8u
#define TEX_LINEAR 16u     /* filter within a level; */
#define TEX_MIP_LINEAR 32u /* between levels */
#define TEX_BUFFER 64u     /* linear memory: fetched by an element's number */
#define TEX_SURFACE 128u
#define TEX_LAYERED 256u
#define TEX_CUBE 512u
#define TEX_ROW 1024u /* one dimension: no height */

/**
 * struct tex_header
 * @address: enum tex_address of each dimension
 * @width, @height, @depth: texels of level 0; @depth: slices, or @layers (of cubes: faces)
 * @level: first byte of each of @levels; @pitch, @slice: bytes between rows and slices of level 0;
 *         further levels have rows that are multiples of @pitch_align
 */
struct tex_header {
    uint32_t magic, flags;
    uint8_t channel, channels, address[3], levels, reserved[2];
    uint32_t width, height, depth, layers;
    uint32_t pitch, pitch_align;
    uint64_t slice;
    float bias, min, max;
    float border[4];
    uint32_t reserved2;
    uint64_t level[TEX_LEVELS_MAX];
};
_Static_assert(sizeof(struct tex_header) <= TEX_HEADER_BYTES, "headers must not overlap");

#endif
