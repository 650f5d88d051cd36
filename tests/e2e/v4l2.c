/* SPDX-License-Identifier: MIT */
/* The board's /dev/video0: buffers of each kind, frame numbers out of the test pattern, and what
 * the kernel refuses. v4l2 mmap | user | dmabuf | surface | unsynced | errors | short | read |
 * created | epoll */
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nvbufsurface.h"

enum { BUFFERS = 3, FRAMES = 8 };

static int camera, capture = V4L2_BUF_TYPE_VIDEO_CAPTURE;
static struct v4l2_format format = { .type = V4L2_BUF_TYPE_VIDEO_CAPTURE };
static int wrong, unsynced;

static void check(int ok, const char *what)
{
    if (!ok) {
        printf("wrong: %s (%s)\n", what, strerror(errno));
        wrong++;
    }
}

static int call(unsigned long request, void *what)
{
    errno = 0;
    return ioctl(camera, request, what);
}

/* docs/frames.md: the top lines have the frame's number, 32 fields, the highest bit first; below Y
 * = 16 + (x + y + 4 n) % 220. */
static uint32_t number_of(const uint8_t *uyvy)
{
    uint32_t field = format.fmt.pix.width / 32 & ~1u, number = 0;

    for (uint32_t i = 0; i < 32; i++) {
        number = number << 1 | (uyvy[i * field * 2 + 1] == 235);
    }
    return number;
}

static int is_frame(const uint8_t *uyvy, uint32_t number)
{
    for (uint32_t y = 16; y < format.fmt.pix.height; y++) {
        for (uint32_t x = 0; x < format.fmt.pix.width; x++) {
            if (uyvy[y * format.fmt.pix.bytesperline + x * 2 + 1] !=
                16 + (x + y + 4 * number) % 220) {
                return 0;
            }
        }
    }
    return number_of(uyvy) == number;
}

static void buffers_ask(uint32_t memory)
{
    struct v4l2_requestbuffers r = { .count = BUFFERS, .type = capture, .memory = memory };

    check(call(VIDIOC_REQBUFS, &r) == 0 && r.count == BUFFERS, "REQBUFS");
}

/* @at: of each buffer; @fd: of DMABUF */
static void stream(uint32_t memory, uint8_t *const at[BUFFERS], const int fd[BUFFERS],
                   size_t length)
{
    uint32_t last = 0;

    for (uint32_t i = 0; i < BUFFERS; i++) {
        struct v4l2_buffer b = { .index = i, .type = capture, .memory = memory, .length = length };

        if (memory == V4L2_MEMORY_USERPTR) {
            b.m.userptr = (unsigned long)at[i];
        } else if (memory == V4L2_MEMORY_DMABUF) {
            b.m.fd = fd[i];
        }
        check(call(VIDIOC_QBUF, &b) == 0, "QBUF");
    }
    check(call(VIDIOC_STREAMON, &capture) == 0, "STREAMON");
    for (int i = 0; i < FRAMES; i++) {
        struct v4l2_buffer b = { .type = capture, .memory = memory };
        struct pollfd p = { camera, POLLIN, 0 };

        check(poll(&p, 1, 1000) == 1 && p.revents == POLLIN, "poll");
        check(call(VIDIOC_DQBUF, &b) == 0, "DQBUF");
        check(i == 0 || b.sequence == last + 1, "the sequence");
        last = b.sequence;
        if (memory == V4L2_MEMORY_DMABUF && !unsynced) {
            struct dma_buf_sync sync = { DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ };

            check(ioctl(fd[b.index], DMA_BUF_IOCTL_SYNC, &sync) == 0, "DMA_BUF_IOCTL_SYNC");
        }
        check(is_frame(at[b.index], b.sequence), "the frame");
        check(call(VIDIOC_QBUF, &b) == 0, "QBUF again");
    }
    check(call(VIDIOC_STREAMOFF, &capture) == 0, "STREAMOFF");
}

