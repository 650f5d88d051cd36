/* SPDX-License-Identifier: MIT */
/* NvBufSurfTransform: sessions, work, and sync objects. A batch is a job for each buffer, in the
 * order of the batch. */
#include <errno.h>
#include <glib.h>
#include <string.h>

#include "runtime/api/nvbuf/gpu.h"

typedef NvBufSurfTransform_Error result_t;

#define OK NvBufSurfTransformError_Success
#define INVALID NvBufSurfTransformError_Invalid_Params

/* --- sessions: of the calling thread ---------------------------------------------------------- */

static _Thread_local NvBufSurfTransformConfigParams session;

result_t NvBufSurfTransformSetSessionParams(NvBufSurfTransformConfigParams *config_params)
{
    if (!config_params || (unsigned)config_params->compute_mode > NvBufSurfTransformCompute_VIC) {
        return work_error(__func__, INVALID,
                          config_params ? "compute_mode is unknown" : "config_params is NULL");
    }
    session = *config_params;
    return OK;
}

result_t NvBufSurfTransformGetSessionParams(NvBufSurfTransformConfigParams *config_params)
{
    if (!config_params) {
        return work_error(__func__, INVALID, "config_params is NULL");
    }
    *config_params = session;
    return OK;
}

result_t NvBufSurfTransformSetDefaultSession(void)
{
    session = (NvBufSurfTransformConfigParams){ .compute_mode = NvBufSurfTransformCompute_Default };
    return OK;
}

/* Where a call's work runs: the VIC, or a GPU, whose context is current until place_leave(). */
struct place {
    bool is_gpu;
    struct gpu_place gpu;
};

static result_t place_enter(struct place *p, bool gpu, const char *api)
{
    p->is_gpu = gpu;
    return gpu ? gpu_enter(&session, &p->gpu, api) : OK;
}

static void place_leave(const struct place *p)
{
    if (p->is_gpu) {
        gpu_leave();
    }
}

static bool session_gpu(void)
{
    return session.compute_mode == NvBufSurfTransformCompute_GPU;
}

/* --- sync objects ----------------------------------------------------------------------------- */

/* Numbers that are never used again, in the form of a pointer that points nowhere. */
#define HANDLE_BASE UINT64_C(0x5c20000000000000)

/* What a sync object waits for: a ticket of the VIC, or @event of the GPU. */
struct pending {
    uint64_t ticket;
    CUcontext context;
    CUevent event;
};

static GMutex lock;
static GHashTable *all_pending; /* handle -> struct pending */
static uint64_t last_handle;

static NvBufSurfTransformSyncObj_t sync_new(const struct pending *p)
{
    void *handle;

    g_mutex_lock(&lock);
    all_pending = all_pending ? all_pending : g_hash_table_new_full(NULL, NULL, NULL, g_free);
    handle = (void *)(uintptr_t)(HANDLE_BASE + ++last_handle);
    g_hash_table_insert(all_pending, handle, g_memdup2(p, sizeof(*p)));
    g_mutex_unlock(&lock);
    return handle;
}

/* false: it is none. */
static bool sync_find(const struct NvBufSurfTransformSyncObj *handle, bool drop,
                      struct pending *out)
{
    const struct pending *p;

    g_mutex_lock(&lock);
    p = all_pending ? g_hash_table_lookup(all_pending, handle) : NULL;
    if (p) {
        *out = *p;
    }
    if (p && drop) {
        g_hash_table_remove(all_pending, handle);
    }
    g_mutex_unlock(&lock);
    return p;
}

static result_t work_waited(int r, const char *api)
{
    return !r ? OK
              : work_error(api, NvBufSurfTransformError_Execution_Error,
                           r == -ETIMEDOUT ? "the work was not done in time"
                                           : "the VIC could not do the work");
}

#define FOR_EVER UINT32_MAX

