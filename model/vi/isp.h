/* SPDX-License-Identifier: MIT */
/* The small ISP behind the video input: from a sensor's lines to lines of a surface, in integers.
 * Pure functions; docs/frames.md has the arithmetic.
 */
#ifndef MODEL_VI_ISP_H
#define MODEL_VI_ISP_H

#include <stdbool.h>
#include <stdint.h>

#include "model/regs/vi.h"
#include "model/sensor.h"

/* R, G, B or Y, U, V */
struct isp_pixel {
    uint8_t c[3];
};

/**
 * struct isp_config - a capture
 * @x, @y, @crop_width, @crop_height: of the sensor's frame, inside it; @x, @y even
 * @width, @height: of the surface
 */
struct isp_config {
    enum vi_format format;
    enum sensor_type type;
    uint32_t sensor_width, sensor_height;
    uint32_t x, y, crop_width, crop_height;
    uint32_t width, height;
};

/* Return: false: the engine has no such capture. */
bool isp_config_valid(const struct isp_config *c);
/* RAW that is stored as it is: no pixel is computed. */
bool isp_config_raw(const struct isp_config *c);
/* YUV that is neither scaled nor becomes RGB: isp_yuv_pack() and isp_yuv_chroma() make the same
 * bytes from the sensor's lines. */
bool isp_config_yuv(const struct isp_config *c);
void isp_yuv_pack(const struct isp_config *c, const uint8_t *line, uint8_t *out);
void isp_yuv_chroma(const struct isp_config *c, const uint8_t *even, const uint8_t *odd,
                    uint8_t *out);
/* Bytes of a line of the surface, of plane 0 or 1; 0: there is no such plane. */
uint32_t isp_plane_bytes(enum vi_format format, unsigned plane, uint32_t width);

/* Which line of the sensor output line @y is made of; the same of columns. */
uint32_t isp_source_line(const struct isp_config *c, uint32_t y);
uint32_t isp_source_column(const struct isp_config *c, uint32_t x);

/* A line of the sensor's as pixels. Of RAW it is line @y, @above and @below are its neighbours (at
 * the edge the neighbour on the other side); else only @line is used. @out: sensor_width pixels. */
void isp_line_decode(const struct isp_config *c, uint32_t y, const uint8_t *above,
                     const uint8_t *line, const uint8_t *below, struct isp_pixel *out);
/* Crop and scale to a surface's line, in the colours of its format. */
void isp_line_scale(const struct isp_config *c, const struct isp_pixel *in, struct isp_pixel *out);
/* Plane 0 of a line; chroma of two lines of NV12. */
void isp_line_pack(const struct isp_config *c, const struct isp_pixel *in, uint8_t *out);
void isp_chroma_pack(const struct isp_config *c, const struct isp_pixel *even,
                     const struct isp_pixel *odd, uint8_t *out);

#endif