static void mmap_frames(int exported)
{
    uint8_t *at[BUFFERS];
    int fd[BUFFERS];
    size_t length = 0;

    buffers_ask(V4L2_MEMORY_MMAP);
    for (uint32_t i = 0; i < BUFFERS; i++) {
        struct v4l2_buffer b = { .index = i, .type = capture };
        struct v4l2_exportbuffer e = { .index = i, .type = capture, .flags = O_RDWR | O_CLOEXEC };

        check(call(VIDIOC_QUERYBUF, &b) == 0, "QUERYBUF");
        length = b.length;
        check(call(VIDIOC_EXPBUF, &e) == 0, "EXPBUF");
        fd[i] = e.fd;
        at[i] = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, exported ? e.fd : camera,
                     exported ? 0 : b.m.offset);
        check(at[i] != MAP_FAILED, "mmap");
    }
    if (exported) { /* the queue is freed, the buffers live on by their descriptors */
        struct v4l2_requestbuffers none = { .type = capture, .memory = V4L2_MEMORY_MMAP };

        check(call(VIDIOC_REQBUFS, &none) == 0, "REQBUFS 0");
        buffers_ask(V4L2_MEMORY_DMABUF);
    }
    stream(exported ? V4L2_MEMORY_DMABUF : V4L2_MEMORY_MMAP, at, fd, length);
    for (uint32_t i = 0; i < BUFFERS; i++) {
        check(munmap(at[i], length) == 0, "munmap");
        close(fd[i]);
    }
}

static void user_frames(void)
{
    size_t length = (format.fmt.pix.sizeimage + 4095) & ~4095u;
    uint8_t *at[BUFFERS];

    buffers_ask(V4L2_MEMORY_USERPTR);
    for (uint32_t i = 0; i < BUFFERS; i++) {
        at[i] = aligned_alloc(4096, length);
        memset(at[i], 0x11, length); /* lines of the CPU's, which QBUF and DQBUF maintain */
    }
    stream(V4L2_MEMORY_USERPTR, at, NULL, length);
    for (uint32_t i = 0; i < BUFFERS; i++) {
        free(at[i]);
    }
}

static void surface_frames(void)
{
    NvBufSurfaceCreateParams params = { .width = format.fmt.pix.bytesperline / 2,
                                        .height = format.fmt.pix.height,
                                        .colorFormat = NVBUF_COLOR_FORMAT_UYVY,
                                        .layout = NVBUF_LAYOUT_PITCH,
                                        .memType = NVBUF_MEM_SURFACE_ARRAY };
    NvBufSurface *s[BUFFERS];
    uint8_t *at[BUFFERS];
    int fd[BUFFERS];

    buffers_ask(V4L2_MEMORY_DMABUF);
    for (uint32_t i = 0; i < BUFFERS; i++) {
        check(NvBufSurfaceCreate(&s[i], 1, &params) == 0 &&
                  NvBufSurfaceMap(s[i], 0, 0, NVBUF_MAP_READ) == 0,
              "a surface");
        check(s[i]->surfaceList[0].pitch == format.fmt.pix.bytesperline, "the pitch");
        at[i] = s[i]->surfaceList[0].mappedAddr.addr[0];
        fd[i] = (int)s[i]->surfaceList[0].bufferDesc;
    }
    stream(V4L2_MEMORY_DMABUF, at, fd, 0);
}

/* --- what the kernel refuses ------------------------------------------------------------------ */

static void refuse(unsigned long request, void *what, int error, const char *text)
{
    check(call(request, what) == -1 && errno == error, text);
}

