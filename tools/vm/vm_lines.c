/* SPDX-License-Identifier: MIT */
/* What a guest's console says: where the program's output begins and ends, and how the program did.
 */
#include <string.h>

#include "tools/vm/vm.h"

#define LINE_MAX_BYTES 4096u /* a longer one is no line of ours */

void vm_lines_init(struct vm_lines *l, gboolean show_from_run)
{
    *l = (struct vm_lines){
        .show_from_run = show_from_run,
        .status = -1,
        .partial = g_string_new(NULL),
        .out = g_string_new(NULL),
    };
}

void vm_lines_clear(struct vm_lines *l)
{
    g_string_free(l->partial, TRUE);
    g_string_free(l->out, TRUE);
}

static gboolean vm_lines_showing(const struct vm_lines *l)
{
    return l->status < 0 && (l->ran || !l->show_from_run);
}

/* A decimal number from 0 to 255 and nothing else; -1 otherwise. */
static int status_parse(const char *text)
{
    guint64 value;

    return g_ascii_string_to_unsigned(text, 10, 0, 255, &value, NULL) ? (int)value : -1;
}

static void vm_lines_show(struct vm_lines *l, const char *text)
{
    if (!vm_lines_showing(l)) {
        return;
    }
    if (l->newline_held) {
        g_string_append_c(l->out, '\n');
        l->newline_held = FALSE;
    }
    g_string_append(l->out, text);
}

/* A line is whole. Its end is held back: the one before VM_LINE_EXIT may be the job's and not the
 * program's. */
static void line_end(struct vm_lines *l)
{
    const char *text = l->partial->str;

    if (l->line) {
        l->line(l->opaque, text);
    }
    if (strcmp(text, VM_LINE_READY) == 0 || g_str_has_prefix(text, VM_LINE_UP)) {
        l->ready = TRUE;
    }
    if (strcmp(text, VM_LINE_RUN) == 0 && !l->ran) {
        l->ran = TRUE;
    } else if (g_str_has_prefix(text, VM_LINE_EXIT) && vm_lines_showing(l) &&
               status_parse(text + strlen(VM_LINE_EXIT)) >= 0) {
        if (!l->ran) {
            vm_lines_show(l, ""); /* no script has written it */
        }
        l->status = status_parse(text + strlen(VM_LINE_EXIT));
    } else if (vm_lines_showing(l)) {
        vm_lines_show(l, text);
        l->newline_held = TRUE;
    }
    g_string_truncate(l->partial, 0);
}

void vm_lines_feed(struct vm_lines *l, const char *bytes, gsize n)
{
    for (gsize i = 0; i < n; i++) {
        if (bytes[i] == '\n') {
            line_end(l);
        } else if (bytes[i] != '\r' && bytes[i] != '\0') { /* a terminal's line ends with both */
            g_string_append_c(l->partial, bytes[i]);
        }
        if (l->partial->len >= LINE_MAX_BYTES) {
            vm_lines_show(l, l->partial->str);
            g_string_truncate(l->partial, 0);
        }
    }
}

void vm_lines_end(struct vm_lines *l)
{
    if (l->partial->len) {
        line_end(l);
    }
    if (l->newline_held && l->status < 0) {
        vm_lines_show(l, "");
    }
}
