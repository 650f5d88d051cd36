/* SPDX-License-Identifier: MIT */
/* Shared by the parts of the text report: lines (text_lines.c), head (text_head.c), buffers
 * (text_buffer.c), kernels, copies and maintenance (text_tables.c), findings and advice (text.c),
 * kinds of memory (text_kinds.c).
 */
#ifndef CHECKER_PRINT_TEXT_INTERNAL_H
#define CHECKER_PRINT_TEXT_INTERNAL_H

#include <glib.h>
#include <stdbool.h>

#include "checker/print/text.h"

#define TEXT_WIDTH 96
#define TEXT_INDENT 6 /* of what belongs to a buffer */
#define TEXT_LABEL 14 /* width of the names before the values there */

/* @bold: where bold text begins and ends in @out, in turn (gsize); NULL: no terminal */
struct text_printer {
    const struct run *run;
    GString *out;
    GArray *bold;
};

struct memory_kinds;

/* One word-wrapped paragraph: @first before its first line, @indent blanks before the others. */
void text_paragraph(GString *out, const char *first, unsigned indent, const char *text);
/* A line; bold on a terminal. */
void text_bold(struct text_printer *p, const char *line);
void text_heading(struct text_printer *p, const char *title);
/* "      label         text", wrapped under the text. Takes @text. */
void text_labelled(struct text_printer *p, unsigned indent, const char *label, char *text);
/* Into @s, with a comma before it where @s has a part: "1 load", "4 loads"; "read 4 KiB". Nothing
 * for 0. */
void text_join_count(GString *s, uint64_t n, const char *one, const char *many);
void text_join_size(GString *s, const char *verb, uint64_t bytes);

void text_head_print(struct text_printer *p);
void text_buffers_print(struct text_printer *p);
void text_kernels_print(struct text_printer *p);
void text_copies_print(struct text_printer *p);
void text_maintenance_print(struct text_printer *p);
void text_kinds_print(struct text_printer *p, const struct memory_kinds *m);

#endif
