/* SPDX-License-Identifier: MIT */
/* Parameters of operations. Their handles have the place in the low byte, and above it a number
 * that comes once: parameters that an operation has taken are known as such. */
#include "runtime/driver/engines/vic/vic.h"

#include <string.h>

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/report.h"

struct vic_params *vic_params_find(struct vic_context *c, NvMedia2DComposeParameters handle)
{
    struct vic_params *p = &c->params[handle % VIC_PARAMS_MAX];

    return handle && p->handle == handle ? p : NULL;
}

/* Context and parameters. The lock is held on success only. */
static NvMediaStatus vic_params_enter(const NvMedia2D *handle, NvMedia2DComposeParameters params,
                                      struct vic_context **c, struct vic_params **p,
                                      const char *api)
{
    NvMediaStatus status = vic_enter(handle, c, api);

    if (status) {
        return status;
    }
    *p = vic_params_find(*c, params);
    return *p ? NVMEDIA_STATUS_OK
              : vic_leave(vic_error(NVMEDIA_STATUS_BAD_PARAMETER, api,
                                    "params are none of this context, or an operation has taken "
                                    "them: NvMedia2DGetComposeParameters() gives new ones"));
}

NvMediaStatus rt_vic_params(const NvMedia2D *handle, NvMedia2DComposeParameters *params)
{
    static const char *const api = "NvMedia2DGetComposeParameters";
    struct vic_context *c;
    NvMediaStatus status = vic_enter(handle, &c, api);

    if (status) {
        return status;
    }
    if (!params) {
        return vic_leave(vic_error(NVMEDIA_STATUS_BAD_PARAMETER, api, "params is NULL"));
    }
    for (unsigned i = 0; i < c->limits.numComposeParameters; i++) {
        struct vic_params *p = &c->params[i];

        if (!p->handle) {
            memset(p, 0, sizeof(*p));
            for (unsigned k = 0; k < VIC_LAYERS; k++) {
                p->layer[k].filter = NVMEDIA_2D_FILTER_OFF;
            }
            c->n_params = c->n_params % (UINT32_MAX / VIC_PARAMS_MAX - 1) + 1;
            *params = p->handle = c->n_params * VIC_PARAMS_MAX + i;
            return vic_leave(NVMEDIA_STATUS_OK);
        }
    }
    return vic_leave(vic_error(NVMEDIA_STATUS_INSUFFICIENT_BUFFERING, api,
                               "all %u parameters of the context are out: numComposeParameters",
                               c->limits.numComposeParameters));
}

/* --- surfaces --------------------------------------------------------------------------------- */

static NvMediaStatus no_layer(const char *api)
{
    return vic_error(NVMEDIA_STATUS_BAD_PARAMETER, api, "index is not below %u", VIC_LAYERS);
}

static NvMediaStatus not_registered(const char *api, const char *what)
{
    return vic_error(NVMEDIA_STATUS_BAD_PARAMETER, api,
                     "%s is no NvSciBufObj, or is not registered "
                     "(NvMedia2DRegisterNvSciBufObj)",
                     what);
}

NvMediaStatus rt_vic_source(const NvMedia2D *handle, NvMedia2DComposeParameters params,
                            uint32_t index, NvSciBufObj buf)
{
    static const char *const api = "NvMedia2DSetSrcNvSciBufObj";
    const struct vic_buffer *b;
    struct vic_context *c;
    struct vic_params *p;
    NvMediaStatus status = vic_params_enter(handle, params, &c, &p, api);

    if (status) {
        return status;
    }
    if (index >= VIC_LAYERS) {
        return vic_leave(no_layer(api));
    }
    b = vic_buffer_of(c, buf);
    if (!b) {
        return vic_leave(not_registered(api, "srcSurface"));
    }
    p->layer[index].source = b->shared;
    return vic_leave(NVMEDIA_STATUS_OK);
}

NvMediaStatus rt_vic_destination(const NvMedia2D *handle, NvMedia2DComposeParameters params,
                                 NvSciBufObj buf)
{
    static const char *const api = "NvMedia2DSetDstNvSciBufObj";
    const struct vic_buffer *b;
    struct vic_context *c;
    struct vic_params *p;
    NvMediaStatus status = vic_params_enter(handle, params, &c, &p, api);

    if (status) {
        return status;
    }
    b = vic_buffer_of(c, buf);
    if (!b) {
        return vic_leave(not_registered(api, "dstSurface"));
    }
    p->destination = b->shared;
    return vic_leave(NVMEDIA_STATUS_OK);
}

