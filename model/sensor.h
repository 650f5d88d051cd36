/* SPDX-License-Identifier: MIT */
/* A camera's sensor, as a capture engine has it on its CSI link: lines of pixels, frame by frame.
 * The model opens no file: the owner of the SoC has the pixels.
 */
#ifndef MODEL_SENSOR_H
#define MODEL_SENSOR_H

#include <stdbool.h>
#include <stdint.h>

/* Data types of MIPI CSI-2 (table "data type classes"; upstream tegra-video/vi.h). How a line lies
 * in memory here: YUV422_8: U Y V Y; RGB888: R, G, B; RAW: a Bayer mosaic, even lines R G, odd
 * lines G B, a byte a pixel of RAW8, 16 bits, low byte first, of RAW10 and RAW12 */
enum sensor_type {
    SENSOR_YUV422_8 = 0x1e,
    SENSOR_RGB888 = 0x24,
    SENSOR_RAW8 = 0x2a,
    SENSOR_RAW10 = 0x2b,
    SENSOR_RAW12 = 0x2c,
};

enum { SENSOR_SIZE_MIN = 2, SENSOR_SIZE_MAX = 8192 };

/**
 * struct sensor
 * @width, @height: even numbers of pixels
 * @period_ns: from the start of a frame to that of the next one
 * @line: line @y of frame @frame, the first since streaming began is 0. The same bytes each time.
 * Called inside soc_step(), calls nothing of the SoC. Return: false: the frame ends before this
 * line (a broken source)
 */
struct sensor {
    enum sensor_type type;
    uint32_t width, height;
    uint64_t period_ns;
    bool (*line)(void *opaque, uint64_t frame, uint32_t y, uint8_t *out);
    void *opaque;
};

static inline uint32_t sensor_line_bytes(enum sensor_type type, uint32_t width)
{
    return type == SENSOR_RGB888 ? width * 3 : type == SENSOR_RAW8 ? width : width * 2;
}

#endif
