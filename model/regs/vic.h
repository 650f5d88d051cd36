/* SPDX-License-Identifier: MIT */
/* The VIC's registers, methods and values: for the engine and for its driver. */
#ifndef MODEL_REGS_VIC_H
#define MODEL_REGS_VIC_H

#include <stdbool.h>
#include <stdint.h>

enum {
#define REG(r, offset) VIC_##r = (offset),
#define FIELD(r, f, lsb, width) VIC_##r##_##f##_LSB = (lsb), VIC_##r##_##f##_WIDTH = (width),
#define METHOD(m, offset) VIC_METHOD_##m = (offset),
#include "model/regs/vic.def"
#undef REG
#undef FIELD
#undef METHOD
};

/* INCR_SYNCPT.COND (hw_host1x06_uclass.h) */
enum { VIC_COND_IMMEDIATE, VIC_COND_OP_DONE, VIC_COND_RD_DONE };

enum vic_err {
    VIC_ERR_NONE,
    VIC_ERR_CONFIG, /* a value that VIC, or this model of it, does not have */
    VIC_ERR_MEMORY, /* the SMMU or the bus has refused an access */
    VIC_ERR_QUEUE,  /* more jobs than the queue takes */
};

enum vic_format {
#define FORMAT(name, number, ...) VIC_##name = (number),
#include "model/regs/vic_format.def"
};

/* How the samples of a format lie: vic_format.def. @planes: 0: it is none of these */
struct vic_layout {
    unsigned planes, sub_x, sub_y, first, chroma;
    bool deep;
};

static inline struct vic_layout vic_layout_of(uint32_t format)
{
    switch (format) {
#define FORMAT(name, number, ...) \
    case (number):                \
        return (struct vic_layout){ __VA_ARGS__ };
#include "model/regs/vic_format.def"
    default:
        return (struct vic_layout){ 0 };
    }
}

static inline bool vic_is_rgb(uint32_t format)
{
    return format >= VIC_A8B8G8R8 && format <= VIC_R8G8B8X8;
}

/* 4:2:2 in one plane: where of its four bytes the first pixel's Y is, and U. Y comes again two
 * bytes on, and V two beside U. */
static inline bool vic_is_packed(uint32_t format)
{
    return format >= VIC_Y8_U8__Y8_V8 && format <= VIC_V8_Y8__U8_Y8;
}

static inline unsigned vic_packed_y(uint32_t format)
{
    return format >= VIC_U8_Y8__V8_Y8;
}

static inline unsigned vic_packed_u(uint32_t format)
{
    return (format >= VIC_U8_Y8__V8_Y8 ? 0 : 1) +
           (format == VIC_Y8_V8__Y8_U8 || format == VIC_V8_Y8__U8_Y8 ? 2 : 0);
}

enum { VIC_FILTER_1TAP, VIC_FILTER_2TAP }; /* nearest, bilinear */

/* What a blended slot's pixel and the one below are multiplied by (libdrm, tests/tegra/vic.h).
 * TIMES is the product with an alpha, NEG one less that product. */
enum vic_factor_src_c {
    VIC_SRC_C_K1,
    VIC_SRC_C_K1_TIMES_DST,
    VIC_SRC_C_NEG_K1_TIMES_DST,
    VIC_SRC_C_K1_TIMES_SRC,
    VIC_SRC_C_ZERO,
};
enum vic_factor_dst_c {
    VIC_DST_C_K1,
    VIC_DST_C_K2,
    VIC_DST_C_K1_TIMES_DST,
    VIC_DST_C_NEG_K1_TIMES_DST,
    VIC_DST_C_NEG_K1_TIMES_SRC,
    VIC_DST_C_ZERO,
    VIC_DST_C_ONE,
};
enum vic_factor_src_a {
    VIC_SRC_A_K1,
    VIC_SRC_A_K2,
    VIC_SRC_A_NEG_K1_TIMES_DST,
    VIC_SRC_A_ZERO,
};
enum vic_factor_dst_a {
    VIC_DST_A_K2,
    VIC_DST_A_NEG_K1_TIMES_SRC,
    VIC_DST_A_ZERO,
    VIC_DST_A_ONE,
};

enum { VIC_CONFIG_BYTES = 2960, VIC_PLANES = 3, VIC_SLOTS = 16 };
/* Of the configuration: the first slot, and from one to the next. Methods of a slot's surface. */
enum { VIC_SLOT_FIRST = 144, VIC_SLOT_STEP = 176, VIC_SLOT_METHODS = 0x60 };

#endif
