/* SPDX-License-Identifier: MIT */
/* The commands and their options as data: read from the tables that --help prints, by letting each
 * command come to its call of cmd_options(). Completion (completion.c) and manual pages (man.c) are
 * made from it. */
#ifndef TOOLS_DESCRIBE_H
#define TOOLS_DESCRIBE_H

#include "tools/cmd.h"

/**
 * struct described - a command, or a verb with options of its own
 * @cmd: "run", "dla build"; @usage, @description: as cmd_options() has them
 * @entries: copies, without the hidden ones
 */
struct described {
    char *cmd;
    const char *usage, *description;
    GArray *entries; /* GOptionEntry */
};

/* The words that a command's first argument may be, "list show"; NULL or "": it is no word. */
const char *describe_verbs(const struct cmd *cmd);

/* What a command's options are; none: it has a parser of its own (cc), or is another program
 * (board). */
GPtrArray *describe(const struct cmd *cmd);

/* Does the last argument of the option's line name a file? */
gboolean described_is_file(const GOptionEntry *e);

/* What cmd_options() calls while describe() works. Return: FALSE: not asked for. */
gboolean describe_take(const char *cmd, const char *usage, const char *description,
                       const GOptionEntry *entries);

#endif
