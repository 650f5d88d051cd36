/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profiles/nearest.h"
#include "tools/cmd.h"

static const struct cmd cmds[] = {
    { "run", "run a CUDA program on a virtual Tegra and report what its memory did", cmd_run },
    { "explore", "run a program under many schedules; the first that fails, and the smallest",
      cmd_explore },
    { "replay", "one of those runs again, byte for byte", cmd_replay },
    { "cc", "build a CUDA program with clang, without any NVIDIA software", cmd_cc },
    { "check-app", "say what a binary needs, and which flag mends it", cmd_check_app },
    { "soc", "list the SoCs, show one: memory rules, attributes, what is unsupported", cmd_soc },
    { "dla", "inspect, build, run and compare loadables of the DLA", cmd_dla },
    { "report", "the report of a trace file", cmd_report },
    { "board", "a board in a process of its own, for run --board", cmd_board },
    { "vm", "an aarch64 guest with the device, through libvirt", cmd_vm },
    { "scenario", "a library of coherency bugs: what each does on which board, and why",
      cmd_scenario },
    { "litmus", "every outcome of a small program of CPU, iGPU and other engines", cmd_litmus },
};

void cmd_error(const char *cmd, const char *format, ...)
{
    va_list args;

    fprintf(stderr, "vtegra%s%s: ", cmd ? " " : "", cmd ? cmd : "");
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

/* What to do about a file that could not be opened for writing. */
static char *unwritable_todo(const char *path, int error)
{
    g_autofree char *folder = g_path_get_dirname(path);

    if (error == EISDIR) {
        return g_strdup("name a file in it");
    }
    if (error == ENOENT) {
        return g_strdup_printf("make the folder %s, or name another file", folder);
    }
    return g_strdup("name another file");
}

gboolean cmd_output_check(const char *cmd, const char *option, const char *path,
                          const char *else_what)
{
    struct stat st;
    gboolean is_new = lstat(path, &st) != 0;
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);

    if (fd < 0) {
        int error = errno;
        g_autofree char *todo = unwritable_todo(path, error);

        cmd_error(cmd, "--%s: cannot write %s: %s; %s; %s", option, path, g_strerror(error),
                  else_what, todo);
        return FALSE;
    }
    close(fd);
    if (is_new) {
        unlink(path);
    }
    return TRUE;
}

/* The option that @word names and that takes a value, or NULL. */
static const GOptionEntry *valued(const GOptionEntry *entries, const char *word)
{
    for (const GOptionEntry *e = entries; e->long_name; e++) {
        bool is_it = word[1] == '-' ? strcmp(word + 2, e->long_name) == 0
                                    : e->short_name && word[1] == e->short_name;

        if (is_it && e->arg != G_OPTION_ARG_NONE) {
            return e;
        }
    }
    return NULL;
}

/* GLib takes "-j1" for two switches: it gets "-j", "1". */
static void values_apart(const GOptionEntry *entries, gboolean strict, int *argc, char ***argv)
{
    static GPtrArray *words; /* the program's arguments until it ends */
    int i = 1;

    words = g_ptr_array_new();
    g_ptr_array_add(words, (*argv)[0]);
    while (i < *argc && strcmp((*argv)[i], "--") != 0 && ((*argv)[i][0] == '-' || !strict)) {
        char *word = (*argv)[i++];
        const GOptionEntry *e = word[0] == '-' && word[1] ? valued(entries, word) : NULL;

        if (e && word[1] != '-' && word[2]) {
            g_ptr_array_add(words, (char *)g_intern_string((char[]){ '-', word[1], '\0' }));
            g_ptr_array_add(words, word + (word[2] == '=' ? 3 : 2));
        } else {
            g_ptr_array_add(words, word);
            if (e && i < *argc) {
                g_ptr_array_add(words, (*argv)[i++]);
            }
        }
    }
    while (i < *argc) {
        g_ptr_array_add(words, (*argv)[i++]);
    }
    *argc = (int)words->len;
    g_ptr_array_add(words, NULL);
    *argv = (char **)words->pdata;
}

gboolean cmd_options(const char *cmd, const char *usage, const char *description,
                     const GOptionEntry *entries, gboolean strict, int *argc, char ***argv)
{
    GOptionContext *context = g_option_context_new(usage);
    char *name = g_strconcat("vtegra ", cmd, NULL);
    GError *error = NULL;
    gboolean ok;

    g_set_prgname(name); /* for the usage line */
    g_option_context_add_main_entries(context, entries, NULL);
    g_option_context_set_description(context, description);
    g_option_context_set_strict_posix(context, strict);
    values_apart(entries, strict, argc, argv);
    ok = g_option_context_parse(context, argc, argv, &error);
    if (!ok) {
        cmd_error(cmd, "%s; see vtegra %s --help", error->message, cmd);
        g_error_free(error);
    }
    g_option_context_free(context);
    g_free(name);
    return ok;
}

static void usage(FILE *out)
{
    fputs("Usage: vtegra COMMAND [ARGUMENTS]\n"
          "\n"
          "A virtual Tegra: runs CUDA programs on x86-64 with the memory rules and limits of an\n"
          "NVIDIA Tegra SoC, and reports how every buffer behaved.\n"
          "\n"
          "Commands:\n",
          out);
    for (size_t i = 0; i < G_N_ELEMENTS(cmds); i++) {
        fprintf(out, "  %-10s %s\n", cmds[i].name, cmds[i].summary);
    }
    fputs("\nvtegra COMMAND --help tells more; vtegra --version prints the version.\n", out);
}

static int unknown(const char *name)
{
    const char *names[G_N_ELEMENTS(cmds) + 1] = { NULL };
    const char *near;

    for (size_t i = 0; i < G_N_ELEMENTS(cmds); i++) {
        names[i] = cmds[i].name;
    }
    near = nearest_word(name, names);
    if (near) {
        cmd_error(NULL, "no command \"%s\"; did you mean %s? (vtegra --help lists all)", name,
                  near);
    } else {
        cmd_error(NULL, "no command \"%s\"; vtegra --help lists all", name);
    }
    return CMD_USAGE;
}

static const struct cmd *find(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cmds); i++) {
        if (strcmp(name, cmds[i].name) == 0) {
            return &cmds[i];
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const struct cmd *cmd;

    if (argc < 2) {
        usage(stderr);
        return CMD_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("vtegra " VTEGRA_VERSION);
        return CMD_OK;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        usage(stdout);
        return CMD_OK;
    }
    if (strcmp(argv[1], "help") == 0) { /* vtegra help run = vtegra run --help */
        char *help[] = { argc > 2 ? argv[2] : NULL, (char[]){ "--help" }, NULL };

        if (argc == 2) {
            usage(stdout);
            return CMD_OK;
        }
        cmd = find(argv[2]);
        return cmd ? cmd->run(2, help) : unknown(argv[2]);
    }
    cmd = find(argv[1]);
    return cmd ? cmd->run(argc - 1, argv + 1) : unknown(argv[1]);
}
