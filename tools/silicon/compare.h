/* SPDX-License-Identifier: MIT */
/* vtegra compare: where two runs of a program part. Pure: text in, text out. */
#ifndef TOOLS_COMPARE_H
#define TOOLS_COMPARE_H

#include <glib.h>

/**
 * compare_text - the first line in which two outputs differ
 * @what: "stdout"
 * @ignore: GRegex pointers: a line that one of them matches is in neither
 * @out: a line, and three if they differ, are added
 *
 * Return: TRUE if they are the same.
 */
gboolean compare_text(const char *what, const char *model, const char *silicon,
                      const GPtrArray *ignore, GString *out);

/**
 * compare_calls - the first API call whose name or code differs, by thread
 * @model, @silicon: records of calls (runtime/calls/calls.h)
 *
 * cudaEventQuery() and its like that answered "not ready" are left out: how often a program asks is
 * a matter of time.
 */
gboolean compare_calls(const char *model, const char *silicon, GString *out);

#endif
