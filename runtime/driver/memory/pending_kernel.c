/* SPDX-License-Identifier: MIT */
/* What a kernel that was submitted may touch. */
#include <string.h>

#include "runtime/driver/core/channel.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/device/board.h"
#include "runtime/driver/memory/pending_internal.h"
#include "runtime/driver/memory/region_internal.h"

static pending_lead *lead_other;

/* But for what the CPU keeps while a kernel of this stream runs, although that is given it. */
static bool is_left_to_managed(const struct region *r, struct fence fence)
{
    bool is_of_other = r->attach == CU_MEM_ATTACH_SINGLE && r->attach_channel &&
                       !channel_submitted(r->attach_channel, fence);

    return pending_is_exclusive(r) && !is_of_other;
}

static void kernel_uses(struct region *r, uint64_t at, uint64_t bytes, bool writes,
                        struct fence fence)
{
    if (is_left_to_managed(r, fence)) {
        clock_add(&r->kernels, fence);
    } else {
        pending_region(r, at, bytes, writes, fence);
    }
}

void pending_lead_set(pending_lead *lead)
{
    lead_other = lead;
}

void pending_kernel_range(uint64_t at, uint64_t bytes, bool writes, struct fence fence)
{
    struct region *r = region_at(at);

    pending_picture(r, writes);
    if (r && closed_wanted(core_check())) {
        kernel_uses(r, at, bytes, writes, fence);
    }
}

/* Pointers, also inside of structures that are passed by value. */
void pending_kernel(struct context *c, const void *params, size_t bytes, struct fence fence)
{
    for (size_t i = 0; i + sizeof(uint64_t) <= bytes; i += sizeof(uint64_t)) {
        struct region *r;
        uint64_t value;

        memcpy(&value, (const char *)params + i, sizeof(value));
        r = value >= HAL_PAGE ? region_at(value) : NULL;
        if (value >= HAL_PAGE && lead_other) {
            lead_other(c, value, fence);
        }
        pending_picture(r, true);
        if (r && closed_wanted(core_check())) {
            kernel_uses(r, (uintptr_t)r->mem.cpu, r->mem.size, true, fence);
        }
    }
}

/* Work of one channel runs in order: the last kernel's end is behind the others'. */
static void kernel_reaches(struct pending *p, struct fence fence)
{
    const struct function kernel = { fence, false, true };

    for (guint i = 0; i < p->functions->len; i++) {
        struct function *f = &g_array_index(p->functions, struct function, i);

        if (f->kernel && f->end.id == fence.id) {
            f->end = fence;
            return;
        }
    }
    g_array_append_val(p->functions, kernel);
    pending_look_curious(p);
}

void pending_reached(struct fence fence)
{
    GHashTableIter iter;
    gpointer value;

    pending_each(&iter);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        struct pending *p = value;

        if (p->mem.kind != HAL_MEM_MANAGED || board_profile()->gpu.concurrent_managed_access) {
            kernel_reaches(p, fence);
        }
    }
}
