/* SPDX-License-Identifier: MIT */
/* Buffers, as videobuf2 with dma-contig has them (Linux, drivers/media/common/videobuf2). */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "runtime/api/v4l2/v4l2.h"

#define PAGE 4096u
#define DMA_ALIGN 128u /* dma_get_cache_alignment() of arm64: ARCH_DMA_MINALIGN */
#define FLAGS (V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC | V4L2_BUF_FLAG_TSTAMP_SRC_EOF)

static uint32_t buffer_length(void)
{
    return (video.format.sizeimage + PAGE - 1) & ~(PAGE - 1);
}

static void buffer_drop(struct video_buffer *b)
{
    rt_camera_buffer_free(b->memory);
    rt_shared_unref(b->shared);
    memset(b, 0, sizeof(*b));
}

/* Queued captures are over: STREAMOFF has ended them, or there were none. */
static void buffers_free(void)
{
    for (uint32_t i = 0; i < video.buffers; i++) {
        buffer_drop(&video.buffer[i]);
    }
    video.buffers = 0;
    video.owner = NULL;
    video.fileio = false;
}

/* --- REQBUFS ---------------------------------------------------------------------------------- */

/* dma_alloc_attrs() of a device that is not coherent: uncached. */
static int buffer_allocate(struct video_buffer *b)
{
    int err;

    if (rt_shared_new(buffer_length(), PAGE, false, "VIDIOC_REQBUFS", &b->shared) != CUDA_SUCCESS) {
        return -ENOMEM;
    }
    err = rt_camera_buffer_shared(b->shared, &b->memory);
    if (err) {
        buffer_drop(b);
    }
    return err;
}

static bool queue_is_anothers(const struct video_file *f)
{
    return video.owner && video.owner != f;
}

static int type_check(uint32_t type, uint32_t memory)
{
    return type == V4L2_BUF_TYPE_VIDEO_CAPTURE &&
                   (memory == V4L2_MEMORY_MMAP || memory == V4L2_MEMORY_USERPTR ||
                    memory == V4L2_MEMORY_DMABUF)
               ? 0
               : -EINVAL;
}

#define CAPABILITIES                                                                             \
    (V4L2_BUF_CAP_SUPPORTS_MMAP | V4L2_BUF_CAP_SUPPORTS_USERPTR | V4L2_BUF_CAP_SUPPORTS_DMABUF | \
     V4L2_BUF_CAP_SUPPORTS_ORPHANED_BUFS)

/* @count more, or as many as there is memory for. */
static int buffers_add(uint32_t count)
{
    uint32_t end = video.buffers + count;
    int err = 0;

    for (; !err && video.buffers < end; video.buffers += !err) {
        video.buffer[video.buffers] = (struct video_buffer){ .dmabuf = -1 };
        err = video.memory == V4L2_MEMORY_MMAP ? buffer_allocate(&video.buffer[video.buffers]) : 0;
    }
    return err;
}

int video_reqbufs(const struct video_file *f, struct v4l2_requestbuffers *r)
{
    int err = type_check(r->type, r->memory);

    r->capabilities = CAPABILITIES;
    if (err) {
        return err;
    }
    if (queue_is_anothers(f) || video.streams) {
        return -EBUSY;
    }
    video_queue_end();
    video.memory = (enum v4l2_memory)r->memory;
    err = buffers_add(MIN(r->count, VIDEO_MAX_FRAME));
    if (err && !video.buffers) {
        return err;
    }
    r->count = video.buffers;
    video.owner = video.buffers ? f : NULL;
    return 0;
}

/* vb2_create_bufs(). Buffers have one length here: that of the format that is set. */
int video_create_bufs(const struct video_file *f, struct v4l2_create_buffers *c)
{
    uint32_t size = c->format.fmt.pix.sizeimage, before = video.buffers;
    int err = type_check(c->format.type, c->memory);

    c->index = video.buffers;
    c->capabilities = CAPABILITIES;
    if (!c->count || err) {
        return err;
    }
    if (queue_is_anothers(f) || video.fileio) {
        return -EBUSY;
    }
    if (video.buffers && video.memory != c->memory) {
        return -EINVAL;
    }
    if (size < video.format.sizeimage || size > buffer_length()) {
        fprintf(stderr,
                "vtegra: VIDIOC_CREATE_BUFS: buffers have the length of the format: sizeimage is "
                "%u to %u\n",
                video.format.sizeimage, buffer_length());
        return -EINVAL;
    }
    if (video.buffers == VIDEO_MAX_FRAME) {
        return -ENOBUFS;
    }
    video.memory = (enum v4l2_memory)c->memory;
    err = buffers_add(MIN(c->count, VIDEO_MAX_FRAME - video.buffers));
    c->count = video.buffers - before;
    video.owner = video.buffers ? f : NULL;
    return c->count ? 0 : err;
}

/* --- QUERYBUF --------------------------------------------------------------------------------- */

