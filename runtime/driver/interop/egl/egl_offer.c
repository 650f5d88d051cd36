/* SPDX-License-Identifier: MIT */
/* What a process lets the other one of an EGLStream have: the producer's allocations, and the
 * syncpoints of both ends' CUDA streams. Each is exported once, and stands in the page until it
 * goes or its end leaves. */
#include "runtime/driver/array/array.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/interop/egl/egl_share.h"
#include "runtime/driver/memory/external.h"
#include "runtime/driver/memory/memory.h"

static bool entry_make(struct share_page *page, struct share_pass *entry, uint32_t id,
                       const struct hal_pass *what)
{
    share_entry_end(entry);
    if (hal_export(core_hal(), what, entry->token)) {
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
CUresult share_syncpt_offer(struct egl_object *o, bool producer, uint32_t id)
{
    const struct hal_pass what = { .syncpt = id, .rights = HAL_RIGHT_READ };
    struct share_page *page = o->share->page;
    struct share_pass *all = page->syncpt[producer];

    if (!id || egl_share_is_mine(o) || share_entry_find(all, SHARE_SYNCPTS, id)) {
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
    return r && (1u << region_kind(r) & SHARE_KINDS) && !region_mem(r)->registered &&
           !region_virtual(r);
}

/* In words: reports give functions of the driver API the name of the call. CUDA IPC has neither of
 * the first two (CUDA Driver API, cuIpcGetMemHandle); the last are pages of the program's own. */
static const char *kind_name(const struct region *r)
{
    return !r                                  ? "no memory of CUDA"
           : region_kind(r) == HAL_MEM_MANAGED ? "managed memory"
           : region_virtual(r)                 ? "memory of the virtual memory management"
           : region_mem(r)->registered         ? "registered memory"
                                               : "memory of another kind";
}

static CUresult mem_offer(struct share_page *page, const struct region *r,
                          struct share_plane *plane)
{
    const struct hal_pass what = {
        .mem = region_shared(r) ? *shared_mem(region_shared(r)) : *region_mem(r),
        .rights = HAL_RIGHT_READ | (region_gpu_reads(r) ? 0 : HAL_RIGHT_WRITE),
        .note = { region_shared(r) ? shared_bytes(region_shared(r)) : region_bytes(r) }
    };
    struct share_pass *entry = share_entry_find(page->mem, SHARE_MEMS, region_id(r));

    for (unsigned i = 0; i < SHARE_MEMS && !entry; i++) {
        if (!page->mem[i].serial) {
            if (!entry_make(page, &page->mem[i], region_id(r), &what)) {
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

        at = array_va(a);
        plane->array = *array_desc(a);
        plane->pitch = array_pitch(a);
    } else {
        at = (uintptr_t)desc->frame.pPitch[i];
    }
    plane->offset = at - region_address(r);
    if (region_shared(r)) { /* a mapping of a part of it */
        plane->offset += region_mem(r)->bus - shared_mem(region_shared(r))->bus;
        plane->gpu_uncached = region_gpu_uncached(r);
    }
    return mem_offer(o->share->page, r, plane);
}

struct share_frame *share_record_find(struct share_page *page, uint64_t id)
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
    const CUeglFrame *seen = egl_far_seen(f);
    struct share_frame *record, new = { .id = f->id, .desc = *seen };
    struct region *regions[MAX_PLANES];
    CUresult error = CUDA_SUCCESS;

    if (!o->share) {
        return CUDA_SUCCESS;
    }
    new.presented = f->presented.fence;
    egl_frame_regions(seen, regions);
    for (unsigned i = 0; i < f->desc.planeCount && !egl_share_is_mine(o) && !error; i++) {
        error = plane_put(o, seen, i, regions[i], &new.plane[i]);
        new.plane[i].gpu_uncached = new.plane[i].gpu_uncached && !f->far[i];
    }
    error = error ? error : share_syncpt_offer(o, true, new.presented.id);
    record = share_record_find(o->share->page, f->id);
    record = record ? record : share_record_find(o->share->page, 0);
    if (!error && record) {
        *record = new;
        o->share->page->width = o->producer ? o->producer->width : 0;
    }
    return error ? error : record ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}
