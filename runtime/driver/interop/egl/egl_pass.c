/* SPDX-License-Identifier: MIT */
/* Frames of an EGLStream from one process to another: the memory is the same, at addresses of each
 * process's own, and the iGPU waits for the other process's syncpoints. What stands in the page
 * (egl_offer.c) is imported when it is needed, once, and given back when it has gone there or this
 * end leaves. */
#include <string.h>

#include "runtime/driver/array/array.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/interop/egl/egl_share.h"
#include "runtime/driver/memory/external.h"
#include "runtime/driver/memory/memory.h"
#include "runtime/driver/stream/stream.h"
#include "runtime/observe/range.h"

/* --- what is not needed any more -------------------------------------------------------------- */

/* What a context's queued work may still use: a mapping, or a syncpoint. */
struct left {
    struct context *context;
    uint64_t va;
    uint32_t syncpt;
    GArray *fences;
};

static GArray *lefts; /* struct left */

static void leave(struct context *c, uint64_t va, uint32_t syncpt)
{
    struct left l = { c, va, syncpt, context_fences(c) };

    lefts = lefts ? lefts : g_array_new(FALSE, FALSE, sizeof(struct left));
    g_array_append_val(lefts, l);
}

void egl_pass_leave_memory(struct context *c, uint64_t va)
{
    leave(c, va, 0);
}

static bool left_due(const struct left *l)
{
    for (guint i = 0; i < l->fences->len; i++) {
        if (!fence_reached(g_array_index(l->fences, struct fence, i))) {
            return false;
        }
    }
    return true;
}

static void left_end(guint n)
{
    struct left l = g_array_index(lefts, struct left, n);
    struct region *r = l.va ? region_at(l.va) : NULL;

    g_array_remove_index(lefts, n);
    g_array_unref(l.fences);
    if (r) {
        region_free(r);
    }
    if (l.syncpt) {
        hal_release(core_hal(), HAL_CLAIM_SYNCPT, l.syncpt);
    }
}

void egl_pass_reap(void)
{
    for (guint n = lefts ? lefts->len : 0; n > 0; n--) {
        if (left_due(&g_array_index(lefts, struct left, n - 1))) {
            left_end(n - 1);
        }
    }
}

/* Its mappings go with its other memory. */
void egl_pass_context_gone(const struct context *c)
{
    for (guint n = lefts ? lefts->len : 0; n > 0; n--) {
        struct left *l = &g_array_index(lefts, struct left, n - 1);

        if (l->context == c && l->va) {
            l->va = 0;
            left_end(n - 1);
        }
    }
}

/* The producer's fence, for a wait here. */
static CUresult fence_import(struct egl_object *o, bool producer, struct fence fence,
                             struct context *c)
{
    struct share_pass *all = o->share->page->syncpt[producer];
    struct share_pass *entry, *have;
    struct hal_pass pass;

    if (!fence.id || egl_share_is_mine(o)) {
        return CUDA_SUCCESS;
    }
    entry = share_entry_find(all, SHARE_SYNCPTS, fence.id);
    if (!entry) {
        return CUDA_ERROR_UNKNOWN;
    }
    have = &o->share->syncpt[entry - all];
    if (have->serial == entry->serial) {
        return CUDA_SUCCESS;
    }
    if (have->serial) {
        leave(c, 0, have->id);
        have->serial = 0;
    }
    if (hal_import(core_hal(), entry->token, HAL_RIGHT_READ, &pass)) {
        return CUDA_ERROR_UNKNOWN; /* its process has ended */
    }
    if (pass.mem.id) {
        hal_mem_free(core_hal(), &pass.mem);
    }
    check_foreign(core_check());
    *have = *entry;
    have->id = pass.syncpt;
    return pass.syncpt == fence.id ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}

static bool frame_uses(const struct egl_frame *f, uint32_t serial)
{
    return f->copy && (f->serial[0] == serial || f->serial[1] == serial || f->serial[2] == serial);
}

