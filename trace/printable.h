/* SPDX-License-Identifier: MIT */
/* Text for a terminal. Names are the program's or a file's, and may hold any bytes. */
#ifndef TRACE_PRINTABLE_H
#define TRACE_PRINTABLE_H

#include <glib.h>
#include <stddef.h>

/**
 * printable_append - bytes with those escaped in octal ("\033") that a terminal may take for a
 * command
 * @text: @len bytes without 0
 *
 * Escaped are C0 (ECMA-48, 5.2) but for newline and tab, DEL, C1 (5.3) as UTF-8 has it, and all
 * bytes that are no UTF-8: in them a terminal of another character set may see C1.
 */
void printable_append(GString *out, const char *text, size_t len);

/* The same for a string. g_free(). */
char *printable(const char *text);

#endif