/* The time limit is the VIC's alone (nvbufsurftransform.h). */
result_t NvBufSurfTransformSyncObjWait(NvBufSurfTransformSyncObj_t sync_obj, uint32_t time_out)
{
    struct pending p;

    if (!sync_find(sync_obj, false, &p)) {
        return work_error(__func__, INVALID, "sync_obj is none, or was destroyed");
    }
    return p.event
               ? gpu_event_wait(p.context, p.event, __func__)
               : work_waited(rt_vic_work_wait(p.ticket,
                                              time_out == FOR_EVER ? -1 : (int64_t)time_out * 1000),
                             __func__);
}

result_t NvBufSurfTransformSyncObjDestroy(NvBufSurfTransformSyncObj_t *sync_obj)
{
    struct pending p;

    if (!sync_obj || !sync_find(*sync_obj, true, &p)) {
        return work_error(__func__, INVALID,
                          sync_obj ? "*sync_obj is none, or was destroyed" : "sync_obj is NULL");
    }
    if (p.event) {
        gpu_event_free(p.context, p.event);
    }
    *sync_obj = NULL;
    return OK;
}

/* Waits, or gives the program what it waits for. */
static result_t work_end(const struct place *place, uint64_t ticket,
                         NvBufSurfTransformSyncObj_t *sync_obj, const char *api)
{
    struct pending p = { .ticket = ticket };

    if (!sync_obj) {
        return place->is_gpu ? gpu_wait(&place->gpu, api)
                             : work_waited(rt_vic_work_wait(ticket, -1), api);
    }
    if (place->is_gpu) {
        p.context = place->gpu.context;
        p.event = gpu_event(&place->gpu);
        if (!p.event) {
            return gpu_wait(&place->gpu, api);
        }
    }
    *sync_obj = sync_new(&p);
    return OK;
}

/* --- surfaces --------------------------------------------------------------------------------- */

/* How many buffers hold pictures: a program that does not count means all (inferred). */
static uint32_t buffers_filled(const NvBufSurface *s)
{
    return s->numFilled && s->numFilled <= s->batchSize ? s->numFilled : s->batchSize;
}

static result_t surface_read(const NvBufSurface *surf, struct nvbuf_range *out, const char *api)
{
    const char *why;

    return nvbuf_range(surf, -1, -1, out, &why) ? OK : work_error(api, INVALID, why);
}

/* --- one into one ----------------------------------------------------------------------------- */

static result_t transform_make(const struct nvbuf_buffer *src, const struct nvbuf_buffer *dst,
                               const NvBufSurfTransformParams *p, uint32_t index, bool gpu,
                               struct rt_vic_work *work, const char *api)
{
    bool crop_src = p->transform_flag & NVBUFSURF_TRANSFORM_CROP_SRC;
    bool crop_dst = p->transform_flag & NVBUFSURF_TRANSFORM_CROP_DST;
    struct rt_vic_layer *layer = &work->layer[0];
    result_t r;

    memset(work, 0, sizeof(*work));
    if ((crop_src && !p->src_rect) || (crop_dst && !p->dst_rect)) {
        return work_error(api, INVALID, "the list of rectangles is NULL");
    }
    r = work_image(src, gpu, &layer->image, api);
    r = r ? r : work_image(dst, gpu, &work->image, api);
    r = r ? r : work_rect(crop_src ? &p->src_rect[index] : NULL, src, false, &layer->from, api);
    r = r ? r : work_rect(crop_dst ? &p->dst_rect[index] : NULL, dst, true, &work->target, api);
    work->layers = 1;
    layer->to = work->target;
    if (!r && p->transform_flag & NVBUFSURF_TRANSFORM_FILTER) {
        r = work_filter(p->transform_filter, &layer->bilinear, api);
    }
    if (!r && p->transform_flag & NVBUFSURF_TRANSFORM_FLIP) {
        r = work_flip(p->transform_flip, work, api);
    }
    return r;
}

