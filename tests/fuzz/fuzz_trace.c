/* SPDX-License-Identifier: MIT */
/* Bytes as a trace file: read, checked as `vtegra report` does, and every form of report made. */
#include "checker/checker.h"
#include "checker/print/formats.h"
#include "checker/print/json.h"
#include "checker/print/text.h"
#include "checker/report.h"
#include "tests/fuzz/fuzz_file.h"
#include "trace/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void take(void *checker, const struct trace_record *record, struct note *note)
{
    if (record) {
        checker_record(checker, record, 0, true);
    } else {
        checker_note(checker, note);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct checker *c = checker_new_replay(NULL);
    struct report *report;
    unsigned long lines;
    char *why = NULL;

    if (trace_read(fuzz_file(data, size), take, c, &lines, &why) != 0 && (!why || !*why)) {
        abort();
    }
    g_free(why);
    checker_repeats(c);
    report = report_new(checker_run(c));
    g_free(text_report(report, false));
    g_free(json_report(report));
    for (unsigned i = 0; i < REPORT_FORMATS; i++) {
        g_free(report_forms[i].make(report));
    }
    report_free(report);
    checker_free(c);
    return 0;
}
