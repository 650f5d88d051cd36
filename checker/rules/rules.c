/* SPDX-License-Identifier: MIT */
#include "checker/rules/rules.h"

#include <stddef.h>

const struct check_rule check_rules[CHECK_RULE_COUNT] = {
#define RULE(id, name, severity, standing, section, text, todo) \
    [CHECK_RULE_##id] = { name, CHECK_##severity, CHECK_##standing, section, text, todo },
#include "checker/rules/rules.def"
#undef RULE
};
