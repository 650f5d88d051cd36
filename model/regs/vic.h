/* SPDX-License-Identifier: MIT */
/* The VIC's registers, methods and values: for the engine and for its driver. */
#ifndef MODEL_REGS_VIC_H
#define MODEL_REGS_VIC_H

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

/* PIXELFORMAT of VIC (open-gpu-doc, classes/video/vic_ceb6_types.h). Names begin with the highest
 * byte: A8B8G8R8 has R at the lowest address. */
enum vic_format {
    VIC_L8 = 1,
    VIC_A8B8G8R8 = 31,
    VIC_A8R8G8B8 = 32,
    VIC_B8G8R8A8 = 33,
    VIC_R8G8B8A8 = 34,
    VIC_X8B8G8R8 = 35,
    VIC_X8R8G8B8 = 36,
    VIC_B8G8R8X8 = 37,
    VIC_R8G8B8X8 = 38,
    VIC_Y8___U8V8_N420 = 67,
    VIC_Y8___V8U8_N420 = 68,
    VIC_Y8___U8___V8_N420 = 72,
};

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
