/* SPDX-License-Identifier: MIT */
#ifndef RUNTIME_DRIVER_DEVICE_CONTEXT_H
#define RUNTIME_DRIVER_DEVICE_CONTEXT_H

#include <glib.h>

#include "include/cuda.h"
#include "runtime/driver/memory/memory.h"
#include "runtime/driver/stream/stream.h"

struct context;
struct device;

/* What a room keeps of a context, in a struct of its own. */
enum context_part {
    CONTEXT_PAGES,   /* address_space.c */
    CONTEXT_STAGING, /* staging.c; NULL until it is used */
    CONTEXT_STREAMS, /* stream.c */
    CONTEXT_EVENTS,  /* event.c */
    CONTEXT_MODULES, /* module.c, printf.c */
    CONTEXT_ARRAYS,  /* array_object.c, texture_pool.c */
    CONTEXT_PARTS,
};

/* context_state.c */
void *context_part(const struct context *context, enum context_part part);
void context_part_set(struct context *context, enum context_part part, void *data);
CUcontext context_handle(const struct context *context);
uint64_t context_id(const struct context *context);
uint32_t context_index(const struct context *context); /* CHAN_CONTEXT */
CUresult context_error(const struct context *context); /* sticky */
void context_fail(struct context *context, CUresult error);
size_t context_limit(const struct context *context, CUlimit limit);

/* devices.c: of all devices, in the order in which they were made */
unsigned context_count(void);
struct context *context_nth(unsigned i);
struct context *context_primary(void); /* of the first device; NULL: none is retained */

CUresult context_new(struct device *device, unsigned flags, struct context **out);
bool context_sleeps(const struct context *c);  /* who waits: CU_CTX_SCHED_BLOCKING_SYNC */
void context_destroy(struct context *context); /* waits for its work unless it has failed */

#endif
