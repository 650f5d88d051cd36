/* SPDX-License-Identifier: MIT */
/* Plain text, at most TEXT_WIDTH columns, the same on every machine; bold headings only on a
 * terminal. Here findings and advice; the parts before them in files of their own. */
#include "checker/print/text_internal.h"

#include <inttypes.h>
#include <string.h>

#include "trace/printable.h"

static void text_finding_lines(const struct run *r, GString *out, unsigned indent,
                               const struct run_finding *f)
{
    struct text_printer p = { .run = r, .out = out };
    const struct run_region *region = f->region ? run_region(r, f->region) : NULL;
    char *name;

    if (f->where) {
        text_labelled(&p, indent, "where", g_strdup(f->where));
    }
    if (region) {
        name = run_region_name(region);
        text_labelled(&p, indent, "buffer",
                      f->has_offset ? g_strdup_printf("%s, offset 0x%" PRIx64, name, f->offset)
                                    : g_strdup(name));
        g_free(name);
    }
    if (f->kernel) {
        text_labelled(&p, indent, "kernel", g_strdup(f->kernel));
    }
    if (f->other) {
        text_labelled(&p, indent, "against", g_strdup(f->other));
    }
    text_labelled(&p, indent, "rule",
                  g_strdup_printf("%s (%s: %s)", f->rule, run_standing_name[f->standing],
                                  f->section ? f->section : "ours"));
    if (f->todo) {
        text_labelled(&p, indent, "what to do", g_strdup(f->todo));
    }
    if (r->gen_suppressions) { /* one line, however long: it is for a file */
        g_autofree char *entry = suppressions_entry(f);

        g_string_append_printf(out, "%*s%-*s%s\n", (int)indent, "", TEXT_LABEL, "suppress", entry);
    }
    if (f->run) {
        /* One line, however long: it is for a shell. */
        g_string_append_printf(out, "%*s%-*s%s\n", (int)indent, "", TEXT_LABEL, "seen with",
                               f->run);
    }
}

/* The text with escaped control characters, and with what makes it bold. Takes @p's. */
static char *text_finish(struct text_printer *p)
{
    GString *out = g_string_new(NULL);
    gsize from = 0;

    for (guint i = 0; p->bold && i < p->bold->len; i++) {
        gsize at = g_array_index(p->bold, gsize, i);

        printable_append(out, p->out->str + from, at - from);
        g_string_append(out, i % 2 ? "\033[0m" : "\033[1m");
        from = at;
    }
    printable_append(out, p->out->str + from, p->out->len - from);
    g_string_free(p->out, TRUE);
    if (p->bold) {
        g_array_free(p->bold, TRUE);
    }
    return g_string_free(out, FALSE);
}

char *text_finding_live(const struct run *r, const struct run_finding *f)
{
    struct text_printer p = { .run = r, .out = g_string_new(NULL) };
    char *first = g_strdup_printf("vtegra: %s: ", run_severity_name[f->severity]);

    text_paragraph(p.out, first, 8, f->text ? f->text : f->rule);
    text_finding_lines(r, p.out, 8, f);
    g_free(first);
    return text_finish(&p);
}

char *text_finding_short(const struct run *r, const struct run_finding *f)
{
    const char *in = f->where ? " at " : f->kernel ? " in kernel " : "";

    g_autofree char *line = g_strdup_printf("vtegra: %s: %s%s%s: finding %u of the report\n",
                                            run_severity_name[f->severity], f->rule, in,
                                            f->where    ? f->where
                                            : f->kernel ? f->kernel
                                                        : "",
                                            r->findings->len);

    return printable(line);
}

static const char *text_no_findings(const struct run *r)
{
    if (r->machine_sees_cpu && !r->checked) {
        return "none here; stale bytes that the CPU or an engine read are in QEMU's own report, at "
               "its end. Races, too, with --check on (in a guest: VTEGRA_CHECK=on)";
    }
    if (!r->checked) {
        return "none; no access was checked for races and stale bytes: `vtegra run --check "
               "on` does";
    }
    if (r->unseen) {
        return "none; what the CPU does to pinned memory was not checked any more (the head says "
               "why)";
    }
    if (r->left_out || run_forgot_any(r)) {
        return "none; some accesses were not checked (the head says how many)";
    }
    if (r->hooks && !run_all_hooked(r)) {
        return "none; what code without hooks reads was not checked (the head says which)";
    }
    return run_unchecked_any(r) ? "none in what was checked" : "none";
}

