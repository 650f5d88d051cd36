/* SPDX-License-Identifier: MIT */
/* nvbuf_utils of Jetson Linux R32: NvBufSurface by file descriptor. */
#define VTEGRA_NO_EGL_HEADERS
#include "include/nvbuf_utils.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/nvbufsurftransform.h"
#include "runtime/api/nvbuf/nvbuf.h"

static const NvBufSurfaceColorFormat colors[] = {
    [NvBufferColorFormat_YUV420] = NVBUF_COLOR_FORMAT_YUV420,
    [NvBufferColorFormat_YVU420] = NVBUF_COLOR_FORMAT_YVU420,
    [NvBufferColorFormat_YUV422] = NVBUF_COLOR_FORMAT_YUV422,
    [NvBufferColorFormat_YUV420_ER] = NVBUF_COLOR_FORMAT_YUV420_ER,
    [NvBufferColorFormat_YVU420_ER] = NVBUF_COLOR_FORMAT_YVU420_ER,
    [NvBufferColorFormat_NV12] = NVBUF_COLOR_FORMAT_NV12,
    [NvBufferColorFormat_NV12_ER] = NVBUF_COLOR_FORMAT_NV12_ER,
    [NvBufferColorFormat_NV21] = NVBUF_COLOR_FORMAT_NV21,
    [NvBufferColorFormat_NV21_ER] = NVBUF_COLOR_FORMAT_NV21_ER,
    [NvBufferColorFormat_UYVY] = NVBUF_COLOR_FORMAT_UYVY,
    [NvBufferColorFormat_UYVY_ER] = NVBUF_COLOR_FORMAT_UYVY_ER,
    [NvBufferColorFormat_VYUY] = NVBUF_COLOR_FORMAT_VYUY,
    [NvBufferColorFormat_VYUY_ER] = NVBUF_COLOR_FORMAT_VYUY_ER,
    [NvBufferColorFormat_YUYV] = NVBUF_COLOR_FORMAT_YUYV,
    [NvBufferColorFormat_YUYV_ER] = NVBUF_COLOR_FORMAT_YUYV_ER,
    [NvBufferColorFormat_YVYU] = NVBUF_COLOR_FORMAT_YVYU,
    [NvBufferColorFormat_YVYU_ER] = NVBUF_COLOR_FORMAT_YVYU_ER,
    [NvBufferColorFormat_ABGR32] = NVBUF_COLOR_FORMAT_RGBA,
    [NvBufferColorFormat_XRGB32] = NVBUF_COLOR_FORMAT_BGRx,
    [NvBufferColorFormat_ARGB32] = NVBUF_COLOR_FORMAT_BGRA,
    [NvBufferColorFormat_NV12_10LE] = NVBUF_COLOR_FORMAT_NV12_10LE,
    [NvBufferColorFormat_NV12_10LE_709] = NVBUF_COLOR_FORMAT_NV12_10LE_709,
    [NvBufferColorFormat_NV12_10LE_709_ER] = NVBUF_COLOR_FORMAT_NV12_10LE_709_ER,
    [NvBufferColorFormat_NV12_10LE_2020] = NVBUF_COLOR_FORMAT_NV12_10LE_2020,
    [NvBufferColorFormat_NV21_10LE] = NVBUF_COLOR_FORMAT_NV21_10LE,
    [NvBufferColorFormat_NV12_12LE] = NVBUF_COLOR_FORMAT_NV12_12LE,
    [NvBufferColorFormat_NV12_12LE_2020] = NVBUF_COLOR_FORMAT_NV12_12LE_2020,
    [NvBufferColorFormat_NV21_12LE] = NVBUF_COLOR_FORMAT_NV21_12LE,
    [NvBufferColorFormat_YUV420_709] = NVBUF_COLOR_FORMAT_YUV420_709,
    [NvBufferColorFormat_YUV420_709_ER] = NVBUF_COLOR_FORMAT_YUV420_709_ER,
    [NvBufferColorFormat_NV12_709] = NVBUF_COLOR_FORMAT_NV12_709,
    [NvBufferColorFormat_NV12_709_ER] = NVBUF_COLOR_FORMAT_NV12_709_ER,
    [NvBufferColorFormat_YUV420_2020] = NVBUF_COLOR_FORMAT_YUV420_2020,
    [NvBufferColorFormat_NV12_2020] = NVBUF_COLOR_FORMAT_NV12_2020,
    [NvBufferColorFormat_SignedR16G16] = NVBUF_COLOR_FORMAT_SIGNED_R16G16,
    [NvBufferColorFormat_A32] = NVBUF_COLOR_FORMAT_A32,
    [NvBufferColorFormat_YUV444] = NVBUF_COLOR_FORMAT_YUV444,
    [NvBufferColorFormat_GRAY8] = NVBUF_COLOR_FORMAT_GRAY8,
    [NvBufferColorFormat_NV16] = NVBUF_COLOR_FORMAT_NV16,
    [NvBufferColorFormat_NV16_10LE] = NVBUF_COLOR_FORMAT_NV16_10LE,
    [NvBufferColorFormat_NV24] = NVBUF_COLOR_FORMAT_NV24,
    [NvBufferColorFormat_NV24_10LE] = NVBUF_COLOR_FORMAT_NV24_10LE,
    [NvBufferColorFormat_NV16_ER] = NVBUF_COLOR_FORMAT_NV16_ER,
    [NvBufferColorFormat_NV24_ER] = NVBUF_COLOR_FORMAT_NV24_ER,
    [NvBufferColorFormat_NV16_709] = NVBUF_COLOR_FORMAT_NV16_709,
    [NvBufferColorFormat_NV24_709] = NVBUF_COLOR_FORMAT_NV24_709,
    [NvBufferColorFormat_NV16_709_ER] = NVBUF_COLOR_FORMAT_NV16_709_ER,
    [NvBufferColorFormat_NV24_709_ER] = NVBUF_COLOR_FORMAT_NV24_709_ER,
    [NvBufferColorFormat_NV24_10LE_709] = NVBUF_COLOR_FORMAT_NV24_10LE_709,
    [NvBufferColorFormat_NV24_10LE_709_ER] = NVBUF_COLOR_FORMAT_NV24_10LE_709_ER,
    [NvBufferColorFormat_NV24_10LE_2020] = NVBUF_COLOR_FORMAT_NV24_10LE_2020,
    [NvBufferColorFormat_NV24_12LE_2020] = NVBUF_COLOR_FORMAT_NV24_12LE_2020,
    [NvBufferColorFormat_RGBA_10_10_10_2_709] = NVBUF_COLOR_FORMAT_RGBA_10_10_10_2_709,
    [NvBufferColorFormat_RGBA_10_10_10_2_2020] = NVBUF_COLOR_FORMAT_RGBA_10_10_10_2_2020,
    [NvBufferColorFormat_BGRA_10_10_10_2_709] = NVBUF_COLOR_FORMAT_BGRA_10_10_10_2_709,
    [NvBufferColorFormat_BGRA_10_10_10_2_2020] = NVBUF_COLOR_FORMAT_BGRA_10_10_10_2_2020,
};
#define N_COLORS (sizeof(colors) / sizeof(*colors))