static void null_arguments(void)
{
    static const unsigned long requests[] = {
        VIDIOC_QUERYCAP, VIDIOC_ENUM_FMT,  VIDIOC_G_FMT,  VIDIOC_S_FMT,           VIDIOC_TRY_FMT,
        VIDIOC_REQBUFS,  VIDIOC_QUERYBUF,  VIDIOC_QBUF,   VIDIOC_DQBUF,           VIDIOC_EXPBUF,
        VIDIOC_STREAMON, VIDIOC_STREAMOFF, VIDIOC_G_PARM, VIDIOC_ENUM_FRAMESIZES, VIDIOC_ENUMINPUT,
    };

    for (unsigned i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
        refuse(requests[i], NULL, EFAULT, "a NULL argument");
        refuse(requests[i], (void *)4096, EFAULT, "a wrong pointer");
    }
    refuse(VIDIOC_QUERYSTD, &(v4l2_std_id){ 0 }, ENOTTY, "a request that the device has not");
    refuse(0, NULL, ENOTTY, "request 0");
    refuse(_IOWR('V', 200, char[8000]), NULL, ENOTTY, "a long request");
}

static void wrong_formats(void)
{
    struct v4l2_format f = { .type = V4L2_BUF_TYPE_VIDEO_OUTPUT };
    struct v4l2_fmtdesc d = { .index = 99, .type = capture };

    refuse(VIDIOC_G_FMT, &f, EINVAL, "G_FMT of an output");
    refuse(VIDIOC_S_FMT, &f, EINVAL, "S_FMT of an output");
    refuse(VIDIOC_ENUM_FMT, &d, EINVAL, "format 99");
    f = (struct v4l2_format){
        .type = capture,
        .fmt.pix = { .width = 1, .height = UINT32_MAX, .pixelformat = 7, .bytesperline = 3 }
    };
    check(call(VIDIOC_TRY_FMT, &f) == 0 && f.fmt.pix.width == 32 && f.fmt.pix.height == 8192 &&
              f.fmt.pix.bytesperline == 64 && f.fmt.pix.pixelformat == V4L2_PIX_FMT_UYVY,
          "TRY_FMT makes it possible");
}

static void wrong_queue(void)
{
    struct v4l2_requestbuffers r = { .count = 2, .type = capture, .memory = V4L2_MEMORY_OVERLAY };
    struct v4l2_buffer b = { .type = capture, .memory = V4L2_MEMORY_MMAP };
    struct v4l2_exportbuffer e = { .type = capture };
    struct pollfd p = { camera, POLLIN, 0 };
    int output = V4L2_BUF_TYPE_VIDEO_OUTPUT, other;

    refuse(VIDIOC_REQBUFS, &r, EINVAL, "REQBUFS of an overlay");
    refuse(VIDIOC_STREAMON, &capture, EINVAL, "STREAMON without buffers");
    refuse(VIDIOC_QBUF, &b, EINVAL, "QBUF without buffers");
    refuse(VIDIOC_DQBUF, &b, EINVAL, "DQBUF without streaming");
    r.memory = V4L2_MEMORY_MMAP;
    check(call(VIDIOC_REQBUFS, &r) == 0, "REQBUFS");
    check(poll(&p, 1, -1) == 1 && p.revents == POLLERR, "poll without streaming");
    check(read(camera, &b, 1) == -1 && errno == EBUSY, "read with buffers");
    refuse(VIDIOC_S_FMT, &format, EBUSY, "S_FMT with buffers");
    b.index = 2;
    refuse(VIDIOC_QUERYBUF, &b, EINVAL, "QUERYBUF 2 of 2");
    refuse(VIDIOC_QBUF, &b, EINVAL, "QBUF 2 of 2");
    b.index = UINT32_MAX;
    refuse(VIDIOC_QBUF, &b, EINVAL, "QBUF -1");
    b.index = 0;
    b.memory = V4L2_MEMORY_USERPTR;
    refuse(VIDIOC_QBUF, &b, EINVAL, "QBUF of another memory");
    b.memory = V4L2_MEMORY_MMAP;
    check(call(VIDIOC_QBUF, &b) == 0, "QBUF");
    refuse(VIDIOC_QBUF, &b, EINVAL, "QBUF twice");
    refuse(VIDIOC_STREAMON, &output, EINVAL, "STREAMON of an output");
    e.index = 2;
    refuse(VIDIOC_EXPBUF, &e, EINVAL, "EXPBUF 2 of 2");
    check(mmap(NULL, 4096, PROT_READ, MAP_SHARED, camera, 4096) == MAP_FAILED && errno == EINVAL,
          "mmap of no buffer");
    check(mmap(NULL, 1 << 30, PROT_READ, MAP_SHARED, camera, 0) == MAP_FAILED && errno == EINVAL,
          "mmap of more");
    other = open("/dev/video0", O_RDWR | O_NONBLOCK);
    check(other >= 0 && ioctl(other, VIDIOC_REQBUFS, &r) == -1 && errno == EBUSY,
          "REQBUFS by another file");
    close(other);
    r.count = 0;
    check(call(VIDIOC_REQBUFS, &r) == 0, "REQBUFS 0");
}

