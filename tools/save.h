/* SPDX-License-Identifier: MIT */
/* What a command has to write. */
#ifndef TOOLS_SAVE_H
#define TOOLS_SAVE_H

#include <glib.h>

/**
 * save - write a file whole
 *
 * A regular file is replaced when the new one is complete. What is none (a link, above all
 * /dev/stdout, a pipe, a device) stays what it is, and is written through.
 *
 * Return: TRUE; FALSE with @error, which names @path.
 */
gboolean save(const char *path, const void *data, gsize len, GError **error);

#endif