/* --- how -------------------------------------------------------------------------------------- */

static bool is_rect(const NvMediaRect *r)
{
    return !r || (r->x0 < r->x1 && r->y0 < r->y1);
}

/* The VIC of this board transposes nothing. */
static bool vic_params_transposes(NvMedia2DTransform t)
{
    return t == NVMEDIA_2D_TRANSFORM_ROTATE_90 || t == NVMEDIA_2D_TRANSFORM_ROTATE_270 ||
           t == NVMEDIA_2D_TRANSFORM_TRANSPOSE || t == NVMEDIA_2D_TRANSFORM_INV_TRANSPOSE;
}

static NvMediaStatus geometry_check(uint32_t index, const NvMediaRect *src, const NvMediaRect *dst,
                                    NvMedia2DTransform transform)
{
    static const char *const api = "NvMedia2DSetSrcGeometry";

    if (index >= VIC_LAYERS) {
        return no_layer(api);
    }
    if (!is_rect(src) || !is_rect(dst)) {
        return vic_error(NVMEDIA_STATUS_BAD_PARAMETER, api, "%s is empty",
                         is_rect(src) ? "dstRect" : "srcRect");
    }
    if ((unsigned)transform > NVMEDIA_2D_TRANSFORM_TRANSPOSE) {
        return vic_error(NVMEDIA_STATUS_BAD_PARAMETER, api, "transform is unknown");
    }
    return vic_params_transposes(transform)
               ? vic_error(NVMEDIA_STATUS_NOT_SUPPORTED, api,
                           "vtegra's VIC turns by 180 degrees and mirrors, and "
                           "does not transpose")
               : NVMEDIA_STATUS_OK;
}

NvMediaStatus rt_vic_geometry(const NvMedia2D *handle, NvMedia2DComposeParameters params,
                              uint32_t index, const NvMediaRect *src, const NvMediaRect *dst,
                              NvMedia2DTransform transform)
{
    struct vic_context *c;
    struct vic_params *p;
    struct vic_layer *l;
    NvMediaStatus status = vic_params_enter(handle, params, &c, &p, "NvMedia2DSetSrcGeometry");

    if (status) {
        return status;
    }
    status = geometry_check(index, src, dst, transform);
    if (status) {
        return vic_leave(status);
    }
    l = &p->layer[index];
    l->has_src = src != NULL;
    l->has_dst = dst != NULL;
    l->src = src ? *src : (NvMediaRect){ 0 };
    l->dst = dst ? *dst : (NvMediaRect){ 0 };
    l->transform = transform;
    return vic_leave(NVMEDIA_STATUS_OK);
}

NvMediaStatus rt_vic_filter(const NvMedia2D *handle, NvMedia2DComposeParameters params,
                            uint32_t index, NvMedia2DFilter filter)
{
    static const char *const api = "NvMedia2DSetSrcFilter";
    struct vic_context *c;
    struct vic_params *p;
    NvMediaStatus status = vic_params_enter(handle, params, &c, &p, api);

    if (status) {
        return status;
    }
    if (index >= VIC_LAYERS) {
        return vic_leave(no_layer(api));
    }
    if (filter < NVMEDIA_2D_FILTER_OFF || filter > NVMEDIA_2D_FILTER_HIGH) {
        return vic_leave(vic_error(NVMEDIA_STATUS_BAD_PARAMETER, api, "filter is unknown"));
    }
    p->layer[index].filter = filter;
    return vic_leave(NVMEDIA_STATUS_OK);
}

NvMediaStatus rt_vic_blend(const NvMedia2D *handle, NvMedia2DComposeParameters params,
                           uint32_t index, NvMedia2DBlendMode mode, float alpha)
{
    static const char *const api = "NvMedia2DSetSrcBlendMode";
    struct vic_context *c;
    struct vic_params *p;
    NvMediaStatus status = vic_params_enter(handle, params, &c, &p, api);

    if (status) {
        return status;
    }
    if (index >= VIC_LAYERS) {
        return vic_leave(no_layer(api));
    }
    if ((unsigned)mode > NVMEDIA_2D_BLEND_MODE_PREMULTIPLIED_ALPHA ||
        !(alpha >= 0.0f && alpha <= 1.0f)) {
        return vic_leave(vic_error(NVMEDIA_STATUS_BAD_PARAMETER, api, "%s",
                                   (unsigned)mode > NVMEDIA_2D_BLEND_MODE_PREMULTIPLIED_ALPHA
                                       ? "blendMode is unknown"
                                       : "constantAlpha is not from 0 to 1"));
    }
    p->layer[index].blend = mode;
    return vic_leave(NVMEDIA_STATUS_OK);
}

