/* SPDX-License-Identifier: MIT */
/* What other rooms ask of an allocation. Needs no other file of the driver. */
#include "runtime/driver/device/context.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/memory/region_internal.h"
#include "runtime/driver/memory/virtual_internal.h"

const struct hal_mem *region_mem(const struct region *r)
{
    return &r->mem;
}

uint64_t region_address(const struct region *r)
{
    return (uintptr_t)r->mem.cpu;
}

uint32_t region_id(const struct region *r)
{
    return r->mem.id;
}

enum hal_mem_kind region_kind(const struct region *r)
{
    return hal_mem_is_device(r->mem.kind) ? HAL_MEM_DEVICE : r->mem.kind;
}

size_t region_bytes(const struct region *r)
{
    return r->bytes;
}

uint64_t region_serial(const struct region *r)
{
    return r->serial;
}

struct context *region_context(const struct region *r)
{
    return r->context;
}

struct device *region_device(const struct region *r)
{
    return r->physical  ? device_of(r->physical->prop.location.id)
           : r->context ? context_device(r->context)
                        : NULL;
}

bool region_elsewhere(const struct region *r, const struct device *device)
{
    struct device *own = hal_mem_is_device(r->mem.kind) ? region_device(r) : NULL;

    return own && own != device;
}

struct context *region_context_near(const struct region *r, struct context *context)
{
    if (!region_elsewhere(r, context_device(context))) {
        return context;
    }
    if (r->context) {
        return r->context;
    }
    for (unsigned i = 0; i < context_count(); i++) {
        if (context_device(context_nth(i)) == region_device(r)) {
            return context_nth(i);
        }
    }
    return NULL;
}

enum region_use region_use(const struct region *r)
{
    return r->use;
}

void *region_host(const struct region *r)
{
    return r->host;
}

unsigned region_attach(const struct region *r)
{
    return r->attach;
}

bool region_virtual(const struct region *r)
{
    return r->physical != NULL;
}

struct rt_shared *region_shared(const struct region *r)
{
    return r->shared;
}

bool region_gpu_uncached(const struct region *r)
{
    return r->gpu_uncached;
}

bool region_gpu_reads(const struct region *r)
{
    return r->gpu_reads;
}

struct graph_memory *region_graph(const struct region *r)
{
    return r->graph;
}

void region_keep(struct region *r)
{
    r->of_module = true;
}

void region_attach_first(struct region *r, unsigned attach)
{
    r->attach_first = attach;
}

void region_graph_set(struct region *r, struct graph_memory *graph,
                      const struct region_owner *owner)
{
    r->graph = graph;
    r->owner = owner ? owner : r->owner;
}

void region_absent_set(struct region *r, bool absent)
{
    r->absent = absent;
}
