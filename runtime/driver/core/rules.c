/* SPDX-License-Identifier: MIT */
/* The board's answer to what it does not have: the rule that holds, for the report. */
#include "runtime/driver/core/rules.h"

#include <string.h>

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/device/board.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/memory/rt_external.h"

static bool rules_names(const struct rule *rule, const char *api)
{
    size_t n = strlen(rule->api);

    return n && rule->api[n - 1] == '*' ? !strncmp(rule->api, api, n - 1) : !strcmp(rule->api, api);
}

/* Of the device that is current, if there is one: two GPUs of a board differ. */
static const struct soc_profile *rules_figures(void)
{
    const struct soc_profile *p = board_profile();

    return p && soc_profile_gpus(p) > 1 && device_count() ? device_profile(device_current()) : p;
}

const struct rule *rule_find(const char *api)
{
    return rule_find_on(api, rules_figures());
}

static const struct rule *rule_search(const char *api, const struct soc_profile *p, bool shared)
{
    for (size_t i = 0; i < rule_count; i++) {
        bool known = rule_table[i].condition == RULE_ALWAYS || p;

        if (rule_table[i].condition == RULE_OWN_BOARD && shared) {
            continue;
        }
        if (known && rules_names(&rule_table[i], api) &&
            rule_holds(&rule_table[i], p, board_system())) {
            return &rule_table[i];
        }
    }
    return NULL;
}

const struct rule *rule_find_on(const char *api, const struct soc_profile *p)
{
    return rule_search(api, p, rt_board_number() != 0);
}

const struct rule *rule_find_of_board(const char *api, const struct soc_profile *p)
{
    return rule_search(api, p, true);
}

void rule_report(const struct rule *rule, const char *api)
{
    struct check_finding finding = {
        .rule = "unsupported-api",
        .severity = CHECK_WARNING,
        .standing = rule->standing,
        .section = rule->section,
        .text = rule->text,
        .todo = rule->todo,
        .caller = check_caller_get(),
    };

    check_finding(core_check(), &finding);
    check_api_note(core_check(), &(struct check_note){ .kind = CHECK_NOTE_UNSUPPORTED,
                                                       .api = api,
                                                       .detail = rule->text,
                                                       .section = rule->section,
                                                       .caller = finding.caller });
}

CUresult rule_check(const char *api)
{
    const struct rule *rule = rule_find(api);

    if (!rule) {
        return CUDA_SUCCESS;
    }
    rule_report(rule, api);
    return report_known(rule->result);
}
