/* SPDX-License-Identifier: MIT */
/* Surfaces and their buffers, by address: live ones, and the last that were destroyed, whose
 * structs stay readable and empty, so that a stale pointer finds nothing. */
#include "runtime/api/nvbuf/nvbuf.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/driver/device/rt_context.h"
#include "runtime/driver/engines/vic/rt_vic_surface.h"
#include "runtime/driver/interop/egl/rt_egl_buffer.h"
#include "runtime/driver/memory/rt_memory.h"

#define DEAD_KEPT 256u

/* GLib's lock: the scheduler of threads sees those of pthread.h, and this one is no lock of the
 * program's. Nothing is called while it is held that may block or come back. */
static GMutex lock;
static GPtrArray *surfaces; /* struct nvbuf_surface */
static struct nvbuf_surface *dead[DEAD_KEPT];
static unsigned n_dead;

int nvbuf_error(const char *api, const char *why)
{
    rt_planes_error(api, "-1", why);
    return -1;
}

static struct nvbuf_surface *surface_find(const NvBufSurface *surf)
{
    for (guint i = 0; surfaces && i < surfaces->len; i++) {
        struct nvbuf_surface *s = surfaces->pdata[i];

        if (&s->surf == surf) {
            return s;
        }
    }
    return NULL;
}

struct nvbuf_surface *nvbuf_surface_of(const NvBufSurface *surf)
{
    struct nvbuf_surface *s;

    g_mutex_lock(&lock);
    s = surface_find(surf);
    g_mutex_unlock(&lock);
    return s;
}

static struct nvbuf_buffer *buffer_find(const NvBufSurfaceParams *params)
{
    for (guint i = 0; surfaces && i < surfaces->len; i++) {
        struct nvbuf_surface *s = surfaces->pdata[i];

        if (params >= s->list && params < s->list + s->count) {
            struct nvbuf_buffer *b = &s->buffer[params - s->list];

            return b->params == params ? b : NULL;
        }
    }
    return NULL;
}

struct nvbuf_buffer *nvbuf_buffer_of(const NvBufSurfaceParams *params)
{
    struct nvbuf_buffer *b;

    g_mutex_lock(&lock);
    b = buffer_find(params);
    g_mutex_unlock(&lock);
    return b;
}

static bool file_of(int fd, uint64_t file[2])
{
    struct stat st;

    if (fd < 0 || fstat(fd, &st)) {
        return false;
    }
    file[0] = st.st_dev;
    file[1] = st.st_ino;
    return true;
}

struct nvbuf_buffer *nvbuf_buffer_of_fd(int fd)
{
    struct nvbuf_buffer *found = NULL;
    uint64_t file[2];

    if (!file_of(fd, file)) {
        return NULL;
    }
    g_mutex_lock(&lock);
    for (guint i = 0; surfaces && i < surfaces->len && !found; i++) {
        struct nvbuf_surface *s = surfaces->pdata[i];

        for (uint32_t k = 0; k < s->count && !found; k++) {
            bool same = s->buffer[k].file[1] && memcmp(s->buffer[k].file, file, sizeof(file)) == 0;

            found = same ? &s->buffer[k] : NULL;
        }
    }
    g_mutex_unlock(&lock);
    return found;
}

bool nvbuf_memory_mapped(const struct rt_shared *memory, unsigned plane)
{
    bool found = false;

    g_mutex_lock(&lock);
    for (guint i = 0; surfaces && i < surfaces->len && !found; i++) {
        const struct nvbuf_surface *s = surfaces->pdata[i];

        for (uint32_t k = 0; k < s->count && !found; k++) {
            found = s->buffer[k].memory == memory && s->buffer[k].mapped[plane];
        }
    }
    g_mutex_unlock(&lock);
    return found;
}

struct nvbuf_buffer *nvbuf_buffer_of_image(const void *image)
{
    struct nvbuf_buffer *found = NULL;

    g_mutex_lock(&lock);
    for (guint i = 0; surfaces && i < surfaces->len && !found; i++) {
        struct nvbuf_surface *s = surfaces->pdata[i];

        for (uint32_t k = 0; k < s->count && !found; k++) {
            found = s->buffer[k].image == image ? &s->buffer[k] : NULL;
        }
    }
    g_mutex_unlock(&lock);
    return found;
}

/* The kernel says whether an address can be read. */
bool nvbuf_read(const NvBufSurface *surf, NvBufSurface *out)
{
    struct iovec to = { out, sizeof(*out) }, from = { (void *)(uintptr_t)surf, sizeof(*out) };

    if (!surf) {
        return false;
    }
    if (nvbuf_surface_of(surf)) {
        *out = *surf;
        return true;
    }
    return (uintptr_t)surf % _Alignof(NvBufSurface) == 0 &&
           process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)sizeof(*out);
}

struct nvbuf_surface *nvbuf_surface_new(uint32_t count, NvBufSurfaceMemType type)
{
    struct nvbuf_surface *s = g_new0(struct nvbuf_surface, 1);

