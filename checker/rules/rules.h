/* SPDX-License-Identifier: MIT */
/* The table of rules.def. */
#ifndef CHECKER_RULES_H
#define CHECKER_RULES_H

#include "checker/finding.h"

enum check_rule_id {
#define RULE(id, name, severity, standing, section, text, todo) CHECK_RULE_##id,
#include "checker/rules/rules.def"
#undef RULE
    CHECK_RULE_COUNT
};

/**
 * struct check_rule - what may be wrong
 * @name: in reports and JSON; several rows have one name where the same mistake is seen in several
 *        ways
 * @section: document and section
 * @text, @todo: what happened (of two accesses: what is wrong between them), what to do; NULL: made
 *               from what was seen
 */
struct check_rule {
    const char *name;
    enum check_severity severity;
    enum check_standing standing;
    const char *section, *text, *todo;
};

extern const struct check_rule check_rules[CHECK_RULE_COUNT];

/* Names of findings that have no row here: of the scheduler (sched/turn/stuck.c), of the driver,
 * whose texts are made from what happened, and of cuDLA (runtime/driver/engines/dla/dla_rules.def).
 * NULL ends them. */
extern const char *const check_rules_made[];

#endif