/* NULL: none; a line in the report has said so. */
static NvBufSurface *surface_of(int fd)
{
    void *surf = NULL;

    return NvBufSurfaceFromFd(fd, &surf) ? NULL : surf;
}

/* --- allocation ------------------------------------------------------------------------------- */

static int buffer_create(int *fd, const NvBufferCreateParams *in,
                         const NvBufferChromaSubsamplingParams *chroma, const char *api)
{
    NvBufSurfaceAllocateParams p = { .chromaSubsampling =
                                         NVBUFSURFACE_CHROMA_SUBSAMPLING_PARAMS_DEFAULT };
    bool raw = in && in->payloadType == NvBufferPayload_MemHandle;
    NvBufSurface *s;

    if (!fd || !in || in->width < 0 || in->height < 0 || in->memsize < 0 || (raw && !in->memsize) ||
        (!raw && (unsigned)in->colorFormat >= N_COLORS)) {
        return nvbuf_error(api, "an argument is NULL, negative or unknown");
    }
    p.params.width = (uint32_t)in->width;
    p.params.height = (uint32_t)in->height;
    p.params.size = raw ? (uint32_t)in->memsize : 0;
    p.params.layout = (NvBufSurfaceLayout)in->layout;
    p.params.colorFormat = raw ? NVBUF_COLOR_FORMAT_INVALID : colors[in->colorFormat];
    p.params.memType = raw ? NVBUF_MEM_HANDLE : NVBUF_MEM_SURFACE_ARRAY;
    p.memtag = (NvBufSurfaceTag)in->nvbuf_tag;
    if (chroma) {
        p.chromaSubsampling.chromaLocHoriz = chroma->chromaLocHoriz;
        p.chromaSubsampling.chromaLocVert = chroma->chromaLocVert;
    }
    if (NvBufSurfaceAllocate(&s, 1, &p)) {
        return -1;
    }
    s->numFilled = 1;
    *fd = (int)s->surfaceList[0].bufferDesc;
    return 0;
}

