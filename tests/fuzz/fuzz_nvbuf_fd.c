/* SPDX-License-Identifier: MIT */
/* Bytes as the descriptor of another process: what NvBufSurfaceFromFd() takes from it lies in the
 * memory that it names. */
#include <fcntl.h>
#include <glib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/api/nvbuf/nvbuf.h"
#include "runtime/driver/device/rt_init.h"

#define MEMORY (1u << 20) /* bytes that each descriptor's token names */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* --- what stands around runtime/api/nvbuf/fd.c ------------------------------------------------ */

static struct nvbuf_surface *made;

CUresult rt_init(unsigned flags)
{
    (void)flags;
    return CUDA_SUCCESS;
}

uint64_t rt_board_number(void)
{
    return 1;
}

enum rt_import rt_shared_import(const uint64_t token[2], const char *api, bool *writable,
                                struct rt_shared **out)
{
    (void)token, (void)api, (void)writable;
    *out = (struct rt_shared *)&made;
    return RT_IMPORT_OK;
}

CUresult rt_shared_share(struct rt_shared *shared, uint64_t token[2])
{
    (void)shared, (void)token;
    return CUDA_ERROR_NOT_SUPPORTED;
}

struct rt_shared *rt_shared_ref(struct rt_shared *shared)
{
    return shared;
}

void rt_shared_unref(struct rt_shared *shared)
{
    (void)shared;
}

size_t rt_shared_size(const struct rt_shared *shared)
{
    (void)shared;
    return MEMORY;
}

struct nvbuf_buffer *nvbuf_buffer_of_fd(int fd)
{
    (void)fd;
    return NULL;
}

void nvbuf_buffer_planes(struct nvbuf_buffer *b)
{
    (void)b;
}

struct nvbuf_surface *nvbuf_surface_new(uint32_t count, NvBufSurfaceMemType type)
{
    struct nvbuf_surface *s = g_new0(struct nvbuf_surface, 1);

    s->count = count;
    s->surf.memType = type;
    s->list = g_new0(NvBufSurfaceParams, 1);
    s->more = g_new0(NvBufSurfaceParamsEx, 1);
    s->buffer = g_new0(struct nvbuf_buffer, 1);
    s->buffer->surface = s;
    s->buffer->params = s->list;
    s->list->paramex = s->more;
    made = s;
    return s;
}

static void surface_end(struct nvbuf_surface *s)
{
    close((int)s->list->bufferDesc);
    g_free(s->buffer);
    g_free(s->more);
    g_free(s->list);
    g_free(s);
}

/* --- the target ------------------------------------------------------------------------------- */

static void planes_check(const NvBufSurfaceParams *p)
{
    const NvBufSurfacePlaneParams *pl = &p->planeParams;

    g_assert(pl->num_planes >= 1 && pl->num_planes <= NVBUF_MAX_PLANES);
    for (unsigned i = 0; i < pl->num_planes; i++) {
        uint64_t row = (uint64_t)pl->width[i] * pl->bytesPerPix[i];

        g_assert(pl->height[i] && pl->bytesPerPix[i] && row <= pl->pitch[i]);
        g_assert(pl->offset[i] + (uint64_t)pl->pitch[i] * pl->height[i] <= MEMORY);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    struct nvbuf_surface *s;
    const char *why = NULL;

    if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
        return 0;
    }
    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
    s = nvbuf_fd_import(fd, NULL, &why);
    g_assert(s || why);
    if (s) {
        planes_check(s->list);
        surface_end(s);
    }
    close(fd);
    return 0;
}
