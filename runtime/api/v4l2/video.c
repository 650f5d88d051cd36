/* SPDX-License-Identifier: MIT */
/* Descriptors of the camera and of buffers that it exported, and requests on them. What a request
 * points to is copied in and out, as the kernel does it: a pointer that is none gives EFAULT. */
#include "runtime/api/v4l2/video.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/api/nvbuf/nvbuf.h"
#include "runtime/api/v4l2/v4l2.h"

struct video_device video;

/* Descriptors and mappings. Any thread asks for them at any mmap(), one that holds the driver's
 * lock, too: so nothing of the driver is called while this lock is held. @shared has a reference
 * for the mapping. @planes: of a surface, a bit each. */
struct video_mapping {
    void *at;
    struct rt_shared *shared;
    uint32_t planes;
};
static gint files_busy;
static GPtrArray *files;  /* struct video_file */
static GPtrArray *mapped; /* struct video_mapping */

/* --- descriptors ------------------------------------------------------------------------------ */

/* No lock of a library's: the scheduler would report it to the driver, whose locks the thread may
 * hold. What stands between the two calls passes nothing that the scheduler watches. */
static void files_enter(void)
{
    while (!g_atomic_int_compare_and_exchange(&files_busy, 0, 1)) {
        syscall(SYS_sched_yield);
    }
}

static void files_leave(void)
{
    g_atomic_int_set(&files_busy, 0);
}

/* Ours are memfds. */
static bool file_identity(int fd, uint64_t file[2])
{
    struct stat st;

    if (fd < 0 || fcntl(fd, F_GET_SEALS) < 0 || fstat(fd, &st)) {
        return false;
    }
    file[0] = st.st_dev;
    file[1] = st.st_ino;
    return true;
}

/* Duplicates of a descriptor are found, too. */
static struct video_file *file_find(int fd)
{
    struct video_file *found = NULL;
    uint64_t file[2];

    if (!file_identity(fd, file)) {
        return NULL;
    }
    files_enter();
    for (guint i = 0; files && i < files->len && !found; i++) {
        struct video_file *f = files->pdata[i];

        found = memcmp(f->file, file, sizeof(file)) == 0 ? f : NULL;
    }
    files_leave();
    return found;
}

struct video_file *video_file_new(int flags, struct rt_shared *dmabuf)
{
    struct video_file *f = g_new0(struct video_file, 1);

    f->fd = memfd_create("vtegra-video", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
    f->flags = flags;
    if (!file_identity(f->fd, f->file)) {
        g_free(f);
        return NULL;
    }
    f->dmabuf = dmabuf ? rt_shared_ref(dmabuf) : NULL;
    files_enter();
    files = files ? files : g_ptr_array_new();
    g_ptr_array_add(files, f);
    files_leave();
    return f;
}

struct rt_shared *video_dmabuf_of(int fd)
{
    const struct video_file *f = file_find(fd);
    const struct nvbuf_buffer *b = f ? NULL : nvbuf_buffer_of_fd(fd);

    return f ? f->dmabuf : b ? b->memory : NULL;
}

static int device_open(int flags)
{
    struct rt_camera_info info;
    int err = rt_camera_open(&info);
    const struct video_file *f;

    if (err) {
        errno = -err;
        return -1;
    }
    g_mutex_lock(&video.lock);
    if (!video.info.width) {
        video.info = info;
        video_format_default();
    }
    f = video_file_new(flags, NULL);
    g_mutex_unlock(&video.lock);
    if (!f) {
        errno = EMFILE;
    }
    return f ? f->fd : -1;
}

static bool device_is(int fd)
{
    return file_find(fd) != NULL;
}

/* A duplicate of a descriptor that is closed; -1: it was the last one. */
static int file_duplicate(const struct video_file *f)
{
    GDir *fds = g_dir_open("/proc/self/fd", 0, NULL);
    const char *name;
    uint64_t file[2];
    int found = -1;

    while (fds && found < 0 && (name = g_dir_read_name(fds)) != NULL) {
        int fd = (int)g_ascii_strtoll(name, NULL, 10);

        found = file_identity(fd, file) && memcmp(file, f->file, sizeof(file)) == 0 ? fd : -1;
    }
    if (fds) {
        g_dir_close(fds);
    }
    return found;
}

/* It is none any more, unless a duplicate stands for it from now on. */
static struct video_file *file_take(int fd)
{
    struct video_file *found = NULL;
    int other;