/* " (400 times, in 100 buffers, in 10 streams)": where that is more than one. */
static char *text_finding_times(const struct run_finding *f)
{
    guint buffers = g_hash_table_size(f->buffers), streams = g_hash_table_size(f->in_streams);
    GString *s = g_string_new(NULL);

    if (f->count > 1) {
        g_string_append_printf(s, " (%" PRIu64 " times", f->count);
        if (buffers > 1) {
            g_string_append_printf(s, ", in %u buffers", buffers);
        }
        if (streams > 1) {
            g_string_append_printf(s, ", in %u %sstreams", streams,
                                   strchr(f->streams, ',') ? "pairs of " : "");
        }
        g_string_append(s, buffers > 1 || streams > 1 ? "; what follows is the first)" : ")");
    }
    return g_string_free(s, FALSE);
}

/* A line for each buffer whose accesses were not seen. */
static void text_unchecked_print(struct text_printer *p)
{
    for (guint i = 0; i < p->run->regions->len; i++) {
        const struct run_region *region = p->run->regions->pdata[i];
        const char *missed = run_unchecked(p->run, region);
        g_autofree char *name = missed ? run_region_name(region) : NULL;

        if (missed) {
            text_labelled(p, 2, "not checked",
                          region->forked
                              ? g_strdup_printf("%s: %s", name, missed)
                              : g_strdup_printf("%s: %s; `" RUN_UNCHECKED_COMMAND "` checks it",
                                                name, missed));
        }
    }
}

static void text_findings_print(struct text_printer *p)
{
    text_heading(p, "Findings");
    if (p->run->findings->len == 0) {
        text_paragraph(p->out, "  ", 2, text_no_findings(p->run));
    }
    for (guint i = 0; i < p->run->findings->len; i++) {
        const struct run_finding *f = p->run->findings->pdata[i];
        char *first = g_strdup_printf("  %u. %s: ", i + 1, run_severity_name[f->severity]);
        char *times = text_finding_times(f);
        char *text = g_strconcat(f->text ? f->text : f->rule, times, NULL);

        text_paragraph(p->out, first, TEXT_INDENT, text);
        text_finding_lines(p->run, p->out, TEXT_INDENT, f);
        g_free(first);
        g_free(times);
        g_free(text);
    }
    text_unchecked_print(p);
}

/* Calls that returned an error: the application's business, so only listed. */
static void text_errors_print(struct text_printer *p, const GPtrArray *calls, const char *title,
                              const char *verb)
{
    if (calls->len == 0) {
        return;
    }
    text_heading(p, title);
    for (guint i = 0; i < calls->len; i++) {
        const struct run_copy *c = calls->pdata[i];
        char *text = g_strdup_printf(
            "%s%s %s%s%s%s, %" PRIu64 " %s%s%s", c->api, verb, c->detail ? c->detail : "an error",
            c->section ? " (" : "", c->section ? c->section : "", c->section ? ")" : "", c->count,
            c->count == 1 ? "time" : "times", c->where ? ", at " : "", c->where ? c->where : "");

        text_paragraph(p->out, "  ", 4, text);
        g_free(text);
    }
}

static void text_advice_print(struct text_printer *p, const GPtrArray *advice)
{
    text_heading(p, "Advice");
    if (advice->len == 0) {
        g_string_append(p->out, "  none follows from this run's numbers\n");
    }
    for (guint i = 0; i < advice->len; i++) {
        const struct run_finding *f = advice->pdata[i];
        char *first = g_strdup_printf("  %u. ", i + 1);
        char *text =
            g_strdup_printf("[%s: %s] %s", run_standing_name[f->standing], f->section, f->text);

        text_paragraph(p->out, first, TEXT_INDENT, text);
        if (f->where) {
            text_labelled(p, TEXT_INDENT, "where", g_strdup(f->where));
        }
        if (f->todo) {
            text_labelled(p, TEXT_INDENT, "what to do", g_strdup(f->todo));
        }
        g_free(first);
        g_free(text);
    }
}

char *text_report(const struct report *report, bool colour)
{
    const struct run *r = report->run;
    struct text_printer p = { .run = r,
                              .out = g_string_new(NULL),
                              .bold = colour ? g_array_new(FALSE, FALSE, sizeof(gsize)) : NULL };

    text_head_print(&p);
    text_buffers_print(&p);
    text_kernels_print(&p);
    text_copies_print(&p);
    text_maintenance_print(&p);
    text_errors_print(&p, r->unsupported, "Calls that this board does not support", ":");
    text_errors_print(&p, r->errors, "Calls that returned an error", " returned");
    text_findings_print(&p);
    text_advice_print(&p, report->advice);
    text_kinds_print(&p, report->kinds);
    return text_finish(&p);
}
