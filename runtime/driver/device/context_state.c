/* SPDX-License-Identifier: MIT */
/* What other rooms ask of a context. Needs no other file of the driver. */
#include "runtime/driver/device/context_internal.h"
#include "runtime/driver/device/devices.h"

void *context_part(const struct context *c, enum context_part part)
{
    return c->part[part];
}

void context_part_set(struct context *c, enum context_part part, void *data)
{
    c->part[part] = data;
}

CUcontext context_handle(const struct context *c)
{
    return c->base.handle;
}

struct device *context_device(const struct context *c)
{
    return c->device;
}

uint64_t context_id(const struct context *c)
{
    return c->id;
}

uint32_t context_index(const struct context *c)
{
    return c->index;
}

CUresult context_error(const struct context *c)
{
    return c->error;
}

void context_fail(struct context *c, CUresult error)
{
    c->error = error;
}

size_t context_limit(const struct context *c, CUlimit limit)
{
    return c->limit[limit];
}

bool context_sleeps(const struct context *c)
{
    return (c->flags & CU_CTX_SCHED_MASK) == CU_CTX_SCHED_BLOCKING_SYNC;
}
