/* SPDX-License-Identifier: MIT */
/* read(): buffers of the device's own behind it, as videobuf2's file I/O emulator has them
 * (Linux, videobuf2-core.c, __vb2_perform_fileio()). */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/api/v4l2/v4l2.h"

#define FILEIO_BUFFERS 2u

/* @held: a frame is being read, from @at on */
static struct {
    bool held;
    struct v4l2_buffer buffer;
    size_t at;
} reading;

static struct v4l2_buffer mmap_buffer(uint32_t index)
{
    return (struct v4l2_buffer){ .index = index,
                                 .type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
                                 .memory = V4L2_MEMORY_MMAP };
}

int video_fileio_begin(const struct video_file *f)
{
    struct v4l2_requestbuffers r = { .count = FILEIO_BUFFERS,
                                     .type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
                                     .memory = V4L2_MEMORY_MMAP };
    int type = V4L2_BUF_TYPE_VIDEO_CAPTURE, err;

    if (video.fileio) {
        return video.owner == f ? 0 : -EBUSY;
    }
    if (video.streams || video.buffers) {
        return -EBUSY;
    }
    err = video_reqbufs(f, &r);
    for (uint32_t i = 0; !err && i < r.count; i++) {
        struct v4l2_buffer b = mmap_buffer(i);

        err = video_qbuf(f, &b);
    }
    err = err ? err : video_streamon(f, &type);
    if (err) {
        video_queue_end();
    }
    video.fileio = !err;
    reading.held = false;
    return err;
}

/* What the program gave need not be memory that it may write. */
static bool bytes_put(void *to, const uint8_t *from, size_t n)
{
    struct iovec here = { (void *)from, n }, there = { to, n };

    return process_vm_writev(getpid(), &here, 1, &there, 1, 0) == (ssize_t)n;
}

ssize_t video_read(const struct video_file *f, void *to, size_t n)
{
    int err = n ? video_fileio_begin(f) : 0;

    if (err || !n) {
        return err;
    }
    if (!reading.held) {
        reading.buffer = mmap_buffer(0);
        err = video_dqbuf(f, &reading.buffer);
        if (err) {
            return err;
        }
        reading.held = true;
        reading.at = 0;
    }
    n = MIN(n, reading.buffer.bytesused - reading.at);
    if (!bytes_put(to,
                   (const uint8_t *)rt_shared_cpu(video.buffer[reading.buffer.index].shared) +
                       reading.at,
                   n)) {
        return -EFAULT;
    }
    reading.at += n;
    if (reading.at == reading.buffer.bytesused) {
        struct v4l2_buffer again = mmap_buffer(reading.buffer.index);

        reading.held = false;
        err = video_qbuf(f, &again);
    }
    return err ? err : (ssize_t)n;
}
