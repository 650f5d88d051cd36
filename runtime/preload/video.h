/* SPDX-License-Identifier: MIT */
#ifndef RUNTIME_PRELOAD_VIDEO_H
#define RUNTIME_PRELOAD_VIDEO_H

#include <stdbool.h>

/* open(2) of the board's camera. Return: false: the path is another one, or there is no camera;
 * else *@fd, -1 with errno. */
bool video_open(const char *path, int flags, int *fd);
/* A file that describes the camera's node to programs which look for it. Return: NULL: none */
const char *video_text(const char *path);

#endif
