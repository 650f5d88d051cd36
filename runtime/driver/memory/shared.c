/* SPDX-License-Identifier: MIT */
/* Shared memory lives as long as an object or a mapping has it. Apart from shared_object.c, so that
 * regions need no more than this. */
#include "runtime/driver/memory/external_internal.h"

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/memory/pending.h"
#include "runtime/driver/memory/region_internal.h"
#include "runtime/driver/memory/room.h"

struct object_list shared_all;

const struct hal_mem *shared_mem(const struct rt_shared *shared)
{
    return &shared->mem;
}

size_t shared_bytes(const struct rt_shared *shared)
{
    return shared->bytes;
}

enum hal_mem_kind shared_room(const struct hal_mem *mem)
{
    return mem->kind == HAL_MEM_VIDMEM ? HAL_MEM_VIDMEM : HAL_MEM_KERNEL;
}

void shared_ref(struct rt_shared *s)
{
    object_ref(&s->base);
}

static void shared_end(void *object)
{
    struct rt_shared *s = object;
    struct check_caller caller;

    shared_flush_freed(s);
    caller = report_caller();
    coherency_l2_clean_invalidate(); /* as region_free() */
    pending_shared_gone(s);
    check_region_remove(core_check(), s->mem.id, &caller);
    room_give(shared_room(&s->mem), s->mem.size);
    hal_mem_free(core_hal(), &s->mem);
    if (s->reserved) {
        hal_va_release(core_hal(), s->mem.cpu, s->reserved);
    }
}

static const struct object_kind shared_kind = { .name = "shared memory", .end = shared_end };

struct rt_shared *shared_new(const struct hal_mem *mem, size_t bytes, size_t reserved)
{
    struct rt_shared *s = object_new(&shared_kind, sizeof(*s), NULL);

    s->mem = *mem;
    s->bytes = bytes;
    s->reserved = reserved;
    object_list_add(&shared_all, &s->base);
    return s;
}

void shared_unref(struct rt_shared *s)
{
    object_unref(&s->base);
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
