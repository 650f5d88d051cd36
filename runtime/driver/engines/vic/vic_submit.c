/* SPDX-License-Identifier: MIT */
/* NvMedia2DCompose(): parameters are checked against the surfaces, written as a job, and given to
 * the channel of the VIC with what it waits for and what it signals. */
#include "runtime/driver/engines/vic/vic.h"

#include <string.h>

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/handle.h"
#include "runtime/driver/memory/pending.h"
#include "runtime/driver/stream/stream.h"
#include "runtime/observe/range.h"

#define ENTRIES_OF_A_JOB 3u /* the job and two increments, beside its waits */

const char *vic_compose_name = "NvMedia2DCompose";

/* Of one call; @layer: the one source. */
struct compose {
    struct vic_context *c;
    struct vic_params *p;
    const struct vic_layer *layer;
    struct vic_buffer *src, *dst;
    struct vic_sync *eof;
    struct vic_job job;
};

/* --- checks ----------------------------------------------------------------------------------- */

static NvMediaStatus vic_submit_bad(const char *why)
{
    return vic_error(NVMEDIA_STATUS_BAD_PARAMETER, vic_compose_name, "%s", why);
}

static NvMediaStatus not_here(const char *why)
{
    return vic_error(NVMEDIA_STATUS_NOT_SUPPORTED, vic_compose_name, "%s", why);
}

/* What the parameters name may be unregistered meanwhile. */
static NvMediaStatus objects_find(struct compose *k)
{
    const struct vic_params *p = k->p;
    unsigned layers = 0;

    for (unsigned i = 0; i < VIC_LAYERS; i++) {
        layers += p->layer[i].source != NULL;
        k->layer = p->layer[i].source ? &p->layer[i] : k->layer;
    }
    k->src = k->layer ? vic_buffer_find(k->c, k->layer->source) : NULL;
    k->dst = p->destination ? vic_buffer_find(k->c, p->destination) : NULL;
    k->eof = p->eof ? vic_sync_find(k->c, p->eof) : NULL;
    if (!k->src || !k->dst) {
        return vic_submit_bad(
            k->dst ? "there is no source surface, or it is not registered any more"
                   : "there is no destination surface, or it is not registered any more");
    }
    if (p->eof && (!k->eof || !vic_sync_ends(k->eof))) {
        return vic_submit_bad("the EOF sync object is not registered any more");
    }
    for (unsigned i = 0; i < p->n_pre; i++) {
        if (!vic_sync_find(k->c, p->pre[i].sync)) {
            return vic_submit_bad("the sync object of a pre-fence is not registered any more");
        }
    }
    return layers == 1 ? NVMEDIA_STATUS_OK
                       : not_here("vtegra's VIC composes one layer: several need several calls");
}

static NvMediaStatus layer_check(const struct vic_layer *l)
{
    if (l->filter > NVMEDIA_2D_FILTER_LOW) {
        return not_here("vtegra's VIC has NVMEDIA_2D_FILTER_OFF and _LOW: no filters of 5 or 10 "
                        "taps");
    }
    return l->blend == NVMEDIA_2D_BLEND_MODE_DISABLED
               ? NVMEDIA_STATUS_OK
               : not_here("vtegra's VIC does not blend: NVMEDIA_2D_BLEND_MODE_DISABLED");
}

static NvMediaStatus picture_check(const struct vic_buffer *b, struct vic_picture *out)
{
    const char *why = vic_picture_read(&b->buf, out);

    if (why) {
        return not_here(why);
    }
    if (out->width < VIC_SIZE_MIN || out->width > VIC_SIZE_MAX || out->height < VIC_SIZE_MIN ||
        out->height > VIC_SIZE_MAX) {
        return vic_submit_bad("a surface has 16 to 16384 pixels in each direction");
    }
    return out->sub && (out->width % 2 || out->height % 2)
               ? vic_submit_bad("width and height of a 4:2:0 surface are even")
               : NVMEDIA_STATUS_OK;
}

static NvMediaRect rect_of(bool given, const NvMediaRect *r, const struct vic_picture *p)
{
    return given ? *r : (NvMediaRect){ 0, 0, (uint16_t)p->width, (uint16_t)p->height };
}

static bool vic_submit_inside(const NvMediaRect *r, const struct vic_picture *p)
{
    return r->x1 <= p->width && r->y1 <= p->height;
}