/* One picture into one. */
static result_t picture_submit(const struct place *place, NvBufSurfaceParams *src,
                               NvBufSurfaceParams *dst, const NvBufSurfTransformParams *p,
                               uint32_t index, uint64_t *ticket, const char *api)
{
    struct nvbuf_buffer *from = nvbuf_buffer_of(src), *to = nvbuf_buffer_of(dst);
    struct rt_vic_work work;
    result_t r = transform_make(from, to, p, index, place->is_gpu, &work, api);

    if (r) {
        return r;
    }
    return place->is_gpu ? gpu_submit(&place->gpu, &work, from, to, api)
                         : work_submit(&work, ticket, api);
}

static result_t surface_transform(NvBufSurface *src, NvBufSurface *dst,
                                  const NvBufSurfTransformParams *p,
                                  NvBufSurfTransformSyncObj_t *sync_obj, const char *api)
{
    struct nvbuf_range from, to;
    struct place place;
    uint64_t ticket = 0;
    result_t r = p ? OK : work_error(api, INVALID, "transform_params is NULL");

    r = r ? r : surface_read(src, &from, api);
    r = r ? r : surface_read(dst, &to, api);
    if (!r && (buffers_filled(&from.surf) > to.surf.batchSize ||
               p->transform_flag & NVBUFSURF_TRANSFORM_NORMALIZE)) {
        r = p->transform_flag & NVBUFSURF_TRANSFORM_NORMALIZE
                ? work_error(api, NvBufSurfTransformError_Unsupported,
                             "what NVBUFSURF_TRANSFORM_NORMALIZE computes is not public")
                : work_error(api, INVALID, "dst has fewer buffers than src has filled ones");
    }
    r = r ? r : place_enter(&place, session_gpu(), api);
    if (r) {
        return r;
    }
    for (uint32_t i = 0; !r && i < buffers_filled(&from.surf); i++) {
        r = picture_submit(&place, from.surf.surfaceList + i, to.surf.surfaceList + i, p, i,
                           &ticket, api);
    }
    if (!r) {
        dst->numFilled = buffers_filled(&from.surf);
        r = work_end(&place, ticket, sync_obj, api);
    }
    place_leave(&place);
    return r;
}

result_t NvBufSurfTransform(NvBufSurface *src, NvBufSurface *dst,
                            NvBufSurfTransformParams *transform_params)
{
    return surface_transform(src, dst, transform_params, NULL, __func__);
}

result_t NvBufSurfTransformAsync(NvBufSurface *src, NvBufSurface *dst,
                                 NvBufSurfTransformParams *transform_params,
                                 NvBufSurfTransformSyncObj_t *sync_obj)
{
    return surface_transform(src, dst, transform_params, sync_obj, __func__);
}

/* --- several into one ------------------------------------------------------------------------- */

/* A job for each buffer: what no rectangle covers stays as it is. */
static result_t surface_composite(NvBufSurface *src, NvBufSurface *dst,
                                  const NvBufSurfTransformCompositeParams *p,
                                  NvBufSurfTransformSyncObj_t *sync_obj, const char *api)
{
    struct nvbuf_range from, to;
    struct place place;
    uint64_t ticket = 0;
    result_t r = p ? OK : work_error(api, INVALID, "composite_params is NULL");

    r = r ? r : surface_read(src, &from, api);
    r = r ? r : surface_read(dst, &to, api);
    if (!r && (!p->input_buf_count || p->input_buf_count > from.surf.batchSize ||
               !p->dst_comp_rect || !p->src_comp_rect)) {
        r = work_error(api, INVALID,
                       "input_buf_count is 1 to batchSize, and both lists of rectangles are there");
    }
    r = r ? r : place_enter(&place, session_gpu(), api);
    if (r) {
        return r;
    }
    for (uint32_t i = 0; !r && i < p->input_buf_count; i++) {
        NvBufSurfTransformParams one = {
            .transform_flag = NVBUFSURF_TRANSFORM_CROP_SRC | NVBUFSURF_TRANSFORM_CROP_DST,
            .transform_filter = p->composite_filter,
            .src_rect = p->src_comp_rect,
            .dst_rect = p->dst_comp_rect,
        };

        one.transform_flag |= p->composite_flag & NVBUFSURF_TRANSFORM_COMPOSITE_FILTER
                                  ? NVBUFSURF_TRANSFORM_FILTER
                                  : 0;
        r = picture_submit(&place, from.surf.surfaceList + i, to.surf.surfaceList, &one, i, &ticket,
                           api);
    }
    r = r ? r : work_end(&place, ticket, sync_obj, api);
    place_leave(&place);
    return r;
}

