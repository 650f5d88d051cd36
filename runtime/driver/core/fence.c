/* SPDX-License-Identifier: MIT */
/* Fences, and lists of them: what is known to have run. At most one entry a syncpoint, the latest.
 */
#include "runtime/driver/core/fence.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/notifier.h"

uint32_t syncpt_value(uint32_t id)
{
    return hal_read32(core_hal(), UNIT_HOST1X, HOST1X_SYNCPT + id * 4);
}

bool fence_reached(struct fence fence)
{
    return !fence.id || (int32_t)(syncpt_value(fence.id) - fence.threshold) >= 0;
}

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

/* What a fence implies, though the stream that it is of was given it before that was known: the
 * body of a conditional node. */
struct implied {
    struct fence when;
    GArray *known;
};

static GArray *implied; /* struct implied, until the application knows @when */

void clock_imply(struct fence when, struct fence then, const GArray *known)
{
    struct implied i = { .when = when };

    if (!implied) {
        implied = g_array_new(FALSE, FALSE, sizeof(struct implied));
    }
    clock_merge(&i.known, known);
    clock_add(&i.known, then);
    g_array_append_val(implied, i);
}

static void implied_synced(void)
{
    for (guint n = implied ? implied->len : 0; n > 0; n--) {
        struct implied i = g_array_index(implied, struct implied, n - 1);

        if (fence_waited(i.when)) {
            g_array_remove_index(implied, n - 1);
            clock_synced(i.known);
            if (i.known) {
                g_array_unref(i.known);
            }
            n = implied->len + 1; /* it may imply more */
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

/* The application was told so: from now on it may rely on it. */
void clock_synced(const GArray *known)
{
    clock_waited(known);
    for (guint i = 0; known && i < known->len; i++) {
        const struct fence *f = &g_array_index(known, struct fence, i);

        hal_note(core_hal(), HAL_NOTE_WAITED, f->id, f->threshold);
    }
    implied_synced();
    notify_synced();
}

bool clock_has(const GArray *clock, struct fence fence)
{
    const struct fence *f = fence.id ? find(clock, fence.id) : NULL;

    return !fence.id || (f && (int32_t)(f->threshold - fence.threshold) >= 0);
}