static NvMediaStatus rects_find(const struct vic_layer *l, struct vic_job *job)
{
    struct vic_slot_job *slot = &job->slot[0];

    slot->from = rect_of(l->has_src, &l->src, &slot->src);
    slot->to = job->target = rect_of(l->has_dst, &l->dst, &job->dst);
    if (!vic_submit_inside(&slot->from, &slot->src) || !vic_submit_inside(&slot->to, &job->dst)) {
        return vic_submit_bad(vic_submit_inside(&slot->to, &job->dst)
                                  ? "the source rectangle leaves its surface"
                                  : "the destination rectangle leaves its surface");
    }
    return job->dst.sub && (slot->to.x0 | slot->to.y0 | slot->to.x1 | slot->to.y1) % 2
               ? vic_submit_bad("the corners of a destination rectangle on 4:2:0 are even")
               : NVMEDIA_STATUS_OK;
}

static NvMediaStatus vic_submit_check(struct compose *k)
{
    NvMediaStatus status = objects_find(k);

    status = status ? status : layer_check(k->layer);
    status = status ? status : picture_check(k->src, &k->job.slot[0].src);
    status = status ? status : picture_check(k->dst, &k->job.dst);
    return status ? status : rects_find(k->layer, &k->job);
}

/* --- the job ---------------------------------------------------------------------------------- */

static uint8_t *vic_submit_slot(const struct vic_context *c, uint64_t id, uint64_t *iova)
{
    uint64_t at = id % VIC_PENDING_MAX * VIC_SLOT_BYTES;

    *iova = c->slots_iova + at;
    return (uint8_t *)c->slots.cpu + at;
}

static NvMediaStatus job_write(struct compose *k, uint64_t id, uint64_t *iova)
{
    NvMedia2DTransform t = k->layer->transform;

    k->job.flip_x =
        t == NVMEDIA_2D_TRANSFORM_FLIP_HORIZONTAL || t == NVMEDIA_2D_TRANSFORM_ROTATE_180;
    k->job.flip_y = t == NVMEDIA_2D_TRANSFORM_FLIP_VERTICAL || t == NVMEDIA_2D_TRANSFORM_ROTATE_180;
    k->job.slots = 1;
    k->job.slot[0].bilinear = k->layer->filter == NVMEDIA_2D_FILTER_LOW;
    return vic_config_write(&k->job, vic_submit_slot(k->c, id, iova))
               ? NVMEDIA_STATUS_OK
               : not_here("vtegra's VIC converts between sRGB and Rec. 601, 709 and 2020, and not "
                          "from one of these to another");
}

void vic_method(uint32_t offset, uint64_t value)
{
    vic_write(VIC_THI_METHOD0, offset / 4);
    vic_write(VIC_THI_METHOD1, (uint32_t)value);
}

void vic_planes(uint32_t first, uint64_t iova, const struct vic_picture *p)
{
    for (unsigned i = 0; i < p->planes; i++) {
        vic_method(first + i * 4, (iova + p->offset[i]) >> 8);
    }
}

void vic_increment(uint32_t syncpt)
{
    vic_write(VIC_INCR_SYNCPT, FIELD_PUT(VIC_INCR_SYNCPT_INDX, syncpt) |
                                   FIELD_PUT(VIC_INCR_SYNCPT_COND, VIC_COND_OP_DONE));
}

/* In the order of the channel; the last write rings. */
static void vic_submit_give(const struct compose *k, const struct vic_operation *o, uint64_t config)
{
    for (unsigned i = 0; i < o->n_pre; i++) {
        vic_write(VIC_LOAD_SYNCPT_PAYLOAD_32, o->pre[i].fence.threshold);
        vic_write(VIC_WAIT_SYNCPT_32, o->pre[i].fence.id);
    }
    vic_method(VIC_METHOD_SET_APPLICATION_ID, VIC_APPLICATION_ID);
    vic_method(VIC_METHOD_SET_CONTROL_PARAMS, VIC_CONFIG_BYTES / 16 << 16);
    vic_method(VIC_METHOD_SET_CONFIG_STRUCT_OFFSET, config >> 8);
    vic_planes(VIC_METHOD_SET_OUTPUT_SURFACE_LUMA_OFFSET, k->dst->iova, &k->job.dst);
    vic_planes(VIC_METHOD_SET_SURFACE0_LUMA_OFFSET, k->src->iova, &k->job.slot[0].src);
    vic_method(VIC_METHOD_EXECUTE, 0);
    vic_increment(k->c->syncpt); /* first: a wait for the fence ends after the operation has */
    if (o->eof) {
        vic_increment(sync_syncpt(o->eof));
    }
    vic_write(VIC_DMAPUT, 1);
}

/* The surfaces, until the CPU knows that the operation is done: of a fence of the EOF object it
 * does. */
