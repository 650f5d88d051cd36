/* SPDX-License-Identifier: MIT */
/* Lines of the text report: paragraphs, headings, labelled values. */
#include "checker/print/text_internal.h"

#include <inttypes.h>
#include <string.h>

/* A new line that begins with @indent spaces. */
static void text_indent(GString *out, unsigned indent)
{
    g_string_append_c(out, '\n');
    for (unsigned i = 0; i < indent; i++) {
        g_string_append_c(out, ' ');
    }
}

void text_paragraph(GString *out, const char *first, unsigned indent, const char *text)
{
    size_t column = strlen(first);
    bool fresh = true;

    g_string_append(out, first);
    for (const char *word = text, *end; *word; word = end + (*end == ' ')) {
        size_t len;

        end = strchrnul(word, ' ');
        len = (size_t)g_utf8_strlen(word, end - word);
        if (len == 0) {
            continue;
        }
        if (!fresh && column + 1 + len > TEXT_WIDTH) {
            text_indent(out, indent);
            column = indent;
            fresh = true;
        }
        if (!fresh) {
            g_string_append_c(out, ' ');
        }
        g_string_append_len(out, word, end - word);
        column += len + !fresh;
        fresh = false;
    }
    g_string_append_c(out, '\n');
}

void text_bold(struct text_printer *p, const char *line)
{
    gsize at[] = { p->out->len, p->out->len + strlen(line) };

    if (p->bold) {
        g_array_append_vals(p->bold, at, 2);
    }
    g_string_append_printf(p->out, "%s\n", line);
}

void text_heading(struct text_printer *p, const char *title)
{
    g_string_append_c(p->out, '\n');
    text_bold(p, title);
}

void text_labelled(struct text_printer *p, unsigned indent, const char *label, char *text)
{
    char *first = g_strdup_printf("%*s%-*s", (int)indent, "", TEXT_LABEL, label);

    if (strlen(label) >= TEXT_LABEL) { /* a long kernel name has the line for itself */
        g_string_append_printf(p->out, "%*s%s\n", (int)indent, "", label);
        g_free(first);
        first = g_strdup_printf("%*s", (int)(indent + TEXT_LABEL), "");
    }
    text_paragraph(p->out, first, indent + TEXT_LABEL, text);
    g_free(first);
    g_free(text);
}

static void text_join(GString *s, const char *part)
{
    if (s->len) {
        g_string_append(s, ", ");
    }
    g_string_append(s, part);
}

void text_join_count(GString *s, uint64_t n, const char *one, const char *many)
{
    char *part;

    if (n) {
        part = g_strdup_printf("%" PRIu64 " %s", n, n == 1 ? one : many);
        text_join(s, part);
        g_free(part);
    }
}

void text_join_size(GString *s, const char *verb, uint64_t bytes)
{
    char *size, *part;

    if (bytes) {
        size = run_size_text(bytes);
        part = g_strconcat(verb, size, NULL);
        text_join(s, part);
        g_free(size);
        g_free(part);
    }
}
