/* SPDX-License-Identifier: MIT */
/* NvBufSurface: allocation of batches. */
#include <stdlib.h>
#include <string.h>

#include "runtime/api/nvbuf/nvbuf.h"
#include "runtime/driver/device/rt_context.h"
#include "runtime/driver/device/rt_init.h"
#include "runtime/driver/memory/rt_memory.h"

static bool is_cuda(NvBufSurfaceMemType type)
{
    return type >= NVBUF_MEM_CUDA_PINNED && type <= NVBUF_MEM_CUDA_UNIFIED;
}

/* NULL: all is well. */
static const char *params_wrong(const NvBufSurfaceCreateParams *p,
                                NvBufSurfaceDisplayScanFormat scan)
{
    if ((unsigned)p->memType > NVBUF_MEM_SYSTEM ||
        (unsigned)p->layout > NVBUF_LAYOUT_BLOCK_LINEAR) {
        return "memType or layout is unknown";
    }
    if (scan != NVBUF_DISPLAYSCANFORMAT_PROGRESSIVE) {
        return "vtegra has progressive surfaces alone";
    }
    if (p->size) {
        return p->size > INT32_MAX ? "size is too large" : NULL;
    }
    if (!p->width || !p->height || p->width > NVBUF_SIZE_MAX || p->height > NVBUF_SIZE_MAX) {
        return "width and height are 1 to 32768";
    }
    if (!nvbuf_format_of(p->colorFormat)) {
        return "the colour format is unknown, or vtegra cannot allocate it (docs/frames.md)";
    }
    return p->layout == NVBUF_LAYOUT_BLOCK_LINEAR && p->memType != NVBUF_MEM_SURFACE_ARRAY &&
                   p->memType != NVBUF_MEM_DEFAULT
               ? "only NVBUF_MEM_SURFACE_ARRAY may be block linear"
               : NULL;
}

static void *cuda_alloc(NvBufSurfaceMemType type, size_t bytes)
{
    CUdeviceptr at = 0;
    void *host = NULL;

    if (type == NVBUF_MEM_CUDA_PINNED) {
        return rt_host_alloc(&host, bytes, 0) == CUDA_SUCCESS ? host : NULL;
    }
    if (type == NVBUF_MEM_CUDA_DEVICE) {
        return rt_mem_alloc(&at, bytes) == CUDA_SUCCESS ? (void *)(uintptr_t)at : NULL;
    }
    return rt_mem_alloc_managed(&at, bytes, CU_MEM_ATTACH_GLOBAL) == CUDA_SUCCESS
               ? (void *)(uintptr_t)at
               : NULL;
}

static bool nvrm_alloc(struct nvbuf_buffer *b, const char *api)
{
    if (rt_shared_new(b->params->dataSize, 4096, true, api, &b->memory)) {
        return false;
    }
    nvbuf_buffer_planes(b);
    return nvbuf_fd_make(b);
}

static bool buffer_alloc(struct nvbuf_buffer *b, NvBufSurfaceMemType type, const char *api)
{
    if (type == NVBUF_MEM_SURFACE_ARRAY || type == NVBUF_MEM_HANDLE) {
        return nvrm_alloc(b, api);
    }
    b->params->dataPtr = type == NVBUF_MEM_SYSTEM ? calloc(1, b->params->dataSize)
                                                  : cuda_alloc(type, b->params->dataSize);
    /* Of this process alone. NVIDIA's transform_unit_sample finds the surface again by it. */
    if (b->params->dataPtr && is_cuda(type) && !nvbuf_fd_make(b)) {
        b->params->bufferDesc = UINT64_MAX;
    }
    return b->params->dataPtr;
}

static bool batch_alloc(struct nvbuf_surface *s, const NvBufSurfaceAllocateParams *p,
                        const char *api)
{
    NvBufSurfaceMemType type = s->surf.memType;
    bool cuda = is_cuda(type), dense = p->disablePitchPadding && (cuda || type == NVBUF_MEM_SYSTEM);
    CUcontext context;
    bool there = true;

    if (cuda) {
        if (rt_init(0) || rt_primary_retain(&context, (int)p->params.gpuId)) {
            return false;
        }
        s->device = (int)p->params.gpuId;
        rt_ctx_push(context);
    }
    for (uint32_t i = 0; there && i < s->count; i++) {
        NvBufSurfaceParamsEx *more = s->list[i].paramex;

        nvbuf_shape(nvbuf_format_of(p->params.colorFormat), &p->params, dense, &s->list[i]);
        s->list[i].paramex = more;
        more->chromaSubsampling = p->chromaSubsampling;
        more->sizeofvaliddatainbytes = (int32_t)p->params.size;
        there = buffer_alloc(&s->buffer[i], type, api);
    }
    if (cuda) {
        rt_ctx_pop(NULL);
    }
    return there;
}

static int surface_allocate(NvBufSurface **surf, uint32_t batch,
                            const NvBufSurfaceAllocateParams *p, const char *api)
{
    const char *why = p ? params_wrong(&p->params, p->displayscanformat) : "params is NULL";
    struct nvbuf_surface *s;

    if (!surf || why || batch - 1 >= NVBUF_BATCH_MAX) {
        return nvbuf_error(api, !surf ? "surf is NULL" : why ? why : "batchSize is 1 to 1024");
    }
    s = nvbuf_surface_new(batch, p->params.memType == NVBUF_MEM_DEFAULT ? NVBUF_MEM_SURFACE_ARRAY
                                                                        : p->params.memType);
    s->surf.gpuId = p->params.gpuId;
    s->surf.isContiguous = false;
    if (!batch_alloc(s, p, api)) {
        nvbuf_surface_free(s);
        return nvbuf_error(api, "there is no memory, no descriptor or no such GPU");
    }
    *surf = &s->surf;
    return 0;
}

int NvBufSurfaceCreate(NvBufSurface **surf, uint32_t batchSize, NvBufSurfaceCreateParams *params)
{
    NvBufSurfaceAllocateParams p = { .chromaSubsampling =
                                         NVBUFSURFACE_CHROMA_SUBSAMPLING_PARAMS_DEFAULT };

    if (params) {
        p.params = *params;
    }
    return surface_allocate(surf, batchSize, params ? &p : NULL, __func__);
}

int NvBufSurfaceAllocate(NvBufSurface **surf, uint32_t batchSize,
                         NvBufSurfaceAllocateParams *paramsext)
{
    return surface_allocate(surf, batchSize, paramsext, __func__);
}

int NvBufSurfaceDestroy(NvBufSurface *surf)
{
    struct nvbuf_surface *s = nvbuf_surface_of(surf);

    if (!s) {
        return nvbuf_error(__func__, "surf is no NvBufSurface of an allocation, or was destroyed");
    }
    nvbuf_surface_free(s);
    return 0;
}