result_t NvBufSurfTransformComposite(NvBufSurface *src, NvBufSurface *dst,
                                     NvBufSurfTransformCompositeParams *composite_params)
{
    return surface_composite(src, dst, composite_params, NULL, __func__);
}

result_t NvBufSurfTransformCompositeAsync(NvBufSurface *src, NvBufSurface *dst,
                                          NvBufSurfTransformCompositeParams *composite_params,
                                          NvBufSurfTransformSyncObj_t *sync_obj)
{
    return surface_composite(src, dst, composite_params, sync_obj, __func__);
}

/* The buffers of a blend, one after the other: a kernel for each of their planes. */
static result_t blends_submit(const struct gpu_place *place, struct nvbuf_range *const all[4],
                              const NvBufSurfTransformCompositeBlendParams *p, uint32_t n,
                              const char *api)
{
    result_t r = OK;

    for (uint32_t i = 0; !r && i < n; i++) {
        struct gpu_blend b = { .colour = p->color_bg,
                               .weigh = !p->perform_blending || p->perform_blending[i] };
        struct nvbuf_buffer **buffer[] = { &b.src0, &b.src1, &b.alpha, &b.dst };

        for (unsigned k = 0; k < 4; k++) {
            *buffer[k] = all[k] ? nvbuf_buffer_of(all[k]->surf.surfaceList + i) : NULL;
        }
        r = gpu_blend(place, &b, api);
    }
    return r;
}

/* On the GPU, but in a session that names the VIC, which takes no weights from a buffer. */
result_t NvBufSurfTransformCompositeBlend(NvBufSurface *src0, NvBufSurface *src1,
                                          NvBufSurface *alpha, NvBufSurface *dst,
                                          NvBufSurfTransformCompositeBlendParams *blend_params)
{
    struct nvbuf_range range[4];
    struct nvbuf_range *all[] = { &range[0], src1 ? &range[1] : NULL, &range[2], &range[3] };
    NvBufSurface *surface[] = { src0, src1, alpha, dst };
    struct place place;
    uint32_t n = 0;
    result_t r = blend_params ? OK : work_error(__func__, INVALID, "blend_params is NULL");

    for (unsigned i = 0; !r && i < 4; i++) {
        r = all[i] ? surface_read(surface[i], all[i], __func__) : OK;
        n = !i && !r ? buffers_filled(&range[0].surf) : n;
        if (!r && all[i] && all[i]->surf.batchSize < n) {
            r = work_error(__func__, INVALID, "a surface has fewer buffers than src0 filled ones");
        }
    }
    if (!r && !src1 && !blend_params->color_bg) {
        r = work_error(__func__, INVALID, "src1 and color_bg are NULL");
    }
    if (!r && session.compute_mode == NvBufSurfTransformCompute_VIC) {
        r = work_error(__func__, NvBufSurfTransformError_Unsupported,
                       "the VIC takes no weights from a buffer: NvBufSurfTransformCompute_GPU");
    }
    r = r ? r : place_enter(&place, true, __func__);
    if (r) {
        return r;
    }
    r = blends_submit(&place.gpu, all, blend_params, n, __func__);
    if (!r) {
        dst->numFilled = n;
        r = gpu_wait(&place.gpu, __func__);
    }
    place_leave(&place);
    return r;
}

/* --- layers ----------------------------------------------------------------------------------- */