int NvBufferCreateEx(int *dmabuf_fd, NvBufferCreateParams *input_params)
{
    return buffer_create(dmabuf_fd, input_params, NULL, __func__);
}

int NvBufferCreate(int *dmabuf_fd, int width, int height, NvBufferLayout layout,
                   NvBufferColorFormat colorFormat)
{
    NvBufferCreateParams p = {
        .width = width, .height = height, .layout = layout, .colorFormat = colorFormat
    };

    return buffer_create(dmabuf_fd, &p, NULL, __func__);
}

int NvBufferCreateInterlace(int *dmabuf_fd, NvBufferCreateParams *input_params)
{
    (void)dmabuf_fd;
    (void)input_params;
    return nvbuf_error(__func__, "vtegra has progressive surfaces alone");
}

int NvBufferCreateWithChromaLoc(int *dmabuf_fd, NvBufferCreateParams *input_params,
                                NvBufferChromaSubsamplingParams *chromaSubsampling)
{
    return chromaSubsampling ? buffer_create(dmabuf_fd, input_params, chromaSubsampling, __func__)
                             : nvbuf_error(__func__, "chromaSubsampling is NULL");
}

int NvBufferDestroy(int dmabuf_fd)
{
    NvBufSurface *s = surface_of(dmabuf_fd);

    return s ? NvBufSurfaceDestroy(s) : -1;
}

int NvReleaseFd(int dmabuf_fd)
{
    return surface_of(dmabuf_fd) ? close(dmabuf_fd) : -1;
}

/* --- what it is ------------------------------------------------------------------------------- */

int NvBufferGetSize(void)
{
    return (int)sizeof(NvBufSurface);
}

static NvBufferColorFormat color_of(NvBufSurfaceColorFormat color)
{
    for (unsigned i = 0; i < N_COLORS; i++) {
        if (colors[i] == color) {
            return (NvBufferColorFormat)i;
        }
    }
    return NvBufferColorFormat_Invalid;
}

static void params_fill(NvBufSurface *s, int fd, NvBufferParams *out)
{
    const NvBufSurfaceParams *p = &s->surfaceList[0];
    bool raw = s->memType == NVBUF_MEM_HANDLE;

    *out = (NvBufferParams){
        .dmabuf_fd = (uint32_t)fd,
        .nv_buffer = s,
        .payloadType = raw ? NvBufferPayload_MemHandle : NvBufferPayload_SurfArray,
        .memsize = raw ? (int32_t)p->width : 0,
        .nv_buffer_size = sizeof(*s),
        .pixel_format = color_of(p->colorFormat),
        .num_planes = p->planeParams.num_planes,
    };
    for (unsigned i = 0; i < out->num_planes; i++) {
        out->width[i] = p->planeParams.width[i];
        out->height[i] = p->planeParams.height[i];
        out->pitch[i] = p->planeParams.pitch[i];
        out->offset[i] = p->planeParams.offset[i];
        out->psize[i] = p->planeParams.psize[i];
        out->layout[i] = p->layout;
    }
}

int NvBufferGetParams(int dmabuf_fd, NvBufferParams *params)
{
    NvBufSurface *s = params ? surface_of(dmabuf_fd) : NULL;

    if (!s) {
        return params ? -1 : nvbuf_error(__func__, "params is NULL");
    }
    params_fill(s, dmabuf_fd, params);
    return 0;
}