    s->count = count;
    s->device = -1;
    s->list = g_new0(NvBufSurfaceParams, count);
    s->more = g_new0(NvBufSurfaceParamsEx, count);
    s->buffer = g_new0(struct nvbuf_buffer, count);
    s->surf.batchSize = count;
    s->surf.memType = type;
    s->surf.surfaceList = s->list;
    for (uint32_t i = 0; i < count; i++) {
        s->buffer[i].surface = s;
        s->buffer[i].params = &s->list[i];
        s->list[i].paramex = &s->more[i];
    }
    g_mutex_lock(&lock);
    surfaces = surfaces ? surfaces : g_ptr_array_new();
    g_ptr_array_add(surfaces, s);
    g_mutex_unlock(&lock);
    return s;
}

void nvbuf_buffer_planes(struct nvbuf_buffer *b)
{
    const NvBufSurfacePlaneParams *pl = &b->params->planeParams;
    struct rt_plane planes[NVBUF_MAX_PLANES];

    for (unsigned i = 0; i < pl->num_planes && i < NVBUF_MAX_PLANES; i++) {
        planes[i] = (struct rt_plane){ pl->offset[i], pl->psize[i] };
    }
    rt_planes_set(b->memory, planes, pl->num_planes);
}

/* The program may have closed it, and the number may be another file's. */
static void fd_close(const struct nvbuf_buffer *b)
{
    int fd = (int)b->params->bufferDesc;
    uint64_t file[2];

    if (file_of(fd, file) && memcmp(file, b->file, sizeof(file)) == 0) {
        close(fd);
    }
}

/* It may be gone with its context. */
void nvbuf_gpu_forget(struct nvbuf_buffer *b)
{
    if (b->gpu.resource && rt_ctx_push(b->gpu.context) == CUDA_SUCCESS) {
        rt_graphics_unregister(b->gpu.resource);
        rt_ctx_pop(NULL);
    }
    if (b->gpu.image) {
        rt_egl_buffer_image_free(b->gpu.image, "NvBufSurfTransform");
    }
    b->gpu = (struct nvbuf_gpu){ 0 };
}

static void buffer_end(struct nvbuf_buffer *b)
{
    NvBufSurfaceMemType type = b->surface->surf.memType;

    nvbuf_gpu_forget(b);
    if (b->image) {
        rt_egl_buffer_image_free(b->image, "NvBufSurfaceDestroy");
    }
    if (b->shared) {
        rt_shared_unshare(b->token);
    }
    if (b->file[1]) {
        fd_close(b);
    }
    if (b->memory) {
        rt_vic_memory_gone(b->memory);
        rt_shared_unref(b->memory);
    } else if (type == NVBUF_MEM_SYSTEM) {
        free(b->params->dataPtr);
    } else if (type == NVBUF_MEM_CUDA_PINNED) {
        rt_host_free(b->params->dataPtr);
    } else if (b->params->dataPtr) {
        rt_mem_free((uintptr_t)b->params->dataPtr);
    }
}

static void surface_empty(struct nvbuf_surface *s)
{
    memset(s->list, 0, s->count * sizeof(*s->list));
    memset(&s->surf, 0, sizeof(s->surf));
    g_free(s->buffer);
    g_free(s->more);
    s->buffer = NULL;
    s->more = NULL;
}

void nvbuf_surface_free(struct nvbuf_surface *s)
{
    struct nvbuf_surface *oldest;
    CUcontext context;
    bool pushed = s->device >= 0 && rt_primary_retain(&context, s->device) == CUDA_SUCCESS;

    if (pushed) {
        rt_ctx_push(context);
    }
    for (uint32_t i = 0; i < s->count; i++) {
        buffer_end(&s->buffer[i]);
    }
    if (pushed) {
        rt_ctx_pop(NULL);
        rt_primary_release(s->device); /* that of now, and that of the allocation */
        rt_primary_release(s->device);
    }
    g_mutex_lock(&lock);
    g_ptr_array_remove(surfaces, s);
    surface_empty(s);
    oldest = dead[n_dead % DEAD_KEPT];
    dead[n_dead++ % DEAD_KEPT] = s;
    g_mutex_unlock(&lock);
    if (oldest) {
        g_free(oldest->list);
        g_free(oldest);
    }
}

/* --- what a call names ------------------------------------------------------------------------ */

bool nvbuf_range(const NvBufSurface *surf, int index, int plane, struct nvbuf_range *out,
                 const char **why)
{
    *why = "surf is no NvBufSurface, or was destroyed";
    if (!nvbuf_read(surf, &out->surf) || !nvbuf_buffer_of(out->surf.surfaceList)) {
        return false;
    }
    *why = "index is no buffer of the batch, nor -1";
    if (index < -1 || index >= (int)out->surf.batchSize) {
        return false;
    }
    out->first = index < 0 ? 0 : (uint32_t)index;
    out->end = index < 0 ? out->surf.batchSize : (uint32_t)index + 1;
    out->plane = plane;
    for (uint32_t i = out->first; i < out->end; i++) {
        const struct nvbuf_buffer *b = nvbuf_buffer_of(out->surf.surfaceList + i);

        if (!b || plane < -1 || plane >= (int)b->params->planeParams.num_planes) {
            *why = b ? "plane is none of the buffer, nor -1" : *why;
            return false;
        }
    }
    return true;
}

bool nvbuf_in_range(const struct nvbuf_range *r, unsigned plane)
{
    return r->plane < 0 || (unsigned)r->plane == plane;
}
