/* SPDX-License-Identifier: MIT */
/* EGLStreams whose ends are on two GPUs: "an additional memory copy is required internally to move
 * the frame between Tegra SoC DRAM and dGPU DRAM" (CUDA for Tegra 5.1.5). Pointer frames alone;
 * array frames need one GPU.
 *
 * The discrete GPU's copy engine makes the copy, since it alone reaches both memories: where the
 * producer has that GPU, at the present, into memory of the SoC that the consumer maps; where the
 * consumer has it, at the acquire, into its own memory. What the consumer writes there does not
 * come back with the frame (NVIDIA's sample EGLStream_CUDA_CrossGPU says so). */
#include "runtime/driver/core/report.h"
#include "runtime/driver/core/work.h"
#include "runtime/driver/device/board.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/interop/egl/egl_share.h"
#include "runtime/driver/memory/external.h"
#include "runtime/driver/memory/memory.h"
#include "runtime/driver/stream/stream.h"

/**
 * struct egl_far - a plane's memory for the other GPU
 * @here, @there: addresses of its regions in the producer's and the consumer's context; 0: none
 * @of: consumer: what it shows, or what it is a copy of
 * @used: a frame has it; @released: by the consumer, whose work on it has to be over
 */
struct egl_far {
    uint64_t here, there, of;
    size_t bytes;
    bool used;
    struct egl_point released;
};

/* --- on which GPU is an end? -------------------------------------------------------------------
 */

#define NO_GPU UNIT_HOST1X

/* OpenGL is on the integrated GPU alone (DriveWorks SDK reference, Choosing the GPU for Execution).
 */
static enum unit_id end_gpu(const struct egl_object *o, bool producer)
{
    const struct egl_end *end = producer ? o->producer : o->consumer;

    return end              ? device_gpu(context_device(end->base.context))
           : producer       ? (o->gl_producer ? UNIT_IGPU
                               : o->share     ? o->share->page->gpu[1]
                                              : NO_GPU)
           : o->gl_consumer ? UNIT_IGPU
           : o->share       ? o->share->page->gpu[0]
                            : NO_GPU;
}

bool egl_far_apart(const struct egl_object *o)
{
    enum unit_id from, to;

    if (!core_is_up() || soc_profile_gpus(board_profile()) < 2) {
        return false;
    }
    from = end_gpu(o, true);
    to = end_gpu(o, false);
    return from != NO_GPU && to != NO_GPU && from != to;
}

void egl_far_connected(struct egl_object *o, bool producer, const struct context *c)
{
    if (o->share) {
        o->share->page->gpu[producer] = c ? device_gpu(context_device(c)) : UNIT_IGPU;
    }
}

static bool is_managed(const CUeglFrame *f)
{
    const struct region *r = region_at((uintptr_t)f->frame.pPitch[0]);

    return r && region_kind(r) == HAL_MEM_MANAGED;
}

CUresult egl_far_own(const struct egl_end *end, const CUeglFrame *f, const char *api)
{
    struct region *regions[MAX_PLANES];

    egl_frame_regions(f, regions);
    for (unsigned i = 0; i < MAX_PLANES; i++) {
        if (regions[i] && region_elsewhere(regions[i], context_device(end->base.context))) {
            return report_error(CUDA_ERROR_INVALID_HANDLE, api,
                                "CUDA Driver API, EGL interoperability",
                                "the frame is in memory of device %d, the producer has connected "
                                "on device %d",
                                device_ordinal(region_device(regions[i])),
                                device_ordinal(context_device(end->base.context)));
        }
    }
    return CUDA_SUCCESS;
}

CUresult egl_far_check(const struct egl_object *o, const CUeglFrame *f, const char *api)
{
    if (!egl_far_apart(o)) {
        return CUDA_SUCCESS;
    }
    if (f->frameType == CU_EGL_FRAME_TYPE_ARRAY) {
        return report_error(CUDA_ERROR_NOT_SUPPORTED, api, "CUDA for Tegra 5.1.5",
                            "the frame is a CUDA array, and producer and consumer are on two "
                            "GPUs: present frames in device memory (frameType "
                            "CU_EGL_FRAME_TYPE_PITCH), or use one GPU for both");
    }
    return is_managed(f)
               ? report_error(CUDA_ERROR_NOT_SUPPORTED, api, "CUDA for Tegra Table 1",
                              "the frame is in unified memory, which the discrete GPU does not "
                              "reach: present frames in device or pinned memory")
               : CUDA_SUCCESS;
}

/* --- memory ------------------------------------------------------------------------------------
 */

/* Planes that lie in one allocation may be close together. */
static size_t plane_bytes(const CUeglFrame *f, unsigned i)
{
    uint64_t at = (uintptr_t)f->frame.pPitch[i];
    const struct region *r = region_at(at);
    uint64_t end = r ? region_address(r) + region_bytes(r) : at,
             row = f->pitch ? f->pitch : f->width;

    for (unsigned k = 0; k < f->planeCount; k++) {
        uint64_t other = (uintptr_t)f->frame.pPitch[k];

        end = other > at ? MIN(end, other) : end;
    }
    return MIN(end - at, row * f->height);
}

