/* SPDX-License-Identifier: MIT */
#include "tools/soc/soc_rules.h"

#include <glib.h>
#include <string.h>

#include "profiles/profile.h"

char *soc_memory_text(const struct soc_profile *p, enum rules_kind kind, enum rules_side side)
{
    static const char *const words[] = {
        [RULES_NO_ACCESS] = "not directly accessible",
        [RULES_UNCACHED] = "uncached",
        [RULES_CACHED] = "cached",
    };
    struct rules_facts facts = rules_facts_of(p);
    const struct rules_cell *cell = rules_cell(&facts, kind, side);

    enum rules_standing standing = rules_standing_in(&facts, cell->standing);

    return g_strconcat(words[cell->caching], cell->remark,
                       standing == RULES_UNKNOWN        ? " [unknown]"
                       : standing == RULES_INTERPOLATED ? " [interpolated]"
                                                        : "",
                       NULL);
}

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
    struct rules_facts facts = rules_facts_of(p);

    return rules_caching(&facts, RULES_PINNED, RULES_CPU) != RULES_CACHED;
}

static bool no_concurrent_access(const struct soc_profile *p)
{
    return !p->gpu.concurrent_managed_access;
}

const struct soc_rule soc_rules[] = {
    { "system-scope atomics", "need cc 7.2 and up", "CUDA for Tegra 3.6", no_system_atomics },
    { "GNU atomics on pinned memory", "the CPU's exclusives do not work on uncached memory",
      "CUDA for Tegra 3.2", uncached_pinned },
    { "CPU touch of active unified memory", "the driver protects it until a synchronisation",
      "Programming Guide, coherency and concurrency", no_concurrent_access },
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
        struct soc_profile under = *p;

        profile_system_set(&under, *os);
        if (rule_holds(rule, &under, *os)) {
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
#include "runtime/api/cuda/errors.def"
    };
#undef ERROR

    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        if (names[i].code == rule->result) {
            return names[i].name;
        }
    }
    return "an error";
}
