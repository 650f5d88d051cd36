/* SPDX-License-Identifier: MIT */
/* Bytes as a trace file: read, checked as `vtegra report` does, and one form of report made. The
 * bytes choose which: making all of them takes several times as long. SARIF, most of which is the
 * table of all rules whatever the input, is rarest. */
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

enum form { FORM_TEXT = REPORT_FORMATS, FORM_JSON };

static unsigned form_of(const uint8_t *data, size_t size)
{
    static const unsigned char forms[16] = {
        REPORT_SARIF, REPORT_HTML, REPORT_HTML, REPORT_HTML, REPORT_HTML, FORM_TEXT,
        FORM_TEXT,    FORM_TEXT,   FORM_TEXT,   FORM_TEXT,   FORM_TEXT,   FORM_JSON,
        FORM_JSON,    FORM_JSON,   FORM_JSON,   FORM_JSON,
    };
    unsigned hash = 0;

    for (size_t i = 0; i < size; i++) {
        hash = hash * 31 + data[i];
    }
    return forms[hash * 2654435769u >> 28];
}

static void form_make(const struct report *report, unsigned form)
{
    if (form == FORM_TEXT) {
        g_free(text_report(report, false));
    } else if (form == FORM_JSON) {
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
