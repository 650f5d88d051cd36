/* SPDX-License-Identifier: MIT */
/* Frames of an EGLStream from one process to another: the memory is the same, at addresses of each
 * process's own, and the iGPU waits for the other process's syncpoints.
 *
 * The page lists what is exported: allocations of the producer's, syncpoints of both ends' CUDA
 * streams. The other process imports an entry when it needs it, once, and gives it back when the
 * entry has gone or its end leaves. */
#include <string.h>

#include "runtime/driver/array.h"
#include "runtime/driver/context.h"
#include "runtime/driver/egl_share.h"
#include "runtime/driver/external.h"
#include "runtime/driver/memory.h"
#include "runtime/driver/report.h"
#include "runtime/driver/stream.h"
#include "runtime/observe/range.h"

#define KINDS                                                             \
    (1u << HAL_MEM_DEVICE | 1u << HAL_MEM_PINNED | 1u << HAL_MEM_SHARED | \
     1u << HAL_MEM_SHARED_UNCACHED)

/* --- what is exported ------------------------------------------------------------------------- */

static struct share_pass *entry_of(struct share_pass *all, size_t n, uint32_t id)
{
    for (size_t i = 0; i < n; i++) {
        if (all[i].serial && all[i].id == id) {
            return &all[i];
        }
    }
    return NULL;
}

/* If no process has taken it, it is taken back. */
static void entry_end(struct share_pass *entry)
{
    struct hal_pass pass;

    if (entry->serial && !hal_import(core.hal, entry->token, 0, &pass)) {
        if (pass.mem.id) {
            hal_mem_free(core.hal, &pass.mem);
        }
        if (pass.syncpt) {
            hal_release(core.hal, HAL_CLAIM_SYNCPT, pass.syncpt);
        }
    }
    *entry = (struct share_pass){ 0 };
}

static bool entry_make(struct share_page *page, struct share_pass *entry, uint32_t id,
                       const struct hal_pass *what)
{
    entry_end(entry);
    if (hal_export(core.hal, what, entry->token)) {
        return false;
    }
    entry->id = id;
    entry->serial = ++page->serial ? page->serial : ++page->serial;
    return true;
}

static bool syncpt_used(const struct share_page *page, bool producer, uint32_t id)
{
    for (unsigned i = 0; i < EGL_STREAM_FRAMES_MAX; i++) {
        const struct share_frame *f = &page->frame[i];

        if (f->id && (producer ? f->presented.id : f->released.id) == id) {
            return true;
        }
    }
    return false;
}

/* The other process may wait for @id from now on. */
static CUresult syncpt_offer(struct egl_object *o, bool producer, uint32_t id)
{
    const struct hal_pass what = { .syncpt = id, .rights = HAL_RIGHT_READ };
    struct share_page *page = o->share->page;
    struct share_pass *all = page->syncpt[producer];

    if (!id || egl_share_is_mine(o) || entry_of(all, SHARE_SYNCPTS, id)) {
        return CUDA_SUCCESS;
    }
    for (unsigned i = 0; i < SHARE_SYNCPTS; i++) {
        if (!all[i].serial || !syncpt_used(page, producer, all[i].id)) {
            return entry_make(page, &all[i], id, &what) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
        }
    }
    return CUDA_ERROR_OUT_OF_MEMORY; /* there are fewer frames than entries */
}

/* --- the producer ----------------------------------------------------------------------------- */

static bool may_pass(const struct region *r)
{
    return r && (1u << r->mem.kind & KINDS) && !r->mem.registered && !r->physical;
}

/* In words: reports give functions of the driver API the name of the call. CUDA IPC has neither of
 * the first two (CUDA Driver API, cuIpcGetMemHandle); the last are pages of the program's own. */
static const char *kind_name(const struct region *r)
{
    return !r                               ? "no memory of CUDA"
           : r->mem.kind == HAL_MEM_MANAGED ? "managed memory"
           : r->physical                    ? "memory of the virtual memory management"
           : r->mem.registered              ? "registered memory"
                                            : "memory of another kind";
}

