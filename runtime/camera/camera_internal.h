/* SPDX-License-Identifier: MIT */
#ifndef RUNTIME_CAMERA_CAMERA_INTERNAL_H
#define RUNTIME_CAMERA_CAMERA_INTERNAL_H

#include <glib.h>

#include "runtime/camera/camera.h"

/* Where a frame's pixels are. @end: of what is there, which may be less than a frame */
struct camera_frame {
    int fd;
    uint64_t at, end;
};

/**
 * struct camera
 * @chroma: of Y4M: planes behind luma, each @chroma_width x @chroma_height; 0: none
 * @buffer: a line of chroma planes and luma
 */
struct camera {
    struct sensor sensor;
    GArray *frames; /* struct camera_frame; NULL: a pattern */
    GArray *fds;
    unsigned chroma;
    uint32_t chroma_width, chroma_height;
    uint8_t *buffer;
};

/* pattern.c */
bool camera_pattern_line(void *opaque, uint64_t frame, uint32_t y, uint8_t *out);

/* y4m.c, ppm.c: fill @c from an open file. Return: NULL, or why not (g_free()). */
char *camera_y4m_read(struct camera *c, int fd);
char *camera_ppm_read(struct camera *c, int fd);
char *camera_folder_read(struct camera *c, const char *path);
/* A line of text, at most 255 bytes, without its end. Return: bytes it takes; 0: there is none. */
unsigned camera_text_line(int fd, uint64_t at, char text[256]);
bool camera_pread(int fd, void *out, uint64_t bytes, uint64_t at);
/* NULL, or why a sensor cannot have that size. */
char *camera_size_check(uint64_t width, uint64_t height);
void camera_frame_add(struct camera *c, int fd, uint64_t at, uint64_t end);

#endif
