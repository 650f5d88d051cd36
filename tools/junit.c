/* SPDX-License-Identifier: MIT */
#include "tools/junit.h"

#include <stdio.h>
#include <string.h>

#include "tools/cmd.h"
#include "tools/save.h"

struct junit {
    char *suite;
    GString *cases;
    unsigned tests, failures;
};

struct junit *junit_new(const char *suite)
{
    struct junit *j = g_new0(struct junit, 1);

    j->suite = g_strdup(suite);
    j->cases = g_string_new(NULL);
    return j;
}

/* XML 1.0, 2.2: of the control characters only tab and line ends may be in a document, not even as
 * references. */
static char *xml_text(const char *text)
{
    char *valid = g_utf8_make_valid(text ? text : "", -1), *escaped;

    for (char *p = valid; *p; p++) {
        if (((guchar)*p < ' ' && !strchr("\t\n\r", *p)) || *p == 0x7f) {
            *p = '?';
        }
    }
    escaped = g_markup_escape_text(valid, -1);
    g_free(valid);
    return escaped;
}

/* file="a.cu" line="12", of a place as findings have it; nothing if it has no line. */
static void junit_place(GString *to, const char *where)
{
    const char *colon = where ? strchr(where, ':') : NULL;
    gsize digits = colon ? strspn(colon + 1, "0123456789") : 0;

    if (digits) {
        g_autofree char *file = g_strndup(where, (gsize)(colon - where)), *xml = xml_text(file);

        g_string_append_printf(to, " file=\"%s\" line=\"%.*s\"", xml, (int)digits, colon + 1);
    }
}

static void junit_line(GString *text, const char *label, const char *value)
{
    if (value && *value) {
        g_string_append_printf(text, "%s%s\n", label, value);
    }
}

static void junit_failure(GString *to, const struct junit_result *r)
{
    GString *text = g_string_new(NULL);
    g_autofree char *why = xml_text(r->why), *xml = NULL;

    junit_line(text, "where: ", r->where);
    junit_line(text, "what to do: ", r->cure);
    junit_line(text, "again: ", r->command);
    junit_line(text, "", r->text);
    xml = xml_text(text->str);
    g_string_append_printf(to, "    <failure message=\"%s\">%s</failure>\n", why, xml);
    g_string_free(text, TRUE);
}

void junit_case(struct junit *j, const struct junit_result *r)
{
    g_autofree char *group = xml_text(r->group), *name = xml_text(r->name);
    char seconds[G_ASCII_DTOSTR_BUF_SIZE];

    g_ascii_formatd(seconds, sizeof(seconds), "%.3f", r->seconds);
    j->tests++;
    g_string_append_printf(j->cases, "  <testcase classname=\"%s\" name=\"%s\" time=\"%s\"", group,
                           name, seconds);
    if (r->why) {
        j->failures++;
        junit_place(j->cases, r->where);
        g_string_append(j->cases, ">\n");
        junit_failure(j->cases, r);
        g_string_append(j->cases, "  </testcase>\n");
    } else {
        g_string_append(j->cases, "/>\n");
    }
}

static gboolean text_write(const char *cmd, const char *path, const char *text)
{
    GError *error = NULL;

    if (strcmp(path, "-") == 0) {
        fputs(text, stdout); /* main() looks whether it has arrived */
        return TRUE;
    }
    if (!save(path, text, strlen(text), &error)) {
        cmd_error(cmd, "--junit: %s", error->message);
        g_error_free(error);
        return FALSE;
    }
    return TRUE;
}

gboolean junit_end(struct junit *j, const char *cmd, const char *path)
{
    g_autofree char *suite = xml_text(j->suite);
    g_autofree char *text = g_strdup_printf(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites tests=\"%u\" failures=\"%u\">\n"
        "<testsuite name=\"%s\" tests=\"%u\" failures=\"%u\" errors=\"0\" skipped=\"0\">\n%s"
        "</testsuite>\n</testsuites>\n",
        j->tests, j->failures, suite, j->tests, j->failures, j->cases->str);
    gboolean written = !path || text_write(cmd, path, text);

    g_string_free(j->cases, TRUE);
    g_free(j->suite);
    g_free(j);
    return written;
}