static CUresult mem_offer(struct share_page *page, const struct region *r,
                          struct share_plane *plane)
{
    const struct hal_pass what = { .mem = r->shared ? r->shared->mem : r->mem,
                                   .rights = HAL_RIGHT_READ | (r->gpu_reads ? 0 : HAL_RIGHT_WRITE),
                                   .note = { r->shared ? r->shared->bytes : r->bytes } };
    struct share_pass *entry = entry_of(page->mem, SHARE_MEMS, r->mem.id);

    for (unsigned i = 0; i < SHARE_MEMS && !entry; i++) {
        if (!page->mem[i].serial) {
            if (!entry_make(page, &page->mem[i], r->mem.id, &what)) {
                return CUDA_ERROR_OUT_OF_MEMORY;
            }
            entry = &page->mem[i];
        }
    }
    if (!entry) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    plane->index = (uint32_t)(entry - page->mem);
    plane->serial = entry->serial;
    return CUDA_SUCCESS;
}

static CUresult plane_put(struct egl_object *o, const CUeglFrame *desc, unsigned i,
                          const struct region *r, struct share_plane *plane)
{
    uint64_t at;

    if (!may_pass(r)) {
        return report_error(
            CUDA_ERROR_NOT_SUPPORTED, "cuEGLStreamProducerPresentFrame", "vtegra",
            "the consumer is in another process, where only frames in device memory, "
            "pinned memory, arrays and NvSciBufs can go: this one is in %s",
            kind_name(r));
    }
    if (desc->frameType == CU_EGL_FRAME_TYPE_ARRAY) {
        const struct array *a = array_find(desc->frame.pArray[i]);

        at = a->va;
        plane->array = a->desc;
    } else {
        at = (uintptr_t)desc->frame.pPitch[i];
    }
    plane->offset = at - (uintptr_t)r->mem.cpu;
    if (r->shared) { /* a mapping of a part of it */
        plane->offset += r->mem.bus - r->shared->mem.bus;
        plane->gpu_uncached = r->gpu_uncached;
    }
    return mem_offer(o->share->page, r, plane);
}

static struct share_frame *record_of(struct share_page *page, uint64_t id)
{
    for (unsigned i = 0; i < EGL_STREAM_FRAMES_MAX; i++) {
        if (page->frame[i].id == id) {
            return &page->frame[i];
        }
    }
    return NULL;
}

CUresult egl_pass_put(struct egl_object *o, struct egl_frame *f)
{
    struct share_frame *record, new = { .id = f->id, .desc = f->desc };
    struct region *regions[MAX_PLANES];
    CUresult error = CUDA_SUCCESS;

    if (!o->share) {
        return CUDA_SUCCESS;
    }
    new.presented = f->presented.fence;
    egl_frame_regions(&f->desc, regions);
    for (unsigned i = 0; i < f->desc.planeCount && !egl_share_is_mine(o) && !error; i++) {
        error = plane_put(o, &f->desc, i, regions[i], &new.plane[i]);
    }
    error = error ? error : syncpt_offer(o, true, new.presented.id);
    record = record_of(o->share->page, f->id);
    record = record ? record : record_of(o->share->page, 0);
    if (!error && record) {
        *record = new;
        o->share->page->width = o->producer ? o->producer->width : 0;
    }
    return error ? error : record ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}

/* --- what is imported ------------------------------------------------------------------------- */

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
        hal_release(core.hal, HAL_CLAIM_SYNCPT, l.syncpt);
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
    entry = entry_of(all, SHARE_SYNCPTS, fence.id);
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
    if (hal_import(core.hal, entry->token, HAL_RIGHT_READ, &pass)) {
        return CUDA_ERROR_UNKNOWN; /* its process has ended */
    }
    if (pass.mem.id) {
        hal_mem_free(core.hal, &pass.mem);
    }
    check_foreign(core.check);
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
        shared_import(entry->token, KINDS, api, &rights, &shared)) {
        return NULL;
    }
    r = region_map_shared(c, shared, 0, shared->bytes, !plane->gpu_uncached,
                          rights & HAL_RIGHT_WRITE, &error);
    shared_unref(shared);
    if (r) {
        r->of_module = true; /* not cuMemFree()'s */
        *have = (struct share_mem){ plane->serial, (uintptr_t)r->mem.cpu };
    }
    return r;
}

