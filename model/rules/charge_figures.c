/* SPDX-License-Identifier: MIT */
#include "model/rules/charge_figures.h"

#include <stddef.h>

#define FIGURE(section, name)                                         \
    { #section "." #name, offsetof(struct soc_profile, section.name), \
      sizeof(((struct soc_profile *)NULL)->section.name) },

/* Of profile.def only [timing] */
#define SECTION(...)
#define OPTIONAL_SECTION(...)
#define SECTION_END(...)
#define KEY(section, name, ...) KEY_##section(name)
#define KEY_timing(name) FIGURE(timing, name)
#define KEY_soc(name)
#define KEY_cpu(name)
#define KEY_memory(name)
#define KEY_gpu(name)
#define KEY_texture(name)
#define KEY_host1x(name)
#define KEY_dla(name)
#define KEY_vic(name)
#define KEY_vi(name)
#define KEY_rules(name)
#define KEY_dgpu(name)
#define KEY_dgpu_texture(name)
#define KEY_dgpu_memory(name)

static const struct charge_figure figures[] = {
#include "model/profile.def"
    FIGURE(memory, bandwidth_mb_s) FIGURE(memory, numa_node) FIGURE(soc, io_coherent)
        FIGURE(gpu, cc_major) FIGURE(gpu, cc_minor) FIGURE(gpu, sm_count) FIGURE(gpu, cores_per_sm)
            FIGURE(gpu, clock_khz) FIGURE(gpu, warp_threads) FIGURE(gpu, l2_bytes)
                FIGURE(gpu, vidmem_bytes) FIGURE(gpu, host_numa_node)
                    FIGURE(gpu, concurrent_managed_access) FIGURE(gpu, pageable_memory_access)
                        FIGURE(rules, cpu_snoops_l2)
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
