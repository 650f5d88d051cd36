/* SPDX-License-Identifier: MIT */
/* A camera from a file, a folder or a formula: what `vtegra run --camera` names, as the sensor of a
 * SoC (model/sensor.h).
 *
 *   pattern:WxH@FPS[:yuv|rgb|raw8|raw10|raw12]   computed; the frame's number is in its top lines
 * (docs/frames.md) raw8:WxH@FPS:FILE, raw10:, raw12:            a Bayer mosaic, frames without
 * heads, 16 bits a pixel from raw10 on FILE.y4m                                     YUV4MPEG2 of 8
 * bits: 4:2:0, 4:2:2, 4:4:4, mono FILE.ppm                                     one or more P6 of
 * one size and 255 levels, 30 frames a second FOLDER                                       its
 * *.ppm in the order of their names, 30 frames a second
 *
 * Frames begin again after the last one. A file that is cut off has a last frame that ends early.
 */
#ifndef RUNTIME_CAMERA_CAMERA_H
#define RUNTIME_CAMERA_CAMERA_H

#include "model/sensor.h"

struct camera;

/* @why: a sentence without the name; g_free() it. Return: NULL with *@why set. */
struct camera *camera_open(const char *source, char **why);
void camera_close(struct camera *camera); /* NULL: nothing */
/* Valid as long as the camera. */
const struct sensor *camera_sensor(const struct camera *camera);
uint64_t camera_frames(const struct camera *camera); /* 0: no end */

#endif
