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

void junit_case(struct junit *j, const char *group, const char *name, const char *why,
                const char *text)
{
    g_autofree char *xml_group = xml_text(group), *xml_name = xml_text(name);

    j->tests++;
    g_string_append_printf(j->cases, "  <testcase classname=\"%s\" name=\"%s\"", xml_group,
                           xml_name);
    if (why) {
        g_autofree char *xml_why = xml_text(why), *xml_more = xml_text(text);

        j->failures++;
        g_string_append_printf(j->cases,
                               ">\n    <failure message=\"%s\">%s</failure>\n  </testcase>\n",
                               xml_why, xml_more);
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
