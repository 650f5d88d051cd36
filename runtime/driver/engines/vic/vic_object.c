/* SPDX-License-Identifier: MIT */
/* What a context of NvMedia 2D has registered: buffers and sync objects of NvSci. A duplicate is
 * the same one: what counts is the memory, or the counter. */
#include "runtime/driver/engines/vic/vic.h"

#include <errno.h>

#include "include/nvscibuf.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/handle.h"
#include "runtime/driver/device/rt_init.h"
#include "runtime/driver/stream/stream.h"

#define PAGE_UP(x) (((x) + HAL_PAGE - 1) & ~(uint64_t)(HAL_PAGE - 1))

/* --- attributes ------------------------------------------------------------------------------- */

static NvMediaStatus vic_object_filled(int error, const char *api, const char *list)
{
    return !error ? NVMEDIA_STATUS_OK
           : error == -EBADF
               ? vic_error(NVMEDIA_STATUS_BAD_PARAMETER, api, "attrList is no list of %s", list)
               : vic_error(NVMEDIA_STATUS_BAD_PARAMETER, api,
                           "the list has these attributes, or is reconciled");
}

NvMediaStatus rt_vic_buf_attributes(NvSciBufAttrList list)
{
    int error;

    if (rt_init(0) || core_enter_any()) {
        return NVMEDIA_STATUS_ERROR;
    }
    error = list && sci_ops.buf_list ? sci_ops.buf_list(list, NvSciBufHwEngName_Vic) : -EBADF;
    return vic_leave(
        vic_object_filled(error, "NvMedia2DFillNvSciBufAttrList", "NvSciBufAttrListCreate()"));
}

NvMediaStatus rt_vic_sync_attributes(const NvMedia2D *handle, NvSciSyncAttrList list,
                                     NvMediaNvSciSyncClientType type)
{
    static const char *const api = "NvMedia2DFillNvSciSyncAttrList";
    static const uint32_t primitive = NvSciSyncAttrValPrimitiveType_Syncpoint;
    struct vic_context *c;
    NvMediaStatus status = vic_enter(handle, &c, api);
    int error;

    if (status) {
        return status;
    }
    if (!list || (unsigned)type > NVMEDIA_SIGNALER_WAITER) {
        return vic_leave(vic_error(NVMEDIA_STATUS_BAD_PARAMETER, api, "%s",
                                   list ? "clientType is unknown" : "attrList is NULL"));
    }
    error = sci_ops.sync_list ? sci_ops.sync_list(list, type != NVMEDIA_WAITER,
                                                  type != NVMEDIA_SIGNALER, &primitive, 1, NULL)
                              : -EBADF;
    return vic_leave(vic_object_filled(error, api, "NvSciSyncAttrListCreate()"));
}

/* --- look-ups --------------------------------------------------------------------------------- */

struct vic_buffer *vic_buffer_find(const struct vic_context *c, const struct rt_shared *shared)
{
    for (guint i = 0; i < c->buffers->len; i++) {
        struct vic_buffer *b = c->buffers->pdata[i];

        if (b->shared == shared) {
            return b;
        }
    }
    return NULL;
}

struct vic_sync *vic_sync_find(const struct vic_context *c, const struct rt_sync *sync)
{
    for (guint i = 0; i < c->syncs->len; i++) {
        struct vic_sync *s = c->syncs->pdata[i];

        if (s->sync == sync) {
            return s;
        }
    }
    return NULL;
}

struct vic_buffer *vic_buffer_of(const struct vic_context *c, NvSciBufObj handle)
{
    struct rt_sci_buf buf;

    return sci_ops.buf && sci_ops.buf(handle, NULL, &buf) ? vic_buffer_find(c, buf.memory) : NULL;
}

struct vic_sync *vic_sync_of(const struct vic_context *c, NvSciSyncObj handle)
{
    struct rt_sci_sync sync;

    return sci_ops.sync && sci_ops.sync(handle, &sync) ? vic_sync_find(c, sync.sync) : NULL;
}

bool vic_sync_waits(const struct vic_sync *s)
{
    return s->type == NVMEDIA_PRESYNCOBJ || s->type == NVMEDIA_EOF_PRESYNCOBJ;
}

bool vic_sync_ends(const struct vic_sync *s)
{
    return s->type == NVMEDIA_EOFSYNCOBJ || s->type == NVMEDIA_EOF_PRESYNCOBJ;
}

/* Of the operations that are not done. */
static bool in_use(const struct vic_context *c, const struct rt_shared *shared,
                   const struct rt_sync *sync)
{
    for (uint64_t i = c->oldest + 1; i <= c->operations; i++) {
        const struct vic_operation *o = &c->operation[i % VIC_PENDING_MAX];
        bool waits = false;

        for (unsigned k = 0; k < o->n_pre; k++) {
            waits |= sync && o->pre[k].sync == sync;
        }
        if (waits || (sync && o->eof == sync) ||
            (shared && (o->source == shared || o->destination == shared))) {
            return true;
        }
    }
    return false;
}

