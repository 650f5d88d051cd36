/* SPDX-License-Identifier: MIT */
/* The video input's registers and values: for the engine and for its driver. */
#ifndef MODEL_REGS_VI_H
#define MODEL_REGS_VI_H

#include <stdint.h>

enum {
#define REG(r, offset) VI_##r = (offset),
#define FIELD(r, f, lsb, width) VI_##r##_##f##_LSB = (lsb), VI_##r##_##f##_WIDTH = (width),
#include "model/regs/vi.def"
#undef REG
#undef FIELD
};

enum { VI_EOFS = 2 }; /* syncpoints that a capture's end increments */

/* CFG_VI_INCR_SYNCPT.COND of CSI port 0 (tegra210.c: 5 + port * 4, 7 + port * 4) */
enum { VI_COND_PP_FRAME_START = 5, VI_COND_MW_ACK_DONE = 7 };

/* CSI_IMAGE_DEF.FORMAT: what the memory writer stores. Names as in upstream's enum
 * tegra_image_format, numbers ours. */
enum vi_format {
    VI_T_L8 = 16,       /* luma, or RAW8 as it is */
    VI_T_R16_I = 32,    /* RAW10 and RAW12 as they are, 16 bits a pixel */
    VI_T_A8R8G8B8 = 64, /* bytes B, G, R, 255 */
    VI_T_A8B8G8R8,      /* bytes R, G, B, 255 */
    VI_T_U8_Y8__V8_Y8,  /* UYVY */
    VI_T_Y8_U8__Y8_V8,  /* YUYV */
    VI_T_Y8__V8U8_N420, /* NV12: names begin with the highest byte */
};

/* Values of L4T's camrtc-capture.h, CAPTURE_STATUS_* */
enum vi_status {
    VI_STATUS_SUCCESS = 1,
    VI_STATUS_CHANSEL_FAULT = 4, /* the configuration is none that the engine has (inferred) */
    VI_STATUS_CHANSEL_SHORT_FRAME = 7,   /* the sensor's frame ended early */
    VI_STATUS_ATOMP_FRAME_TRUNCATED = 9, /* the SMMU or the bus has refused an access */
    VI_STATUS_ATOMP_FRAME_TOSSED = 10,   /* no capture fits any more */
};

/* Invented, after struct capture_status: little endian. @frame: number of the sensor's frame since
 * streaming began; @dropped: frames between this and the capture before it, for which nothing was
 * queued. Times of the board, ns. */
struct vi_capture_status {
    uint32_t status, dropped;
    uint64_t frame, sof_ns, eof_ns;
};

enum { VI_QUEUE = 64, VI_SIZE_MAX = 8192 };

#endif
