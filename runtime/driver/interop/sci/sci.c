/* SPDX-License-Identifier: MIT */
/* Lines of the NvSci libraries in the report. */
#include "runtime/driver/interop/sci/rt_sci.h"

#include <stdio.h>

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/report.h"

void rt_sci_error(const char *api, const char *code, const char *why)
{
    g_autofree char *detail = why ? g_strdup_printf("%s: %s", code, why) : g_strdup(code);

    if (core_life() == CORE_NEW) { /* a program that fails here may never have a report */
        fprintf(stderr, "vtegra: %s returned %s\n", api, detail);
    }
    if (core_state()) {
        return;
    }
    check_api_note(core_check(), &(struct check_note){ .kind = CHECK_NOTE_ERROR,
                                                       .api = api,
                                                       .detail = detail,
                                                       .section = "DRIVE OS API reference, NvSci",
                                                       .caller = check_caller_get() });
}

void rt_sci_finding(enum rt_sci_finding what, const char *text)
{
    static const enum check_rule_id rule[] = {
        [RT_SCI_FENCE_CLEARED] = CHECK_RULE_SCI_FENCE_CLEARED,
        [RT_SCI_LEAKED] = CHECK_RULE_SCI_LEAKED,
        [RT_SCI_TIMESTAMP] = CHECK_RULE_SCI_TIMESTAMP,
    };
    struct check_finding finding;

    if (core_state()) {
        return;
    }
    finding = check_finding_of(rule[what]);
    finding.text = text;
    finding.caller = check_caller_get();
    check_finding(core_check(), &finding);
}
