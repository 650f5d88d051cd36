/* SPDX-License-Identifier: MIT */
/* The units, their memory, and how far the tasks of a handle are. */
#include "runtime/driver/engines/dla/dla.h"

#include "runtime/driver/core/channel.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/fence.h"
#include "runtime/driver/core/handle.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/memory/room.h"

struct dla_unit dla_units[DLA_UNITS] = {
    { .unit = UNIT_DLA, .index = 0 },
    { .unit = UNIT_DLA_LAST, .index = 1 },
};

struct dla_unit *dla_unit_at(unsigned index)
{
    return index < DLA_UNITS && dla_units[index].open ? &dla_units[index] : NULL;
}

int dla_memory_new(struct dla_unit *unit, size_t bytes, enum hal_prot prot, struct dla_memory *out)
{
    int error = hal_mem_alloc(core_hal(), HAL_MEM_KERNEL, bytes, HAL_PAGE, NULL, &out->mem);

    if (error) {
        return error;
    }
    error = hal_iommu_map(core_hal(), unit->unit, &out->mem, 0, out->mem.size, prot, &out->iova);
    if (error) {
        hal_mem_free(core_hal(), &out->mem);
        out->mem.cpu = NULL;
        return error;
    }
    room_take(HAL_MEM_KERNEL, out->mem.size);
    return 0;
}

void dla_memory_free(struct dla_unit *unit, struct dla_memory *m)
{
    if (m->mem.cpu) {
        hal_iommu_unmap(core_hal(), unit->unit, m->iova, m->mem.size);
        room_give(HAL_MEM_KERNEL, m->mem.size);
        hal_mem_free(core_hal(), &m->mem);
        *m = (struct dla_memory){ 0 };
    }
}

void dla_pending_clear(struct dla_pending *p)
{
    g_clear_pointer(&p->waits, g_array_unref);
    g_clear_pointer(&p->signals, g_array_unref);
}

void dla_signals_lost(struct dla_device *d)
{
    for (uint32_t i = d->oldest; i != d->put; i++) {
        const GArray *signals = d->pending[i % DLA_TASK_QUEUE_DEPTH].signals;

        for (guint k = 0; signals && k < signals->len; k++) {
            const struct fence *f = &g_array_index(signals, struct fence, k);

            syncpt_catch_up(f->id, f->threshold);
        }
    }
}

struct fence dla_fence(const struct dla_device *d)
{
    return d->submitted == d->start ? (struct fence){ 0 }
                                    : (struct fence){ d->syncpt, d->submitted };
}

bool dla_busy(struct dla_device *d)
{
    return !fence_reached(dla_fence(d));
}

bool dla_in_flight(struct dla_device *d)
{
    const struct dla_pending *p = d->put ? &d->pending[(d->put - 1) % DLA_TASK_QUEUE_DEPTH] : NULL;
    const struct context *c = p ? handle_find(HANDLE_CONTEXT, p->context) : NULL;

    return dla_busy(d) && !d->error && (d->standalone || (c && !context_error(c)));
}
