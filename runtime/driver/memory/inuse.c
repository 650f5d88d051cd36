/* SPDX-License-Identifier: MIT */
/* Memory that is freed while kernels, copies or fills may still use it.
 *
 * cuMemFree "may perform implicit synchronization" (CUDA Driver API): here it does, and nothing
 * breaks; an application that relies on it gets a finding. What has not been waited for is known
 * when the call begins. Of a copy or fill it is known what it uses; of a kernel only when it has
 * run. Calls without "Async" in their name are left out: a program may take them for done, though
 * on device memory they need not be. */
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/fence.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/memory/region_internal.h"
#include "runtime/driver/stream/stream.h"

#define KEPT_MAX 65536u /* submissions in a row of which none was waited for */

/**
 * struct inuse - work that memory may be in use by
 * @grid_id: a kernel; 0: a copy or fill, by @api from @caller, of the regions @serial (0: none)
 */
struct inuse {
    struct fence fence;
    uint32_t grid_id;
    uint64_t serial[2];
    const char *api;
    struct check_caller caller;
};

static GArray *queued;    /* struct inuse; under the lock */
static guint look = 1024; /* how many there are when those that were waited for are looked for */

static void forget_waited(void)
{
    guint kept = 0;

    for (guint i = 0; i < queued->len; i++) {
        struct inuse u = g_array_index(queued, struct inuse, i);

        if (!fence_waited(u.fence)) {
            g_array_index(queued, struct inuse, kept++) = u;
        }
    }
    g_array_set_size(queued, kept);
}

static void inuse_keep(const struct inuse *u)
{
    if (!queued) {
        queued = g_array_new(FALSE, FALSE, sizeof(*u));
    }
    if (queued->len >= look) {
        forget_waited();
        look = CLAMP(2 * queued->len, 1024, KEPT_MAX);
    }
    if (queued->len >= KEPT_MAX) {
        g_array_remove_range(queued, 0, KEPT_MAX / 2);
        check_forgot(core_check(), RUN_FORGOT_WORK, KEPT_MAX / 2);
    }
    g_array_append_val(queued, *u);
}

void inuse_launched(const struct channel *channel, uint32_t grid_id)
{
    inuse_keep(&(struct inuse){ .fence = channel_fence(channel), .grid_id = grid_id });
}

void inuse_moved(const struct channel *channel, uint64_t dst, uint64_t src, const char *api,
                 const struct check_caller *caller)
{
    inuse_keep(&(struct inuse){
        .fence = channel_fence(channel), .serial = { dst, src }, .api = api, .caller = *caller });
}

GArray *inuse_pending(void)
{
    GArray *pending = g_array_new(FALSE, FALSE, sizeof(struct inuse));

    if (queued) {
        forget_waited();
        g_array_append_vals(pending, queued->data, queued->len);
    }
    return pending;
}

/* "a kernel", "cudaMemcpyAsync at app.cu:30 in main". g_free(). */
static char *user_name(const struct inuse *u)
{
    g_autofree char *api = NULL, *at = NULL;

    if (u->grid_id) {
        return g_strdup("a kernel");
    }
    api = check_called(core_check(), u->api, &u->caller);
    at = check_called_at(core_check(), &u->caller);
    return g_strconcat(api, at ? " at " : NULL, at, NULL);
}

GArray *inuse_grids(const GArray *pending, const GArray *known)
{
    GArray *grids = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    for (guint i = 0; i < pending->len; i++) {
        const struct inuse *u = &g_array_index(pending, struct inuse, i);

        if (u->grid_id && !clock_has(known, u->fence)) {
            g_array_append_val(grids, u->grid_id);
        }
    }
    return grids;
}

char *inuse_copier(const GArray *pending, const GArray *known, const struct region *region,
                   bool reads)
{
    for (guint i = 0; i < pending->len; i++) {
        const struct inuse *u = &g_array_index(pending, struct inuse, i);

        if (!u->grid_id && !clock_has(known, u->fence) &&
            (u->serial[0] == region->serial || (reads && u->serial[1] == region->serial))) {
            return user_name(u);
        }
    }
    return NULL;
}

void inuse_report(GArray *pending, const struct region *region, const char *api)
{
    uint32_t last = check_last_grid(core_check(), region->mem.id);

    for (guint i = 0; i < pending->len; i++) {
        const struct inuse *u = &g_array_index(pending, struct inuse, i);

        if (u->grid_id ? u->grid_id == last
                       : u->serial[0] == region->serial || u->serial[1] == region->serial) {
            g_autofree char *user = user_name(u);

            report_finding(
                &check_rules[CHECK_RULE_FREE_IN_USE], region->mem.id, u->grid_id, 0, NULL,
                "%s of memory that %s may still use: nothing has waited for it since", api, user);
            break;
        }
    }
}
