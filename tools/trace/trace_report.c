/* SPDX-License-Identifier: MIT */
#include "tools/trace/trace_report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "checker/checker.h"
#include "checker/print/json.h"
#include "checker/print/text.h"
#include "checker/report.h"
#include "checker/timeline/timeline.h"
#include "trace/reader.h"
#include "trace/tracefile.h"

struct reading {
    struct checker *checker;
    struct timeline *timeline; /* NULL: nothing is drawn */
};

/* Notes of the file, and of what is found now in accesses that were not compared yet. */
static void trace_report_noted(void *reading, const struct note *n)
{
    struct reading *r = reading;

    if (r->timeline) {
        timeline_note(r->timeline, n);
    }
}

static void trace_report_take(void *reading, const struct trace_record *record, struct note *note)
{
    struct reading *r = reading;

    if (record) {
        if (r->timeline) {
            timeline_record(r->timeline, record);
        }
        checker_record(r->checker, record, 0, true);
    } else {
        checker_note(r->checker, note);
    }
}

#define CUT "the program was killed, or the disk was full"

/* Return: false after a line on stderr. */
static bool run_is_there(const struct run *r, const char *path, unsigned long lines)
{
    if (!r->soc && lines == 0) {
        fprintf(stderr, "vtegra: %s: it is empty: no @run line was written yet (" CUT ")\n", path);
    } else if (!r->soc) {
        fprintf(stderr,
                "vtegra: %s: no @run line at its beginning: not a trace file of a whole run\n",
                path);
    } else if (!r->ended) {
        fprintf(stderr,
                "vtegra: %s:%lu: the trace ends before the run did: it was cut off (" CUT
                "); the report is of what is there\n",
                path, lines);
    }
    return r->soc;
}

/* Return: 0 or -errno. */
static int file_take(struct reading *r, const char *path)
{
    g_autofree char *why = NULL;
    unsigned long lines;
    int error = trace_read(path, trace_report_take, r, &lines, &why);

    if (error) {
        fprintf(stderr, "vtegra: %s\n", why);
    } else if (!run_is_there(checker_run(r->checker), path, lines)) {
        error = -EINVAL;
    }
    return error;
}

/* What cannot be written to its file goes to stderr. */
static bool text_write(const struct report *report, const char *path)
{
    g_autofree char *text = text_report(report, false);
    bool written = outfile_write(path, "report", text);

    if (!written) {
        outfile_write(NULL, "report", text);
    }
    return written;
}

static bool reports_write(const struct run *r, const struct trace_report_out *out)
{
    struct report *report = report_new(r);
    bool written = text_write(report, out->report_path ? out->report_path : "-");
    g_autofree char *json = out->json_path ? json_report(report) : NULL;

    if (json && !outfile_write(out->json_path, "JSON report", json)) {
        written = false;
    }
    for (unsigned i = 0; i < REPORT_FORMATS; i++) {
        g_autofree char *form = out->form_path[i] ? report_forms[i].make(report) : NULL;

        if (form && !outfile_write(out->form_path[i], report_forms[i].what, form)) {
            written = false;
        }
    }
    report_free(report);
    return written;
}

static void timeline_write(void *file, const void *data, size_t len)
{
    tracefile_bytes(file, data, len);
}

static int timeline_close(struct reading *r, struct tracefile *file)
{
    bool written;

    timeline_free(r->timeline);
    r->timeline = NULL;
    written = !file || tracefile_flush(file);
    tracefile_close(file);
    return written ? 0 : -EIO;
}

int trace_report(const char *trace_path, const struct trace_report_out *out)
{
    struct tracefile *file = out->perfetto_path ? tracefile_open(out->perfetto_path) : NULL;
    struct reading r = { .timeline = file ? timeline_new(timeline_write, file) : NULL };
    int error, unwritten;

    r.checker =
        checker_new_replay(&(struct checker_host){ .noted = trace_report_noted, .opaque = &r });
    checker_run(r.checker)->folder = realpath(".", NULL);
    error = file_take(&r, trace_path);
    checker_repeats(r.checker);
    unwritten = timeline_close(&r, file);
    if (error == 0 && !reports_write(checker_run(r.checker), out)) {
        error = -EIO;
    }
    checker_free(r.checker);
    return error ? error : out->perfetto_path && !file ? -EIO : unwritten;
}