/* --- buffers ---------------------------------------------------------------------------------- */

static NvMediaStatus buffer_add(struct vic_context *c, const struct rt_sci_buf *buf)
{
    static const char *const api = "NvMedia2DRegisterNvSciBufObj";
    struct vic_buffer *b;

    if (vic_buffer_find(c, buf->memory)) {
        return vic_error(NVMEDIA_STATUS_BAD_PARAMETER, api,
                         "the buffer, or a duplicate of it, is registered already");
    }
    if (!buf->planes) {
        return vic_error(NVMEDIA_STATUS_BAD_PARAMETER, api,
                         "the buffer is no image (NvSciBufType_Image)");
    }
    if (c->buffers->len == c->limits.maxRegisteredBuffers) {
        return vic_error(NVMEDIA_STATUS_INSUFFICIENT_BUFFERING, api,
                         "maxRegisteredBuffers is %u: raise it in NvMedia2DAttributes",
                         c->limits.maxRegisteredBuffers);
    }
    b = g_new0(struct vic_buffer, 1);
    b->shared = buf->memory;
    b->buf = *buf;
    b->mapped = PAGE_UP(buf->size);
    if (vic_map(shared_mem(buf->memory), b->mapped, buf->writable, &b->iova)) {
        g_free(b);
        return vic_error(NVMEDIA_STATUS_ERROR, api, "the SMMU has no room");
    }
    external_import_shared(b->shared, true);
    g_ptr_array_add(c->buffers, b);
    return NVMEDIA_STATUS_OK;
}

NvMediaStatus rt_vic_register_buf(const NvMedia2D *handle, NvSciBufObj object)
{
    static const char *const api = "NvMedia2DRegisterNvSciBufObj";
    struct rt_sci_buf buf;
    struct vic_context *c;
    NvMediaStatus status = vic_enter(handle, &c, api);

    if (status) {
        return status;
    }
    if (!sci_ops.buf || !sci_ops.buf(object, NULL, &buf)) {
        return vic_leave(vic_error(NVMEDIA_STATUS_BAD_PARAMETER, api,
                                   "bufObj is no NvSciBufObj: give what NvSciBufObjAlloc() gave, "
                                   "until NvSciBufObjFree()"));
    }
    return vic_leave(buffer_add(c, &buf));
}

/* A program that asks again and again lets the board go on, as a board does by itself. The lock may
 * have been free. Return: NULL: the context is gone. */
static struct vic_context *look_again(struct vic_context *c, const NvMedia2D *handle)
{
    if (vic_pending(c)) {
        wait_poll(c->asked++ > 0);
        c = handle_find(HANDLE_VIC, handle);
    }
    if (c) {
        vic_pending(c);
    }
    return c;
}

static NvMediaStatus vic_object_pending(const char *api, const char *what)
{
    return vic_error(NVMEDIA_STATUS_PENDING, api,
                     "an operation that is not done uses the %s: wait for its EOF fence", what);
}

NvMediaStatus rt_vic_unregister_buf(const NvMedia2D *handle, NvSciBufObj object)
{
    static const char *const api = "NvMedia2DUnregisterNvSciBufObj";
    struct vic_buffer *b;
    struct vic_context *c;
    NvMediaStatus status = vic_enter(handle, &c, api);

    if (status) {
        return status;
    }
    c = look_again(c, handle);
    b = c ? vic_buffer_of(c, object) : NULL;
    if (!b) {
        return vic_leave(vic_error(NVMEDIA_STATUS_BAD_PARAMETER, api,
                                   "bufObj is no NvSciBufObj, or is not registered"));
    }
    if (in_use(c, b->shared, NULL)) {
        return vic_leave(vic_object_pending(api, "buffer"));
    }
    vic_unmap(b->iova, b->mapped);
    external_import_shared(b->shared, false);
    g_ptr_array_remove(c->buffers, b);
    return vic_leave(NVMEDIA_STATUS_OK);
}

