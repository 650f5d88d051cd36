/* SPDX-License-Identifier: MIT */
#include "tools/help/describe.h"

#include <string.h>

/* What commands do not print: the words that the first argument may be; "" where options are not
 * read by cmd_options(). */
static const struct {
    const char *cmd, *verbs;
} words[] = {
    { "explore", "merge missing" },
    { "soc", "list show" },
    { "dla", "inspect build run diff" },
    { "vm", "up run console down list xml" },
    { "scenario", "list show run" },
    { "cc", "" },
    { "board", "" },
};

const char *describe_verbs(const struct cmd *cmd)
{
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        if (strcmp(words[i].cmd, cmd->name) == 0) {
            return words[i].verbs;
        }
    }
    return NULL;
}

static GPtrArray *taken; /* NULL: not asked for */

static void described_free(gpointer data)
{
    struct described *d = data;

    g_free(d->cmd);
    g_array_unref(d->entries);
    g_free(d);
}

gboolean describe_take(const char *cmd, const char *usage, const char *description,
                       const GOptionEntry *entries)
{
    struct described *d;

    if (!taken) {
        return FALSE;
    }
    d = g_new0(struct described, 1);
    d->cmd = g_strdup(cmd);
    d->usage = usage;
    d->description = description;
    d->entries = g_array_new(FALSE, FALSE, sizeof(GOptionEntry));
    for (const GOptionEntry *e = entries; e->long_name; e++) {
        if (!(e->flags & G_OPTION_FLAG_HIDDEN)) {
            g_array_append_val(d->entries, *e);
        }
    }
    g_ptr_array_add(taken, d);
    return TRUE;
}

/* Is it the command that was described, and not a verb of it? */
static gboolean is_whole(const GPtrArray *all, const struct cmd *cmd)
{
    return all->len && strcmp(((const struct described *)all->pdata[0])->cmd, cmd->name) == 0;
}

GPtrArray *describe(const struct cmd *cmd)
{
    const char *known = describe_verbs(cmd);
    g_auto(GStrv) verbs = g_strsplit(known ? known : "", " ", -1);
    GPtrArray *all = taken = g_ptr_array_new_with_free_func(described_free);

    for (char **verb = verbs; *verb && !is_whole(all, cmd); verb++) {
        cmd->run(2, (char *[]){ (char *)cmd->name, *verb,
                                NULL }); /* its options, if they are the verb's */
    }
    if (!known) {
        cmd->run(1, (char *[]){ (char *)cmd->name, NULL });
    }
    taken = NULL;
    return all;
}

gboolean described_is_file(const GOptionEntry *e)
{
    return e->arg == G_OPTION_ARG_FILENAME || e->arg == G_OPTION_ARG_FILENAME_ARRAY;
}