int NvBufferGetParamsEx(int dmabuf_fd, NvBufferParamsEx *exparams)
{
    NvBufSurface *s = exparams ? surface_of(dmabuf_fd) : NULL;

    if (!s) {
        return exparams ? -1 : nvbuf_error(__func__, "exparams is NULL");
    }
    memset(exparams, 0, sizeof(*exparams));
    params_fill(s, dmabuf_fd, &exparams->params);
    exparams->sizeofvaliddatainbytes = exparams->params.memsize;
    exparams->chromaSubsampling.chromaLocHoriz =
        s->surfaceList[0].paramex->chromaSubsampling.chromaLocHoriz;
    exparams->chromaSubsampling.chromaLocVert =
        s->surfaceList[0].paramex->chromaSubsampling.chromaLocVert;
    return 0;
}

int ExtractFdFromNvBuffer(void *nvbuf, int *dmabuf_fd)
{
    struct nvbuf_surface *s = nvbuf_surface_of(nvbuf);

    if (!s || !dmabuf_fd) {
        return nvbuf_error(__func__, s ? "dmabuf_fd is NULL" : "nvbuf is no buffer");
    }
    *dmabuf_fd = (int)s->list->bufferDesc;
    return 0;
}

/* --- EGLImages -------------------------------------------------------------------------------- */

EGLImageKHR NvEGLImageFromFd(EGLDisplay display, int dmabuf_fd)
{
    NvBufSurface *s = surface_of(dmabuf_fd);

    (void)display;
    return s && !NvBufSurfaceMapEglImage(s, 0) ? s->surfaceList[0].mappedAddr.eglImage : NULL;
}

int NvDestroyEGLImage(EGLDisplay display, EGLImageKHR eglImage)
{
    struct nvbuf_buffer *b = eglImage ? nvbuf_buffer_of_image(eglImage) : NULL;

    (void)display;
    return b ? NvBufSurfaceUnMapEglImage(&b->surface->surf, (int)(b->params - b->surface->list))
             : nvbuf_error(__func__, "eglImage is none of NvEGLImageFromFd()");
}

/* --- the CPU ---------------------------------------------------------------------------------- */

int NvBufferMemMap(int dmabuf_fd, unsigned int plane, NvBufferMemFlags memflag, void **pVirtAddr)
{
    NvBufSurface *s = pVirtAddr ? surface_of(dmabuf_fd) : NULL;

    if (!s) {
        return pVirtAddr ? -1 : nvbuf_error(__func__, "pVirtAddr is NULL");
    }
    if (plane > INT32_MAX || NvBufSurfaceMap(s, 0, (int)plane, (NvBufSurfaceMemMapFlags)memflag)) {
        return -1;
    }
    *pVirtAddr = s->surfaceList[0].mappedAddr.addr[plane];
    return 0;
}

/* What MemMap gave for that plane. */
static int mapped_do(int fd, unsigned plane, void *const *address,
                     int (*call)(NvBufSurface *, int, int), const char *api)
{
    NvBufSurface *s = surface_of(fd);

    if (!s) {
        return -1;
    }
    if (!address || !*address || plane >= NVBUF_MAX_PLANES ||
        *address != s->surfaceList[0].mappedAddr.addr[plane]) {
        return nvbuf_error(api, "*pVirtAddr is not where NvBufferMemMap() has mapped the plane");
    }
    return call(s, 0, (int)plane);
}

int NvBufferMemUnMap(int dmabuf_fd, unsigned int plane, void **pVirtAddr)
{
    int r = mapped_do(dmabuf_fd, plane, pVirtAddr, NvBufSurfaceUnMap, __func__);

    if (!r) {
        *pVirtAddr = NULL;
    }
    return r;
}

int NvBufferMemSyncForCpu(int dmabuf_fd, unsigned int plane, void **pVirtAddr)
{
    return mapped_do(dmabuf_fd, plane, pVirtAddr, NvBufSurfaceSyncForCpu, __func__);
}

int NvBufferMemSyncForDevice(int dmabuf_fd, unsigned int plane, void **pVirtAddr)
{
    return mapped_do(dmabuf_fd, plane, pVirtAddr, NvBufSurfaceSyncForDevice, __func__);
}

/* The descriptor says what the parameters would. */
int NvBufferMemMapEx(int dmabuf_fd, NvBufferParamsEx *exparams, unsigned int plane,
                     NvBufferMemFlags memflag, void **pVirtAddr)
{
    return exparams ? NvBufferMemMap(dmabuf_fd, plane, memflag, pVirtAddr)
                    : nvbuf_error(__func__, "exparams is NULL");
}

