/* SPDX-License-Identifier: MIT */
/* Descriptors of buffers: a sealed file that says which memory of which board it is, and what lies
 * there. What another process wrote is checked before it is used. */
#include <dlfcn.h>
#include <fcntl.h>
#include <glib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/api/nvbuf/nvbuf.h"
#include "runtime/api/v4l2/video.h"
#include "runtime/driver/device/rt_init.h"

#define MAGIC UINT64_C(0x6675626e2d746776) /* "vgt-nbuf" */
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

struct ticket {
    uint64_t magic, board, token[2]; /* @board: 0: of its process alone */
    NvBufSurfaceMapParams params;
};

void nvbuf_map_params(const struct nvbuf_buffer *b, NvBufSurfaceMapParams *out)
{
    const NvBufSurfacePlaneParams *pl = &b->params->planeParams;

    memset(out, 0, sizeof(*out));
    out->num_planes = pl->num_planes;
    out->gpuId = b->surface->surf.gpuId;
    out->fd = b->params->bufferDesc;
    out->totalSize = b->params->dataSize;
    out->memType = b->surface->surf.memType;
    out->layout = b->params->layout;
    out->colorFormat = b->params->colorFormat;
    out->chromaSubsampling = b->params->paramex->chromaSubsampling;
    for (unsigned i = 0; i < pl->num_planes; i++) {
        out->planes[i].width = pl->width[i];
        out->planes[i].height = pl->height[i];
        out->planes[i].pitch = pl->pitch[i];
        out->planes[i].offset = pl->offset[i];
        out->planes[i].psize = pl->psize[i];
    }
}

/* From the first descriptor on mmap() and DMA_BUF_IOCTL_SYNC of it come to libvtegra-video.so.
 * Without vtegra run: there is no such function, and they do what a file's do. A thread that comes
 * meanwhile begins as well: the dynamic linker makes it wait, and no lock that the scheduler sees.
 */
static void calls_begin(void)
{
    static gint begun;
    void *symbol;
    void (*begin)(void);

    if (g_atomic_int_get(&begun)) {
        return;
    }
    symbol = dlsym(RTLD_DEFAULT, VTEGRA_VIDEO_BEGIN);
    memcpy(&begin, &symbol, sizeof(symbol));
    if (begin) {
        begin();
    }
    g_atomic_int_set(&begun, 1);
}

bool nvbuf_fd_sealed(int fd)
{
    return fd >= 0 && fcntl(fd, F_GET_SEALS) == SEALS;
}

