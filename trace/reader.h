/* SPDX-License-Identifier: MIT */
/* A trace file being read. */
#ifndef TRACE_READER_H
#define TRACE_READER_H

#include <stdio.h>

#include "trace/note.h"
#include "trace/record.h"

/* TRACE_LINE_EMPTY: nothing, or a comment; TRACE_LINE_BAD: no line of a trace. */
enum trace_line { TRACE_LINE_EMPTY, TRACE_LINE_RECORD, TRACE_LINE_NOTE, TRACE_LINE_BAD };

/* trace_line_parse - what a line is; its newline is cut off. Of the two only the one that it is was
 * written; note_clear() a note. */
enum trace_line trace_line_parse(char *line, struct trace_record *record, struct note *note);

/* Exactly one of the two is there; a note is the callee's to clear. */
typedef void trace_take(void *opaque, const struct trace_record *record, struct note *note);

/* trace_open - the text of a trace file, also of a compact one (packed.h). Return: NULL: errno.
 * fclose() it. */
FILE *trace_open(const char *path);

/**
 * trace_read - every line of a file, in order
 * @lines: set to how many there are, or to the number of the one that is none of a trace
 * @why: set on an error: one line without newline; g_free() it
 *
 * A last line without an end is no line, even if it reads like one: the program was killed, or the
 * disk was full, and the record was longer. Return: 0, or -errno: -EINVAL where a line is none of a
 * trace, or the trace is of another version; -EBADMSG where a compact file is damaged.
 */
int trace_read(const char *path, trace_take *take, void *opaque, unsigned long *lines, char **why);

#endif
