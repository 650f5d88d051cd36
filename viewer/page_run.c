/* SPDX-License-Identifier: MIT */
#include "viewer/page.h"

#include "checker/checker.h"
#include "checker/print/json.h"
#include "checker/report.h"
#include "checker/timeline/timeline.h"
#include "trace/reader.h"
#include "trace/tracefile.h"

static GByteArray *timeline;

const void *PAGE_EXPORT(page_timeline)(void)
{
    return timeline->data;
}

size_t PAGE_EXPORT(page_timeline_bytes)(void)
{
    return timeline->len;
}

static void timeline_append(void *opaque, const void *data, size_t len)
{
    (void)opaque;
    g_byte_array_append(timeline, data, (guint)len);
}

static void page_run_noted(void *t, const struct note *n)
{
    timeline_note(t, n);
}

/* Return: false: it is no line of a trace. */
static bool line_take(char *line, struct checker *c, struct timeline *t)
{
    struct trace_record record;
    struct note note;

    switch (trace_line_parse(line, &record, &note)) {
    case TRACE_LINE_RECORD:
        timeline_record(t, &record);
        checker_record(c, &record, 0, true);
        return true;
    case TRACE_LINE_NOTE:
        checker_note(c, &note);
        return true;
    case TRACE_LINE_EMPTY:
        return true;
    default:
        return false;
    }
}

/* A last line without an end was cut. Return: NULL, or what is wrong; g_free(). */
static char *lines_take(char *trace, struct checker *c, struct timeline *t)
{
    unsigned long number = 1;

    for (char *line = trace, *end; (end = strchr(line, '\n')); line = end + 1, number++) {
        *end = '\0';
        if (number == 1 && g_str_has_prefix(line, TRACE_FIRST_WORDS) &&
            strcmp(line, TRACE_FIRST_LINE) != 0) {
            return g_strdup_printf(
                "line 1: \"%s\": a trace of another version; this page reads \"%s\"", line,
                TRACE_FIRST_LINE);
        }
        if (!line_take(line, c, t)) {
            return g_strdup_printf(
                "line %lu: not a line of a trace file; is this the file that --trace wrote?",
                number);
        }
    }
    return checker_run(c)->soc
               ? NULL
               : g_strdup("no @run line at the beginning: not a trace of a whole run");
}

/* @json: the report; it goes in as it is. */
static char *page_run_answer(const struct run *r, char *error)
{
    struct report *report = error ? NULL : report_new(r);
    char *json = report ? json_report(report) : NULL, *text;

    if (error) {
        g_autofree char *escaped = g_strescape(error, NULL);

        text = g_strdup_printf("{\"error\":\"%s\"}", escaped);
    } else {
        text = g_strdup_printf("{\"cut\":%s,\"report\":%s}", r->ended ? "false" : "true", json);
        report_free(report);
    }
    g_free(json);
    g_free(error);
    return text;
}

char *PAGE_EXPORT(page_run)(char *trace, size_t bytes)
{
    struct timeline *t;
    struct checker *c;
    char *error, *text;

    (void)bytes;
    timeline = timeline ? g_byte_array_set_size(timeline, 0) : g_byte_array_new();
    t = timeline_new(timeline_append, NULL);
    c = checker_new_replay(&(struct checker_host){ .noted = page_run_noted, .opaque = t });
    error = lines_take(trace, c, t);
    checker_repeats(c);
    timeline_free(t);
    text = page_run_answer(checker_run(c), error);
    checker_free(c);
    return text;
}