bool nvbuf_fd_make(struct nvbuf_buffer *b)
{
    struct ticket t = { .magic = MAGIC, .board = rt_board_number() };
    int fd = memfd_create("vtegra-nvbuf", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    struct stat st;

    if (fd < 0) {
        return false;
    }
    b->shared = t.board && b->memory && rt_shared_share(b->memory, t.token) == CUDA_SUCCESS;
    memcpy(b->token, t.token, sizeof(b->token));
    b->params->bufferDesc = (uint64_t)fd;
    nvbuf_map_params(b, &t.params);
    if (write(fd, &t, sizeof(t)) != (ssize_t)sizeof(t) || fcntl(fd, F_ADD_SEALS, SEALS) ||
        fstat(fd, &st)) {
        close(fd);
        return false;
    }
    b->file[0] = st.st_dev;
    b->file[1] = st.st_ino;
    calls_begin();
    return true;
}

/* --- from another process --------------------------------------------------------------------- */

static bool ticket_read(int fd, struct ticket *t)
{
    struct stat st;

    return fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size == (off_t)sizeof(*t) &&
           (fcntl(fd, F_GET_SEALS) & SEALS) == SEALS &&
           pread(fd, t, sizeof(*t), 0) == (ssize_t)sizeof(*t) && t->magic == MAGIC;
}

/* Sizes are bounded before anything is added or multiplied. */
static bool plane_fits(const NvBufSurfaceMapPlaneParams *p, uint64_t size)
{
    return p->width && p->height && p->width <= INT32_MAX && p->height <= NVBUF_SIZE_MAX &&
           p->offset % 4096 == 0 && p->psize % 4096 == 0 && p->offset <= size &&
           p->psize <= size - p->offset && (uint64_t)p->pitch * p->height <= p->psize;
}

static const char *params_wrong(const NvBufSurfaceMapParams *p, uint64_t size)
{
    const struct nvbuf_format *f = nvbuf_format_of(p->colorFormat);

    if (!p->num_planes || p->num_planes > NVBUF_MAX_PLANES ||
        (unsigned)p->layout > NVBUF_LAYOUT_BLOCK_LINEAR || p->totalSize > size ||
        (p->memType != NVBUF_MEM_SURFACE_ARRAY && p->memType != NVBUF_MEM_HANDLE) ||
        (f && p->num_planes != f->planes && p->num_planes != 1)) {
        return "the parameters are those of no surface";
    }
    for (unsigned i = 0; i < p->num_planes; i++) {
        uint64_t row = (uint64_t)p->planes[i].width * (f ? f->bytes[i > 0] : 1);

        if (!plane_fits(&p->planes[i], size) || row > p->planes[i].pitch) {
            return "a plane leaves the memory";
        }
    }
    return NULL;
}

static void params_take(struct nvbuf_buffer *b, const NvBufSurfaceMapParams *p)
{
    const struct nvbuf_format *f = nvbuf_format_of(p->colorFormat);
    NvBufSurfacePlaneParams *pl = &b->params->planeParams;

    b->params->width = p->planes[0].width;
    b->params->height = p->planes[0].height;
    b->params->pitch = p->planes[0].pitch;
    b->params->colorFormat = p->colorFormat;
    b->params->layout = p->layout;
    b->params->dataSize = p->totalSize;
    b->params->paramex->chromaSubsampling = p->chromaSubsampling;
    pl->num_planes = p->num_planes;
    for (unsigned i = 0; i < p->num_planes; i++) {
        pl->width[i] = p->planes[i].width;
        pl->height[i] = p->planes[i].height;
        pl->pitch[i] = p->planes[i].pitch;
        pl->offset[i] = p->planes[i].offset;
        pl->psize[i] = p->planes[i].psize;
        pl->bytesPerPix[i] = f ? f->bytes[i > 0] : 1;
    }
}

/* The memory of the descriptor, with a reference. */
static struct rt_shared *memory_of(int fd, const struct ticket *t, const char **why)
{
    struct nvbuf_buffer *own = nvbuf_buffer_of_fd(fd);
    struct rt_shared *memory = NULL;
    bool writable = true;

    if (own) {
        *why = "memory of CUDA has no other surface";
        return own->memory ? rt_shared_ref(own->memory) : NULL;
    }
    *why = "the descriptor is another process's, and the processes share no board (vtegra run "
           "--board)";
    if (rt_init(0) || !t->board || t->board != rt_board_number()) {
        return NULL;
    }
    *why = "the process that made the descriptor has ended, or has destroyed the surface";
    return rt_shared_import(t->token, "NvBufSurfaceFromFd", &writable, &memory) == RT_IMPORT_OK
               ? memory
               : NULL;
}

struct nvbuf_surface *nvbuf_fd_import(int fd, const NvBufSurfaceMapParams *params, const char **why)
{
    struct nvbuf_surface *s;
    struct rt_shared *memory;
    struct ticket t;
    struct stat st;
    int mine;

    *why = "the descriptor is none of NvBufSurface";
    if (!ticket_read(fd, &t)) {
        return NULL;
    }
    memory = memory_of(fd, &t, why);
    if (!memory) {
        return NULL;
    }
    params = params ? params : &t.params;
    *why = params_wrong(params, rt_shared_size(memory));
    mine = *why ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (mine < 0 || fstat(mine, &st)) {
        *why = *why ? *why : "no descriptor is left";
        rt_shared_unref(memory);
        return NULL;
    }
    s = nvbuf_surface_new(1, params->memType);
    s->surf.numFilled = 1;
    s->buffer->memory = memory;
    s->buffer->file[0] = st.st_dev;
    s->buffer->file[1] = st.st_ino;
    s->list->bufferDesc = (uint64_t)mine;
    calls_begin();
    params_take(s->buffer, params);
    nvbuf_buffer_planes(s->buffer);
    return s;
}
