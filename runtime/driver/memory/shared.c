/* SPDX-License-Identifier: MIT */
/* Shared memory lives as long as an object or a mapping has it. Apart from shared_object.c, so that
 * regions need no more than this. */
#include "runtime/driver/memory/external_internal.h"

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/memory/pending.h"
#include "runtime/driver/memory/region_internal.h"
#include "runtime/driver/memory/room.h"

GPtrArray *shared_all;

void shared_keep(struct rt_shared *s)
{
    shared_all = shared_all ? shared_all : g_ptr_array_new();
    g_ptr_array_add(shared_all, s);
}

const struct hal_mem *shared_mem(const struct rt_shared *shared)
{
    return &shared->mem;
}

size_t shared_bytes(const struct rt_shared *shared)
{
    return shared->bytes;
}

void shared_ref(struct rt_shared *s)
{
    s->refs++;
}

void shared_unref(struct rt_shared *s)
{
    struct check_caller caller;

    if (--s->refs) {
        return;
    }
    shared_flush_freed(s);
    caller = report_caller();
    coherency_l2_clean_invalidate(); /* as region_free() */
    pending_shared_gone(s);
    check_region_remove(core_check(), s->mem.id, &caller);
    room_give(HAL_MEM_KERNEL, s->mem.size);
    hal_mem_free(core_hal(), &s->mem);
    if (s->reserved) {
        hal_va_release(core_hal(), s->mem.cpu, s->reserved);
    }
    g_ptr_array_remove(shared_all, s);
    g_free(s);
}

void external_import_shared(struct rt_shared *s, bool on)
{
    if (on) {
        s->imports++;
        shared_ref(s);
    } else {
        s->imports--;
        shared_unref(s);
    }
}
