/* SPDX-License-Identifier: MIT */
/* Fences, and lists of them: what is known to have run. At most one entry a syncpoint, the latest.
 */
#include "runtime/driver/core/fence.h"
#include "runtime/driver/core/core.h"

uint32_t syncpt_value(uint32_t id)
{
    return hal_read32(core_hal(), UNIT_HOST1X, HOST1X_SYNCPT + id * 4);
}

bool fence_reached(struct fence fence)
{
    return !fence.id || (int32_t)(syncpt_value(fence.id) - fence.threshold) >= 0;
}

static struct fence *fence_find(const GArray *clock, uint32_t id)
{
    for (guint i = 0; clock && i < clock->len; i++) {
        struct fence *f = &g_array_index(clock, struct fence, i);

        if (f->id == id) {
            return f;
        }
    }
    return NULL;
}

void clock_add(GArray **clock, struct fence fence)
{
    struct fence *f;

    if (!fence.id) {
        return;
    }
    if (!*clock) {
        *clock = g_array_new(FALSE, FALSE, sizeof(struct fence));
    }
    f = fence_find(*clock, fence.id);
    if (!f) {
        g_array_append_val(*clock, fence);
    } else if ((int32_t)(fence.threshold - f->threshold) > 0) {
        f->threshold = fence.threshold;
    }
}

void clock_merge(GArray **clock, const GArray *other)
{
    for (guint i = 0; other && i < other->len; i++) {
        clock_add(clock, g_array_index(other, struct fence, i));
    }
}

static GArray *published;

void clock_publish(struct fence fence, const GArray *known)
{
    clock_add(&published, fence);
    clock_merge(&published, known);
}

void clock_add_published(GArray **clock)
{
    for (guint i = 0; published && i < published->len; i++) {
        struct fence f = g_array_index(published, struct fence, i);

        if (fence_reached(f)) { /* what is not may wait for the caller */
            clock_add(clock, f);
        }
    }
}

static GArray *waited; /* what the CPU has waited for */

bool fence_waited(struct fence fence)
{
    return clock_has(waited, fence);
}

void clock_waited(const GArray *known)
{
    clock_merge(&waited, known);
}

bool clock_has(const GArray *clock, struct fence fence)
{
    const struct fence *f = fence.id ? fence_find(clock, fence.id) : NULL;

    return !fence.id || (f && (int32_t)(f->threshold - fence.threshold) >= 0);
}