/* Frames that the producer has freed: theirs, and the memory. One that is held stays. */
static void mem_forget(struct egl_object *o, struct share_mem *m, struct context *c)
{
    for (guint i = o->frames->len; i > 0; i--) {
        struct egl_frame *f = g_ptr_array_index(o->frames, i - 1);

        if (frame_uses(f, m->serial) && f->id == o->s.held.frame) {
            return;
        }
    }
    for (guint i = o->frames->len; i > 0; i--) {
        struct egl_frame *f = g_ptr_array_index(o->frames, i - 1);

        if (frame_uses(f, m->serial)) {
            egl_frame_drop(o, f);
        }
    }
    leave(c, m->va, 0);
    *m = (struct share_mem){ 0 };
}

static void mems_forget(struct egl_object *o, struct context *c)
{
    for (unsigned i = 0; i < SHARE_MEMS; i++) {
        if (o->share->mem[i].serial && o->share->mem[i].serial != o->share->page->mem[i].serial) {
            mem_forget(o, &o->share->mem[i], c);
        }
    }
}

/* The discrete GPU's own memory is no one else's, and all it caches (CUDA for Tegra, Table 1). */
static bool is_reached(const struct context *c, enum hal_mem_kind kind)
{
    return kind != HAL_MEM_VIDMEM || device_gpu(context_device(c)) == UNIT_DGPU;
}

static bool is_cached(const struct context *c, enum hal_mem_kind kind)
{
    return kind == HAL_MEM_VIDMEM || device_gpu(context_device(c)) != UNIT_DGPU;
}

static struct region *mem_import(struct egl_object *o, const struct share_plane *plane,
                                 struct context *c)
{
    const char *api =
        o->gl_consumer ? "eglStreamConsumerAcquireKHR" : "cuEGLStreamConsumerAcquireFrame";
    uint32_t rights = HAL_RIGHT_READ;
    const struct share_pass *entry;
    struct rt_shared *shared;
    struct share_mem *have;
    struct region *r;
    CUresult error;

    if (plane->index >= SHARE_MEMS) {
        return NULL;
    }
    entry = &o->share->page->mem[plane->index];
    have = &o->share->mem[plane->index];
    if (have->serial && have->serial == plane->serial) {
        return region_at(have->va);
    }
    if (have->serial || !plane->serial || entry->serial != plane->serial ||
        shared_import(entry->token, SHARE_KINDS, api, &rights, &shared)) {
        return NULL;
    }
    r = is_reached(c, shared_mem(shared)->kind)
            ? region_map_shared(c, shared, 0, shared_bytes(shared),
                                !plane->gpu_uncached && is_cached(c, shared_mem(shared)->kind),
                                rights & HAL_RIGHT_WRITE, &error)
            : NULL;
    shared_unref(shared);
    if (r) {
        region_keep(r); /* not cuMemFree()'s */
        *have = (struct share_mem){ plane->serial, region_address(r) };
    }
    return r;
}

/* --- the consumer ----------------------------------------------------------------------------- */

void egl_pass_frame_end(struct egl_frame *f)
{
    for (unsigned i = 0; i < MAX_PLANES && f->desc.frameType == CU_EGL_FRAME_TYPE_ARRAY; i++) {
        if (f->serial[i]) {
            array_drop(f->desc.frame.pArray[i]);
        }
    }
}

static CUresult plane_get(struct egl_object *o, const struct share_frame *record, unsigned i,
                          struct context *c, struct egl_frame *f)
{
    const struct share_plane *plane = &record->plane[i];
    struct region *r = mem_import(o, plane, c);
    uint64_t va;

    if (!r || plane->offset >= region_bytes(r)) {
        return CUDA_ERROR_UNKNOWN;
    }
    va = region_first(r) + plane->offset;
    f->region[i] = region_id(r);
    if (f->desc.frameType == CU_EGL_FRAME_TYPE_ARRAY) {
        f->desc.frame.pArray[i] =
            array_new_at(c, &plane->array, va, region_bytes(r) - plane->offset, plane->pitch,
                         "cuEGLStreamConsumerAcquireFrame");
        f->serial[i] = f->desc.frame.pArray[i] ? plane->serial : 0;
        return f->serial[i] ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
    }
    f->desc.frame.pPitch[i] = (void *)(uintptr_t)va;
    f->serial[i] = plane->serial;
    return CUDA_SUCCESS;
}

