/* SPDX-License-Identifier: MIT */
/* What a page holds of a trace that is too large for it. */
#ifndef TOOLS_VIEW_EXCERPT_H
#define TOOLS_VIEW_EXCERPT_H

#include <glib.h>

#define VIEW_EXCERPT_MAX ((gsize)20 << 20) /* bytes: what is longer becomes an excerpt */

/**
 * view_excerpt - a trace's text, whole if it has at most VIEW_EXCERPT_MAX bytes
 * @file: as trace_open() reads it
 *
 * Else of the trace: all notes (what the run was, its buffers, kernels and findings), the records
 * of each finding's line of 64 bytes, those right before a finding, and then records of work as
 * long as there is room. The second line of an excerpt is "# excerpt RECORDS of RECORDS records",
 * for the page.
 *
 * Return: the text; NULL with errno: it cannot be read (EBADMSG: a compact trace, damaged).
 */
GString *view_excerpt(const char *file);

#endif