NvMediaStatus rt_vic_wait_buf(const NvMedia2D *handle, NvSciBufObj object, int64_t timeout_us,
                              const char *api)
{
    GArray *known = NULL;
    struct vic_buffer *b;
    struct vic_context *c;
    struct fence done;
    NvMediaStatus status = vic_enter(handle, &c, api);
    int r;

    if (status) {
        return status;
    }
    b = vic_buffer_of(c, object);
    if (!b || !b->used) {
        return vic_leave(b ? NVMEDIA_STATUS_OK
                           : vic_error(NVMEDIA_STATUS_BAD_PARAMETER, api,
                                       "the image is not registered, or its buffer was freed"));
    }
    done = (struct fence){ c->syncpt, b->threshold };
    r = timeout_us ? wait_limit(done, timeout_us) : fence_reached(done) ? 0 : -ETIMEDOUT;
    if (!r) {
        vic_service();
        clock_add(&known, done);
        clock_synced(known);
        g_array_unref(known);
    }
    return vic_leave(!r                ? NVMEDIA_STATUS_OK
                     : r == -ETIMEDOUT ? NVMEDIA_STATUS_TIMED_OUT
                                       : NVMEDIA_STATUS_ERROR);
}

/* --- sync objects ----------------------------------------------------------------------------- */

static NvMediaStatus sync_add(struct vic_context *c, NvMediaNvSciSyncObjType type,
                              const struct rt_sci_sync *sync, const void *object)
{
    static const char *const api = "NvMedia2DRegisterNvSciSyncObj";
    struct vic_sync s = { .sync = sync->sync, .object = object, .type = type };

    if (vic_sync_find(c, sync->sync)) {
        return vic_error(NVMEDIA_STATUS_BAD_PARAMETER, api,
                         "the sync object, or a duplicate of it, is registered already");
    }
    if (sync_kind(sync->sync) != RT_SYNC_SYNCPT) {
        return vic_error(NVMEDIA_STATUS_BAD_PARAMETER, api,
                         "the sync object is a semaphore: NvMedia2DFillNvSciSyncAttrList() asks "
                         "for a syncpoint");
    }
    if ((vic_sync_waits(&s) && !sync->may_wait) || (vic_sync_ends(&s) && !sync->may_signal)) {
        return vic_error(NVMEDIA_STATUS_BAD_PARAMETER, api,
                         "the lists of the sync object have no permission to %s",
                         vic_sync_waits(&s) && !sync->may_wait ? "wait" : "signal");
    }
    if (c->syncs->len == c->limits.maxRegisteredSyncs) {
        return vic_error(NVMEDIA_STATUS_INSUFFICIENT_BUFFERING, api,
                         "maxRegisteredSyncs is %u: raise it in NvMedia2DAttributes",
                         c->limits.maxRegisteredSyncs);
    }
    external_import_sync(s.sync, true);
    g_ptr_array_add(c->syncs, g_memdup2(&s, sizeof(s)));
    return NVMEDIA_STATUS_OK;
}

NvMediaStatus rt_vic_register_sync(const NvMedia2D *handle, NvMediaNvSciSyncObjType type,
                                   NvSciSyncObj object)
{
    static const char *const api = "NvMedia2DRegisterNvSciSyncObj";
    struct rt_sci_sync sync;
    struct vic_context *c;
    NvMediaStatus status = vic_enter(handle, &c, api);

    if (status) {
        return status;
    }
    if (type != NVMEDIA_PRESYNCOBJ && type != NVMEDIA_EOFSYNCOBJ &&
        type != NVMEDIA_EOF_PRESYNCOBJ) {
        return vic_leave(vic_error(NVMEDIA_STATUS_BAD_PARAMETER, api,
                                   "syncObjType is none of NVMEDIA_PRESYNCOBJ, "
                                   "NVMEDIA_EOFSYNCOBJ, NVMEDIA_EOF_PRESYNCOBJ"));
    }
    if (!sci_ops.sync || !sci_ops.sync(object, &sync)) {
        return vic_leave(vic_error(NVMEDIA_STATUS_BAD_PARAMETER, api,
                                   "syncObj is no NvSciSyncObj: give what NvSciSyncObjAlloc() "
                                   "gave, until NvSciSyncObjFree()"));
    }
    return vic_leave(sync_add(c, type, &sync, object));
}

NvMediaStatus rt_vic_unregister_sync(const NvMedia2D *handle, NvSciSyncObj object)
{
    static const char *const api = "NvMedia2DUnregisterNvSciSyncObj";
    struct vic_sync *s;
    struct vic_context *c;
    NvMediaStatus status = vic_enter(handle, &c, api);

    if (status) {
        return status;
    }
    c = look_again(c, handle);
    s = c ? vic_sync_of(c, object) : NULL;
    if (!s) {
        return vic_leave(vic_error(NVMEDIA_STATUS_BAD_PARAMETER, api,
                                   "syncObj is no NvSciSyncObj, or is not registered"));
    }
    if (in_use(c, NULL, s->sync)) {
        return vic_leave(vic_object_pending(api, "sync object"));
    }
    external_import_sync(s->sync, false);
    g_ptr_array_remove(c->syncs, s);
    return vic_leave(NVMEDIA_STATUS_OK);
}
