/* SPDX-License-Identifier: MIT */
#include "model/rules/charge_figures.h"

#include <stddef.h>

#define FIGURE(section, name)                            \
    { #name, offsetof(struct soc_profile, section.name), \
      sizeof(((struct soc_profile *)NULL)->section.name) },

static const struct charge_figure figures[] = {
    FIGURE(timing, dram_permille) FIGURE(timing, gpu_permille) FIGURE(timing, managed_permille)
        FIGURE(timing, pinned_permille) FIGURE(timing, pageable_permille)
            FIGURE(timing, copy_permille) FIGURE(timing, l2_sm_bytes) FIGURE(timing, copy_ns)
                FIGURE(timing, copy_sync_ns) FIGURE(timing, submit_ns) FIGURE(timing, sync_ns)
                    FIGURE(timing, event_ns) FIGURE(timing, alloc_ns) FIGURE(timing, map_ns)
                        FIGURE(gpu, sm_count) FIGURE(gpu, cores_per_sm) FIGURE(gpu, warp_threads)
                            FIGURE(gpu, clock_khz) FIGURE(gpu, l2_bytes)
};

const struct charge_figure *charge_figures(unsigned *n)
{
    *n = sizeof(figures) / sizeof(figures[0]);
    return figures;
}

/* Numbers of one, four and eight bytes */
uint64_t charge_figure_get(const struct soc_profile *p, const struct charge_figure *f)
{
    const char *at = (const char *)p + f->offset;
    uint64_t whole;
    uint32_t part;

    if (f->bytes == sizeof(bool)) {
        return *(const bool *)at;
    }
    if (f->bytes == sizeof(part)) {
        memcpy(&part, at, sizeof(part));
        return part;
    }
    memcpy(&whole, at, sizeof(whole));
    return whole;
}

void charge_figure_set(struct soc_profile *p, const struct charge_figure *f, uint64_t value)
{
    char *at = (char *)p + f->offset;
    uint32_t part = (uint32_t)value;

    if (f->bytes == sizeof(bool)) {
        *(bool *)at = value != 0;
    } else if (f->bytes == sizeof(part)) {
        memcpy(at, &part, sizeof(part));
    } else {
        memcpy(at, &value, sizeof(value));
    }
}

bool charge_figures_whole(const struct soc_profile *p)
{
    return p->timing.gpu_permille && p->timing.managed_permille && p->timing.pinned_permille &&
           p->timing.pageable_permille && p->timing.copy_permille && p->timing.dram_permille &&
           p->timing.l2_sm_bytes && p->memory.bandwidth_mb_s && p->gpu.sm_count &&
           p->gpu.clock_khz && p->gpu.warp_threads;
}
