/* SPDX-License-Identifier: MIT */
#include "checker/print/html.h"

#include <inttypes.h>

#include "checker/print/text.h"

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
    "'unsafe-inline'\">\n"
    "<style>body{font:15px/1.45 sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222}"
    "h1{font-size:1.4em}h2{font-size:1.15em;margin-top:2em}table{border-collapse:collapse;width:"
    "100%}"
    "td,th{text-align:left;vertical-align:top;padding:.25em .8em .25em 0;border-bottom:1px solid "
    "#ddd}"
    "section{border-left:4px solid #888;padding:.1em 1em;margin:1em 0;background:#f6f6f6}"
    "section.error{border-color:#c22}section.warning{border-color:#d80}section.advice{border-color:"
    "#28c}"
    "code{font-family:monospace;overflow-wrap:anywhere}pre{white-space:pre-wrap}</style>\n";

/* @text with the five characters of markup escaped; bytes that are no UTF-8 as U+FFFD. */
static void html_put(GString *h, const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text ? text : "", -1);
    g_autofree char *escaped = g_markup_escape_text(valid, -1);

    g_string_append(h, escaped);
}

static void put_row(GString *h, const char *name, const char *value)
{
    if (value && *value) {
        g_string_append_printf(h, "<tr><th>%s</th><td>", name);
        html_put(h, value);
        g_string_append(h, "</td></tr>\n");
    }
}

static void put_finding(GString *h, const struct run *r, const struct run_finding *f)
{
    const struct run_region *region = f->region ? run_region(r, f->region) : NULL;
    g_autofree char *buffer = region ? run_region_name(region) : NULL;
    g_autofree char *rule = g_strdup_printf("%s (%s: %s)", f->rule, run_standing_name[f->standing],
                                            f->section ? f->section : "");
    g_autofree char *times = f->count > 1 ? g_strdup_printf("%" PRIu64, f->count) : NULL;

    g_string_append_printf(h, "<section class=\"%s\"><p><b>%s:</b> ",
                           run_severity_name[f->severity], run_severity_name[f->severity]);
    html_put(h, f->text);
    g_string_append(h, "</p><table>\n");
    put_row(h, "where", f->where);
    put_row(h, "against", f->other);
    put_row(h, "buffer", buffer);
    put_row(h, "kernel", f->kernel);
    put_row(h, "what to do", f->todo);
    put_row(h, "rule", rule);
    put_row(h, "times", times);
    put_row(h, "seen with", f->run);
    g_string_append(h, "</table></section>\n");
}

static void put_findings(GString *h, const struct run *r, const char *title, const GPtrArray *list)
{
    g_string_append_printf(h, "<h2>%s</h2>\n", title);
    for (guint i = 0; i < list->len; i++) {
        put_finding(h, r, list->pdata[i]);
    }
    if (list->len == 0) {
        g_string_append(h, "<p>None.</p>\n");
    }
}

static void put_cell(GString *h, const char *text)
{
    g_string_append(h, "<td>");
    html_put(h, text);
    g_string_append(h, "</td>");
}

static void put_buffers(GString *h, const struct run *r)
{
    g_string_append(
        h, "<h2>Buffers</h2>\n<table><tr><th>#</th><th>kind</th><th>size</th><th>CPU</th><th>");
    html_put(h, r->gpus < 2 ? run_gpu_name(r) : "GPUs");
    g_string_append(h, "</th><th>allocated</th></tr>\n");
    for (guint i = 0; i < r->regions->len; i++) {
        const struct run_region *region = r->regions->pdata[i];
        g_autofree char *size = run_size_text(region->size);

        if (region->number) {
            g_autofree char *where =
                g_strdup_printf("%s%s%s", region->api ? region->api : "",
                                region->where ? " at " : "", region->where ? region->where : "");

            g_autofree char *columns = text_gpu_columns(r, region);
            const char *gpus = r->gpus < 2 ? text_igpu_column(r, region) : columns;

            g_string_append_printf(h, "<tr><td>%u</td>", region->number);
            put_cell(h, run_kind_name(region->kind));
            put_cell(h, size);
            put_cell(h, text_cpu_column(r, region));
            put_cell(h, gpus);
            put_cell(h, where);
            g_string_append(h, "</tr>\n");
        }
    }
    g_string_append(h, "</table>\n");
}

char *html_report(const struct report *report)
{
    const struct run *r = report->run;
    g_autofree char *text = text_report(report, false), *time = run_time_text(r->time_ns);
    GString *h = g_string_new(head);

    g_string_append(h, "<title>vtegra: ");
    html_put(h, r->program);
    g_string_append(h, "</title></head><body>\n<h1>vtegra report: ");
    html_put(h, r->program);
    g_string_append(h, "</h1>\n<table>\n");
    put_row(h, "board", r->soc);
    put_row(h, "module", r->marketing);
    put_row(h, "system", r->os);
    put_row(h, "policy", r->policy);
    put_row(h, "virtual time", time);
    put_row(h, "again", r->again);
    g_string_append(h, "</table>\n");
    put_findings(h, r, "Findings", r->findings);
    put_findings(h, r, "Advice", report->advice);
    put_buffers(h, r);
    g_string_append(h, "<h2>The whole report</h2>\n<pre>");
    html_put(h, text);
    g_string_append(h, "</pre>\n</body></html>\n");
    return g_string_free(h, FALSE);
}
