/* SPDX-License-Identifier: MIT */
/* The test pattern: docs/frames.md has its formulas. */
#include <string.h>

#include "runtime/camera/camera_internal.h"

#define STRIP_LINES 16u
#define STRIP_BITS 32u
#define LUMA_LEVELS 220u

/* The frame's number in the top lines, highest bit first, in fields of equal width, white for 1.
 * Return: -1: not there */
static int pattern_strip(const struct sensor *s, uint64_t frame, uint32_t x, uint32_t y)
{
    uint32_t field = MAX(s->width / STRIP_BITS & ~1u, 2), bits = MIN(s->width / field, STRIP_BITS),
             bit = x / field;

    if (y >= MIN(STRIP_LINES, s->height / 2)) {
        return -1;
    }
    return bit < bits && frame >> (bits - 1 - bit) & 1;
}

static void pattern_rgb(const struct sensor *s, uint64_t frame, uint32_t x, uint32_t y,
                        uint8_t out[3])
{
    int strip = pattern_strip(s, frame, x, y);

    out[0] = strip < 0 ? (uint8_t)(x + 4 * frame) : strip ? 255 : 0;
    out[1] = strip < 0 ? (uint8_t)y : out[0];
    out[2] = strip < 0 ? (uint8_t)(x ^ y) : out[0];
}

static void pattern_raw(const struct sensor *s, uint64_t frame, uint32_t x, uint32_t y,
                        uint8_t *out)
{
    uint8_t rgb[3];
    unsigned value;

    pattern_rgb(s, frame, x, y, rgb);
    value = rgb[y % 2 ? (x % 2 ? 2 : 1) : (x % 2 ? 1 : 0)];
    if (s->type == SENSOR_RAW8) {
        out[x] = (uint8_t)value;
    } else {
        value <<= s->type == SENSOR_RAW10 ? 2 : 4;
        out[x * 2] = (uint8_t)value;
        out[x * 2 + 1] = (uint8_t)(value >> 8);
    }
}

/* @u: chroma without V, whose bytes are 0; @v: V in its byte */
static inline __attribute__((always_inline)) void pattern_mix(uint32_t width,
                                                              const uint8_t *restrict luma,
                                                              const uint8_t *restrict u, uint16_t v,
                                                              uint8_t *restrict out)
{
    uint8_t chroma[SENSOR_SIZE_MAX];

    for (size_t i = 0; i < width / 2; i++) {
        uint16_t pair;

        memcpy(&pair, u + i * 2, sizeof(pair));
        pair |= v;
        memcpy(chroma + i * 2, &pair, sizeof(pair));
    }
    for (size_t i = 0; i < width; i++) {
        out[i * 2] = chroma[i];
        out[i * 2 + 1] = luma[i];
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void
pattern_mix_avx2(uint32_t width, const uint8_t *luma, const uint8_t *u, uint16_t v, uint8_t *out)
{
    pattern_mix(width, luma, u, v, out);
}
#endif

static void pattern_mix_best(uint32_t width, const uint8_t *luma, const uint8_t *u, uint16_t v,
                             uint8_t *out)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        pattern_mix_avx2(width, luma, u, v, out);
        return;
    }
#endif
    pattern_mix(width, luma, u, v, out);
}

/* Lines below the strip, by vectors: a luma ramp from its first value on, between the bytes of a
 * chroma ramp. */
static void pattern_yuv_line(uint32_t width, uint64_t frame, uint32_t y, uint8_t *restrict out)
{
    static uint8_t luma[LUMA_LEVELS + SENSOR_SIZE_MAX], u[SENSOR_SIZE_MAX];
    const uint8_t *from = luma + (y + 4 * frame) % LUMA_LEVELS;
    uint8_t odd[2] = { 0, (uint8_t)(96 + y % 64) };
    uint16_t v;

    if (!luma[0]) {
        for (uint32_t i = 0; i < sizeof(luma); i++) {
            luma[i] = (uint8_t)(16 + i % LUMA_LEVELS);
        }
        for (uint32_t i = 0; i < sizeof(u); i += 2) {
            u[i] = (uint8_t)(96 + i / 2 % 64);
        }
    }
    memcpy(&v, odd, sizeof(v));
    pattern_mix_best(width, from, u, v, out);
}

static void pattern_yuv_strip(const struct sensor *s, uint64_t frame, uint8_t *out)
{
    uint32_t field = MAX(s->width / STRIP_BITS & ~1u, 2);

    for (uint32_t x = 0; x < s->width; x += field) {
        uint8_t luma = pattern_strip(s, frame, x, 0) ? 235 : 16;

        for (uint32_t i = x; i < MIN(x + field, s->width); i++) {
            out[i * 2] = 128;
            out[i * 2 + 1] = luma;
        }
    }
}

bool camera_pattern_line(void *opaque, uint64_t frame, uint32_t y, uint8_t *out)
{
    const struct camera *c = opaque;
    const struct sensor *s = &c->sensor;

    if (s->type == SENSOR_YUV422_8) {
        if (pattern_strip(s, frame, 0, y) < 0) {
            pattern_yuv_line(s->width, frame, y, out);
        } else {
            pattern_yuv_strip(s, frame, out);
        }
        return true;
    }
    for (uint32_t x = 0; x < s->width; x++) {
        if (s->type == SENSOR_RGB888) {
            pattern_rgb(s, frame, x, y, out + x * 3);
        } else {
            pattern_raw(s, frame, x, y, out);
        }
    }
    return true;
}