static void wrong_memory(void)
{
    struct v4l2_requestbuffers r = { .count = 1, .type = capture, .memory = V4L2_MEMORY_USERPTR };
    size_t length = (format.fmt.pix.sizeimage + 4095) & ~4095u;
    uint8_t *at = aligned_alloc(4096, length + 4096);
    struct v4l2_buffer b = { .type = capture, .memory = V4L2_MEMORY_USERPTR, .length = length };

    check(call(VIDIOC_REQBUFS, &r) == 0, "REQBUFS");
    b.m.userptr = (unsigned long)at + 16;
    refuse(VIDIOC_QBUF, &b, EINVAL, "USERPTR not a multiple of a cache line");
    b.m.userptr = 0;
    refuse(VIDIOC_QBUF, &b, EFAULT, "USERPTR NULL");
    b.m.userptr = (unsigned long)at;
    b.length = 4096;
    refuse(VIDIOC_QBUF, &b, EINVAL, "USERPTR too short");
    r.memory = V4L2_MEMORY_DMABUF;
    check(call(VIDIOC_REQBUFS, &r) == 0, "REQBUFS");
    b = (struct v4l2_buffer){ .type = capture, .memory = V4L2_MEMORY_DMABUF, .m.fd = -1 };
    refuse(VIDIOC_QBUF, &b, EINVAL, "DMABUF -1");
    b.m.fd = 1;
    refuse(VIDIOC_QBUF, &b, EINVAL, "DMABUF of a file that is none");
    b.m.fd = camera;
    refuse(VIDIOC_QBUF, &b, EINVAL, "DMABUF of the camera");
    free(at);
}

/* Not blocking: EAGAIN while there is no frame; select() waits. */
static void nonblocking(void)
{
    struct v4l2_requestbuffers r = { .count = 1, .type = capture, .memory = V4L2_MEMORY_MMAP };
    struct v4l2_buffer b = { .type = capture, .memory = V4L2_MEMORY_MMAP };
    struct timeval t = { 1, 0 };
    fd_set set;

    close(camera);
    camera = open("/dev/video0", O_RDWR | O_NONBLOCK);
    check(call(VIDIOC_REQBUFS, &r) == 0 && call(VIDIOC_STREAMON, &capture) == 0, "REQBUFS");
    refuse(VIDIOC_DQBUF, &b, EAGAIN, "DQBUF with nothing queued");
    check(call(VIDIOC_QBUF, &b) == 0, "QBUF");
    FD_ZERO(&set);
    FD_SET(camera, &set);
    check(select(camera + 1, &set, NULL, NULL, &t) == 1 && FD_ISSET(camera, &set), "select");
    check(call(VIDIOC_DQBUF, &b) == 0, "DQBUF");
}

