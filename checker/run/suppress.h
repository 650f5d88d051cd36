/* SPDX-License-Identifier: MIT */
/* Findings that a user does not want to see: docs/suppressions.md has the format. Pure: the file is
 * read elsewhere. */
#ifndef CHECKER_SUPPRESS_H
#define CHECKER_SUPPRESS_H

#include <glib.h>
#include <stdbool.h>

#include "trace/note.h"

struct run_finding;
struct suppressions;

/**
 * suppressions_parse - the entries of a file
 * @text: its contents; @name: for messages
 *
 * Return: NULL and @error with "NAME:LINE:COLUMN: what is wrong" if one entry is.
 */
struct suppressions *suppressions_parse(const char *text, const char *name, GError **error);
void suppressions_free(struct suppressions *s);

/* Does an entry cover the finding that a note is of? NULL: there are no entries. */
bool suppressions_cover(struct suppressions *s, const struct note *finding);

/* Entries that have covered nothing so far: of an old mistake, or misspelt. */
guint suppressions_unused(const struct suppressions *s);

/* The entry for this finding: "rule=race file=app.cu function=main". g_free(). */
char *suppressions_entry(const struct run_finding *f);

#endif
