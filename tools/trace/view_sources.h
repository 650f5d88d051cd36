/* SPDX-License-Identifier: MIT */
/* The program's sources, for the page of `vtegra view`. */
#ifndef TOOLS_VIEW_SOURCES_H
#define TOOLS_VIEW_SOURCES_H

/**
 * view_sources_json - the text of the files that a trace's notes @source name
 * @trace: the text of the trace; a JSON report has no such notes
 * @file: where the trace was read from: paths are tried from its folder, then from this process's
 *
 * A file that is gone, large or no text is left out; the page then shows the place alone.
 *
 * Return: a JSON object, name -> text, without "<", so that it can stand in an HTML element;
 * g_free()
 */
char *view_sources_json(const char *trace, const char *file);

#endif
