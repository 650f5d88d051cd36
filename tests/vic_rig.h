/* SPDX-License-Identifier: MIT */
/* The VIC through model/soc.h, as a driver would. Offsets of methods and bits of the configuration
 * are typed from NVIDIA's vic42.h, formats from vic_ceb6_types.h. */
#ifndef TESTS_VIC_RIG_H
#define TESTS_VIC_RIG_H

#include <check.h>
#include <string.h>

#include "tests/dla_soc_rig.h"

#define BASE UINT64_C(0x15340000)
enum {
    SYNCPT = 0x00,
    METHOD0 = 0x40,
    METHOD1 = 0x44,
    IRQSCLR = 0x1004,
    IRQSTAT = 0x1008,
    IRQMSET = 0x1010,
    ERROR = 0x1040,
    DETAIL = 0x1044,
    NUMBER = 0x1048,
    FREE = 0x1050,
    PAYLOAD = 0x4e * 4,
    WAIT = 0x50 * 4
};
enum { FAILED = 1 << 6, DONE = 1 << 7, ERR_CONFIG = 1, ERR_MEMORY = 2, ERR_QUEUE = 3 };
enum { OP_DONE = 1 << 10, AWAKEN = 1 << 8 };
enum {
    OUT = 32,
    OUT_RECT = 16,
    SLOT = 144,
    SLOT_SURFACE = 208,
    OUT_MATRIX = 48,
    SLOT_MATRIX = 240
};
enum {
    L8 = 1,
    RGBA = 31,
    BGRA = 32,
    ARGB_BYTES = 33,
    ABGR_BYTES = 34,
    RGBX = 35,
    NV12 = 67,
    NV21 = 68,
    I420 = 72
};

#define CONFIG (DRIG_KERNEL + 0x40000)
#define INPUT DRIG_DATA
#define INPUT_U (DRIG_DATA + 0x8000)
#define INPUT_V (DRIG_DATA + 0xc000)
#define OUTPUT (DRIG_DATA + 0x10000)
#define OUTPUT_U (DRIG_DATA + 0x18000)
#define OUTPUT_V (DRIG_DATA + 0x1c000)

static struct drig rig;
static uint8_t config[2960];

static inline void teardown(void)
{
    drig_close(&rig);
}

static inline void reg(unsigned offset, uint32_t value)
{
    drig_write(&rig, BASE + offset, value);
}

static inline void method(unsigned offset, uint32_t value)
{
    reg(METHOD0, offset / 4);
    reg(METHOD1, value);
}

static inline void set(unsigned byte, unsigned lsb, unsigned width, uint32_t value)
{
    for (unsigned i = 0; i < width; i++) {
        unsigned bit = byte * 8 + lsb + i;

        config[bit / 8] =
            (uint8_t)((config[bit / 8] & ~(1u << bit % 8)) | (value >> i & 1) << bit % 8);
    }
}

/* What lies in memory: no cache holds it, so the CPU's view is equal. */
static inline void put(uint64_t pa, const void *bytes, size_t n)
{
    memcpy(drig_at(&rig, pa), bytes, n);
    memcpy(rig.view + (pa - DRIG_DATA), bytes, n);
}

/* Right and bottom edge are inclusive; a source rectangle has 16 bits of fraction. */
static inline void output(unsigned format, unsigned width, unsigned height, unsigned stride)
{
    set(OUT, 0, 7, format);
    set(OUT, 7, 2, 1);
    set(OUT, 9, 2, 1); /* chroma lies between the pixels */
    set(OUT, 32, 14, width - 1);
    set(OUT, 46, 14, height - 1);
    set(OUT, 64, 14, stride - 1);
    set(OUT, 96, 14, stride / 2 - 1);
    set(OUT_RECT, 80, 14, width - 1);
    set(OUT_RECT, 112, 14, height - 1);
}

static inline void input(unsigned format, unsigned width, unsigned height, unsigned stride)
{
    set(SLOT, 0, 1, 1);
    set(SLOT, 138, 10, 1023); /* SoftClampHigh */
    set(SLOT, 288, 30, (width - 1) << 16);
    set(SLOT, 352, 30, (height - 1) << 16);
    set(SLOT, 400, 14, width - 1);
    set(SLOT, 432, 14, height - 1);
    set(SLOT_SURFACE, 0, 7, format);
    set(SLOT_SURFACE, 32, 14, width - 1);
    set(SLOT_SURFACE, 46, 14, height - 1);
    set(SLOT_SURFACE, 64, 14, stride - 1);
    set(SLOT_SURFACE, 96, 14, stride / 2 - 1);
}

static inline void dest(unsigned width, unsigned height)
{
    set(SLOT, 400, 14, width - 1);
    set(SLOT, 432, 14, height - 1);
}

static inline void setup(void)
{
    drig_open(&rig, "t194", ORDER_OLDEST);
    memset(config, 0, sizeof(config));
    reg(IRQMSET, FAILED | DONE);
}

static inline void execute(void)
{
    memcpy(drig_at(&rig, CONFIG), config, sizeof(config));
    method(0x704, sizeof(config) / 16 << 16);
    method(0x708, (uint32_t)(CONFIG >> 8));
    method(0x720, (uint32_t)(OUTPUT >> 8));
    method(0x724, (uint32_t)(OUTPUT_U >> 8));
    method(0x728, (uint32_t)(OUTPUT_V >> 8));
    method(0x1200, (uint32_t)(INPUT >> 8));
    method(0x1204, (uint32_t)(INPUT_U >> 8));
    method(0x1208, (uint32_t)(INPUT_V >> 8));
    method(0x300, AWAKEN);
}

static inline void job_ok(void)
{
    execute();
    drig_run(&rig);
    ck_assert_uint_eq(drig_read(&rig, BASE + IRQSTAT), DONE);
}

static inline void job_fails(unsigned error, uint32_t detail)
{
    execute();
    drig_run(&rig);
    ck_assert_uint_eq(drig_read(&rig, BASE + IRQSTAT), FAILED | DONE);
    ck_assert_uint_eq(drig_read(&rig, BASE + ERROR), error);
    ck_assert_uint_eq(drig_read(&rig, BASE + DETAIL), detail);
}

static inline void bytes_are(uint64_t pa, const void *want, size_t n)
{
    ck_assert_mem_eq(drig_at(&rig, pa), want, n);
}

#endif
