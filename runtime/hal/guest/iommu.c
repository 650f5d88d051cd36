/* SPDX-License-Identifier: MIT */
/* What an engine behind an SMMU may reach: it is a PCI function of its own, with a stream ID of its own in the
 * machine's SMMU, and the kernel keeps its tables. The chip's own SMMU in front of it stays as it
 * is after reset, transparent. A refused access is in the kernel's log (SMMU event F_TRANSLATION);
 * a program learns no more than the engine reports. */
#include <errno.h>
#include <string.h>

#include "model/regs/regs.h"
#include "runtime/hal/guest/guest.h"

#define IOVA_END (UINT64_C(1) << 40) /* a task descriptor's address has 40 bits */

/* Return: the number of the engine, ready to be mapped for; -ENODEV. */
static int engine_of(struct hal *hal, enum unit_id unit)
{
    int engine = unit_engine(unit), err = device_engine_open(unit);

    if (err) {
        return err;
    }
    if (!hal->engine_iova[engine].taken) {
        extents_init(&hal->engine_iova[engine], GUEST_BUS_BASE, IOVA_END);
    }
    return engine;
}

int hal_iommu_map(struct hal *hal, enum unit_id unit, const struct hal_mem *mem, size_t offset,
                  size_t len, enum hal_prot prot, uint64_t *iova)
{
    const struct guest_mem *m = table_at(&hal->table, mem->cpu);
    int engine = engine_of(hal, unit), err;

    if (engine < 0) {
        return engine;
    }
    if (!m || len == 0 || offset % HAL_PAGE || len % HAL_PAGE || offset > mem->size ||
        len > mem->size - offset || prot == HAL_PROT_NONE) {
        return -EINVAL;
    }
    /* A page without a mapping lies behind each, so that who runs over the end is caught. */
    if (!extents_alloc(&hal->engine_iova[engine], len + HAL_PAGE, HAL_PAGE, iova)) {
        return -ENOSPC;
    }
    err = device_engine_map((unsigned)engine, m->alias + offset, len, *iova, prot == HAL_PROT_WRITE);
    if (err) {
        extents_free(&hal->engine_iova[engine], *iova, len + HAL_PAGE);
    }
    return err;
}

void hal_iommu_unmap(struct hal *hal, enum unit_id unit, uint64_t iova, size_t len)
{
    int engine = engine_of(hal, unit);

    if (engine >= 0 && len) {
        device_engine_unmap((unsigned)engine, len, iova);
        extents_free(&hal->engine_iova[engine], iova, len + HAL_PAGE);
    }
}

/* The syncpoints' own addresses on the chip: none of ours, which begin behind them. */
int hal_iommu_syncpt(struct hal *hal, enum unit_id unit, uint32_t syncpt, uint64_t *iova)
{
    const struct soc_profile *p = hal->config.profile;
    int engine = engine_of(hal, unit);

    if (engine < 0) {
        return engine;
    }
    if (syncpt >= p->host1x.syncpts) {
        return -EINVAL;
    }
    *iova = SYNCPT_SHIM_BASE +
            (uint64_t)syncpt *
                (strcmp(p->soc.chip, "t194") == 0 ? SYNCPT_SHIM_PAGE_T194 : SYNCPT_SHIM_PAGE_T234);
    return 0;
}

bool hal_iommu_fault(struct hal *hal, enum unit_id unit, struct hal_iommu_fault *out)
{
    (void)hal;
    (void)unit;
    (void)out;
    return false;
}
