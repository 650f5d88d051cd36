/* SPDX-License-Identifier: MIT */
/* The VI through model/soc.h, as a driver would. Offsets are typed from upstream's tegra210.c (the
 * VI's registers at 0, those of CSI port 0 from 0x100 on), data types from MIPI CSI-2. */
#ifndef TESTS_VI_RIG_H
#define TESTS_VI_RIG_H

#include <check.h>
#include <string.h>

#include "tests/dla_soc_rig.h"

#define BASE UINT64_C(0x15c10000)
enum {
    INCR_SYNCPT = 0x000,
    SW_RESET = 0x100,
    SINGLE_SHOT = 0x104,
    IMAGE_DEF = 0x10c,
    IMAGE_SIZE = 0x118,
    SURFACE0 = 0x124, /* MSB, then LSB */
    SURFACE1 = 0x12c,
    STRIDE0 = 0x154,
    STRIDE1 = 0x158,
    ERROR = 0x184,
    CROP_POS = 0xc00,
    CROP_SIZE = 0xc04,
    STATUS = 0xc10,
    STREAM = 0xc20,
    SIZE = 0xc24,
    TYPE = 0xc28,
    PERIOD = 0xc2c,
    IRQSTAT = 0xc30,
    FREE = 0xc34,
};
enum { FRAME_START = 5 << 8, MW_ACK_DONE = 7 << 8 };
enum { L8 = 16, R16 = 32, BGRX = 64, RGBX = 65, UYVY = 66, YUYV = 67, NV12 = 68 };
enum { YUV422 = 0x1e, RGB888 = 0x24, RAW8 = 0x2a, RAW10 = 0x2b, RAW12 = 0x2c };

#define OUTPUT DRIG_DATA
#define CHROMA (DRIG_DATA + 0x10000)
#define STATUS_AT (DRIG_KERNEL + 0x40000)
#define PERIOD_NS 1000000u

/* As model/regs/vi.h documents it. */
struct status {
    uint32_t status, dropped;
    uint64_t frame, sof_ns, eof_ns;
};

static struct drig rig;
static struct sensor camera;
static uint8_t frame_bytes[65536];
static uint32_t broken_from = UINT32_MAX;

/* The frame's number is added to each byte. */
static inline bool camera_line(void *opaque, uint64_t frame, uint32_t y, uint8_t *out)
{
    uint32_t n = sensor_line_bytes(camera.type, camera.width);

    (void)opaque;
    for (uint32_t i = 0; i < n; i++) {
        out[i] = (uint8_t)(frame_bytes[y * n + i] + frame);
    }
    return y < broken_from;
}

static inline void reg(unsigned offset, uint32_t value)
{
    drig_write(&rig, BASE + offset, value);
}

static inline uint32_t read_reg(unsigned offset)
{
    return drig_read(&rig, BASE + offset);
}

static inline void address(unsigned offset, uint64_t iova)
{
    reg(offset, (uint32_t)(iova >> 32));
    reg(offset + 4, (uint32_t)iova);
}

static inline void open_camera(unsigned type, uint32_t width, uint32_t height, enum order order)
{
    camera = (struct sensor){ .type = (enum sensor_type)type,
                              .width = width,
                              .height = height,
                              .period_ns = PERIOD_NS,
                              .line = camera_line };
    broken_from = UINT32_MAX;
    drig_open_camera(&rig, "t194", order, false, &camera);
    reg(STREAM, 1);
}

static inline void surface(unsigned format, uint32_t width, uint32_t height, uint32_t stride)
{
    reg(IMAGE_DEF, format << 16);
    reg(IMAGE_SIZE, height << 16 | width);
    address(SURFACE0, OUTPUT);
    address(SURFACE1, CHROMA);
    reg(STRIDE0, stride);
    reg(STRIDE1, stride);
    address(STATUS, STATUS_AT);
}

static inline struct status status_get(void)
{
    struct status s;

    memcpy(&s, drig_at(&rig, STATUS_AT), sizeof(s));
    return s;
}

#endif