static void buffer_show(uint32_t index, struct v4l2_buffer *out)
{
    const struct video_buffer *b = &video.buffer[index];
    uint32_t type = V4L2_BUF_TYPE_VIDEO_CAPTURE;

    memset(out, 0, sizeof(*out));
    out->index = index;
    out->type = type;
    out->memory = video.memory;
    out->field = V4L2_FIELD_NONE;
    out->flags = FLAGS | (b->state == VIDEO_QUEUED ? V4L2_BUF_FLAG_QUEUED : 0);
    out->length = video.memory == V4L2_MEMORY_MMAP ? buffer_length() : b->length;
    if (video.memory == V4L2_MEMORY_MMAP) {
        out->m.offset = index * buffer_length();
    } else if (video.memory == V4L2_MEMORY_USERPTR) {
        out->m.userptr = (unsigned long)(uintptr_t)b->user;
    } else {
        out->m.fd = b->dmabuf;
    }
    if (b->status.status) {
        out->sequence = (uint32_t)b->status.frame;
        out->timestamp.tv_sec = (time_t)(b->status.eof_ns / 1000000000);
        out->timestamp.tv_usec = (suseconds_t)(b->status.eof_ns / 1000 % 1000000);
        out->bytesused = video.format.sizeimage;
        out->flags |= b->status.status == VI_STATUS_SUCCESS ? 0 : V4L2_BUF_FLAG_ERROR;
    }
}

int video_querybuf(struct v4l2_buffer *b)
{
    if (b->type != V4L2_BUF_TYPE_VIDEO_CAPTURE || b->index >= video.buffers) {
        return -EINVAL;
    }
    buffer_show(b->index, b);
    return 0;
}

/* --- QBUF ------------------------------------------------------------------------------------- */

/* vb2_dc_get_userptr(). */
static int buffer_userptr(struct video_buffer *b, void *user, uint32_t length)
{
    struct rt_camera_buffer *memory;
    int err;

    if (b->memory && b->user == user && b->length == length) {
        return 0;
    }
    if (length < video.format.sizeimage || ((uintptr_t)user | length) % DMA_ALIGN) {
        fprintf(stderr,
                "vtegra: VIDIOC_QBUF: a USERPTR buffer and its length are multiples of %u bytes, "
                "at least sizeimage, %u "
                "(vb2_dc_get_userptr())\n",
                DMA_ALIGN, video.format.sizeimage);
        return -EINVAL;
    }
    err = rt_camera_buffer_user(user, length, &memory);
    if (err) {
        if (err == -ENOTSUP) {
            fputs("vtegra: VIDIOC_QBUF: on this board only memory of CUDA can be a USERPTR buffer: "
                  "pages of malloc() are not "
                  "modelled for it\n",
                  stderr);
        }
        return err == -ENOMEM ? -ENOMEM : -EFAULT;
    }
    rt_camera_buffer_free(b->memory);
    b->memory = memory;
    b->user = user;
    b->length = length;
    return 0;
}

static int buffer_dmabuf(struct video_buffer *b, int fd)
{
    struct rt_shared *shared = video_dmabuf_of(fd);
    struct rt_camera_buffer *memory;
    int err;

    if (!shared || rt_shared_size(shared) < video.format.sizeimage) {
        return -EINVAL;
    }
    if (b->memory && b->shared == shared) {
        b->dmabuf = fd;
        return 0;
    }
    err = rt_camera_buffer_shared(shared, &memory);
    if (err) {
        return err;
    }
    rt_camera_buffer_free(b->memory);
    rt_shared_unref(b->shared);
    b->memory = memory;
    b->shared = rt_shared_ref(shared);
    b->dmabuf = fd;
    b->length = (uint32_t)rt_shared_size(shared);
    return 0;
}

static int buffer_prepare(struct video_buffer *b, const struct v4l2_buffer *from)
{
    return video.memory == V4L2_MEMORY_USERPTR
               ? buffer_userptr(b, (void *)(uintptr_t)from->m.userptr, from->length)
           : video.memory == V4L2_MEMORY_DMABUF ? buffer_dmabuf(b, from->m.fd)
                                                : 0;
}

static int buffer_queue(struct video_buffer *b)
{
    struct rt_camera_shot shot = { .buffer = b->memory,
                                   .format = video_format_vi(video.format.pixelformat),
                                   .width = video.format.width,
                                   .height = video.format.height,
                                   .stride = { video.format.bytesperline,
                                               video.format.bytesperline } };

    shot.offset[1] = (uint64_t)video.format.bytesperline * video.format.height;
    return rt_camera_queue(&shot, "VIDIOC_QBUF", &b->ticket);
}

int video_qbuf(const struct video_file *f, struct v4l2_buffer *from)
{
    struct video_buffer *b = &video.buffer[from->index % VIDEO_MAX_FRAME];
    int err;

    if (from->type != V4L2_BUF_TYPE_VIDEO_CAPTURE || from->index >= video.buffers ||
        from->memory != video.memory) {
        return -EINVAL;
    }
    if (queue_is_anothers(f)) {
        return -EBUSY;
    }
    if (b->state != VIDEO_DEQUEUED) {
        fprintf(stderr,
                "vtegra: VIDIOC_QBUF: buffer %u is queued already: it is the camera's until "
                "VIDIOC_DQBUF\n",
                from->index);
        return -EINVAL;
    }
    err = buffer_prepare(b, from);
    err = err ? err : buffer_queue(b);
    if (!err) {
        b->state = VIDEO_QUEUED;
        memset(&b->status, 0, sizeof(b->status));
        video.queued[video.n_queued++] = from->index;
        buffer_show(from->index, from);
    }
    return err;
}

