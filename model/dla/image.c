/* SPDX-License-Identifier: MIT */
/* CDMA's image input: pixel formats and the input converter.
 *
 * Source: format.rst, "Pixel Format" and Equation 1. A name lists components from the highest bits
 * down, as NVIDIA's surface formats do: T_A8B8G8R8 has R in its lowest byte. Inferred, as no
 * document says it: the convolution sees channels as R G B A or Y U V A whatever their order in
 * memory (the mean registers have that order); ten- and twelve-bit components of two bytes use the
 * low bits; a component taken as signed has its own width, so the A of A2R10G10B10 is -2..1; with
 * MEAN_FORMAT on the mean takes the place of the converter's offset.
 */
#include "model/dla/conv.h"

enum { KIND_UINT, KIND_INT, KIND_FLOAT };

/**
 * struct dla_pixel - one pixel format
 * @channels, @planes, @kind
 * @bits: of a component
 * @size: bytes of a component; 0: components of @shift bits positions in one 32-bit word
 * @where: by channel, its position in memory in components (within its plane), or its lowest bit
 */
struct dla_pixel {
    uint8_t channels, planes, kind, bits, size, where[4];
};

static const struct dla_pixel dla_pixels[DLA_PIXEL_COUNT] = {
    [0] = { 1, 1, KIND_UINT, 8, 1, { 0 } },               /* T_R8 */
    [1] = { 1, 1, KIND_UINT, 10, 2, { 0 } },              /* T_R10 */
    [2] = { 1, 1, KIND_UINT, 12, 2, { 0 } },              /* T_R12 */
    [3] = { 1, 1, KIND_UINT, 16, 2, { 0 } },              /* T_R16 */
    [4] = { 1, 1, KIND_INT, 16, 2, { 0 } },               /* T_R16_I */
    [5] = { 1, 1, KIND_FLOAT, 16, 2, { 0 } },             /* T_R16_F */
    [6] = { 4, 1, KIND_UINT, 16, 2, { 0, 1, 2, 3 } },     /* T_A16B16G16R16 */
    [7] = { 4, 1, KIND_UINT, 16, 2, { 0, 1, 2, 3 } },     /* T_X16B16G16R16 */
    [8] = { 4, 1, KIND_FLOAT, 16, 2, { 0, 1, 2, 3 } },    /* T_A16B16G16R16_F */
    [9] = { 4, 1, KIND_UINT, 16, 2, { 2, 1, 0, 3 } },     /* T_A16Y16U16V16 */
    [10] = { 4, 1, KIND_UINT, 16, 2, { 1, 2, 3, 0 } },    /* T_V16U16Y16A16 */
    [11] = { 4, 1, KIND_FLOAT, 16, 2, { 2, 1, 0, 3 } },   /* T_A16Y16U16V16_F */
    [12] = { 4, 1, KIND_UINT, 8, 1, { 0, 1, 2, 3 } },     /* T_A8B8G8R8 */
    [13] = { 4, 1, KIND_UINT, 8, 1, { 2, 1, 0, 3 } },     /* T_A8R8G8B8 */
    [14] = { 4, 1, KIND_UINT, 8, 1, { 1, 2, 3, 0 } },     /* T_B8G8R8A8 */
    [15] = { 4, 1, KIND_UINT, 8, 1, { 3, 2, 1, 0 } },     /* T_R8G8B8A8 */
    [16] = { 4, 1, KIND_UINT, 8, 1, { 0, 1, 2, 3 } },     /* T_X8B8G8R8 */
    [17] = { 4, 1, KIND_UINT, 8, 1, { 2, 1, 0, 3 } },     /* T_X8R8G8B8 */
    [18] = { 4, 1, KIND_UINT, 8, 1, { 1, 2, 3, 0 } },     /* T_B8G8R8X8 */
    [19] = { 4, 1, KIND_UINT, 8, 1, { 3, 2, 1, 0 } },     /* T_R8G8B8X8 */
    [20] = { 4, 1, KIND_UINT, 10, 0, { 0, 10, 20, 30 } }, /* T_A2B10G10R10 */
    [21] = { 4, 1, KIND_UINT, 10, 0, { 20, 10, 0, 30 } }, /* T_A2R10G10B10 */
    [22] = { 4, 1, KIND_UINT, 10, 0, { 2, 12, 22, 0 } },  /* T_B10G10R10A2 */
    [23] = { 4, 1, KIND_UINT, 10, 0, { 22, 12, 2, 0 } },  /* T_R10G10B10A2 */
    [24] = { 4, 1, KIND_UINT, 10, 0, { 20, 10, 0, 30 } }, /* T_A2Y10U10V10 */
    [25] = { 4, 1, KIND_UINT, 10, 0, { 2, 12, 22, 0 } },  /* T_V10U10Y10A2 */
    [26] = { 4, 1, KIND_UINT, 8, 1, { 2, 1, 0, 3 } },     /* T_A8Y8U8V8 */
    [27] = { 4, 1, KIND_UINT, 8, 1, { 1, 2, 3, 0 } },     /* T_V8U8Y8A8 */
    [28] = { 3, 2, KIND_UINT, 8, 1, { 0, 1, 0 } },        /* T_Y8___U8V8_N444 */
    [29] = { 3, 2, KIND_UINT, 8, 1, { 0, 0, 1 } },        /* T_Y8___V8U8_N444 */
    [30] = { 3, 2, KIND_UINT, 10, 2, { 0, 1, 0 } },       /* T_Y10___U10V10_N444 */
    [31] = { 3, 2, KIND_UINT, 10, 2, { 0, 0, 1 } },       /* T_Y10___V10U10_N444 */
    [32] = { 3, 2, KIND_UINT, 12, 2, { 0, 1, 0 } },       /* T_Y12___U12V12_N444 */
    [33] = { 3, 2, KIND_UINT, 12, 2, { 0, 0, 1 } },       /* T_Y12___V12U12_N444 */
    [34] = { 3, 2, KIND_UINT, 16, 2, { 0, 1, 0 } },       /* T_Y16___U16V16_N444 */
    [35] = { 3, 2, KIND_UINT, 16, 2, { 0, 0, 1 } },       /* T_Y16___V16U16_N444 */
};

