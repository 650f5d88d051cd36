/* SPDX-License-Identifier: MIT */
/* For the files of this room alone: what an event is. */
#ifndef RUNTIME_DRIVER_STREAM_EVENT_INTERNAL_H
#define RUNTIME_DRIVER_STREAM_EVENT_INTERNAL_H

#include "runtime/driver/core/object.h"
#include "runtime/driver/stream/event.h"

/* Where an event's time is written: the CPU's and the GPU's address of 16 bytes. */
struct stamp {
    uint8_t *cpu;
    uint64_t va;
};

/* @used: the newest record was waited for, or asked about; @overwritten: the one before it was not.
 * @sites: of the newest one and of that, where EGL is used. */
struct event {
    struct object base;
    unsigned flags;
    bool recorded;
    struct fence fence;
    GArray *known;
    struct stamp stamp;
    unsigned not_ready;
    bool used, overwritten;
    struct check_caller sites[2];
    const struct event_source *source; /* NULL: streams record it */
    void *opaque;
    struct ipc_event *ipc; /* NULL: it is this process's alone */
};

/* event_object.c */
struct stamp event_stamp_new(struct context *context); /* @va is 0: no memory */
void event_remove(struct event *e);
/* What other processes have recorded since. */
CUresult event_look(struct event *e, const char *api);
/* It is recorded now, by the call that the thread makes. */
void event_site_keep(struct event *e);

#endif
