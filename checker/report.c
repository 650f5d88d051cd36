/* SPDX-License-Identifier: MIT */
#include "checker/report.h"

#include "checker/rules/advice.h"
#include "checker/rules/memory_kinds.h"

struct report *report_new(const struct run *run)
{
    struct report *report = g_new(struct report, 1);

    *report = (struct report){ run, advice_make(run), memory_kinds_new(run) };
    return report;
}

void report_free(struct report *report)
{
    g_ptr_array_free(report->advice, TRUE);
    memory_kinds_free(report->kinds);
    g_free(report);
}
