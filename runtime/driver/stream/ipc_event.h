/* SPDX-License-Identifier: MIT */
/* Events of CUDA IPC: what all processes that have one know of it.
 *
 * A page of shared memory holds the newest records. Each names the syncpoint of the channel that it
 * was made on and the value which that reaches, and the channel writes the record's number behind
 * its work: so a record that is done stays so when its process has ended. */
#ifndef RUNTIME_DRIVER_STREAM_IPC_EVENT_H
#define RUNTIME_DRIVER_STREAM_IPC_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "include/cuda.h"
#include "runtime/driver/core/fence.h"
#include "runtime/hal.h"

struct context;
struct ipc_event;
struct push;

enum ipc_state {
    IPC_NEVER,   /* it was never recorded */
    IPC_OWN,     /* the newest record is @own */
    IPC_DONE,    /* another process's, or another event's of this one, and done */
    IPC_PENDING, /* such a one, done when a fence is reached */
    IPC_LOST,    /* it will not be done: its process has ended, or its context has failed */
};

struct ipc_event *ipc_event_new(void);                            /* NULL: no memory */
struct ipc_event *ipc_event_imported(const struct hal_mem *page); /* NULL: it is no event */
bool ipc_event_foreign(const struct ipc_event *e);                /* imported */
void ipc_event_free(struct ipc_event *e);
/* Makes it known to other processes, by @token. 0; -errno of hal_export(). */
int ipc_event_export(struct ipc_event *e, uint64_t token[2]);

/* A record: the page is mapped, the channel says that it is done, others may find it. */
CUresult ipc_event_map(const struct ipc_event *e, struct context *context);
uint64_t ipc_event_push(struct ipc_event *e, struct push *p);
void ipc_event_publish(struct ipc_event *e, uint64_t number, struct fence fence);
/* @fence: of IPC_PENDING. The syncpoint stays what it is until the fence is reached. */
enum ipc_state ipc_event_state(struct ipc_event *e, struct fence *fence);

#endif
