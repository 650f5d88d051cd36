/* SPDX-License-Identifier: MIT */
#include "trace/reader.h"

#include <errno.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "trace/packed.h"
#include "trace/printable.h"
#include "trace/tracefile.h"

enum trace_line trace_line_parse(char *line, struct trace_record *record, struct note *note)
{
    g_strchomp(line);
    if (*line == '\0' || *line == '#') {
        return TRACE_LINE_EMPTY;
    }
    if (note_parse(line, note)) {
        return TRACE_LINE_NOTE;
    }
    return trace_parse(line, record) ? TRACE_LINE_RECORD : TRACE_LINE_BAD;
}

/* Return: false if it is no line of a trace. */
static bool line_take(char *line, trace_take *take, void *opaque)
{
    struct trace_record record;
    struct note note;

    switch (trace_line_parse(line, &record, &note)) {
    case TRACE_LINE_RECORD:
        take(opaque, &record, NULL);
        return true;
    case TRACE_LINE_NOTE:
        take(opaque, NULL, &note);
        return true;
    case TRACE_LINE_EMPTY:
        return true;
    default:
        return false;
    }
}

/* A header of another version. Without one it is a trace by hand, or the middle of one. */
static bool is_other_version(const char *line)
{
    return g_str_has_prefix(line, TRACE_FIRST_WORDS) && strcmp(line, TRACE_FIRST_LINE "\n") != 0;
}

/* A pipe cannot be rewound: the first byte decides, and no line of text begins with that of a
 * compact file. */
FILE *trace_open(const char *path)
{
    FILE *f = fopen(path, "re");
    int first = f ? getc(f) : EOF;

    if (first != EOF) {
        ungetc(first, f);
    }
    return first == PACKED_FIRST_BYTE ? packed_text(f) : f;
}

/* A compact file of 100 KB may hold a line of gigabytes, so no more than a line is kept.
 * Return: false: the line whose number is @lines then is none of a trace. */
static bool file_take(FILE *f, trace_take *take, void *opaque, unsigned long *lines, char **version)
{
    g_autofree char *line = g_new(char, TRACE_LINE_MAX + 1);
    bool good = true;

    while (good && fgets(line, TRACE_LINE_MAX + 1, f)) {
        bool whole = strchr(line, '\n') != NULL;

        ++*lines;
        if (!whole && feof(f) && (*lines > 1 || g_str_has_prefix(line, "@run"))) {
            break;
        }
        if (*lines == 1 && is_other_version(line)) {
            *version = g_strndup(line, strcspn(line, "\n"));
            break;
        }
        /* Without its end, and not the file's: too long, or a byte 0 stands before the end. */
        good = (whole || feof(f)) && line_take(line, take, opaque);
    }
    return good;
}

int trace_read(const char *path, trace_take *take, void *opaque, unsigned long *lines, char **why)
{
    FILE *f = trace_open(path);
    g_autofree char *version = NULL, *shown = NULL;
    int error = 0;

    *lines = 0;
    if (!f) {
        error = -errno;
        *why = g_strdup_printf("trace file %s: %s", path, strerror(-error));
        return error;
    }
    if (!file_take(f, take, opaque, lines, &version)) {
        error = -EINVAL;
        *why = g_strdup_printf(
            "%s:%lu: not a line of a trace file; is this the file that --trace wrote?", path,
            *lines);
    } else if (version) {
        error = -EINVAL;
        shown = printable(version);
        *why = g_strdup_printf(
            "%s: \"%s\": a trace of another version of vtegra; this one reads \"" TRACE_FIRST_LINE
            "\". Use the version that wrote it, or record the run again",
            path, shown);
    } else if (ferror(f)) {
        error = errno == EBADMSG ? -EBADMSG : -EIO;
        *why = error == -EBADMSG
                   ? g_strdup_printf(
                         "%s: a compact trace, damaged behind line %lu; record the run again", path,
                         *lines)
                   : g_strdup_printf("%s: %s", path, strerror(errno));
    }
    fclose(f);
    return error;
}
