/* SPDX-License-Identifier: MIT */
/* vtegra man: manual pages (man(7)), from the tables that --help prints. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/help/describe.h"

#define CMD "man"

static const char description[] = "Prints the page of COMMAND, or of vtegra itself: vtegra man run "
                                  "| man -l -. Pages of all commands are\n"
                                  "installed in share/man/man1: man vtegra-run.";

/* Text of a page: no line begins a request, and '-' is one that can be copied. g_free(). */
static char *man_troff(const char *text)
{
    GString *out = g_string_new(NULL);

    for (const char *p = text; p && *p; p++) {
        if (*p == '\\') {
            g_string_append(out, "\\e");
        } else if (*p == '-') {
            g_string_append(out, "\\-");
        } else if ((*p == '.' || *p == '\'') && (p == text || p[-1] == '\n')) {
            g_string_append_printf(out, "\\&%c", *p);
        } else {
            g_string_append_c(out, *p);
        }
    }
    return g_string_free(out, FALSE);
}

static void text_print(const char *text)
{
    g_autofree char *safe = man_troff(text);

    printf("%s\n", safe);
}

static void head_print(const char *page, const char *summary)
{
    g_autofree char *upper = g_ascii_strup(page, -1), *safe = man_troff(page),
                    *what = man_troff(summary);

    printf(".TH \"%s\" \"1\" \"\" \"vtegra " VTEGRA_VERSION "\" \"vtegra\"\n.SH NAME\n%s \\- %s\n",
           upper, safe, what);
}

static void option_print(const GOptionEntry *e)
{
    g_autofree char *name = man_troff(e->long_name);

    printf(".TP\n.B \\-\\-%s", name);
    if (e->arg_description) {
        g_autofree char *value = man_troff(e->arg_description);

        printf(" \\fI%s\\fP", value);
    }
    if (e->short_name) {
        printf(", \\-%c", e->short_name);
    }
    putchar('\n');
    text_print(e->description);
}

static void described_print(const struct described *d)
{
    g_autofree char *cmd = man_troff(d->cmd), *usage = g_strdup(d->usage);
    char *dash = strstr(usage, " - ");

    if (g_str_has_prefix(usage, "- ")) {
        *usage = '\0';
    } else if (dash) {
        *dash = '\0';
    }
    printf(".SH SYNOPSIS\n.B vtegra %s\n[OPTIONS]\n", cmd);
    text_print(usage);
    puts(".SH DESCRIPTION\n.nf");
    text_print(d->description);
    puts(".fi\n.SH OPTIONS");
    for (guint i = 0; i < d->entries->len; i++) {
        option_print(&g_array_index(d->entries, GOptionEntry, i));
    }
}

static void command_print(const struct cmd *cmd)
{
    g_autoptr(GPtrArray) all = describe(cmd);
    g_autofree char *page = g_strconcat("vtegra-", cmd->name, NULL);

    head_print(page, cmd->summary);
    for (guint i = 0; i < all->len; i++) {
        described_print(all->pdata[i]);
    }
    if (all->len == 0) {
        g_autofree char *name = man_troff(cmd->name);

        printf(".SH SYNOPSIS\n.B vtegra %s\n[OPTIONS] ...\n.SH DESCRIPTION\n.B vtegra %s "
               "\\-\\-help\nlists the options.\n",
               name, name);
    }
    puts(".SH SEE ALSO\n.BR vtegra (1)");
}

static void all_print(const struct cmd *cmds, size_t n)
{
    head_print("vtegra",
               "a virtual Tegra: runs CUDA programs with the memory rules of an NVIDIA Tegra SoC");
    puts(".SH SYNOPSIS\n.B vtegra\nCOMMAND [ARGUMENTS]\n.SH COMMANDS");
    for (size_t i = 0; i < n; i++) {
        g_autofree char *name = man_troff(cmds[i].name);

        printf(".TP\n.BR vtegra\\-%s (1)\n", name);
        text_print(cmds[i].summary);
    }
}

/* Pages print to stdout: to a file each, one after the other. */
static gboolean page_begin(const char *dir, const char *name)
{
    g_autofree char *path =
        g_strdup_printf("%s/vtegra%s%s.1", dir, name ? "-" : "", name ? name : "");

    if (!freopen(path, "w", stdout)) {
        cmd_error(CMD, "cannot write %s: %s", path, g_strerror(errno));
        return FALSE;
    }
    return TRUE;
}

static int pages_write(const char *dir, const struct cmd *cmds, size_t n)
{
    if (!page_begin(dir, NULL)) {
        return CMD_FAILED;
    }
    all_print(cmds, n);
    for (size_t i = 0; i < n; i++) {
        if (!page_begin(dir, cmds[i].name)) {
            return CMD_FAILED;
        }
        command_print(&cmds[i]);
    }
    return CMD_OK;
}

/* On a terminal the reader wants the page, not its source. */
static void source_note(const char *command)
{
    g_autofree char *man = g_find_program_in_path("man");

    if (!isatty(STDOUT_FILENO)) {
        return;
    }
    if (man) {
        cmd_error(CMD, "note: this is the source of the page: vtegra man%s%s | man -l -",
                  command ? " " : "", command ? command : "");
    } else {
        cmd_error(CMD,
                  "note: this is the source of the page, and no program \"man\" is here to format "
                  "it (apt-get install man-db): vtegra%s%s --help says the same",
                  command ? " " : "", command ? command : "");
    }
}

static const char *command_meant(const char *word, const struct cmd *cmds, size_t n)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();

    for (size_t i = 0; i < n; i++) {
        g_ptr_array_add(names, (char *)cmds[i].name);
    }
    g_ptr_array_add(names, NULL);
    return cmd_meant(word, (const char *const *)names->pdata);
}

int cmd_man(int argc, char **argv)
{
    g_autofree char *dir = NULL;
    const GOptionEntry entries[] = {
        { "dir", 0, 0, G_OPTION_ARG_FILENAME, &dir, "write all pages into this folder", "DIR" },
        { NULL, 0, 0, 0, NULL, NULL, NULL },
    };
    size_t n;
    const struct cmd *cmds;

    if (!cmd_options(CMD, "[COMMAND] - the manual page of a command", description, entries, FALSE,
                     &argc, &argv)) {
        return CMD_USAGE;
    }
    cmds = cmd_all(&n);
    if (dir) {
        return pages_write(dir, cmds, n);
    }
    source_note(argc > 1 ? argv[1] : NULL);
    if (argc == 1) {
        all_print(cmds, n);
        return CMD_OK;
    }
    for (size_t i = 0; argc == 2 && i < n; i++) {
        if (strcmp(argv[1], cmds[i].name) == 0) {
            command_print(&cmds[i]);
            return CMD_OK;
        }
    }
    cmd_error(CMD, "one command, please%s (vtegra --help lists all)",
              command_meant(argv[1], cmds, n));
    return CMD_USAGE;
}
