/* SPDX-License-Identifier: MIT */
/* The DLAs of the board in a guest: not yet, issue 5. */
#include <errno.h>

#include "runtime/hal/guest/guest.h"

int hal_iommu_map(struct hal *hal, enum hal_unit unit, const struct hal_mem *mem, size_t offset,
                  size_t len, enum hal_prot prot, uint64_t *iova)
{
    (void)hal;
    (void)unit;
    (void)mem;
    (void)offset;
    (void)len;
    (void)prot;
    (void)iova;
    return -ENODEV;
}

void hal_iommu_unmap(struct hal *hal, enum hal_unit unit, uint64_t iova, size_t len)
{
    (void)hal;
    (void)unit;
    (void)iova;
    (void)len;
}

int hal_iommu_syncpt(struct hal *hal, enum hal_unit unit, uint32_t syncpt, uint64_t *iova)
{
    (void)hal;
    (void)unit;
    (void)syncpt;
    (void)iova;
    return -ENODEV;
}

bool hal_iommu_fault(struct hal *hal, enum hal_unit unit, struct hal_iommu_fault *out)
{
    (void)hal;
    (void)unit;
    (void)out;
    return false;
}
