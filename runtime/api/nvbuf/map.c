/* SPDX-License-Identifier: MIT */
/* NvBufSurface: mappings for the CPU, and its caches. */
#include "runtime/api/nvbuf/nvbuf.h"

/* nvbufsurface.h names the first two for a Jetson, and unified memory for another GPU; NVIDIA's
 * transform_unit_sample maps pinned memory. */
static bool is_mapped_by_cuda(const struct nvbuf_buffer *b)
{
    NvBufSurfaceMemType type = b->surface->surf.memType;

    return type == NVBUF_MEM_CUDA_PINNED || type == NVBUF_MEM_CUDA_UNIFIED;
}

/* The memory types that these calls are for. */
static bool has_memory(const struct nvbuf_range *r, bool sync, const char **why)
{
    for (uint32_t i = r->first; i < r->end; i++) {
        const struct nvbuf_buffer *b = nvbuf_buffer_of(r->surf.surfaceList + i);

        if (!b->memory && (sync || !is_mapped_by_cuda(b))) {
            *why = sync ? "only memory of NVBUF_MEM_SURFACE_ARRAY and NVBUF_MEM_HANDLE is "
                          "synchronised"
                        : "memory of this type is not mapped";
            return false;
        }
    }
    return true;
}

static void plane_map(struct nvbuf_buffer *b, unsigned plane, NvBufSurfaceMemMapFlags type)
{
    NvBufSurfaceParams *p = b->params;

    if (!b->memory) { /* CUDA's: the CPU has it already */
        b->mapped[plane] = true;
        p->mappedAddr.addr[plane] = (uint8_t *)p->dataPtr + p->planeParams.offset[plane];
        return;
    }
    if (b->mapped[plane]) {
        rt_planes_finding(RT_PLANES_MAPPED_TWICE, b->memory,
                          "a plane is mapped again before it is unmapped: a board makes a second "
                          "mapping, and NvBufSurfaceUnMap() ends that one alone");
    }
    if (p->layout == NVBUF_LAYOUT_BLOCK_LINEAR) {
        rt_planes_finding(RT_PLANES_BLOCK_LINEAR, b->memory,
                          "the CPU maps a block linear surface: a board keeps its pixels in "
                          "tiles, not in rows as they lie here");
    }
    b->mapped[plane] = true;
    p->mappedAddr.addr[plane] = (uint8_t *)rt_shared_cpu(b->memory) + p->planeParams.offset[plane];
    rt_planes_map(b->memory, plane, true, type != NVBUF_MAP_WRITE);
}

int NvBufSurfaceMap(NvBufSurface *surf, int index, int plane, NvBufSurfaceMemMapFlags type)
{
    struct nvbuf_range r;
    const char *why;

    if (!nvbuf_range(surf, index, plane, &r, &why) || !has_memory(&r, false, &why)) {
        return nvbuf_error(__func__, why);
    }
    if ((unsigned)type > NVBUF_MAP_READ_WRITE) {
        return nvbuf_error(__func__, "type is none of NVBUF_MAP_READ, _WRITE, _READ_WRITE");
    }
    for (uint32_t i = r.first; i < r.end; i++) {
        struct nvbuf_buffer *b = nvbuf_buffer_of(r.surf.surfaceList + i);

        for (unsigned k = 0; k < b->params->planeParams.num_planes; k++) {
            if (nvbuf_in_range(&r, k)) {
                plane_map(b, k, type);
            }
        }
    }
    return 0;
}

/* Of -1 those that are mapped, at least one; else the one that is named. */
static bool any_mapped(const struct nvbuf_range *r, const char **why)
{
    bool any = false;

    for (uint32_t i = r->first; i < r->end; i++) {
        const struct nvbuf_buffer *b = nvbuf_buffer_of(r->surf.surfaceList + i);

        for (unsigned k = 0; k < b->params->planeParams.num_planes; k++) {
            any |= nvbuf_in_range(r, k) && b->mapped[k];
        }
    }
    *why = "no plane of these is mapped: call NvBufSurfaceMap() first";
    return any;
}

enum what { UNMAP, FOR_CPU, FOR_DEVICE };

static void plane_do(struct nvbuf_buffer *b, unsigned plane, enum what what)
{
    switch (what) {
    case UNMAP:
        b->mapped[plane] = false;
        b->params->mappedAddr.addr[plane] = NULL;
        if (b->memory) {
            rt_planes_map(b->memory, plane, false, false);
        }
        break;
    case FOR_CPU:
        rt_planes_for_cpu(b->memory, plane);
        break;
    case FOR_DEVICE:
        rt_planes_for_device(b->memory, plane);
        break;
    }
}

static int planes_do(const NvBufSurface *surf, int index, int plane, enum what what,
                     const char *api)
{
    struct nvbuf_range r;
    const char *why;

    if (!nvbuf_range(surf, index, plane, &r, &why) || !has_memory(&r, what != UNMAP, &why) ||
        !any_mapped(&r, &why)) {
        return nvbuf_error(api, why);
    }
    for (uint32_t i = r.first; i < r.end; i++) {
        struct nvbuf_buffer *b = nvbuf_buffer_of(r.surf.surfaceList + i);

        for (unsigned k = 0; k < b->params->planeParams.num_planes; k++) {
            if (nvbuf_in_range(&r, k) && b->mapped[k]) {
                plane_do(b, k, what);
            }
        }
    }
    return 0;
}

int NvBufSurfaceUnMap(NvBufSurface *surf, int index, int plane)
{
    return planes_do(surf, index, plane, UNMAP, __func__);
}

int NvBufSurfaceSyncForCpu(NvBufSurface *surf, int index, int plane)
{
    return planes_do(surf, index, plane, FOR_CPU, __func__);
}

int NvBufSurfaceSyncForDevice(NvBufSurface *surf, int index, int plane)
{
    return planes_do(surf, index, plane, FOR_DEVICE, __func__);
}