/* Bytes of one pixel in a plane. */
static unsigned dla_pixel_bytes(const struct dla_pixel *p, unsigned plane)
{
    if (p->size == 0) {
        return 4;
    }
    return p->size * (p->planes == 1 ? p->channels : plane == 0 ? 1u : 2u);
}

size_t dla_image_bytes(const struct dla_conv_op *op)
{
    return (size_t)op->width * 8;
}

static unsigned dla_pixel_bits(const struct dla_pixel *p, unsigned ch)
{
    return p->size == 0 && ch == 3 ? 2 : p->bits;
}

static uint32_t dla_pixel_component(const struct dla_pixel *p, const uint8_t *b, unsigned ch)
{
    uint32_t word;
    unsigned bits = dla_pixel_bits(p, ch);

    if (p->size == 0) {
        word = b[0] | b[1] << 8 | b[2] << 16 | (uint32_t)b[3] << 24;
        return word >> p->where[ch] & ((1u << bits) - 1);
    }
    b += (size_t)p->where[ch] * p->size;
    word = p->size == 1 ? b[0] : b[0] | (uint32_t)b[1] << 8;
    return word & ((1u << bits) - 1);
}

static int32_t dla_pixel_convert_float(const struct dla_conv_op *op, uint32_t v, unsigned ch)
{
    if (!op->subtract_mean) {
        return (int32_t)v;
    }
    return (int32_t)fp17_to_fp16(
        fp17_add(fp16_to_fp17(v), fp16_to_fp17((uint16_t)op->mean[ch]) ^ 1u << 16));
}

/* 17 bits after the shift, then the precision of the MAC. */
static int32_t dla_pixel_convert(const struct dla_conv_op *op, int32_t v, unsigned ch)
{
    struct dla_cvt cvt = op->cvt;
    int64_t r = v;

    if (op->convert) {
        cvt.offset = op->subtract_mean ? op->mean[ch] : cvt.offset;
        r = dla_convert(&cvt, v, 17);
    }
    switch (op->precision) {
    case DLA_INT8:
        return op->convert ? (int32_t)dla_sat(r, 8) : (int8_t)r;
    case DLA_INT16:
        return op->convert ? (int32_t)dla_sat(r, 16) : (int16_t)r;
    default:
        return (int32_t)fp16_from_int((int32_t)r);
    }
}

static void dla_image_plane(const struct dla_conv *c, const struct dla_pixel *p, const uint8_t *raw,
                            unsigned first, unsigned end, int32_t *out)
{
    const struct dla_conv_op *op = c->op;
    unsigned bytes = dla_pixel_bytes(p, first > 0);

    for (uint32_t x = 0; x < op->width; x++) {
        for (unsigned ch = first; ch < end; ch++) {
            uint32_t v = dla_pixel_component(p, raw + (size_t)x * bytes, ch);
            bool sign = p->kind == KIND_INT || op->pixel_signed;

            out[(size_t)x * op->channels + ch] =
                p->kind == KIND_FLOAT
                    ? dla_pixel_convert_float(op, v, ch)
                    : dla_pixel_convert(
                          op, sign ? (int32_t)dla_sext(v, dla_pixel_bits(p, ch)) : (int32_t)v, ch);
        }
    }
}

enum dla_status dla_image_check(struct dla_port *port, const struct dla_conv_op *op)
{
    const struct dla_pixel *p = &dla_pixels[op->pixel_format];

    if (op->channels != p->channels) {
        return dla_fail(port, DLA_INVALID, "CONV", "channels", op->channels,
                        "the number of channels of the pixel format");
    }
    if (p->kind == KIND_FLOAT && op->precision != DLA_FP16) {
        return dla_fail(port, DLA_INVALID, "CONV", "pixel_format", op->pixel_format,
                        "a floating-point image needs an fp16 MAC");
    }
    return DLA_OK;
}

enum dla_status dla_image_line(struct dla_conv *c, uint32_t y, uint8_t *raw, int32_t *out)
{
    const struct dla_conv_op *op = c->op;
    const struct dla_pixel *p = &dla_pixels[op->pixel_format];

    for (unsigned plane = 0; plane < p->planes; plane++) {
        unsigned bytes = dla_pixel_bytes(p, plane);
        uint64_t base = plane ? op->src_uv : op->src.iova;
        uint64_t stride = plane ? op->uv_line_stride : op->src.line_stride;
        enum dla_status status =
            dla_read(c->port, op->src.ram, base + y * stride + (uint64_t)op->pixel_x_offset * bytes,
                     raw, (size_t)op->width * bytes);

        if (status != DLA_OK) {
            return status;
        }
        dla_image_plane(c, p, raw, p->planes == 1 ? 0 : plane,
                        p->planes == 1 || plane ? p->channels : 1, out);
    }
    return DLA_OK;
}
