/* SPDX-License-Identifier: MIT */
/* CUDA for Tegra, Table 1 and section 3.6, as text for people. What an API call answers stands in the driver's
 * table (runtime/driver/core/rules.h); here is only what is no call. */
#ifndef TOOLS_SOC_RULES_H
#define TOOLS_SOC_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "model/profile.h"
#include "model/rules/kinds.h"
#include "runtime/driver/core/rules.h"

/** struct soc_rule - something that is not supported where @applies says so */
struct soc_rule {
    const char *what, *why, *section;
    bool (*applies)(const struct soc_profile *);
};

/* A cell of Table 1 (model/rules/kinds.def): "cached (cc >= 7.2)". g_free(). */
char *soc_memory_text(const struct soc_profile *p, enum rules_kind kind, enum rules_side side);

extern const struct soc_rule soc_rules[];
extern const size_t soc_rule_count;

/* On which of the SoC's systems rule_table[i] of the driver answers. */
enum soc_rule_where { SOC_RULE_NOWHERE, SOC_RULE_ON_QNX, SOC_RULE_EVERYWHERE };
enum soc_rule_where soc_rule_where(size_t i, const struct soc_profile *p);
/* The name of the code that the call answers. */
const char *soc_rule_result(const struct rule *rule);

#endif