static void surfaces_used(const struct compose *k, const struct vic_operation *o)
{
    struct fence done = { k->c->syncpt, o->threshold };

    if (k->eof) {
        sync_signals_add(k->eof->sync, done, NULL);
    }
    pending_shared(k->src->shared, vic_agent, false, done);
    pending_shared(k->dst->shared, vic_agent, true, done);
}

static void vic_submit_do(struct compose *k, uint64_t id, uint64_t config)
{
    struct vic_context *c = k->c;
    struct vic_operation *o = &c->operation[id % VIC_PENDING_MAX];

    *o = (struct vic_operation){ .id = id,
                                 .job = ++vic_jobs,
                                 .threshold = ++c->submitted,
                                 .source = k->src->shared,
                                 .destination = k->dst->shared,
                                 .eof = k->eof ? k->eof->sync : NULL,
                                 .n_pre = k->p->n_pre,
                                 .caller = check_caller_get() };
    memcpy(o->pre, k->p->pre, sizeof(o->pre));
    if (k->eof) {
        k->eof->value = sync_next(k->eof->sync);
        k->eof->operation = id;
    }
    c->operations = id;
    k->src->used = k->dst->used = true;
    k->src->threshold = k->dst->threshold = o->threshold;
    k->p->handle = 0; /* the operation has taken them */
    check_task(core_check(), vic_compose_name, CHECK_ALL_STREAMS, &o->caller);
    vic_submit_give(k, o, config);
    surfaces_used(k, o);
}

/* --- the calls -------------------------------------------------------------------------------- */

static NvMediaStatus vic_submit_room(struct compose *k)
{
    vic_pending(k->c);
    return k->c->operations - k->c->oldest == VIC_PENDING_MAX ||
                   vic_read(VIC_QUEUE_FREE) < k->p->n_pre + ENTRIES_OF_A_JOB
               ? vic_error(NVMEDIA_STATUS_TIMED_OUT, vic_compose_name,
                           "%" G_GUINT64_FORMAT " operations of the context are pending: wait for "
                           "the oldest, and try again",
                           k->c->operations - k->c->oldest)
               : NVMEDIA_STATUS_OK;
}

/* The lock may have been free: context and parameters are looked up again. */
static void let_run(struct compose *k, const NvMedia2D *handle, NvMedia2DComposeParameters params)
{
    if (vic_pending(k->c)) {
        wait_poll(k->c->asked++ > 0);
        k->c = handle_find(HANDLE_VIC, handle);
        k->p = k->c ? vic_params_find(k->c, params) : NULL;
    }
}

NvMediaStatus rt_vic_compose(const NvMedia2D *handle, NvMedia2DComposeParameters params,
                             NvMedia2DComposeResult *result)
{
    struct compose k = { 0 };
    NvMediaStatus status = vic_enter(handle, &k.c, vic_compose_name);
    uint64_t config, id;

    if (status) {
        return status;
    }
    k.p = vic_params_find(k.c, params);
    if (k.p && k.c->operations - k.c->oldest == VIC_PENDING_MAX) {
        let_run(&k, handle, params);
    }
    if (!k.p) {
        return vic_leave(
            vic_submit_bad("params are none of this context, or an operation has taken them"));
    }
    status = vic_submit_check(&k);
    status = status ? status : vic_submit_room(&k);
    id = k.c->operations + 1;
    status = status ? status : job_write(&k, id, &config);
    if (status) {
        return vic_leave(status);
    }
    vic_submit_do(&k, id, config);
    if (result) {
        result->operationId = id;
    }
    return vic_leave(NVMEDIA_STATUS_OK);
}

NvMediaStatus rt_vic_eof_fence(const NvMedia2D *handle, const NvMedia2DComposeResult *result,
                               NvSciSyncFence *fence)
{
    static const char *const api = "NvMedia2DGetEOFNvSciSyncFence";
    const struct vic_sync *of = NULL;
    struct vic_context *c;
    NvMediaStatus status = vic_enter(handle, &c, api);

    if (status) {
        return status;
    }
    for (guint i = 0; result && result->operationId && i < c->syncs->len; i++) {
        const struct vic_sync *s = c->syncs->pdata[i];

        of = s->operation == result->operationId ? s : of;
    }
    if (!of || !fence) {
        return vic_leave(vic_error(
            NVMEDIA_STATUS_BAD_PARAMETER, api, "%s",
            !result ? "result is NULL"
            : !of   ? "result is of no operation with an EOF sync object, or a later operation "
                      "has signalled the same object"
                    : "syncFence is NULL"));
    }
    return vic_leave(sci_ops.fence_set && sci_ops.fence_set(of->object, of->value, fence)
                         ? NVMEDIA_STATUS_OK
                         : vic_error(NVMEDIA_STATUS_ERROR, api,
                                     "the EOF sync object was freed while it is registered"));
}