/* --- the consumer ----------------------------------------------------------------------------- */

void egl_pass_frame_end(struct egl_frame *f)
{
    for (unsigned i = 0; i < MAX_PLANES && f->desc.frameType == CU_EGL_FRAME_TYPE_ARRAY; i++) {
        struct array *a = f->serial[i] ? array_find(f->desc.frame.pArray[i]) : NULL;

        if (a) {
            g_ptr_array_remove(a->context->arrays, a);
            array_give(a);
        }
    }
}

static CUarray array_at(struct context *c, const CUDA_ARRAY3D_DESCRIPTOR *desc, uint64_t va,
                        uint64_t bytes)
{
    struct array *a;

    if (array_desc_check(desc, "cuEGLStreamConsumerAcquireFrame")) {
        return NULL;
    }
    a = array_make(c, desc);
    if (array_bytes(a) > bytes) {
        array_give(a);
        return NULL;
    }
    a->va = va;
    g_ptr_array_add(c->arrays, a);
    a->handle = handle_new(HANDLE_ARRAY, a);
    return a->handle;
}

static CUresult plane_get(struct egl_object *o, const struct share_frame *record, unsigned i,
                          struct context *c, struct egl_frame *f)
{
    const struct share_plane *plane = &record->plane[i];
    struct region *r = mem_import(o, plane, c);
    uint64_t va;

    if (!r || plane->offset >= r->bytes) {
        return CUDA_ERROR_UNKNOWN;
    }
    va = region_first(r) + plane->offset;
    f->region[i] = r->mem.id;
    if (f->desc.frameType == CU_EGL_FRAME_TYPE_ARRAY) {
        f->desc.frame.pArray[i] = array_at(c, &plane->array, va, r->bytes - plane->offset);
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
    shared = record_of(o->share->page, id);
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
    struct share_frame *record = o->share ? record_of(o->share->page, id) : NULL;
    CUresult error = record ? syncpt_offer(o, false, released.id) : CUDA_SUCCESS;

    if (record && !error) {
        record->released = released;
    }
    return error;
}

/* Back at the producer, which waits for the consumer's work. */
void egl_pass_returned(struct egl_object *o, struct egl_frame *f)
{
    struct share_frame *record = o->share ? record_of(o->share->page, f->id) : NULL;
    struct context *c = o->producer      ? o->producer->context
                        : o->gl_producer ? o->gl_producer->context
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

void egl_pass_region_gone(struct egl_object *o, const struct region *region)
{
    struct share_pass *entry;

    if (!o->share) {
        return;
    }
    egl_state_take(o);
    entry = entry_of(o->share->page->mem, SHARE_MEMS, region->mem.id);
    if (entry && o->share->page->side[1] == o->share->number) {
        entry_end(entry);
    }
    egl_state_give(o);
}

void egl_pass_leave(struct egl_object *o, bool producer, struct context *c)
{
    struct egl_share *share = o->share;

    for (unsigned i = 0; i < SHARE_SYNCPTS; i++) {
        entry_end(&share->page->syncpt[producer][i]);
        if (share->syncpt[i].serial) {
            leave(c, 0, share->syncpt[i].id);
            share->syncpt[i].serial = 0;
        }
    }
    for (unsigned i = 0; i < SHARE_MEMS; i++) {
        if (producer) {
            entry_end(&share->page->mem[i]);
        } else if (share->mem[i].serial) {
            leave(c, share->mem[i].va, 0);
            share->mem[i].serial = 0;
        }
    }
}