int NvBufferMemUnMapEx(int dmabuf_fd, NvBufferParamsEx *exparams, unsigned int plane,
                       void **pVirtAddr)
{
    return exparams ? NvBufferMemUnMap(dmabuf_fd, plane, pVirtAddr)
                    : nvbuf_error(__func__, "exparams is NULL");
}

int NvBufferMemSyncForCpuEx(int dmabuf_fd, NvBufferParamsEx *exparams, unsigned int plane,
                            void **pVirtAddr)
{
    return exparams ? NvBufferMemSyncForCpu(dmabuf_fd, plane, pVirtAddr)
                    : nvbuf_error(__func__, "exparams is NULL");
}

int NvBufferMemSyncForDeviceEx(int dmabuf_fd, NvBufferParamsEx *exparams, unsigned int plane,
                               void **pVirtAddr)
{
    return exparams ? NvBufferMemSyncForDevice(dmabuf_fd, plane, pVirtAddr)
                    : nvbuf_error(__func__, "exparams is NULL");
}

int NvBuffer2Raw(int dmabuf_fd, unsigned int plane, unsigned int out_width, unsigned int out_height,
                 unsigned char *ptr)
{
    NvBufSurface *s = surface_of(dmabuf_fd);

    return s ? NvBufSurface2Raw(s, 0, plane, out_width, out_height, ptr) : -1;
}

int Raw2NvBuffer(unsigned char *ptr, unsigned int plane, unsigned int in_width,
                 unsigned int in_height, int dmabuf_fd)
{
    NvBufSurface *s = surface_of(dmabuf_fd);

    return s ? Raw2NvBufSurface(ptr, 0, plane, in_width, in_height, s) : -1;
}

/* --- the VIC ---------------------------------------------------------------------------------- */

/* There is one queue: a session is a name. */
struct _NvBufferSession {
    int unused;
};

NvBufferSession NvBufferSessionCreate(void)
{
    return calloc(1, sizeof(struct _NvBufferSession));
}

void NvBufferSessionDestroy(NvBufferSession session)
{
    free(session);
}

static NvBufSurfTransformRect rect_of(const NvBufferRect *r)
{
    return (NvBufSurfTransformRect){ r->top, r->left, r->width, r->height };
}

/* R32 turns the other way round. */
static NvBufSurfTransform_Flip flip_of(NvBufferTransform_Flip flip)
{
    return flip == NvBufferTransform_Rotate90    ? NvBufSurfTransform_Rotate270
           : flip == NvBufferTransform_Rotate270 ? NvBufSurfTransform_Rotate90
                                                 : (NvBufSurfTransform_Flip)flip;
}

static int buffer_transform(int src, int dst, const NvBufferTransformParams *in,
                            NvBufSurfTransformSyncObj_t *done, const char *api)
{
    NvBufSurface *from, *to;
    NvBufSurfTransformRect rects[2];
    NvBufSurfTransformParams p;

    if (!in) {
        return nvbuf_error(api, "transform_params is NULL");
    }
    from = surface_of(src);
    to = from ? surface_of(dst) : NULL;
    if (!to) {
        return -1;
    }
    rects[0] = rect_of(&in->src_rect);
    rects[1] = rect_of(&in->dst_rect);
    p = (NvBufSurfTransformParams){ .transform_flag = in->transform_flag,
                                    .transform_flip = flip_of(in->transform_flip),
                                    .transform_filter =
                                        (NvBufSurfTransform_Inter)in->transform_filter,
                                    .src_rect = &rects[0],
                                    .dst_rect = &rects[1] };
    return (done ? NvBufSurfTransformAsync(from, to, &p, done) : NvBufSurfTransform(from, to, &p))
               ? -1
               : 0;
}

int NvBufferTransform(int src_dmabuf_fd, int dst_dmabuf_fd,
                      NvBufferTransformParams *transform_params)
{
    return buffer_transform(src_dmabuf_fd, dst_dmabuf_fd, transform_params, NULL, __func__);
}

int NvBufferTransformEx(int src_dmabuf_fd, NvBufferParamsEx *input_params, int dst_dmabuf_fd,
                        NvBufferParamsEx *output_params, NvBufferTransformParams *transform_params)
{
    return input_params && output_params
               ? buffer_transform(src_dmabuf_fd, dst_dmabuf_fd, transform_params, NULL, __func__)
               : nvbuf_error(__func__, "input_params or output_params is NULL");
}