/* --- fences ----------------------------------------------------------------------------------- */

NvMediaStatus rt_vic_eof(const NvMedia2D *handle, NvMedia2DComposeParameters params,
                         NvSciSyncObj sync)
{
    static const char *const api = "NvMedia2DSetNvSciSyncObjforEOF";
    const struct vic_sync *s;
    struct vic_context *c;
    struct vic_params *p;
    NvMediaStatus status = vic_params_enter(handle, params, &c, &p, api);

    if (status) {
        return status;
    }
    s = vic_sync_of(c, sync);
    if (!s || !vic_sync_ends(s)) {
        return vic_leave(vic_error(NVMEDIA_STATUS_BAD_PARAMETER, api,
                                   "syncObj is not registered as NVMEDIA_EOFSYNCOBJ or "
                                   "NVMEDIA_EOF_PRESYNCOBJ"));
    }
    p->eof = s->sync;
    return vic_leave(NVMEDIA_STATUS_OK);
}

static NvMediaStatus pre_fence_add(const struct vic_context *c, struct vic_params *p,
                                   const NvSciSyncFence *fence)
{
    static const char *const api = "NvMedia2DInsertPreNvSciSyncFence";
    struct rt_sci_fence f;
    const struct vic_sync *s;

    if (!fence || !sci_ops.fence_get || !sci_ops.fence_get(fence, &f)) {
        return vic_error(NVMEDIA_STATUS_BAD_PARAMETER, api, "syncFence is no NvSciSyncFence");
    }
    if (f.cleared) {
        report_finding(&check_rules[CHECK_RULE_WAIT_CLEARED], 0, 0, 0, NULL,
                       "%s: the pre-fence is a cleared fence, which is nothing to wait for", api);
        return NVMEDIA_STATUS_OK;
    }
    s = vic_sync_find(c, f.sync);
    if (!s || !vic_sync_waits(s)) {
        return vic_error(NVMEDIA_STATUS_BAD_PARAMETER, api,
                         "the fence's object is not registered as NVMEDIA_PRESYNCOBJ or "
                         "NVMEDIA_EOF_PRESYNCOBJ");
    }
    if (p->n_pre == VIC_PRE_FENCES_MAX) {
        return vic_error(NVMEDIA_STATUS_INSUFFICIENT_BUFFERING, api,
                         "an operation has at most %u pre-fences", VIC_PRE_FENCES_MAX);
    }
    p->pre[p->n_pre++] = (struct vic_pre_fence){ s->sync, sync_fence(s->sync, f.value) };
    return NVMEDIA_STATUS_OK;
}

NvMediaStatus rt_vic_pre_fence(const NvMedia2D *handle, NvMedia2DComposeParameters params,
                               const NvSciSyncFence *fence)
{
    struct vic_context *c;
    struct vic_params *p;
    NvMediaStatus status =
        vic_params_enter(handle, params, &c, &p, "NvMedia2DInsertPreNvSciSyncFence");

    return status ? status : vic_leave(pre_fence_add(c, p, fence));
}

/* --- filter buffers --------------------------------------------------------------------------- */

NvMediaStatus rt_vic_filter_buffer_new(const NvMedia2D *handle, const NvMedia2DFilterBuffer *buffer)
{
    static const char *const api = "NvMedia2DCreateFilterBuffer";
    struct vic_context *c;
    NvMediaStatus status = vic_enter(handle, &c, api);

    if (status) {
        return status;
    }
    if (!buffer) {
        status = vic_error(NVMEDIA_STATUS_BAD_PARAMETER, api, "filterBuffer is NULL");
    } else if (!c->limits.maxFilterBuffers) {
        status = vic_error(NVMEDIA_STATUS_INSUFFICIENT_BUFFERING, api,
                           "maxFilterBuffers of the context is 0");
    } else {
        status =
            vic_error(NVMEDIA_STATUS_ERROR, api, "vtegra's VIC has no filters of 5 or 10 taps");
    }
    return vic_leave(status);
}

NvMediaStatus rt_vic_filter_buffer(const NvMedia2D *handle, const char *api)
{
    struct vic_context *c;
    NvMediaStatus status = vic_enter(handle, &c, api);

    return status ? status
                  : vic_leave(vic_error(NVMEDIA_STATUS_BAD_PARAMETER, api,
                                        "filterBuffer is none of NvMedia2DCreateFilterBuffer()"));
}
