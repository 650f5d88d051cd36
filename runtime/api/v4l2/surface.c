/* SPDX-License-Identifier: MIT */
/* mmap() of the descriptor of an NvBufSurface: the memory that NvBufSurfaceMap() gives, with the
 * same caches, which NvBufSurfaceSyncFor...() and DMA_BUF_IOCTL_SYNC maintain. */
#include <errno.h>
#include <sys/mman.h>

#include "runtime/api/nvbuf/nvbuf.h"
#include "runtime/api/v4l2/v4l2.h"

/* Without a lock for other files, as file_identity() in video.c. */
bool video_surface_is(int fd)
{
    const struct nvbuf_buffer *b = nvbuf_fd_sealed(fd) ? nvbuf_buffer_of_fd(fd) : NULL;

    return b && b->memory;
}

/* Planes that have bytes of a range, a bit each. */
static uint32_t planes_in(const NvBufSurfacePlaneParams *p, uint64_t offset, uint64_t bytes)
{
    uint32_t planes = 0;

    for (unsigned i = 0; i < p->num_planes; i++) {
        bool in = p->offset[i] < offset + bytes && offset < (uint64_t)p->offset[i] + p->psize[i];

        planes |= (uint32_t)in << i;
    }
    return planes;
}

/* Codes: dma_buf_mmap_internal(); a fixed address cannot be had here. */
struct rt_shared *video_surface_map(size_t bytes, int prot, int flags, int fd, uint64_t offset,
                                    uint32_t *planes)
{
    const struct nvbuf_buffer *b = nvbuf_buffer_of_fd(fd);
    uint64_t size = b && b->memory ? (rt_shared_size(b->memory) + 4095) & ~UINT64_C(4095) : 0;

    if (!size || !(flags & MAP_SHARED) || flags & MAP_FIXED || offset % 4096 || offset > size ||
        !bytes || bytes > size - offset) {
        errno = EINVAL;
        return NULL;
    }
    *planes = planes_in(&b->params->planeParams, offset, bytes);
    for (unsigned i = 0; i < NVBUF_MAX_PLANES; i++) {
        if (*planes >> i & 1) {
            rt_planes_map(b->memory, i, true, prot & PROT_READ);
        }
    }
    return b->memory;
}

void video_surface_unmap(struct rt_shared *memory, uint32_t planes)
{
    for (unsigned i = 0; i < NVBUF_MAX_PLANES; i++) {
        if (planes >> i & 1 && !nvbuf_memory_mapped(memory, i)) {
            rt_planes_map(memory, i, false, false);
        }
    }
}