/* A sync object's handle as two words. */
static NvBufSurfTransformSyncObj_t handle_of(const NvBufferSyncObjParams *p)
{
    return (NvBufSurfTransformSyncObj_t)(uintptr_t)((uint64_t)p->syncpointID << 32 | p->value);
}

int NvBufferSyncObjWait(NvBufferSyncObjParams *syncobj_params, unsigned int timeout)
{
    NvBufSurfTransformSyncObj_t handle;

    if (!syncobj_params) {
        return nvbuf_error(__func__, "syncobj_params is NULL");
    }
    handle = handle_of(syncobj_params);
    if (NvBufSurfTransformSyncObjWait(handle, timeout)) {
        return -1;
    }
    NvBufSurfTransformSyncObjDestroy(&handle); /* R32 has no call for that */
    return 0;
}

int NvBufferTransformAsync(int src_dmabuf_fd, int dst_dmabuf_fd,
                           NvBufferTransformParams *transform_params, NvBufferSyncObj *syncobj)
{
    NvBufSurfTransformSyncObj_t done = NULL;

    if (!syncobj || syncobj->num_insyncobj > NVBUF_MAX_SYNCOBJ_PARAMS) {
        return nvbuf_error(__func__, "syncobj is NULL, or has more than 5 to wait for");
    }
    for (uint32_t i = 0; i < syncobj->num_insyncobj; i++) {
        if (NvBufferSyncObjWait(&syncobj->insyncobj[i], NVBUFFER_SYNCPOINT_WAIT_INFINITE)) {
            return -1;
        }
    }
    if (buffer_transform(src_dmabuf_fd, dst_dmabuf_fd, transform_params,
                         syncobj->use_outsyncobj ? &done : NULL, __func__)) {
        return -1;
    }
    syncobj->outsyncobj.syncpointID = (uint32_t)((uint64_t)(uintptr_t)done >> 32);
    syncobj->outsyncobj.value = (uint32_t)(uintptr_t)done;
    return 0;
}

int NvBufferComposite(int *src_dmabuf_fds, int dst_dmabuf_fd,
                      NvBufferCompositeParams *composite_params)
{
    const NvBufferCompositeParams *in = composite_params;
    NvBufSurfTransformRect from[MAX_COMPOSITE_FRAME], to[MAX_COMPOSITE_FRAME];
    NvBufSurfTransform_Inter filter[MAX_COMPOSITE_FRAME];
    float alpha[MAX_COMPOSITE_FRAME];
    NvBufSurfTransform_ColorParams color;
    NvBufSurfTransformCompositeBlendParamsEx p = { 0 };
    NvBufSurface *src[MAX_COMPOSITE_FRAME], *dst;

    if (!src_dmabuf_fds || !in || in->input_buf_count - 1 >= MAX_COMPOSITE_FRAME) {
        return nvbuf_error(__func__, "an argument is NULL, or input_buf_count is not 1 to 16");
    }
    for (uint32_t i = 0; i < in->input_buf_count; i++) {
        src[i] = surface_of(src_dmabuf_fds[i]);
        if (!src[i]) {
            return -1;
        }
        from[i] = rect_of(&in->src_comp_rect[i]);
        to[i] = rect_of(&in->dst_comp_rect[i]);
        filter[i] = (NvBufSurfTransform_Inter)in->composite_filter[i];
        alpha[i] = in->dst_comp_rect_alpha[i];
    }
    dst = surface_of(dst_dmabuf_fd);
    if (!dst) {
        return -1;
    }
    color = (NvBufSurfTransform_ColorParams){ in->composite_bgcolor.r, in->composite_bgcolor.g,
                                              in->composite_bgcolor.b, 1 };
    p.params = (NvBufSurfTransformCompositeBlendParams){ .composite_blend_flag = in->composite_flag,
                                                         .input_buf_count = in->input_buf_count,
                                                         .color_bg = &color };
    p.src_comp_rect = from;
    p.dst_comp_rect = to;
    p.composite_blend_filter = filter;
    p.alpha = alpha;
    return NvBufSurfTransformMultiInputBufCompositeBlend(src, dst, &p) ? -1 : 0;
}