/* Each frame of a file that is cut off, the last one with its mark. */
static void short_frames(void)
{
    struct v4l2_buffer b = { .type = capture, .memory = V4L2_MEMORY_MMAP };
    unsigned bad = 0;

    buffers_ask(V4L2_MEMORY_MMAP);
    for (b.index = 0; b.index < BUFFERS; b.index++) {
        call(VIDIOC_QBUF, &b);
    }
    call(VIDIOC_STREAMON, &capture);
    for (int i = 0; i < 6; i++) {
        check(call(VIDIOC_DQBUF, &b) == 0, "DQBUF");
        bad = bad << 1 | (b.flags & V4L2_BUF_FLAG_ERROR ? 1 : 0);
        call(VIDIOC_QBUF, &b);
    }
    printf("bad frames: 0x%x\n", bad);
}

/* --- other ways ------------------------------------------------------------------------------- */

/* Frames by read(), in two parts each; the queue's requests are refused meanwhile. */
static void read_frames(void)
{
    size_t size = format.fmt.pix.sizeimage, half = size / 2;
    struct v4l2_requestbuffers r = { .count = 1, .type = capture, .memory = V4L2_MEMORY_MMAP };
    struct pollfd p = { camera, POLLIN, 0 };
    uint8_t *at = malloc(size);

    check(poll(&p, 1, 1000) == 1 && p.revents == POLLIN, "poll begins it");
    for (uint32_t i = 0; i < FRAMES; i++) {
        check(read(camera, at, half) == (ssize_t)half, "read of a half");
        check(read(camera, at + half, size) == (ssize_t)(size - half), "read ends with the frame");
        check(is_frame(at, i), "the frame");
    }
    check(read(camera, at, 0) == 0, "read of nothing");
    check(read(camera, NULL, 1) == -1 && errno == EFAULT, "read to NULL");
    refuse(VIDIOC_REQBUFS, &r, EBUSY, "REQBUFS while it is read");
    refuse(VIDIOC_STREAMOFF, &capture, EBUSY, "STREAMOFF while it is read");
    close(camera);
    camera = open("/dev/video0", O_RDWR | O_NONBLOCK);
    check(read(camera, at, size) == -1 && errno == EAGAIN, "read of no frame yet");
    free(at);
}

/* Buffers that are asked for one by one, the last one while the camera streams. */
static void created_frames(void)
{
    struct v4l2_create_buffers c = { .count = 0, .memory = V4L2_MEMORY_MMAP, .format = format };
    struct v4l2_buffer b = { .type = capture, .memory = V4L2_MEMORY_MMAP };

    check(call(VIDIOC_CREATE_BUFS, &c) == 0 && c.index == 0, "CREATE_BUFS of none");
    c.count = 1;
    c.format.fmt.pix.sizeimage = 4096;
    refuse(VIDIOC_CREATE_BUFS, &c, EINVAL, "CREATE_BUFS of a short one");
    for (uint32_t i = 0; i < 3; i++) {
        c = (struct v4l2_create_buffers){ .count = 1, .memory = b.memory, .format = format };
        check(call(VIDIOC_CREATE_BUFS, &c) == 0 && c.index == i && c.count == 1, "CREATE_BUFS");
        b.index = i;
        check(call(VIDIOC_QBUF, &b) == 0, "QBUF");
        check(call(VIDIOC_STREAMON, &capture) == 0, "STREAMON");
    }
    c.memory = V4L2_MEMORY_USERPTR;
    refuse(VIDIOC_CREATE_BUFS, &c, EINVAL, "CREATE_BUFS of another memory");
    for (uint32_t i = 0; i < 3; i++) {
        const uint8_t *at;

        check(call(VIDIOC_DQBUF, &b) == 0 && b.index == i, "DQBUF");
        at = mmap(NULL, b.length, PROT_READ, MAP_SHARED, camera, b.m.offset);
        check(at != MAP_FAILED && is_frame(at, b.sequence), "the frame");
    }
}

