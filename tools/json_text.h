/* SPDX-License-Identifier: MIT */
/* A user's JSON on its way to json-glib, which calls itself for every bracket: what is nested
 * without end is refused here, before its stack is. */
#ifndef TOOLS_JSON_TEXT_H
#define TOOLS_JSON_TEXT_H

#include <json-glib/json-glib.h>

#define JSON_TEXT_DEPTH 100u /* brackets inside each other; a description of ours has 6 */

/**
 * json_text_load - as json_parser_load_from_data(), of text that may be anything
 * @name: of the file or line, for the error: "net.json"
 * @len: bytes, -1: up to the 0
 *
 * Return: FALSE with @error "NAME:LINE: ..."
 */
gboolean json_text_load(JsonParser *parser, const char *name, const char *text, gssize len,
                        GError **error);

/** json_text_load_file - the same of a file; an unreadable one gives the error of GLib */
gboolean json_text_load_file(JsonParser *parser, const char *path, GError **error);

#endif
