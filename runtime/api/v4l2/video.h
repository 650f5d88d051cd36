/* SPDX-License-Identifier: MIT */
/* libvtegra-video.so: the board's /dev/video0, and the descriptors of NvBufSurface.
 * libvtegra-preload.so loads it when a program opens that file, or makes the first of these
 * (VTEGRA_VIDEO_BEGIN), and sends it what the program does with the descriptor.
 */
#ifndef RUNTIME_API_V4L2_VIDEO_H
#define RUNTIME_API_V4L2_VIDEO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define VTEGRA_VIDEO_PATH "/dev/video0"
#define VTEGRA_VIDEO_VERSION 3

/**
 * struct vtegra_video
 * @open: a descriptor, or -1 and errno
 * @is: is this a descriptor of the camera or of a buffer that it exported?
 * @surface: is it one of NvBufSurface's? Of these @ioctl and @mmap take some
 * @ioctl: *@result, -1 with errno. Return: false: none of ours
 * @closed: it has been closed
 * @poll: what of @events is ready; waits for it, in the board's time, 0: not, -1: any time
 * @read: *@result as read(2) returns it, with errno. Return: false: none of ours
 * @mmap: where the memory of a descriptor is; MAP_FAILED with errno
 * @munmap: Return: false: none of these
 */
struct vtegra_video {
    unsigned version;
    int (*open)(int flags);
    bool (*is)(int fd);
    bool (*surface)(int fd);
    bool (*ioctl)(int fd, unsigned long request, void *what, int *result);
    void (*closed)(int fd);
    short (*poll)(int fd, short events, int64_t timeout_us);
    bool (*read)(int fd, void *to, size_t n, ssize_t *result);
    void *(*mmap)(size_t bytes, int prot, int flags, int fd, off_t offset);
    bool (*munmap)(void *at, size_t bytes);
};

/* Of libvtegra-preload.so, for libnvbufcommon.so: void (*)(void) */
#define VTEGRA_VIDEO_BEGIN "vtegra_video_begin"

typedef const struct vtegra_video *vtegra_video_fn(void);
__attribute__((visibility("default"))) vtegra_video_fn vtegra_video;

#endif