/* A camera and a pipe in one epoll. */
static void epoll_frames(void)
{
    struct epoll_event e = { EPOLLIN, { .u32 = 7 } }, got[2];
    struct v4l2_buffer b = { .type = capture, .memory = V4L2_MEMORY_MMAP };
    int epoll = epoll_create1(0), ends[2];

    check(pipe(ends) == 0 && epoll >= 0, "pipe");
    check(epoll_ctl(-1, EPOLL_CTL_ADD, camera, &e) == -1 && errno == EBADF,
          "an epoll that is none");
    check(epoll_ctl(epoll, EPOLL_CTL_MOD, camera, &e) == -1 && errno == ENOENT, "MOD before ADD");
    check(epoll_ctl(epoll, EPOLL_CTL_ADD, camera, &e) == 0, "ADD");
    check(epoll_ctl(epoll, EPOLL_CTL_ADD, camera, &e) == -1 && errno == EEXIST, "ADD twice");
    e.data.u32 = 8;
    check(epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &e) == 0, "ADD of the pipe");
    buffers_ask(V4L2_MEMORY_MMAP);
    call(VIDIOC_QBUF, &b);
    check(call(VIDIOC_STREAMON, &capture) == 0, "STREAMON");
    check(epoll_wait(epoll, got, 2, 0) == 0, "no frame yet");
    check(write(ends[1], "x", 1) == 1 && epoll_wait(epoll, got, 2, 1000) == 1 &&
              got[0].data.u32 == 8,
          "the pipe");
    check(read(ends[0], got, 1) == 1 && epoll_wait(epoll, got, 2, 1000) == 1 &&
              got[0].events == EPOLLIN && got[0].data.u32 == 7,
          "a frame");
    check(call(VIDIOC_DQBUF, &b) == 0 && call(VIDIOC_QBUF, &b) == 0, "DQBUF");
    check(epoll_wait(epoll, got, 2, 1) == 0, "the time is over");
    e = (struct epoll_event){ EPOLLIN | EPOLLONESHOT, { .u32 = 9 } };
    check(epoll_ctl(epoll, EPOLL_CTL_MOD, camera, &e) == 0, "MOD");
    check(epoll_wait(epoll, got, 2, 1000) == 1 && got[0].data.u32 == 9, "once");
    check(epoll_wait(epoll, got, 2, 0) == 0, "and not again");
    check(epoll_ctl(epoll, EPOLL_CTL_DEL, camera, NULL) == 0, "DEL");
    check(epoll_ctl(epoll, EPOLL_CTL_DEL, camera, NULL) == -1 && errno == ENOENT, "DEL twice");
    close(epoll);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "mmap";
    struct stat st;

    camera = open("/dev/video0", O_RDWR);
    if (camera < 0) {
        printf("no camera: %s\n", strerror(errno));
        return 2;
    }
    check(stat("/dev/video0", &st) == 0 && S_ISCHR(st.st_mode), "stat");
    check(call(VIDIOC_G_FMT, &format) == 0, "G_FMT");
    if (strcmp(what, "errors") == 0) {
        null_arguments();
        wrong_formats();
        wrong_queue();
        wrong_memory();
        nonblocking();
    } else if (strcmp(what, "user") == 0) {
        user_frames();
    } else if (strcmp(what, "surface") == 0 || strcmp(what, "unsynced") == 0) {
        unsynced = strcmp(what, "unsynced") == 0;
        surface_frames();
    } else if (strcmp(what, "short") == 0) {
        short_frames();
    } else if (strcmp(what, "read") == 0) {
        read_frames();
    } else if (strcmp(what, "created") == 0) {
        created_frames();
    } else if (strcmp(what, "epoll") == 0) {
        epoll_frames();
    } else {
        mmap_frames(strcmp(what, "dmabuf") == 0);
    }
    close(camera);
    printf("%s: %d wrong\n", what, wrong);
    return wrong != 0;
}
