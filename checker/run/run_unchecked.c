/* SPDX-License-Identifier: MIT */
/* What was checked and what was not: notes, and the buffers whose CPU accesses were not seen. */
#include <string.h>

#include "checker/run/run_internal.h"

static bool note_left_out(struct run *r, const struct note *n)
{
    r->left_out += note_num(n, "records") + note_num(n, "others");
    return true;
}

const char *const run_forgot_name[RUN_FORGOTS] = { "accesses", "waits", "work", "frames" };

static bool note_forgot(struct run *r, const struct note *n)
{
    const char *what = note_get(n, "what");

    for (unsigned i = 0; what && i < RUN_FORGOTS; i++) {
        r->forgot[i] += strcmp(what, run_forgot_name[i]) == 0 ? note_num(n, "times") : 0;
    }
    return true;
}

bool run_forgot_any(const struct run *r)
{
    for (unsigned i = 0; i < RUN_FORGOTS; i++) {
        if (r->forgot[i]) {
            return true;
        }
    }
    return false;
}

static bool note_watched(struct run *r, const struct note *n)
{
    struct run_region *region = run_region(r, (uint32_t)note_num(n, "id"));

    if (region) {
        region->watched = true;
        region->unwatched = note_num(n, "left");
    }
    return true;
}

static bool note_forked(struct run *r, const struct note *n)
{
    struct run_region *region = run_region(r, (uint32_t)note_num(n, "id"));

    if (region && !region->forked) {
        region->forked = g_strdup_printf("what a child of fork() at %s accesses at %s: the CPU had "
                                         "not waited for the work that may use it; wait before "
                                         "fork()",
                                         note_get(n, "made"), note_get(n, "where"));
    }
    return true;
}

static bool note_unseen(struct run *r, const struct note *n)
{
    g_free(r->unseen);
    r->unseen = g_strdup(note_get(n, "by"));
    return true;
}

static bool note_free_threads(struct run *r, const struct note *n)
{
    r->free_threads = note_num(n, "threads");
    g_free(r->explore);
    r->explore = g_strdup(note_get(n, "explore"));
    return true;
}

void run_unchecked_free(struct run *r)
{
    g_free(r->unseen);
    g_free(r->explore);
}

bool run_unchecked_note(struct run *r, const struct note *n)
{
    static const struct {
        const char *name;
        bool (*take)(struct run *r, const struct note *n);
    } takers[] = {
        { "left_out", note_left_out },         { "forgot", note_forgot },
        { "watched", note_watched },           { "unseen", note_unseen },
        { "free_threads", note_free_threads }, { "forked", note_forked },
    };

    for (gsize i = 0; i < G_N_ELEMENTS(takers); i++) {
        if (strcmp(n->name, takers[i].name) == 0) {
            return takers[i].take(r, n);
        }
    }
    return false;
}

bool run_all_hooked(const struct run *r)
{
    for (guint i = 0; i < r->objects->len; i++) {
        const struct run_object *o = r->objects->pdata[i];

        if (g_strcmp0(o->hooks, "all") != 0) {
            return false;
        }
    }
    return true;
}

/* The CPU may touch it while an engine works on it: neither the SoC nor the driver keeps it out. */
static bool is_open(const struct run *r, const struct run_region *region)
{
    switch (region->kind) {
    case RUN_PINNED:
    case RUN_REGISTERED:
    case RUN_SHARED:
    case RUN_PAGEABLE:
        return true;
    case RUN_MANAGED:
        return r->facts.full_coherent;
    default:
        return false;
    }
}

void run_grid_unchecked(struct run *r, const struct trace_record *t)
{
    struct run_kernel *kernel = run_grid_kernel(r, (uint32_t)t->arg[1]);

    if (t->event == TRACE_EVENT_KERNEL_UNCHECKED) {
        r->races_cut++;
    } else if (kernel) {
        kernel->unchecked += t->arg[3] == 0;
        kernel->partly += t->arg[3] != 0;
    }
}

/* By any engine. @write: only what it wrote. */
static bool was_used(const struct run_region *region, bool write)
{
    for (unsigned agent = 0; agent < BUS_AGENT_COUNT; agent++) {
        const struct run_count *n = &region->agent[agent];

        if (agent != BUS_AGENT_CPU && agent != BUS_AGENT_DRIVER &&
            (n->write_bytes || n->port_write_bytes || n->atomics ||
             (!write && (n->read_bytes || n->port_read_bytes)))) {
            return true;
        }
    }
    return false;
}

const char *run_unchecked(const struct run *r, const struct run_region *region)
{
    if (region->forked) {
        return region->forked;
    }
    if ((region->watched && !r->unseen && !region->unwatched) || !region->number || !r->checked ||
        r->hooks || r->machine_sees_cpu) {
        return NULL;
    }
    if (region->watched && !r->unseen) {
        return was_used(region, false)
                   ? "whether the CPU waits before it touches its first and last "
                     "bytes, in pages that hold other data, too"
                   : NULL;
    }
    if (is_open(r, region) && was_used(region, true)) {
        return "whether the CPU waits before it touches what an engine writes";
    }
    if (is_open(r, region) && was_used(region, false)) {
        return "whether the CPU waits before it changes what an engine reads";
    }
    if (region->kind == RUN_PINNED && !region->cpu_cached) {
        return "atomics of the CPU, which this board does not have on uncached memory";
    }
    return NULL;
}

bool run_unchecked_any(const struct run *r)
{
    if (r->machine_sees_cpu) {
        return false;
    }
    if (!r->checked || r->unseen || r->left_out || run_forgot_any(r) ||
        (r->hooks && !run_all_hooked(r))) {
        return true;
    }
    for (guint i = 0; i < r->regions->len; i++) {
        if (run_unchecked(r, r->regions->pdata[i])) {
            return true;
        }
    }
    return false;
}
