/* SPDX-License-Identifier: MIT */
#include "tools/soc_rules.h"

#include <glib.h>
#include <string.h>

static const char *cached(const struct soc_profile *p)
{
    (void)p;
    return "cached";
}

static const char *uncached(const struct soc_profile *p)
{
    (void)p;
    return "uncached";
}

static const char *not_accessible(const struct soc_profile *p)
{
    (void)p;
    return "not directly accessible";
}

static const char *pinned_cpu(const struct soc_profile *p)
{
    return p->soc.io_coherent ? "cached (cc >= 7.2)" : "uncached (cc < 7.2)";
}

static const char *managed_cpu(const struct soc_profile *p)
{
    return p->gpu.concurrent_managed_access ? "cached, also while the GPU works"
                                            : "cached, not while the GPU works";
}

static const char *pageable_igpu(const struct soc_profile *p)
{
    return p->gpu.pageable_memory_access ? "cached (host page tables)" : not_accessible(p);
}

const struct soc_memory soc_memory[] = {
    { "device memory", not_accessible, cached },
    { "pageable host memory", cached, pageable_igpu },
    { "pinned host memory", pinned_cpu, uncached },
    { "unified memory", managed_cpu, cached },
};
const size_t soc_memory_count = G_N_ELEMENTS(soc_memory);

static bool has_qnx(const struct soc_profile *p)
{
    return strstr(p->soc.os, "qnx") != NULL;
}

static bool no_system_atomics(const struct soc_profile *p)
{
    return !p->rules.system_atomics;
}

static bool uncached_pinned(const struct soc_profile *p)
{
    return !p->soc.io_coherent;
}

static bool no_concurrent_access(const struct soc_profile *p)
{
    return !p->gpu.concurrent_managed_access;
}

static bool not_thor(const struct soc_profile *p)
{
    return !p->rules.cpu_snoops_l2;
}

const struct soc_rule soc_rules[] = {
    { "system-scope atomics", "need cc 7.2 and up", "CUDA for Tegra 3.6", no_system_atomics },
    { "GNU atomics on pinned memory", "the CPU's exclusives do not work on uncached memory",
      "CUDA for Tegra 3.2", uncached_pinned },
    { "CPU touch of active unified memory", "the driver protects it until a synchronisation",
      "Programming Guide, coherency and concurrency", no_concurrent_access },
    { "NVML", "not on Tegra; tegrastats instead", "CUDA for Tegra 3.6", not_thor },
    { "MPS", "not on Tegra", "CUDA for Tegra 3.6", not_thor },
    { "prefetch by attach hints on qnx", "accepted, without benefit", "CUDA for Tegra 3.3",
      has_qnx },
};
const size_t soc_rule_count = G_N_ELEMENTS(soc_rules);

static enum soc_rule_where where_holds(const struct rule *rule, const struct soc_profile *p)
{
    char **systems = g_strsplit(p->soc.os, ",", -1);
    enum soc_rule_where where = SOC_RULE_NOWHERE;
    bool linux_too = false;

    for (char **os = systems; *os; os++) {
        if (rule_holds(rule, p, *os)) {
            linux_too |= strcmp(*os, "qnx") != 0;
            where = linux_too ? SOC_RULE_EVERYWHERE : SOC_RULE_ON_QNX;
        }
    }
    g_strfreev(systems);
    return where;
}

enum soc_rule_where soc_rule_where(size_t i, const struct soc_profile *p)
{
    for (size_t j = 0; j < i; j++) { /* the first that holds answers */
        if (strcmp(rule_table[j].api, rule_table[i].api) == 0 &&
            where_holds(&rule_table[j], p) == SOC_RULE_EVERYWHERE) {
            return SOC_RULE_NOWHERE;
        }
    }
    return where_holds(&rule_table[i], p);
}

const char *soc_rule_result(const struct rule *rule)
{
#define ERROR(code, text) { code, #code },
    static const struct {
        CUresult code;
        const char *name;
    } names[] = {
#include "runtime/cuda/errors.def"
    };
#undef ERROR

    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        if (names[i].code == rule->result) {
            return names[i].name;
        }
    }
    return "an error";
}
