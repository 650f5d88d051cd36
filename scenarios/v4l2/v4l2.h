// SPDX-License-Identifier: MIT
// What the scenarios of the camera share: /dev/video0 with frames of the test pattern
// (docs/frames.md), YUV 4:2:2.
#pragma once
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define OK(call)                                        \
    do {                                                \
        if ((call) != 0) {                              \
            printf("%s: %s\n", #call, strerror(errno)); \
            exit(2);                                    \
        }                                               \
    } while (0)

static int camera, capture = V4L2_BUF_TYPE_VIDEO_CAPTURE;
static v4l2_format format;

static inline unsigned pixels(void)
{
    return format.fmt.pix.width * format.fmt.pix.height;
}

// Whole pages, as USERPTR buffers have them.
static inline unsigned length(void)
{
    return (format.fmt.pix.sizeimage + 4095) & ~4095u;
}

static inline void camera_open(uint32_t memory, unsigned buffers)
{
    v4l2_requestbuffers r = {};

    camera = open("/dev/video0", O_RDWR);
    format.type = r.type = capture;
    r.count = buffers;
    r.memory = memory;
    OK(camera < 0);
    OK(ioctl(camera, VIDIOC_G_FMT, &format));
    OK(ioctl(camera, VIDIOC_REQBUFS, &r));
}

static inline v4l2_buffer buffer(uint32_t memory, unsigned index)
{
    v4l2_buffer b = {};

    b.type = capture;
    b.memory = memory;
    b.index = index;
    return b;
}

static inline v4l2_buffer user_buffer(unsigned index, void *at)
{
    v4l2_buffer b = buffer(V4L2_MEMORY_USERPTR, index);

    b.m.userptr = (unsigned long)at;
    b.length = length();
    return b;
}

static inline uint8_t *buffer_map(unsigned index)
{
    v4l2_buffer b = buffer(V4L2_MEMORY_MMAP, index);

    OK(ioctl(camera, VIDIOC_QUERYBUF, &b));
    return (uint8_t *)mmap(nullptr, b.length, PROT_READ | PROT_WRITE, MAP_SHARED, camera,
                           b.m.offset);
}

// Luma of the pattern, below its strip of 16 lines.
static inline uint8_t luma(unsigned pixel, unsigned frame)
{
    unsigned width = format.fmt.pix.width;

    return (uint8_t)(16 + (pixel % width + pixel / width + 4 * frame) % 220);
}