    files_enter();
    for (guint i = 0; files && i < files->len && !found; i++) {
        struct video_file *f = files->pdata[i];

        found = f->fd == fd ? f : NULL;
    }
    files_leave();
    if (!found) {
        return NULL;
    }
    other = file_duplicate(found);
    files_enter();
    found->fd = other;
    if (other < 0) {
        g_ptr_array_remove(files, found);
    }
    files_leave();
    return other < 0 ? found : NULL;
}

static void device_closed(int fd)
{
    struct video_file *f = file_take(fd);

    if (f) {
        g_mutex_lock(&video.lock);
        if (video.owner == f) {
            video_queue_end();
        }
        g_mutex_unlock(&video.lock);
        rt_shared_unref(f->dmabuf);
        g_free(f);
    }
}

/* --- requests --------------------------------------------------------------------------------- */

union video_argument {
    struct v4l2_capability cap;
    struct v4l2_fmtdesc fmtdesc;
    struct v4l2_format format;
    struct v4l2_frmsizeenum framesize;
    struct v4l2_frmivalenum interval;
    struct v4l2_streamparm parm;
    struct v4l2_input input;
    struct v4l2_requestbuffers reqbufs;
    struct v4l2_create_buffers create_bufs;
    struct v4l2_buffer buffer;
    struct v4l2_exportbuffer expbuf;
    struct dma_buf_sync sync;
    int number;
};

/* vb2_fileio_is_active() */
static bool request_is_queues(unsigned long request)
{
    return request == VIDIOC_REQBUFS || request == VIDIOC_QBUF || request == VIDIOC_DQBUF ||
           request == VIDIOC_EXPBUF || request == VIDIOC_STREAMON || request == VIDIOC_STREAMOFF;
}

static int request_run(const struct video_file *f, unsigned long request, union video_argument *a)
{
    if (video.fileio && request_is_queues(request)) {
        return -EBUSY;
    }
    switch (request) {
    case VIDIOC_QUERYCAP:
        return video_querycap(&a->cap);
    case VIDIOC_ENUM_FMT:
        return video_enum_fmt(&a->fmtdesc);
    case VIDIOC_G_FMT:
        return video_g_fmt(&a->format);
    case VIDIOC_TRY_FMT:
        return video_try_fmt(&a->format);
    case VIDIOC_S_FMT:
        return video_s_fmt(&a->format);
    case VIDIOC_ENUM_FRAMESIZES:
        return video_enum_framesizes(&a->framesize);
    case VIDIOC_ENUM_FRAMEINTERVALS:
        return video_enum_frameintervals(&a->interval);
    case VIDIOC_G_PARM:
    case VIDIOC_S_PARM: /* the sensor has one rate */
        return video_g_parm(&a->parm);
    case VIDIOC_ENUMINPUT:
        return video_enuminput(&a->input);
    case VIDIOC_G_INPUT:
        a->number = 0;
        return 0;
    case VIDIOC_S_INPUT:
        return a->number ? -EINVAL : 0;
    case VIDIOC_REQBUFS:
        return video_reqbufs(f, &a->reqbufs);
    case VIDIOC_CREATE_BUFS:
        return video_create_bufs(f, &a->create_bufs);
    case VIDIOC_QUERYBUF:
        return video_querybuf(&a->buffer);
    case VIDIOC_QBUF:
        return video_qbuf(f, &a->buffer);
    case VIDIOC_DQBUF:
        return video_dqbuf(f, &a->buffer);
    case VIDIOC_EXPBUF:
        return video_expbuf(f, &a->expbuf);
    case VIDIOC_STREAMON:
        return video_streamon(f, &a->number);
    case VIDIOC_STREAMOFF:
        return video_streamoff(f, &a->number);
    default:
        return -ENOTTY;
    }
}

/* dma_buf_ioctl(). The memory of MMAP buffers is uncached: nothing is to be done (as
 * vb2_dc_dmabuf_ops_begin_cpu_access()). Of an NvBufSurface it is the two calls. */
static int sync_run(int fd, const struct dma_buf_sync *sync)
{
    const struct nvbuf_buffer *b = nvbuf_buffer_of_fd(fd);

    if (sync->flags & ~(uint64_t)DMA_BUF_SYNC_VALID_FLAGS_MASK ||
        !(sync->flags & DMA_BUF_SYNC_RW)) {
        return -EINVAL;
    }
    for (unsigned i = 0; b && i < b->params->planeParams.num_planes; i++) {
        if (sync->flags & DMA_BUF_SYNC_END) {
            rt_planes_for_device(b->memory, i);
        } else {
            rt_planes_for_cpu(b->memory, i);
        }
    }
    return 0;
}

static bool argument_copy(union video_argument *a, void *what, size_t bytes, bool in)
{
    struct iovec here = { a, bytes }, there = { what, bytes };
    ssize_t n = in ? process_vm_readv(getpid(), &here, 1, &there, 1, 0)
                   : process_vm_writev(getpid(), &here, 1, &there, 1, 0);

    return n == (ssize_t)bytes;
}

static int request_copied(const struct video_file *f, int fd, unsigned long request, void *what)
{
    union video_argument a;
    size_t bytes = _IOC_SIZE(request);
    int err;

    memset(&a, 0, sizeof(a));
    if (bytes > sizeof(a) || bytes == 0) {
        return -ENOTTY;
    }
    if (!argument_copy(&a, what, bytes, true)) {
        return -EFAULT;
    }
    err = f && !f->dmabuf ? request_run(f, request, &a) : sync_run(fd, &a.sync);
    if (!err && _IOC_DIR(request) & _IOC_READ && !argument_copy(&a, what, bytes, false)) {
        return -EFAULT;
    }
    return err;
}

static bool device_ioctl(int fd, unsigned long request, void *what, int *result)
{
    const struct video_file *f;
    bool ours;
    int err = 0;

    request &= 0xffffffff; /* programs pass an int */
    g_mutex_lock(&video.lock);
    f = file_find(fd);
    ours = f || (request == DMA_BUF_IOCTL_SYNC && video_surface_is(fd));
    if (ours) {
        err = f && f->dmabuf && request != DMA_BUF_IOCTL_SYNC
                  ? -ENOTTY
                  : request_copied(f, fd, request, what);
    }
    g_mutex_unlock(&video.lock);
    if (err) {
        errno = -err;
    }
    *result = err ? -1 : 0;
    return ours;
}

/* Any read() comes here, also the driver's own under the lock: of most files nothing is asked. */
static bool device_read(int fd, void *to, size_t n, ssize_t *result)
{
    const struct video_file *f = file_find(fd);

    if (!f) {
        return false;
    }
    g_mutex_lock(&video.lock);
    *result = f->dmabuf ? -EINVAL : video_read(f, to, n);
    g_mutex_unlock(&video.lock);
    if (*result < 0) {
        errno = (int)-*result;
        *result = -1;
    }
    return true;
}

static short device_poll(int fd, short events, int64_t timeout_us)
{
    const struct video_file *f;
    short ready = POLLNVAL;

    g_mutex_lock(&video.lock);
    f = file_find(fd);
    if (f) {
        ready = f->dmabuf ? (short)(events & (POLLIN | POLLOUT))
                          : video_queue_poll(f, events, timeout_us);
    }
    g_mutex_unlock(&video.lock);
    return ready;
}

/* --- mappings --------------------------------------------------------------------------------- */

static struct rt_shared *memory_at(const struct video_file *f, off_t offset)
{
    size_t length;

