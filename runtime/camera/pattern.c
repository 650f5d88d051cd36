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

static void pattern_yuv_pair(const struct sensor *s, uint64_t frame, uint32_t x, uint32_t y,
                             uint8_t out[4])
{
    int strip = pattern_strip(s, frame, x, y);

    out[0] = strip < 0 ? (uint8_t)(96 + x / 2 % 64) : 128;
    out[2] = strip < 0 ? (uint8_t)(96 + y % 64) : 128;
    for (uint32_t i = 0; i < 2; i++) {
        out[i * 2 + 1] = strip < 0 ? (uint8_t)(16 + (x + i + y + 4 * frame) % LUMA_LEVELS)
                         : strip   ? 235
                                   : 16;
    }
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

/* Lines below the strip, by vectors: a luma ramp from its first value on, between the bytes of a
 * chroma ramp. */
static void pattern_yuv_line(uint32_t width, uint64_t frame, uint32_t y, uint8_t *restrict out)
{
    static uint8_t luma[LUMA_LEVELS + SENSOR_SIZE_MAX], u[SENSOR_SIZE_MAX];
    const uint8_t *from = luma + (y + 4 * frame) % LUMA_LEVELS;
    uint8_t chroma[SENSOR_SIZE_MAX], odd[2] = { 0, (uint8_t)(96 + y % 64) };
    uint16_t v, pair;

    if (!luma[0]) {
        for (uint32_t i = 0; i < sizeof(luma); i++) {
            luma[i] = (uint8_t)(16 + i % LUMA_LEVELS);
        }
        for (uint32_t i = 0; i < sizeof(u); i += 2) {
            u[i] = (uint8_t)(96 + i / 2 % 64);
        }
    }
    memcpy(&v, odd, sizeof(v));
    for (size_t i = 0; i < width / 2; i++) {
        memcpy(&pair, u + i * 2, sizeof(pair));
        pair |= v;
        memcpy(chroma + i * 2, &pair, sizeof(pair));
    }
    for (size_t i = 0; i < width; i++) {
        out[i * 2] = chroma[i];
        out[i * 2 + 1] = from[i];
    }
}

bool camera_pattern_line(void *opaque, uint64_t frame, uint32_t y, uint8_t *out)
{
    const struct camera *c = opaque;
    const struct sensor *s = &c->sensor;

    if (s->type == SENSOR_YUV422_8 && pattern_strip(s, frame, 0, y) < 0) {
        pattern_yuv_line(s->width, frame, y, out);
        return true;
    }

    for (uint32_t x = 0; x < s->width; x++) {
        if (s->type == SENSOR_RGB888) {
            pattern_rgb(s, frame, x, y, out + x * 3);
        } else if (s->type != SENSOR_YUV422_8) {
            pattern_raw(s, frame, x, y, out);
        } else if (x % 2 == 0) {
            pattern_yuv_pair(s, frame, x, y, out + x * 2);
        }
    }
    return true;
}
