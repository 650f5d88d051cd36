/* SPDX-License-Identifier: MIT */
#include "profiles/power.h"

#include <string.h>

#include "profiles/nearest.h"

static const struct profile_power powers[] = {
#define POWER(soc, id, name, cores, cpu, sms, gpu, emc, emc_most, dla, STANDING, source) \
    { #soc, name, source, id, cores, cpu, sms, gpu, emc, emc_most, dla, PROFILE_##STANDING },
#include "profiles/power.def"
#undef POWER
};

const struct profile_power *profile_power(const char *soc, unsigned index)
{
    for (gsize i = 0; i < G_N_ELEMENTS(powers); i++) {
        if (strcmp(powers[i].soc, soc) == 0 && index-- == 0) {
            return &powers[i];
        }
    }
    return NULL;
}

static gboolean power_is(const struct profile_power *row, const char *mode)
{
    g_autofree char *id = g_strdup_printf("%u", row->id);
    gboolean long_name = strncmp(mode, "MODE_", 5) == 0;

    return strcmp(mode, id) == 0 || g_ascii_strcasecmp(row->name, mode + (long_name ? 5 : 0)) == 0;
}

static const struct profile_power *power_find(const char *soc, const char *mode)
{
    const struct profile_power *row;

    for (unsigned i = 0; (row = profile_power(soc, i)); i++) {
        if (power_is(row, mode)) {
            return row;
        }
    }
    return NULL;
}

static void power_error(const char *soc, const char *mode, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    g_autofree char *list = NULL;
    const struct profile_power *row;
    const char *near;

    for (unsigned i = 0; (row = profile_power(soc, i)); i++) {
        g_ptr_array_add(names, (char *)row->name);
    }
    g_ptr_array_add(names, NULL);
    if (!names->pdata[0]) {
        g_set_error(error, PROFILE_ERROR, PROFILE_ERROR_VALUE,
                    "%s has no power modes: only the Jetsons have (vtegra soc list)", soc);
        return;
    }
    near = nearest_word(mode, (const char *const *)names->pdata);
    list = g_strjoinv(", ", (char **)names->pdata);
    g_set_error(error, PROFILE_ERROR, PROFILE_ERROR_VALUE,
                "%s has no power mode \"%s\"%s%s%s; it has %s (vtegra soc show %s)", soc, mode,
                near ? "; did you mean " : "", near ? near : "", near ? "?" : "", list, soc);
}

/* A time of the CPU's, by its clock; "a lower clock takes longer" */
static void power_longer(uint32_t *time, uint64_t before, uint64_t now)
{
    *time = (uint32_t)MIN(*time * before / MAX(now, 1), 1000000000u);
}

static void power_cpu(struct soc_profile *p, uint32_t khz)
{
    uint32_t *const times[] = { &p->timing.cpu_hit_ps,    &p->timing.submit_ns,
                                &p->timing.sync_ns,       &p->timing.sync_block_ns,
                                &p->timing.copy_sync_ns,  &p->timing.event_ns,
                                &p->timing.graph_node_ns, &p->timing.alloc_ns,
                                &p->timing.map_ns };

    for (gsize i = 0; i < G_N_ELEMENTS(times); i++) {
        power_longer(times[i], p->cpu.clock_khz, khz);
    }
    p->cpu.clock_khz = khz;
}

static void power_dram(struct soc_profile *p, const struct profile_power *row)
{
    uint32_t before = p->memory.bandwidth_mb_s;

    p->memory.bandwidth_mb_s = (uint32_t)((uint64_t)before * row->emc_mhz / row->emc_most_mhz);
    power_longer(&p->timing.cpu_miss_ps, before, p->memory.bandwidth_mb_s);
    power_longer(&p->timing.cpu_uncached_ps, before, p->memory.bandwidth_mb_s);
}

gboolean profile_power_set(struct soc_profile *p, const char *mode, GError **error)
{
    const struct profile_power *row = power_find(p->soc.name, mode);

    if (!row) {
        power_error(p->soc.name, mode, error);
        return FALSE;
    }
    p->cpu.cores = row->cores;
    p->gpu.sm_count = row->sms;
    if (row->cpu_mhz) {
        power_cpu(p, row->cpu_mhz * 1000);
    }
    if (row->gpu_mhz) {
        p->gpu.clock_khz = row->gpu_mhz * 1000;
    }
    if (row->emc_mhz) {
        power_dram(p, row);
    }
    if (row->dla_mhz) {
        p->dla.clock_khz = row->dla_mhz * 1000;
    }
    return TRUE;
}