/* --- DQBUF ------------------------------------------------------------------------------------ */

/* The lock is free meanwhile, and the queue may be another then. */
static int oldest_wait(int64_t timeout_us)
{
    uint64_t ticket = video.buffer[video.queued[0]].ticket;
    int err;

    g_mutex_unlock(&video.lock);
    if (timeout_us == 0 && rt_camera_wait(ticket, 0) == -ETIMEDOUT) {
        rt_camera_poll();
    }
    err = rt_camera_wait(ticket, timeout_us);
    g_mutex_lock(&video.lock);
    return err;
}

static int oldest_get(bool blocks)
{
    int err = 0;

    if (!video.streams) {
        return -EINVAL;
    }
    if (!video.n_queued) {
        if (blocks) {
            fputs("vtegra: VIDIOC_DQBUF: no buffer is queued: on a board the call blocks until "
                  "another thread queues one\n",
                  stderr);
        }
        return blocks ? -EDEADLK : -EAGAIN;
    }
    err = oldest_wait(blocks ? -1 : 0);
    return err == -ETIMEDOUT ? -EAGAIN : err;
}

int video_dqbuf(const struct video_file *f, struct v4l2_buffer *out)
{
    uint32_t index;
    int err;

    if (out->type != V4L2_BUF_TYPE_VIDEO_CAPTURE || out->memory != video.memory) {
        return -EINVAL;
    }
    if (queue_is_anothers(f)) {
        return -EBUSY;
    }
    err = oldest_get(!(f->flags & O_NONBLOCK));
    if (err || !video.n_queued) {
        return err ? err : -EINVAL;
    }
    index = video.queued[0];
    memmove(video.queued, video.queued + 1, --video.n_queued * sizeof(*video.queued));
    video.buffer[index].state = VIDEO_DEQUEUED;
    rt_camera_take(video.buffer[index].ticket, video.buffer[index].memory,
                   &video.buffer[index].status);
    buffer_show(index, out);
    return 0;
}

/* vb2_core_poll(): read() begins here, too; an error without streaming or without queued buffers.
 */
short video_queue_poll(const struct video_file *f, short events, int64_t timeout_us)
{
    int err;

    if (!(events & (POLLIN | POLLRDNORM))) {
        return 0;
    }
    if (!video.buffers && video_fileio_begin(f)) {
        return POLLERR;
    }
    if (!video.streams || !video.n_queued) {
        return POLLERR;
    }
    err = oldest_wait(timeout_us);
    return err == 0 ? (short)(events & (POLLIN | POLLRDNORM)) : err == -ETIMEDOUT ? 0 : POLLERR;
}

/* --- streaming -------------------------------------------------------------------------------- */

int video_streamon(const struct video_file *f, const int *type)
{
    if (*type != V4L2_BUF_TYPE_VIDEO_CAPTURE || !video.buffers) {
        return -EINVAL;
    }
    if (queue_is_anothers(f)) {
        return -EBUSY;
    }
    if (!video.streams) {
        video.streams = true;
        rt_camera_stream(true);
    }
    return 0;
}

static void queue_stop(void)
{
    rt_camera_stream(false);
    for (uint32_t i = 0; i < video.n_queued; i++) {
        struct video_buffer *b = &video.buffer[video.queued[i]];

        rt_camera_wait(b->ticket, -1); /* the reset has ended it */
        rt_camera_take(b->ticket, b->memory, &b->status);
        memset(&b->status, 0, sizeof(b->status));
        b->state = VIDEO_DEQUEUED;
    }
    video.n_queued = 0;
    video.streams = false;
}

int video_streamoff(const struct video_file *f, const int *type)
{
    if (*type != V4L2_BUF_TYPE_VIDEO_CAPTURE) {
        return -EINVAL;
    }
    if (queue_is_anothers(f)) {
        return -EBUSY;
    }
    queue_stop();
    return 0;
}

void video_queue_end(void)
{
    if (video.buffers) {
        queue_stop();
    }
    buffers_free();
}

/* --- EXPBUF ----------------------------------------------------------------------------------- */

int video_expbuf(const struct video_file *f, struct v4l2_exportbuffer *e)
{
    const struct video_file *made;

    if (e->type != V4L2_BUF_TYPE_VIDEO_CAPTURE || video.memory != V4L2_MEMORY_MMAP ||
        e->index >= video.buffers || e->plane || e->flags & ~(uint32_t)(O_CLOEXEC | O_ACCMODE)) {
        return -EINVAL;
    }
    if (queue_is_anothers(f)) {
        return -EBUSY;
    }
    made = video_file_new((int)e->flags, video.buffer[e->index].shared);
    if (!made) {
        return -EMFILE;
    }
    e->fd = made->fd;
    return 0;
}
