/* SPDX-License-Identifier: MIT */
/* "app.cu:41 in main": a place in the program, taken apart. */
#ifndef CHECKER_PLACE_H
#define CHECKER_PLACE_H

#include <glib.h>
#include <stdbool.h>

/* struct place - @file: g_free(); @line: 0: unknown */
struct place {
    char *file;
    guint64 line;
};

/* The first place in a text: "write by kernel k at app.cu:11 (stream 0)" has one, too. Return:
 * false: there is none. */
bool place_find(const char *text, struct place *place);

/* The text without the lines of its places, "app.cu in main": the same after edits. g_free(). */
char *place_without_lines(const char *text);

/* A file from the folder @from on, both as a shell would take them, without "." and "..". g_free().
 */
char *place_path(const char *from, const char *path);

#endif
