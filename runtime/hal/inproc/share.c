/* SPDX-License-Identifier: MIT */
#include "runtime/hal/share.h"

#include "runtime/hal/inproc/inproc.h"

void hal_share(const struct hal *hal, struct hal_shared *out)
{
    *out = (struct hal_shared){ { hal->dram_fd, hal->view_fd }, SOC_DRAM_BASE, hal->dram_bytes };
}

void hal_accessed(struct hal *hal, const void *cpu, size_t len, enum access_kind access)
{
    struct inproc_mem *m = inproc_mem_at(hal, cpu);

    if (!m || hal_mem_is_device(m->mem.kind) || m->mem.kind == HAL_MEM_KERNEL ||
        len > m->mem.size - (size_t)((uintptr_t)cpu - (uintptr_t)m->mem.cpu)) {
        return;
    }
    inproc_enter(hal);
    soc_cpu_accessed(hal->soc, m->mem.bus + ((uintptr_t)cpu - (uintptr_t)m->mem.cpu),
                     (uintptr_t)cpu, len, access, m->mem.cpu_cached);
    inproc_leave(hal);
}
