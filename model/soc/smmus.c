/* SPDX-License-Identifier: MIT */
/* The SMMUs before the engines: Arm MMU-500.
 *
 * Where they lie: device trees of L4T and upstream Linux. T186 and T194 have one at 0x12000000; T234 NISO0 there and
 * NISO1 at 0x8000000. On T194 and T234 a second instance at 0x11000000 or 0x7000000 shares the load and is programmed
 * alike: one stands here for both.
 */
#include <string.h>

#include "model/soc/soc_internal.h"

static bool chip_is(const struct soc *soc, const char *chip)
{
    return strcmp(soc->profile.soc.chip, chip) == 0;
}

static bool table_read(void *opaque, uint64_t pa, uint64_t *value)
{
    const struct soc_walker *w = opaque;

    return soc_phys_access(w->soc, w->unit, BUS_AGENT_HOST, pa, value, sizeof(*value), false);
}

/* Linux: "64 context banks" on T186 and T194, 128 on T234 (windows of 8 and 16 MiB). */
void soc_smmus_build(struct soc *soc)
{
    static const uint64_t base[SOC_SMMUS] = { 0x12000000, 0x8000000 };
    bool t234 = chip_is(soc, "t234");
    unsigned n = t234 ? 2 : chip_is(soc, "t186") || chip_is(soc, "t194") ? 1 : 0;

    for (unsigned i = 0; i < n; i++) {
        enum unit_id unit = UNIT_SMMU0 + i;

        soc->walker[i] = (struct soc_walker){ soc, unit };
        soc->smmu[i] = smmu_new(&(struct smmu_config){
            .context_banks = t234 ? 128 : 64,
            .coherent_walk = soc->profile.soc.io_coherent,
            .read = table_read,
            .opaque = &soc->walker[i],
            .trace = &soc->trace,
            .irq = &soc->irq[unit],
        });
        soc->window[unit] =
            (struct soc_window){ base[i], smmu_window(soc->smmu[i]), &smmu_ops, soc->smmu[i] };
    }
}

void soc_smmus_free(struct soc *soc)
{
    for (unsigned i = 0; i < SOC_SMMUS; i++) {
        smmu_free(soc->smmu[i]);
    }
}
