/* SPDX-License-Identifier: MIT */
#include "runtime/check/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/check/advice.h"
#include "runtime/check/check_internal.h"
#include "runtime/check/json.h"
#include "runtime/check/sched.h"
#include "runtime/check/text.h"
#include "runtime/check/tracefile.h"

bool report_write(const struct run *r, enum report_text text, const char *report_path,
                  const char *json_path)
{
    const struct vtegra_sched *sched = check_sched();
    GPtrArray *advice = advice_make(r);
    bool written = true;

    if (text == REPORT_TEXT || report_path) {
        char *out = text_report(r, advice, !report_path && isatty(STDERR_FILENO));

        written = outfile_write(report_path, "report", out);
        if (!written && text == REPORT_TEXT) {
            outfile_write(NULL, "report", out);
        }
        g_free(out);
    }
    if (json_path) {
        char *out = json_report(r, advice);

        if (!outfile_write(json_path, "JSON report", out)) {
            written = false;
            if (sched) {
                sched->report_lost(errno);
            }
        }
        g_free(out);
    }
    g_ptr_array_free(advice, TRUE);
    return written;
}

/* What was found in single accesses: a note like those of the file. */
static void trace_found(void *opaque, const struct hb_finding *f)
{
    struct run *r = opaque;
    struct note n;

    hb_words(r, f, &n);
    run_note(r, &n);
    note_clear(&n);
}

/* One line of a trace file. @hb: looks for races, unless the live run did. Return: false if it is
 * none. */
static bool line_take(struct run *r, struct hb **hb, char *line)
{
    struct trace_record record;
    struct note n;

    g_strchomp(line);
    if (*line == '\0' || *line == '#') {
        return true;
    }
    if (note_parse(line, &n)) {
        run_note(r, &n);
        if (strcmp(n.name, "run") == 0 && note_num(&n, "hb")) {
            r->checked = true;
            g_clear_pointer(hb, hb_free);
        } else if (*hb) {
            hb_note(*hb, &n);
        }
        note_clear(&n);
        return true;
    }
    if (trace_parse(line, &record)) {
        run_record(r, &record);
        if (*hb) {
            hb_record(*hb, &record, 0);
            r->checked = r->checked || trace_event_class[record.event] == TRACE_ACCESS;
        }
        return true;
    }
    return false;
}

/* Return: 0 or -errno. The last line may be cut short: the program was killed, or the disk was
 * full. */
static int file_take(struct run *r, struct hb **hb, FILE *f, const char *path)
{
    char *line = NULL;
    size_t size = 0;
    unsigned long number = 0, bad = 0;
    ssize_t len;

    while ((len = getline(&line, &size, f)) >= 0) {
        bool whole = len > 0 && line[len - 1] == '\n';

        number++;
        if (strlen(line) != (size_t)len || (!line_take(r, hb, line) && (whole || number == 1))) {
            bad = number;
            break;
        }
    }
    free(line);
    if (bad) {
        fprintf(
            stderr,
            "vtegra: %s:%lu: not a line of a trace file; is this the file that --trace wrote?\n",
            path, bad);
        return -EINVAL;
    }
    if (ferror(f)) {
        fprintf(stderr, "vtegra: %s: %s\n", path, strerror(errno));
        return -EIO;
    }
    if (!r->soc) {
        fprintf(stderr,
                "vtegra: %s: no @run line at its beginning: not a trace file of a whole run\n",
                path);
        return -EINVAL;
    }
    if (!r->ended) {
        fprintf(stderr,
                "vtegra: %s: the trace ends before the run did; the report is of what is there\n",
                path);
    }
    return 0;
}

int check_from_trace(const char *trace_path, const char *report_path, const char *json_path)
{
    FILE *f = fopen(trace_path, "re");
    struct run *r;
    struct hb *hb;
    int error;

    if (!f) {
        error = -errno;
        fprintf(stderr, "vtegra: trace file %s: %s\n", trace_path, strerror(-error));
        return error;
    }
    r = run_new();
    hb = hb_new(r, trace_found, r);
    error = file_take(r, &hb, f, trace_path);
    fclose(f);
    if (hb) {
        hb_repeats(hb);
        hb_free(hb);
    }
    if (error == 0 && !report_write(r, REPORT_TEXT, report_path ? report_path : "-", json_path)) {
        error = -EIO;
    }
    run_free(r);
    return error;
}
