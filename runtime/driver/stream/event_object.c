/* SPDX-License-Identifier: MIT */
/* Events as objects: where each was recorded, its time stamp, and what other parts ask of it. */
#include "runtime/driver/stream/event_internal.h"

#include <string.h>

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/stream/ipc_event.h"

#define STAMP_BYTES 16u /* payload, time in ns (class C36F, semaphore release with timestamp) */

/* Those of a context. @chunks: struct hal_mem, of which time stamps are cut; @idle: struct stamp */
struct context_events {
    struct object_list all; /* struct event */
    GPtrArray *chunks;
    GArray *idle;
};

static struct context_events *events_of(const struct context *c)
{
    return context_part(c, CONTEXT_EVENTS);
}

struct stamp event_stamp_new(struct context *c)
{
    struct context_events *own = events_of(c);
    struct hal_mem *chunk;
    struct stamp stamp = { 0 };

    if (!own->idle->len) {
        chunk = g_new0(struct hal_mem, 1);
        if (kernel_alloc(c, HAL_PAGE, chunk)) {
            g_free(chunk);
            return stamp;
        }
        g_ptr_array_add(own->chunks, chunk);
        for (uint64_t at = HAL_PAGE; at > 0; at -= STAMP_BYTES) {
            stamp.cpu = (uint8_t *)chunk->cpu + at - STAMP_BYTES;
            stamp.va = as_va(chunk) + at - STAMP_BYTES;
            g_array_append_val(own->idle, stamp);
        }
    }
    stamp = g_array_index(own->idle, struct stamp, own->idle->len - 1);
    g_array_set_size(own->idle, own->idle->len - 1);
    return stamp;
}

static void event_end(void *object)
{
    struct event *e = object;

    /* A stamp may still be written: only what has been reached is used again. */
    if (e->stamp.va && fence_reached(e->fence)) {
        g_array_append_val(events_of(e->base.context)->idle, e->stamp);
    }
    if (e->known) {
        g_array_free(e->known, TRUE);
    }
    if (e->source) {
        e->source->gone(e->opaque);
    }
    if (e->ipc) {
        ipc_event_free(e->ipc);
    }
}

static const struct object_kind event_kind = { .name = "event",
                                               .type = HANDLE_EVENT,
                                               .end = event_end };

void events_begin(struct context *c)
{
    struct context_events *own = g_new0(struct context_events, 1);

    own->chunks = g_ptr_array_new();
    own->idle = g_array_new(FALSE, FALSE, sizeof(struct stamp));
    context_part_set(c, CONTEXT_EVENTS, own);
}

void event_free_all(struct context *c)
{
    const struct object_list *all = &events_of(c)->all;

    while (all->first) {
        object_unref(all->first);
    }
}

void events_end(struct context *c)
{
    struct context_events *own = events_of(c);

    kernel_free_chunks(c, own->chunks);
    g_ptr_array_free(own->chunks, TRUE);
    g_array_free(own->idle, TRUE);
    core_bury(own);
}

static struct event *event_new(struct context *c, unsigned flags)
{
    struct event *e = object_new(&event_kind, sizeof(*e), c);

    e->flags = flags;
    object_open(&e->base);
    object_list_add(&events_of(c)->all, &e->base);
    return e;
}

CUresult event_new_of(const struct event_source *source, void *opaque, unsigned flags,
                      CUevent *event)
{
    struct context *c;
    struct event *e;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    e = event_new(c, flags | CU_EVENT_DISABLE_TIMING);
    e->source = source;
    e->opaque = opaque;
    *event = e->base.handle;
    return core_leave(CUDA_SUCCESS);
}

struct ipc_event *event_ipc(CUevent event)
{
    const struct event *e = handle_find(HANDLE_EVENT, event);

    return e ? e->ipc : NULL;
}

CUevent event_new_ipc(struct context *c, struct ipc_event *ipc, unsigned flags)
{
    struct event *e = event_new(c, flags);

    e->ipc = ipc;
    return e->base.handle;
}

CUresult event_look(struct event *e, const char *api)
{
    struct fence fence = { 0 };

    switch (e->ipc ? ipc_event_state(e->ipc, &fence) : IPC_OWN) {
    case IPC_LOST:
        return report_error(CUDA_ERROR_LAUNCH_TIMEOUT, api, "CUDA Driver API, CUDA IPC",
                            "the process that has recorded the event has ended, or its context has "
                            "failed, before the work was done");
    case IPC_DONE:
    case IPC_PENDING:
        e->fence = fence;
        e->recorded = true;
        e->known = e->known ? e->known : g_array_new(FALSE, FALSE, sizeof(struct fence));
        g_array_set_size(e->known, 0);
        clock_add(&e->known, fence);
        clock_add_published(&e->known);
        return CUDA_SUCCESS;
    default:
        return CUDA_SUCCESS;
    }
}

static bool sites_kept;

void event_sites_keep(void)
{
    sites_kept = true;
}

bool event_overwritten(CUevent event, struct check_caller sites[2])
{
    const struct event *e = handle_find(HANDLE_EVENT, event);

    if (!e || !e->overwritten) {
        return false;
    }
    memcpy(sites, e->sites, sizeof(e->sites));
    return true;
}

void event_site_keep(struct event *e)
{
    e->overwritten = e->recorded && !e->used;
    e->used = false;
    if (sites_kept) {
        e->sites[1] = e->sites[0];
        e->sites[0] = report_caller();
    }
}

struct context *event_point(CUevent event, struct fence *fence, GArray **known)
{
    struct event *e = handle_find(HANDLE_EVENT, event);

    if (!e) {
        return NULL;
    }
    e->used = true;
    event_look(e, "cuEventRecord");
    *fence = e->recorded ? e->fence : (struct fence){ 0 };
    *known = e->recorded && e->known ? g_array_copy(e->known) : NULL;
    return e->base.context;
}

void event_remove(struct event *e)
{
    object_unref(&e->base);
}
