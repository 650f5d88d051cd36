/* SPDX-License-Identifier: MIT */
#include "runtime/api/nvmedia5/engine.h"

#include <glib.h>

#include "include/nvmedia_2d_sci.h"
#include "runtime/driver/engines/vic/rt_vic.h"

#define BLIT "NvMedia2DBlitEx"
#define PENDING_MAX 16u /* blits of one context that are not done */

/**
 * struct engine - a context of the driver's
 * @params: of the next blit, if @open: what pre-fences are kept in
 * @dst: of the last blits, the next is @blits % PENDING_MAX
 */
struct engine {
    NvMedia2D *context;
    NvMedia2DComposeParameters params;
    bool open;
    NvMedia2DComposeResult last;
    NvSciBufObj dst[PENDING_MAX];
    uint64_t blits;
};

int engine_refuse(int status, const char *api, const char *why)
{
    return (int)rt_vic_refuse((NvMediaStatus)status, api, why);
}

struct engine *engine_new(void)
{
    static const NvMedia2DAttributes attr = { .numComposeParameters = 1,
                                              .maxRegisteredBuffers = 1024,
                                              .maxRegisteredSyncs = 64 };
    NvMedia2D *context;
    struct engine *e;

    rt_vic_form(BLIT);
    if (rt_vic_create(&context, &attr)) {
        return NULL;
    }
    e = g_new0(struct engine, 1);
    e->context = context;
    return e;
}

void engine_free(struct engine *e)
{
    rt_vic_destroy(e->context);
    g_free(e);
}

/* --- buffers ---------------------------------------------------------------------------------- */

int engine_buf_register(struct engine *e, NvSciBufObj buf)
{
    return (int)rt_vic_register_buf(e->context, buf);
}

int engine_buf_wait(struct engine *e, NvSciBufObj buf, int64_t timeout_us, const char *api)
{
    return (int)rt_vic_wait_buf(e->context, buf, timeout_us, api);
}

void engine_buf_unregister(struct engine *e, NvSciBufObj buf)
{
    rt_vic_wait_buf(e->context, buf, -1, "NvMediaImageDestroy");
    rt_vic_unregister_buf(e->context, buf);
    for (unsigned i = 0; i < PENDING_MAX; i++) {
        e->dst[i] = e->dst[i] == buf ? NULL : e->dst[i];
    }
}

/* --- sync objects ----------------------------------------------------------------------------- */

int engine_sync_list(struct engine *e, NvSciSyncAttrList list, unsigned client)
{
    return (int)rt_vic_sync_attributes(e->context, list, (NvMediaNvSciSyncClientType)client);
}

int engine_sync_register(struct engine *e, unsigned type, NvSciSyncObj sync)
{
    return (int)rt_vic_register_sync(e->context, (NvMediaNvSciSyncObjType)type, sync);
}

int engine_sync_unregister(struct engine *e, NvSciSyncObj sync)
{
    return (int)rt_vic_unregister_sync(e->context, sync);
}

/* --- blits ------------------------------------------------------------------------------------ */

static NvMediaStatus params_open(struct engine *e)
{
    NvMediaStatus status = e->open ? NVMEDIA_STATUS_OK : rt_vic_params(e->context, &e->params);

    e->open = !status;
    return status;
}

int engine_pre_fence(struct engine *e, const NvSciSyncFence *fence)
{
    NvMediaStatus status = params_open(e);

    return (int)(status ? status : rt_vic_pre_fence(e->context, e->params, fence));
}

static NvMediaStatus params_set(struct engine *e, const struct engine_blit *b)
{
    NvMediaStatus status = rt_vic_source(e->context, e->params, 0, b->src);

    status = status ? status : rt_vic_destination(e->context, e->params, b->dst);
    status = status ? status
                    : rt_vic_geometry(e->context, e->params, 0, (const NvMediaRect *)b->src_rect,
                                      (const NvMediaRect *)b->dst_rect,
                                      (NvMedia2DTransform)b->transform);
    status = status ? status : rt_vic_filter(e->context, e->params, 0, (NvMedia2DFilter)b->filter);
    return status || !b->eof ? status : rt_vic_eof(e->context, e->params, b->eof);
}

int engine_blit(struct engine *e, const struct engine_blit *blit)
{
    NvSciBufObj oldest = e->dst[e->blits % PENDING_MAX];
    NvMediaStatus status = params_open(e);

    if (oldest) { /* the driver keeps so many; NvMedia's call blocks then (inferred) */
        rt_vic_wait_buf(e->context, oldest, -1, BLIT);
    }
    status = status ? status : params_set(e, blit);
    status = status ? status : rt_vic_compose(e->context, e->params, &e->last);
    if (!status) {
        e->open = false;
        e->dst[e->blits++ % PENDING_MAX] = blit->dst;
    }
    return (int)status;
}

int engine_eof_fence(struct engine *e, NvSciSyncFence *fence)
{
    return (int)rt_vic_eof_fence(e->context, &e->last, fence);
}
