/* SPDX-License-Identifier: MIT */
/* The camera as V4L2 has it (Linux media documentation, part I; videobuf2). One queue, which
 * belongs to the file that asked for buffers. Functions that a request names return 0 or a negative
 * errno.
 */
#ifndef RUNTIME_API_V4L2_V4L2_H
#define RUNTIME_API_V4L2_V4L2_H

#include <glib.h>
#include <linux/videodev2.h>

#include "runtime/driver/engines/vi/rt_camera.h"

/* @dmabuf: what EXPBUF gave; else the camera. @file: the descriptor's device and inode */
struct video_file {
    int fd, flags;
    uint64_t file[2];
    struct rt_shared *dmabuf;
};

enum video_state { VIDEO_DEQUEUED, VIDEO_QUEUED };

/**
 * struct video_buffer
 * @shared: of MMAP, and of DMABUF what the descriptor names; @memory: as the VI has it. Of the
 * other two it stays from one QBUF to the next if that names the same memory: @user, @length,
 * @dmabuf
 */
struct video_buffer {
    enum video_state state;
    struct rt_shared *shared;
    struct rt_camera_buffer *memory;
    uint64_t ticket;
    void *user;
    uint32_t length;
    int dmabuf;
    struct vi_capture_status status;
};

/* @owner: NULL: no buffers. @queued: indices, oldest first. @fileio: the queue is that of read() */
struct video_device {
    GMutex lock;
    struct rt_camera_info info;
    struct v4l2_pix_format format;
    const struct video_file *owner;
    enum v4l2_memory memory;
    struct video_buffer buffer[VIDEO_MAX_FRAME];
    uint32_t buffers;
    uint32_t queued[VIDEO_MAX_FRAME], n_queued;
    bool streams, fileio;
};

extern struct video_device video;

/* format.c */
void video_format_default(void);
enum vi_format video_format_vi(uint32_t fourcc);
int video_querycap(struct v4l2_capability *cap);
int video_enum_fmt(struct v4l2_fmtdesc *f);
int video_g_fmt(struct v4l2_format *f);
int video_try_fmt(struct v4l2_format *f);
int video_s_fmt(struct v4l2_format *f);
int video_enum_framesizes(struct v4l2_frmsizeenum *f);
int video_enum_frameintervals(struct v4l2_frmivalenum *f);
int video_g_parm(struct v4l2_streamparm *p);
int video_enuminput(struct v4l2_input *input);

/* queue.c; the lock is held */
int video_reqbufs(const struct video_file *f, struct v4l2_requestbuffers *r);
int video_create_bufs(const struct video_file *f, struct v4l2_create_buffers *c);
int video_querybuf(struct v4l2_buffer *b);
int video_qbuf(const struct video_file *f, struct v4l2_buffer *b);
int video_dqbuf(const struct video_file *f,
                struct v4l2_buffer *b); /* the lock is free while it waits */
int video_expbuf(const struct video_file *f, struct v4l2_exportbuffer *e);
int video_streamon(const struct video_file *f, const int *type);
int video_streamoff(const struct video_file *f, const int *type);
short video_queue_poll(const struct video_file *f, short events, int64_t timeout_us);
void video_queue_end(void);

/* fileio.c; the lock is held. What the queue's requests get meanwhile is -EBUSY. */
int video_fileio_begin(const struct video_file *f);
ssize_t video_read(const struct video_file *f, void *to, size_t n);

/* video.c */
struct video_file *video_file_new(int flags, struct rt_shared *dmabuf);
struct rt_shared *video_dmabuf_of(int fd); /* borrowed; NULL: no buffer of this board */

/* surface.c: descriptors of NvBufSurface. NULL with errno; @planes: which have bytes there */
bool video_surface_is(int fd);
struct rt_shared *video_surface_map(size_t bytes, int prot, int flags, int fd, uint64_t offset,
                                    uint32_t *planes);
void video_surface_unmap(struct rt_shared *memory, uint32_t planes);

#endif