    if (f->dmabuf) {
        return offset == 0 ? f->dmabuf : NULL;
    }
    if (video.memory != V4L2_MEMORY_MMAP || !video.buffers) {
        return NULL;
    }
    length = rt_shared_size(video.buffer[0].shared);
    return offset % (off_t)length == 0 && (uint64_t)offset / length < video.buffers
               ? video.buffer[(uint64_t)offset / length].shared
               : NULL;
}

/* An address is the memory's, for each mapping of it. */
static void *mapping_add(struct rt_shared *shared, uint64_t offset, uint32_t planes)
{
    struct video_mapping *m = g_new(struct video_mapping, 1);
    void *at = (uint8_t *)rt_shared_cpu(shared) + offset;

    *m = (struct video_mapping){ at, rt_shared_ref(shared), planes };
    files_enter();
    mapped = mapped ? mapped : g_ptr_array_new();
    g_ptr_array_add(mapped, m);
    files_leave();
    return at;
}

static void *device_mmap(size_t bytes, int prot, int flags, int fd, off_t offset)
{
    const struct video_file *f = file_find(fd);
    struct rt_shared *shared = NULL;
    uint32_t planes;
    void *at;

    if (!f) {
        shared = video_surface_map(bytes, prot, flags, fd, (uint64_t)offset, &planes);
        return shared ? mapping_add(shared, (uint64_t)offset, planes) : MAP_FAILED;
    }
    g_mutex_lock(&video.lock);
    shared = memory_at(f, offset);
    if (!shared || !(flags & MAP_SHARED) || !bytes ||
        bytes > ((rt_shared_size(shared) + 4095) & ~(size_t)4095)) {
        g_mutex_unlock(&video.lock);
        errno = EINVAL;
        return MAP_FAILED;
    }
    at = mapping_add(shared, 0, 0);
    g_mutex_unlock(&video.lock);
    return at;
}

static bool device_munmap(void *at, size_t bytes)
{
    struct video_mapping *found = NULL;

    (void)bytes;
    files_enter();
    for (guint i = 0; mapped && i < mapped->len && !found; i++) {
        struct video_mapping *m = mapped->pdata[i];

        found = m->at == at ? m : NULL;
    }
    if (found) {
        g_ptr_array_remove(mapped, found);
    }
    files_leave();
    if (!found) {
        return false;
    }
    video_surface_unmap(found->shared, found->planes);
    rt_shared_unref(found->shared);
    g_free(found);
    return true;
}

const struct vtegra_video *vtegra_video(void)
{
    static const struct vtegra_video table = {
        .version = VTEGRA_VIDEO_VERSION,
        .open = device_open,
        .is = device_is,
        .surface = video_surface_is,
        .ioctl = device_ioctl,
        .closed = device_closed,
        .poll = device_poll,
        .read = device_read,
        .mmap = device_mmap,
        .munmap = device_munmap,
    };

    return &table;
}
