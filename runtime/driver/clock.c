/* SPDX-License-Identifier: MIT */
/* Lists of fences: what is known to have run. At most one entry a syncpoint, the latest. */
#include "runtime/driver/core.h"

static struct fence *find(const GArray *clock, uint32_t id)
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
    f = find(*clock, fence.id);
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

/* The application was told so: from now on it may rely on it. */
void clock_synced(const GArray *known)
{
    clock_merge(&core.synced, known);
    for (guint i = 0; known && i < known->len; i++) {
        const struct fence *f = &g_array_index(known, struct fence, i);

        hal_note(core.hal, HAL_NOTE_WAITED, f->id, f->threshold);
    }
}

bool clock_has(const GArray *clock, struct fence fence)
{
    const struct fence *f = fence.id ? find(clock, fence.id) : NULL;

    return !fence.id || (f && (int32_t)(f->threshold - fence.threshold) >= 0);
}
