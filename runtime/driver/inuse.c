/* SPDX-License-Identifier: MIT */
/* Memory that is freed while kernels may still use it.
 *
 * cuMemFree "may perform implicit synchronization" (CUDA Driver API): here it does, and nothing
 * breaks; an application that relies on it is told. Which kernels have not been waited for is known
 * when the call begins, which of them used the memory only when they have run. */
#include "runtime/driver/core.h"

#define KEPT_MAX \
    1024u /* launches in a row of which nobody waited for any: older ones are not told of */

struct launched_grid {
    struct fence fence;
    uint32_t grid_id;
};

static GArray *launched; /* struct launched_grid; under core.lock */

static void forget_waited(void)
{
    guint kept = 0;

    for (guint i = 0; i < launched->len; i++) {
        struct launched_grid g = g_array_index(launched, struct launched_grid, i);

        if (!clock_has(core.synced, g.fence)) {
            g_array_index(launched, struct launched_grid, kept++) = g;
        }
    }
    g_array_set_size(launched, kept);
}

void inuse_launched(const struct channel *channel, uint32_t grid_id)
{
    struct launched_grid g = { { channel->syncpt, channel->submitted }, grid_id };

    if (!launched) {
        launched = g_array_new(FALSE, FALSE, sizeof(g));
    }
    if (launched->len >= KEPT_MAX) {
        forget_waited();
    }
    if (launched->len >= KEPT_MAX) {
        g_array_remove_range(launched, 0, KEPT_MAX / 2);
    }
    g_array_append_val(launched, g);
}

GArray *inuse_pending(void)
{
    GArray *pending = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    if (launched) {
        forget_waited();
    }
    for (guint i = 0; launched && i < launched->len; i++) {
        g_array_append_val(pending, g_array_index(launched, struct launched_grid, i).grid_id);
    }
    return pending;
}

void inuse_tell(GArray *pending, const struct region *region, const char *api)
{
    uint32_t last = check_last_grid(core.check, region->mem.id);

    for (guint i = 0; i < pending->len; i++) {
        if (last && g_array_index(pending, uint32_t, i) == last) {
            report_finding(
                "free-in-use", CHECK_WARNING, CHECK_DOCUMENTED, "CUDA Driver API, cuMemFree",
                region->mem.id, last, 0,
                "synchronise before the memory is freed, or free it in the stream "
                "(cudaFreeAsync()): that the call waits for the kernel, as here, is not "
                "promised",
                "%s of memory that a kernel may still use: nothing has waited for it since its "
                "launch",
                api);
            break;
        }
    }
}