static struct egl_far *far_take(struct egl_object *o, size_t bytes, uint64_t of)
{
    struct egl_far *far;

    for (guint i = 0; i < o->far->len; i++) {
        far = g_ptr_array_index(o->far, i);
        if (!far->used && far->bytes == bytes && far->of == of) {
            far->used = true;
            return far;
        }
    }
    far = g_new0(struct egl_far, 1);
    far->bytes = bytes;
    far->of = of;
    far->used = true;
    g_ptr_array_add(o->far, far);
    return far;
}

void egl_far_put(struct egl_far *far[MAX_PLANES])
{
    for (unsigned i = 0; i < MAX_PLANES; i++) {
        if (far[i]) {
            far[i]->used = false;
            far[i] = NULL;
        }
    }
}

void egl_far_released(const struct egl_frame *f, const struct egl_point *point)
{
    for (unsigned i = 0; i < MAX_PLANES && f->far[i]; i++) {
        f->far[i]->released.fence = point->fence;
        clock_merge(&f->far[i]->released.known, point->known);
    }
}

/* @of's context goes, or its end. */
void egl_far_leave(struct egl_object *o, bool producer, struct context *of)
{
    for (guint i = 0; i < o->far->len; i++) {
        struct egl_far *far = g_ptr_array_index(o->far, i);
        uint64_t *va = producer ? &far->here : &far->there;

        if (*va && of) {
            egl_pass_leave_memory(of, *va);
        }
        *va = 0;
        far->of = 0;
    }
}

void egl_far_free(void *far)
{
    egl_point_clear(&((struct egl_far *)far)->released);
    g_free(far);
}

/* --- copies ------------------------------------------------------------------------------------
 */

/* An NvSciBuf is mapped in the producer's context alone. */
static bool is_far(const struct stream *s, const struct region *r)
{
    return copy_beyond(s, r) || (region_shared(r) && region_context(r) != stream_context(s));
}

static CUresult frame_copy_work(struct stream *s, const struct work *work)
{
    struct box b = work->copy.box;
    struct check_caller caller;
    struct fence fence;
    CUresult error;

    b.src_region = region_at(b.src);
    b.dst_region = region_at(b.dst);
    if (!b.src_region || !b.dst_region) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    caller = report_note(CHECK_NOTE_COPY, work->copy.api, b.dst_region, b.src_region, b.width, s);
    if (device_gpu(context_device(stream_context(s))) != UNIT_DGPU) { /* an odd stream for it */
        return copy_across(s, &b, RT_ASYNC);
    }
    error = copy_far(s, &b, is_far(s, b.src_region) ? b.src_region : NULL, &fence);
    if (!error) {
        stream_launched(s, 0, &caller);
    }
    return error;
}

static const struct work_kind work_frame_copy = { WORK_NO_NODE, frame_copy_work };

static CUresult plane_copy(struct stream *s, uint64_t dst, uint64_t src, size_t bytes,
                           const char *api)
{
    const struct box b = { .src = src,
                           .dst = dst,
                           .src_pitch = bytes,
                           .dst_pitch = bytes,
                           .width = bytes,
                           .height = 1,
                           .depth = 1 };

    return stream_submit(
        s, &(struct work){ .kind = &work_frame_copy, .copy = { .api = api, .box = b } });
}

static void copied_report(struct egl_object *o, const struct egl_frame *f, size_t bytes)
{
    const char *from = end_gpu(o, true) == UNIT_DGPU ? "discrete" : "integrated";
    const struct soc_profile *p = board_profile();

    if (!o->copied) {
        o->copied = true;
        report_finding(
            &check_rules[CHECK_RULE_EGL_FRAME_COPIED], f ? f->region[0] : 0, 0, 0, NULL,
            "the producer is on the %s GPU, the consumer on the other one: each frame of "
            "%zu bytes is copied over the link, which takes %.1f us or more",
            from, bytes, (double)bytes / p->dgpu_memory.link_mb_s);
    }
}

/* --- the producer's GPU is the discrete one ----------------------------------------------------
 */

static CUresult bounce_make(struct context *c, struct egl_far *far, const char *api)
{
    struct rt_shared *shared;
    struct region *r;
    CUresult error = shared_make(far->bytes, HAL_PAGE, true, api, &shared);

    if (!error) {
        r = region_map_shared(c, shared, 0, far->bytes, false, true, &error);
        shared_unref(shared);
        far->here = r ? region_address(r) : 0;
        if (r) {
            region_keep(r);
        }
    }
    return error;
}

CUresult egl_far_present(struct egl_object *o, const CUeglFrame *f, struct stream *s,
                         struct egl_far *far[MAX_PLANES], const char *api)
{
    struct context *c = o->producer->base.context;
    CUresult error = CUDA_SUCCESS;
    size_t all = 0;

