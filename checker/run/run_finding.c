/* SPDX-License-Identifier: MIT */
/* Findings of a run, from their notes: which of them are one defect. */
#include <string.h>

#include "checker/print/demangle.h"
#include "checker/run/run_internal.h"

static char *finding_text(const struct note *n, const char *key)
{
    return g_strdup(note_get(n, key));
}

static unsigned name_index(const char *name, const char *const *names, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (g_strcmp0(name, names[i]) == 0) {
            return i;
        }
    }
    return 0;
}

static bool buffers_alike(const struct run *r, uint32_t a, uint32_t b)
{
    const struct run_region *x = run_region(r, a), *y = run_region(r, b);

    return a == b || (x && y && run_of_one_line(x, y));
}

/* One defect is one rule at one place of the program, or, of two accesses, at one pair of places:
 * whichever stream or thread, and whichever of the buffers that one line made (a pool of frames).
 * Buffers of several lines stay apart: a place may be in a function that many parts of the program
 * call, each with its own buffers and its own mistake. Where a place is not known (no debug
 * information), of two accesses either, only what is equal in all else, buffer and stream too, is
 * surely the same defect. One place can make several mistakes (each argument of a call its own):
 * they differ in the text. */
static bool finding_same(const struct run *r, const struct run_finding *a, const struct note *n,
                         const char *kernel)
{
    uint32_t region = run_region_id(r, n, "region");
    const char *pair = note_get(n, "pair");

    if (strcmp(a->rule, note_get(n, "rule")) != 0 || g_strcmp0(a->pair, pair) != 0) {
        return false;
    }
    if (pair) {
        return buffers_alike(r, a->region, region);
    }
    return g_strcmp0(a->where, note_get(n, "where")) == 0 && g_strcmp0(a->kernel, kernel) == 0 &&
           g_strcmp0(a->other, note_get(n, "other")) == 0 &&
           g_strcmp0(a->streams, note_get(n, "streams")) == 0 &&
           (a->region == region ||
            (a->where && !a->other && g_strcmp0(a->text, note_get(n, "text")) == 0 &&
             buffers_alike(r, a->region, region)));
}

static struct run_finding *finding_find(const struct run *r, const GPtrArray *list,
                                        const struct note *n, const char *kernel)
{
    for (guint i = 0; i < list->len; i++) {
        if (finding_same(r, list->pdata[i], n, kernel)) {
            return list->pdata[i];
        }
    }
    return NULL;
}

/* That the program does wait, but for the wrong event, the first time may not show: it had no event
 * to wait for yet. */
static void finding_event(struct run_finding *f, const struct note *n)
{
    const char *event = note_get(n, "event");
    char *text;

    if (!event || f->event || !f->text) {
        return;
    }
    f->event = true;
    if (strstr(f->text, event)) {
        return;
    }
    text = g_strdup_printf("%s In another of these: %s", f->text, event);
    g_free(f->text);
    f->text = text;
    if (note_get(n, "todo")) {
        g_free(f->todo);
        f->todo = finding_text(n, "todo");
    }
}

static void finding_seen(const struct run *r, struct run_finding *f, const struct note *n)
{
    uint32_t region = run_region_id(r, n, "region");

    f->count += note_get(n, "count") ? note_num(n, "count") : 1;
    if (run_region(r, region)) {
        g_hash_table_add(f->buffers, GUINT_TO_POINTER(region));
    }
    if (note_get(n, "streams")) {
        g_hash_table_add(f->in_streams, finding_text(n, "streams"));
    }
}

/* A repetition does not say its severity again. */
bool run_finding_note(struct run *r, const struct note *n)
{
    char *kernel;
    struct run_finding *f;

    if (!note_get(n, "rule")) {
        return false;
    }
    kernel = note_get(n, "kernel") ? demangle(note_get(n, "kernel")) : NULL;
    f = finding_find(r, r->findings, n, kernel);
    f = f ? f : finding_find(r, r->noted_advice, n, kernel);
    f = f ? f : finding_find(r, r->suppressed, n, kernel);
    if (f) {
        finding_seen(r, f, n);
        finding_event(f, n);
        g_free(kernel);
        return false;
    }
    f = g_new0(struct run_finding, 1);
    f->rule = finding_text(n, "rule");
    f->severity = name_index(note_get(n, "severity"), run_severity_name, 3);
    f->standing = name_index(note_get(n, "standing"), run_standing_name, 4);
    f->section = finding_text(n, "section");
    f->text = finding_text(n, "text");
    f->todo = finding_text(n, "todo");
    f->where = finding_text(n, "where");
    f->kernel = kernel;
    f->other = finding_text(n, "other");
    f->run = finding_text(n, "run");
    f->region = run_region_id(r, n, "region");
    f->has_offset = note_get(n, "offset") != NULL;
    f->offset = note_num(n, "offset");
    f->threads = note_get(n, "thread") && note_get(n, "other_thread");
    f->thread = note_num(n, "thread");
    f->other_thread = note_num(n, "other_thread");
    f->pair = finding_text(n, "pair");
    f->streams = finding_text(n, "streams");
    f->buffers = g_hash_table_new(NULL, NULL);
    f->in_streams = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    finding_seen(r, f, n);
    finding_event(f, n);
    g_ptr_array_add(note_num(n, "suppressed")     ? r->suppressed
                    : f->severity == CHECK_ADVICE ? r->noted_advice
                                                  : r->findings,
                    f);
    return true;
}
