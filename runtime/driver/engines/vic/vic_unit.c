/* SPDX-License-Identifier: MIT */
/* The VIC as its driver sees it: registers, mappings, and which operations of a context are done.
 */
#include "runtime/driver/engines/vic/vic.h"

#include "runtime/driver/core/core.h"

struct object_list vic_contexts;
uint32_t vic_jobs;
const enum bus_agent vic_agent = BUS_AGENT_VIC;

uint32_t vic_read(uint32_t reg)
{
    return hal_read32(core_hal(), UNIT_VIC, reg);
}

void vic_write(uint32_t reg, uint32_t value)
{
    hal_write32(core_hal(), UNIT_VIC, reg, value);
}

int vic_map(const struct hal_mem *mem, uint64_t bytes, bool writable, uint64_t *iova)
{
    return hal_iommu_map(core_hal(), UNIT_VIC, mem, 0, bytes,
                         writable ? HAL_PROT_WRITE : HAL_PROT_READ, iova);
}

void vic_unmap(uint64_t iova, uint64_t bytes)
{
    hal_iommu_unmap(core_hal(), UNIT_VIC, iova, bytes);
}

bool vic_fault(struct hal_iommu_fault *out)
{
    return hal_iommu_fault(core_hal(), UNIT_VIC, out);
}

bool vic_pending(struct vic_context *c)
{
    while (c->oldest < c->operations &&
           fence_reached((struct fence){
               c->syncpt, c->operation[(c->oldest + 1) % VIC_PENDING_MAX].threshold })) {
        c->oldest++;
        c->asked = 0;
    }
    return c->oldest < c->operations;
}