    if (!egl_far_apart(o) || end_gpu(o, true) != UNIT_DGPU ||
        (o->gl_consumer && !o->gl_consumer->base.context)) { /* OpenGL copies the pixels itself */
        return CUDA_SUCCESS;
    }
    egl_object_hold(o);
    for (unsigned i = 0; i < f->planeCount && !error; i++) {
        far[i] = far_take(o, plane_bytes(f, i), 0);
        error = far[i]->here ? CUDA_SUCCESS : bounce_make(c, far[i], api);
        if (!error && far[i]->released.fence.id) {
            error = egl_point_wait(s, &far[i]->released);
            egl_point_clear(&far[i]->released);
        }
        error =
            error ? error
                  : plane_copy(s, far[i]->here, (uintptr_t)f->frame.pPitch[i], far[i]->bytes, api);
        all += far[i]->bytes;
    }
    if (error) {
        egl_far_put(far);
    } else {
        copied_report(o, NULL, all);
    }
    egl_object_release(o);
    return error;
}

void egl_far_presented(struct egl_frame *f, struct egl_far *far[MAX_PLANES])
{
    f->seen = f->desc;
    for (unsigned i = 0; i < f->desc.planeCount && far[i]; i++) {
        f->far[i] = far[i];
        f->seen.frame.pPitch[i] = (void *)(uintptr_t)far[i]->here;
    }
}

/* --- the consumer ------------------------------------------------------------------------------
 */

const CUeglFrame *egl_far_seen(const struct egl_frame *f)
{
    return f->far[0] ? &f->seen : &f->desc;
}

/* In this process: the producer's mapping, for another context. */
static struct region *bounce_map(const struct region *r, struct context *c, CUresult *error)
{
    struct rt_shared *shared = region_shared(r);

    *error = CUDA_ERROR_UNKNOWN;
    return shared ? region_map_shared(c, shared, 0, shared_bytes(shared), true, true, error) : NULL;
}

static CUresult plane_place(struct egl_object *o, struct egl_frame *f, unsigned i,
                            struct context *c, const CUeglFrame *from, const char *api)
{
    bool discrete = device_gpu(context_device(c)) == UNIT_DGPU;
    uint64_t at = (uintptr_t)from->frame.pPitch[i];
    const struct region *r = region_at(at);
    struct region *made = NULL;
    CUresult error = CUDA_SUCCESS;

    if (!r) {
        return CUDA_ERROR_UNKNOWN;
    }
    if (!discrete && region_context(r) == c) { /* imported from the producer's process */
        return CUDA_SUCCESS;
    }
    if (!f->far[i]) {
        f->far[i] = far_take(o, plane_bytes(from, i), discrete ? 0 : at);
    }
    if (!f->far[i]->there) {
        made = discrete ? region_alloc(c, HAL_MEM_DEVICE, f->far[i]->bytes, &error)
                        : bounce_map(r, c, &error);
        f->far[i]->there = made ? region_address(made) : 0;
    }
    if (made) {
        region_keep(made);
        if (discrete) {
            report_region(made, api);
        }
    }
    f->seen.frame.pPitch[i] = (void *)(uintptr_t)f->far[i]->there;
    f->far_region[i] = f->far[i]->there ? region_id(region_at(f->far[i]->there)) : 0;
    return error;
}

CUresult egl_far_place(struct egl_object *o, struct egl_frame *f, struct context *c,
                       const char *api)
{
    const CUeglFrame from = f->far[0] && f->far[0]->here ? f->seen : f->desc;
    CUresult error = egl_far_check(o, &f->desc, api);

    f->seen = f->far[0] ? f->seen : f->desc;
    for (unsigned i = 0; i < f->desc.planeCount && !error; i++) {
        error = plane_place(o, f, i, c, &from, api);
    }
    return error;
}

CUresult egl_far_fetch(struct egl_object *o, struct egl_frame *f, struct stream *s, const char *api)
{
    struct fence presented = f->presented.fence;
    CUresult error = CUDA_SUCCESS;
    size_t all = 0;

    if (!f->far[0] || end_gpu(o, false) != UNIT_DGPU ||
        (f->far_fence.id == presented.id && f->far_fence.threshold == presented.threshold &&
         presented.id)) {
        return CUDA_SUCCESS; /* it is there still: the old frame again */
    }
    f->far_fence = presented;
    egl_object_hold(o);
    for (unsigned i = 0; i < f->desc.planeCount && !error && f->far[i]; i++) {
        struct egl_far *far = f->far[i];

        if (far->released.fence.id) {
            error = egl_point_wait(s, &far->released);
            egl_point_clear(&far->released);
        }
        all += far->bytes;
        error =
            error ? error
                  : plane_copy(s, far->there, (uintptr_t)f->desc.frame.pPitch[i], far->bytes, api);
    }
    if (!error) {
        copied_report(o, f, all);
    }
    egl_object_release(o);
    return error;
}
