/* SPDX-License-Identifier: MIT */
/* The test pattern: docs/frames.md has its formulas. */
#include "runtime/camera/camera_internal.h"

#define STRIP_LINES 16u
#define STRIP_BITS 32u

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
        out[i * 2 + 1] = strip < 0 ? (uint8_t)(16 + (x + i + y + 4 * frame) % 220)
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

bool camera_pattern_line(void *opaque, uint64_t frame, uint32_t y, uint8_t *out)
{
    const struct camera *c = opaque;
    const struct sensor *s = &c->sensor;

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