static result_t layer_make(NvBufSurface *src, const NvBufSurfTransformCompositeBlendParamsEx *p,
                           uint32_t i, const struct nvbuf_buffer *dst, struct rt_vic_layer *out,
                           const char *api)
{
    const NvBufSurfTransformCompositeBlendParams *q = &p->params;
    bool blends = q->composite_blend_flag & NVBUFSURF_TRANSFORM_BLEND;
    struct nvbuf_range from;
    struct nvbuf_buffer *b;
    result_t r = surface_read(src, &from, api);

    if (r) {
        return r;
    }
    b = nvbuf_buffer_of(from.surf.surfaceList);
    out->blend = blends && (!q->perform_blending || q->perform_blending[i]);
    out->alpha = p->alpha ? (double)p->alpha[i] : 1;
    r = work_image(b, false, &out->image, api);
    r = r ? r
          : work_rect(p->src_comp_rect ? &p->src_comp_rect[i] : NULL, b, false, &out->from, api);
    r = r ? r : work_rect(p->dst_comp_rect ? &p->dst_comp_rect[i] : NULL, dst, true, &out->to, api);
    if (!r && q->composite_blend_flag & NVBUFSURF_TRANSFORM_COMPOSITE_FILTER) {
        r = work_filter(p->composite_blend_filter ? p->composite_blend_filter[i]
                                                  : q->composite_blend_filter,
                        &out->bilinear, api);
    }
    return r;
}

/* One job: below all layers the colour, or the destination itself. */
static result_t layers_make(NvBufSurface **src, const struct nvbuf_buffer *dst,
                            const NvBufSurfTransformCompositeBlendParamsEx *p,
                            struct rt_vic_work *work, const char *api)
{
    const NvBufSurfTransform_ColorParams *color = p->params.color_bg;
    result_t r = work_image(dst, false, &work->image, api);

    r = r ? r : work_rect(NULL, dst, true, &work->target, api);
    if (!r && !color) {
        work->layer[work->layers++] =
            (struct rt_vic_layer){ .image = work->image, .from = work->target, .to = work->target };
    } else if (!r) {
        work->background[0] = color->red;
        work->background[1] = color->green;
        work->background[2] = color->blue;
        work->background[3] = color->alpha;
    }
    for (uint32_t i = 0; !r && i < p->params.input_buf_count; i++) {
        r = layer_make(src[i], p, i, dst, &work->layer[work->layers++], api);
    }
    return r;
}

static result_t layers_composite(NvBufSurface **src, NvBufSurface *dst,
                                 const NvBufSurfTransformCompositeBlendParamsEx *p,
                                 NvBufSurfTransformSyncObj_t *sync_obj, const char *api)
{
    struct rt_vic_work work = { 0 };
    struct nvbuf_range to;
    uint64_t ticket = 0;
    uint32_t most;
    struct place place = { 0 };
    result_t r = src && p ? OK : work_error(api, INVALID, "an argument is NULL");

    if (!r && session_gpu()) {
        r = work_error(api, NvBufSurfTransformError_Unsupported,
                       "layers are the VIC's: NvBufSurfTransformCompute_VIC");
    }
    r = r ? r : surface_read(dst, &to, api);
    if (r) {
        return r;
    }
    most = p->params.color_bg ? RT_VIC_LAYERS : RT_VIC_LAYERS - 1;
    if (p->params.input_buf_count - 1 >= most) {
        return work_error(api, INVALID,
                          "input_buf_count is 1 to 16, without a background colour 1 to 15");
    }
    r = layers_make(src, nvbuf_buffer_of(to.surf.surfaceList), p, &work, api);
    r = r ? r : work_submit(&work, &ticket, api);
    return r ? r : work_end(&place, ticket, sync_obj, api);
}

result_t NvBufSurfTransformMultiInputBufCompositeBlend(
    NvBufSurface **src, NvBufSurface *dst,
    NvBufSurfTransformCompositeBlendParamsEx *composite_blend_params)
{
    return layers_composite(src, dst, composite_blend_params, NULL, __func__);
}

result_t NvBufSurfTransformMultiInputBufCompositeBlendAsync(
    NvBufSurface **src, NvBufSurface *dst,
    NvBufSurfTransformCompositeBlendParamsEx *composite_blend_params,
    NvBufSurfTransformSyncObj_t *sync_obj)
{
    return layers_composite(src, dst, composite_blend_params, sync_obj, __func__);
}
