/* SPDX-License-Identifier: MIT */
/* Fields of DLA 1's descriptors by name, for what writes and prints them (desc.def). */
#ifndef LOADABLE_DESC_H
#define LOADABLE_DESC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers of data_format and of a tensor's pixel_format: nvdla/hw D_DATAIN_FORMAT.PIXEL_FORMAT, and
 * 36 for a feature cube. */
#define PIXEL_FORMATS                                                                    \
    "R8|R10|R12|R16|R16_I|R16_F|A16B16G16R16|X16B16G16R16|A16B16G16R16_F|A16Y16U16V16|"  \
    "V16U16Y16A16|A16Y16U16V16_F|A8B8G8R8|A8R8G8B8|B8G8R8A8|R8G8B8A8|X8B8G8R8|X8R8G8B8|" \
    "B8G8R8X8|R8G8B8X8|A2B10G10R10|A2R10G10B10|B10G10R10A2|R10G10B10A2|A2Y10U10V10|"     \
    "V10U10Y10A2|A8Y8U8V8|V8U8Y8A8|Y8___U8V8_N444|Y8___V8U8_N444|Y10___U10V10_N444|"     \
    "Y10___V10U10_N444|Y12___U12V12_N444|Y12___V12U12_N444|Y16___U16V16_N444|"           \
    "Y16___V16U16_N444|FEATURE"
#define DESC_FEATURE 36

enum desc_kind {
#define DESC(descriptor, bytes) DESC_##descriptor,
#include "loadable/desc.def"
    DESC_KINDS
};

/* DESC_BYTES_CONV, DESC_AT_CONV_stride_x, DESC_LEN_CONV_stride_x ... */
enum {
#define DESC(descriptor, bytes) DESC_BYTES_##descriptor = (bytes),
#define FIELD(descriptor, name, offset, bytes, sign, words) \
    DESC_AT_##descriptor##_##name = (offset), DESC_LEN_##descriptor##_##name = (bytes),
#include "loadable/desc.def"
};

/* Sizes of entries of the lists, and how often things happen in them. */
enum {
    DESC_OPERATION_BYTES = 116,
    DESC_SURFACE_BYTES = 644,
    DESC_LUT_LE = 65,
    DESC_LUT_LO = 257,
    DESC_MAX_OPERATIONS = 4096,
    DESC_MAX_TRANSFERS = 20,
};

/* Operations in the numbering of op_type. */
enum desc_op {
    DESC_OP_BDMA,
    DESC_OP_CONV,
    DESC_OP_SDP,
    DESC_OP_PDP,
    DESC_OP_CDP,
    DESC_OP_RUBIK,
    DESC_OPS
};

struct desc_field {
    const char *name, *words;
    uint16_t offset;
    uint8_t bytes;
    bool is_signed;
};

/* Fields of a descriptor, @count of them. */
const struct desc_field *desc_fields(enum desc_kind kind, size_t *count);
/* Cubes of an operation's surface descriptor, in order: their names, NULL past the last. */
const char *desc_surface_name(enum desc_op op, unsigned i);
/* Where the fields of an operation of that kind are described. */
enum desc_kind desc_op_kind(enum desc_op op);

int64_t desc_get(const uint8_t *at, unsigned bytes, bool is_signed);
void desc_put(uint8_t *at, unsigned bytes, int64_t value);
/* Word @value of "a|b|c" into @buf; false if there is none. */
bool desc_word(const char *words, int64_t value, char *buf, size_t size);
/* The number of a word of "a|b|c"; -1 if it is none of them. */
int desc_word_find(const char *words, const char *word);

#define DESC_PUT(at, descriptor, name, value) \
    desc_put((at) + DESC_AT_##descriptor##_##name, DESC_LEN_##descriptor##_##name, (int64_t)(value))
#define DESC_GET(at, descriptor, name) \
    desc_get((at) + DESC_AT_##descriptor##_##name, DESC_LEN_##descriptor##_##name, true)
#define DESC_GETU(at, descriptor, name) \
    desc_get((at) + DESC_AT_##descriptor##_##name, DESC_LEN_##descriptor##_##name, false)

/* Cube @i of a surface descriptor; @cube_bytes 28 (blob versions 0.10, 0.11) or 32 (0.12). */
struct desc_cube {
    int type, address;
    uint32_t offset, size, width, height, channels, line_stride, surf_stride, plane_stride;
};
void desc_cube_get(const uint8_t *surface, unsigned i, unsigned cube_bytes, struct desc_cube *c);
void desc_cube_put(uint8_t *surface, unsigned i, unsigned cube_bytes, const struct desc_cube *c);

/* 28 or 32; 0 if a blob of that version holds no descriptors of DLA 1. */
unsigned desc_cube_bytes(unsigned major, unsigned minor);

#endif
