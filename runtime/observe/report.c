/* SPDX-License-Identifier: MIT */
#include "runtime/observe/report.h"

#include <errno.h>
#include <unistd.h>

#include "checker/print/formats.h"
#include "checker/print/json.h"
#include "checker/print/text.h"
#include "runtime/observe/check_internal.h"
#include "runtime/observe/sched_lookup.h"
#include "trace/tracefile.h"

bool report_write(const struct run *r, enum report_text text, const char *report_path,
                  const char *json_path)
{
    const struct vtegra_sched *sched = check_sched();
    struct report *report = report_new(r);
    bool written = true;

    if (text == REPORT_TEXT || report_path) {
        char *out = text_report(report, !report_path && isatty(STDERR_FILENO));

        written = outfile_write(report_path, "report", out);
        if (!written && text == REPORT_TEXT) {
            outfile_write(NULL, "report", out);
        }
        g_free(out);
    }
    if (json_path) {
        char *out = json_report(report);

        if (!outfile_write(json_path, "JSON report", out)) {
            written = false;
            if (sched) {
                sched->report_lost(errno);
            }
        }
        g_free(out);
    }
    report_free(report);
    return written;
}

void report_forms_write(const struct run *r, const char *const path[])
{
    for (unsigned i = 0; i < REPORT_FORMATS; i++) {
        if (path[i]) {
            struct report *report = report_new(r);
            char *out = report_forms[i].make(report);

            outfile_write(path[i], report_forms[i].what, out);
            g_free(out);
            report_free(report);
        }
    }
}
