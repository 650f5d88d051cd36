/* SPDX-License-Identifier: MIT */
/* Bytes as a trace file: read, checked as `vtegra report` does, and one form of report made. The
 * bytes choose which: making all of them takes several times as long. */
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

static unsigned form_of(const uint8_t *data, size_t size)
{
    unsigned hash = 0;

    for (size_t i = 0; i < size; i++) {
        hash = hash * 31 + data[i];
    }
    return hash % (REPORT_FORMATS + 2);
}

static void form_make(const struct report *report, unsigned form)
{
    if (form == REPORT_FORMATS) {
        g_free(text_report(report, false));
    } else if (form > REPORT_FORMATS) {
        g_free(json_report(report));
    } else {
        g_free(report_forms[form].make(report));
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
    form_make(report, form_of(data, size));
    report_free(report);
    checker_free(c);
    return 0;
}
