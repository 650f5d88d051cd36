/* SPDX-License-Identifier: MIT */
/* Events, for other parts of the driver core. */
#ifndef RUNTIME_DRIVER_STREAM_EVENT_H
#define RUNTIME_DRIVER_STREAM_EVENT_H

#include <glib.h>

#include "include/cuda.h"
#include "runtime/driver/core/fence.h"
#include "runtime/observe/check.h"

struct context;
struct ipc_event;
struct stream;

/**
 * struct event_source - what an event stands for that no stream records
 * @join: @s waits for it
 * @wait: the CPU does; CUDA_ERROR_NOT_READY under @poll
 * @gone: the event is destroyed
 */
struct event_source {
    CUresult (*join)(struct stream *s, void *opaque);
    CUresult (*wait)(struct context *c, void *opaque, bool poll);
    void (*gone)(void *opaque);
};

/* A context: its part, the end of its events, that of its time stamps and of its part. */
void events_begin(struct context *context);
void event_free_all(struct context *context);
void events_end(struct context *context);

/* In the current context. @opaque is the event's on success. */
CUresult event_new_of(const struct event_source *source, void *opaque, unsigned flags,
                      CUevent *event);

/* Of CUDA IPC. NULL: the event is none of these, or there is none. */
struct ipc_event *event_ipc(CUevent event);
CUevent event_new_ipc(struct context *context, struct ipc_event *ipc, unsigned flags);

/* Where the event was recorded last, inside the core. Return: its context; NULL: there is no such
 * event.
 * @fence: no id: never; @known: a reference, may be NULL */
struct context *event_point(CUevent event, struct fence *fence, GArray **known);

/* Where events are recorded is kept from now on: for event_overwritten(). */
void event_sites_keep(void);
/* The record before the newest one was never waited for nor asked about. @sites: of the newest one
 * and of that. Ask before event_point(), which is a use. */
bool event_overwritten(CUevent event, struct check_caller sites[2]);

#endif
