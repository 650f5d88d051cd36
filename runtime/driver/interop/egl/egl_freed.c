/* SPDX-License-Identifier: MIT */
/* Memory of frames that is freed while a stream has them. */
#include "runtime/driver/array/array.h"
#include "runtime/driver/core/notifier.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/interop/egl/egl_share.h"
#include "runtime/driver/memory/memory.h"

struct object_list egl_ends;

/* Mappings of one NvSciBuf have one id. */
static bool frame_lies_in(const struct egl_frame *f, const struct region *region)
{
    struct region *regions[MAX_PLANES];

    egl_frame_regions(&f->desc, regions);
    for (unsigned i = 0; i < MAX_PLANES; i++) {
        if (f->region[i] == region_id(region) && (!region_shared(region) || regions[i] == region)) {
            return true;
        }
    }
    return false;
}

/* CUDA Driver API, cuEGLStreamProducerPresentFrame: "it is illegal to free the frame before the
 * producer is disconnected". A sample of NVIDIA's does, so it is a warning. */
static void region_gone(const struct region *region)
{
    for (const struct egl_end *end = object_first(&egl_ends); end; end = object_after(&end->base)) {
        const struct egl_object *o = end->object;

        for (guint n = 0; end->producer && n < o->frames->len; n++) {
            if (frame_lies_in(g_ptr_array_index(o->frames, n), region)) {
                report_finding(&check_rules[CHECK_RULE_EGL_FRAME_FREED], region_id(region), 0, 0,
                               NULL,
                               "memory of a frame is freed that was presented to a stream and not "
                               "returned, while the producer is connected");
                break;
            }
        }
        if (end->producer) {
            egl_pass_region_gone(end->object, region);
        }
    }
    for (unsigned i = 0; i < context_count(); i++) { /* egl_frame_map() */
        struct context *c = context_nth(i);

        if (region_kind(region) == HAL_MEM_DEVICE && c != region_context(region) &&
            !region_virtual(region)) {
            as_unmap(c, region_mem(region));
        }
    }
}

void egl_frame_regions(const CUeglFrame *f, struct region *regions[MAX_PLANES])
{
    for (unsigned i = 0; i < MAX_PLANES; i++) {
        const struct array *a;

        regions[i] = NULL;
        if (i >= f->planeCount) {
            continue;
        }
        if (f->frameType == CU_EGL_FRAME_TYPE_PITCH) {
            regions[i] = region_at((uintptr_t)f->frame.pPitch[i]);
        } else if ((a = array_find(f->frame.pArray[i]))) {
            regions[i] = region_at(array_va(a));
        }
    }
}

/* An NvSciBuf that another mapping of this process still shows. */
static bool is_mapped_elsewhere(const struct region *gone)
{
    for (const struct region *r = region_shared(gone) ? region_above(0) : NULL; r;
         r = region_above(region_address(r))) {
        if (r != gone && region_shared(r) == region_shared(gone)) {
            return true;
        }
    }
    return false;
}

void egl_pass_region_gone(struct egl_object *o, const struct region *region)
{
    struct share_pass *entry;

    if (!o->share || is_mapped_elsewhere(region)) {
        return;
    }
    egl_state_take(o);
    entry = share_entry_find(o->share->page->mem, SHARE_MEMS, region_id(region));
    if (entry && o->share->page->side[1] == o->share->number) {
        share_entry_end(entry);
    }
    egl_state_give(o);
}

void egl_freed_init(void)
{
    notify_region_gone_add(region_gone);
}