static CUresult frame_fill(struct egl_object *o, const struct share_frame *record,
                           struct context *c, struct egl_frame *f)
{
    CUresult error = CUDA_SUCCESS;

    f->id = record->id;
    f->copy = true;
    f->desc = record->desc;
    f->producer_channel = f->producer_stream = UINT32_MAX;
    if (egl_share_is_mine(o)) {
        return egl_frame_check(&f->desc);
    }
    if (f->desc.planeCount > MAX_PLANES) {
        return CUDA_ERROR_UNKNOWN;
    }
    memset(&f->desc.frame, 0, sizeof(f->desc.frame));
    for (unsigned i = 0; i < f->desc.planeCount && !error; i++) {
        error = plane_get(o, record, i, c, f);
    }
    return error ? error : egl_frame_check(&f->desc);
}

/* The frame as it was when it came last time. */
static bool frame_same(const struct egl_frame *f, const struct share_frame *record)
{
    CUeglFrame desc = record->desc;

    if (f->serial[0]) { /* mapped here */
        desc.frame = f->desc.frame;
    }
    for (unsigned i = 0; i < MAX_PLANES; i++) {
        if (f->serial[i] != record->plane[i].serial) {
            return false;
        }
    }
    return memcmp(&desc, &f->desc, sizeof(desc)) == 0;
}

struct egl_frame *egl_pass_get(struct egl_object *o, uint64_t id, struct context *c)
{
    struct egl_frame *f = egl_frame_find(o, id);
    const struct share_frame *shared;
    struct share_frame record;

    if (!o->share || (f && !f->copy)) {
        return f;
    }
    shared = share_record_find(o->share->page, id);
    if (!shared) {
        return NULL;
    }
    record = *shared;
    if (f && !frame_same(f, &record)) {
        egl_frame_drop(o, f);
        f = NULL;
    }
    mems_forget(o, c);
    if (!f) {
        f = g_new0(struct egl_frame, 1);
        g_ptr_array_add(o->frames, f);
        if (frame_fill(o, &record, c, f)) {
            egl_frame_drop(o, f);
            return NULL;
        }
    }
    egl_point_clear(&f->presented);
    f->presented.fence = record.presented;
    if (fence_import(o, true, record.presented, c)) {
        egl_frame_drop(o, f);
        return NULL;
    }
    return f;
}

CUresult egl_pass_released(struct egl_object *o, uint64_t id, struct fence released)
{
    struct share_frame *record = o->share ? share_record_find(o->share->page, id) : NULL;
    CUresult error = record ? share_syncpt_offer(o, false, released.id) : CUDA_SUCCESS;

    if (record && !error) {
        record->released = released;
    }
    return error;
}

/* Back at the producer, which waits for the consumer's work. */
void egl_pass_returned(struct egl_object *o, struct egl_frame *f)
{
    struct share_frame *record = o->share ? share_record_find(o->share->page, f->id) : NULL;
    struct context *c = o->producer      ? o->producer->base.context
                        : o->gl_producer ? o->gl_producer->base.context
                                         : NULL;

    if (!record) {
        return;
    }
    egl_point_clear(&f->released);
    if (c && !fence_import(o, false, record->released, c)) {
        f->released.fence = record->released;
    }
    *record = (struct share_frame){ 0 };
}

/* --- the end ---------------------------------------------------------------------------------- */

struct mappings {
    const struct region *gone;
    bool other;
};

void egl_pass_leave(struct egl_object *o, bool producer, struct context *c)
{
    struct egl_share *share = o->share;

    for (unsigned i = 0; i < SHARE_SYNCPTS; i++) {
        share_entry_end(&share->page->syncpt[producer][i]);
        if (share->syncpt[i].serial) {
            leave(c, 0, share->syncpt[i].id);
            share->syncpt[i].serial = 0;
        }
    }
    for (unsigned i = 0; i < SHARE_MEMS; i++) {
        if (producer) {
            share_entry_end(&share->page->mem[i]);
        } else if (share->mem[i].serial) {
            leave(c, share->mem[i].va, 0);
            share->mem[i].serial = 0;
        }
    }
}
