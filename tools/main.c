/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profiles/nearest.h"
#include "tools/cmd.h"
#include "tools/help/version.h"

static const struct cmd cmds[] = {
    { "run", "run a CUDA program on a virtual Tegra and report what its memory did", cmd_run,
      false },
    { "explore", "run a program under many seeds: the first failing seed, a smallest schedule",
      cmd_explore, true },
    { "replay", "repeat the run of a seed or schedule file, byte for byte", cmd_replay, false },
    { "gdb", "a program under gdb, stopped at the line of a finding", cmd_gdb, false },
    { "compare", "run a program on the model and on NVIDIA's driver: the first difference",
      cmd_compare, false },
    { "measure", "figures for a profile, from the model or from NVIDIA's driver", cmd_measure,
      false },
    { "advise", "which kind of memory a program should use, on each board, by how much", cmd_advise,
      false },
    { "cc", "build a CUDA program with clang, without any NVIDIA software", cmd_cc, false },
    { "check-app", "say what a binary needs, and which flag mends it", cmd_check_app, false },
    { "survey", "which CUDA programs of a folder run here, and what stops the others", cmd_survey,
      false },
    { "soc", "list the SoCs, show one: memory rules, attributes, what is unsupported", cmd_soc,
      true },
    { "dla", "inspect, build, run and compare loadables of the DLA", cmd_dla, true },
    { "report", "the report of a trace file", cmd_report, false },
    { "stats", "a board's memory: tegrastats, free -m, what can be allocated", cmd_stats, false },
    { "view", "a page that shows a run: findings, timeline, the life of a line", cmd_view, false },
    { "lessons", "lessons on coherency and order, in a browser", cmd_lessons, false },
    { "playground", "type a CUDA program in a page, run it on a board, see its memory",
      cmd_playground, false },
    { "board", "a board in a process of its own, for run --board", cmd_board, false },
    { "vm", "an aarch64 guest with the device, through libvirt", cmd_vm, true },
    { "scenario", "a library of coherency bugs: run each on every board, with an explanation",
      cmd_scenario, true },
    { "litmus", "every outcome of a small program of CPU, iGPU and other engines", cmd_litmus,
      false },
    { "completion", "completion for bash, zsh or fish", cmd_completion, false },
    { "man", "the manual page of a command", cmd_man, false },
};

const struct cmd *cmd_all(size_t *n)
{
    *n = G_N_ELEMENTS(cmds);
    return cmds;
}

static void cli_usage(FILE *out)
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
    fputs(
        "\nvtegra COMMAND --help says more; vtegra --version prints the version.\n"
        "The exit status for a wrong argument is 2. Commands that start a program (run, explore,\n"
        "replay, gdb, vm run) give 125 instead, because the program's own status may be 2.\n",
        out);
}

static int cli_unknown(const char *name)
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

/* --version where an option of vtegra's own may stand: not among a program's or a compiler's. */
static bool asks_version(const struct cmd *cmd, int argc, char **argv)
{
    int at = 2;

    if (cmd && cmd->has_verbs && argc > 3 && argv[2][0] != '-') {
        at = 3;
    }
    return argc > at && strcmp(argv[at], "--version") == 0;
}

static const struct cmd *cli_find(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cmds); i++) {
        if (strcmp(name, cmds[i].name) == 0) {
            return &cmds[i];
        }
    }
    return NULL;
}

/* At exit, of GLib's for --help too: what was printed has arrived, or it is an error. (gnulib's
 * close_stdout() is the same.) A command that has seen the error itself has said so. */
static void stdout_close(void)
{
    bool before = ferror(stdout); /* why is forgotten */
    int error = fclose(stdout) == 0 ? 0 : errno;

    if (error != EBADF && (before || error)) { /* EBADF: closed from the beginning, on purpose */
        cmd_error(NULL, "cannot write to stdout%s%s", error ? ": " : "",
                  error ? g_strerror(error) : "");
        _exit(CMD_FAILED);
    }
}

static void on_file_limit(int sig)
{
    (void)sig;
}

/* Past the limit on the size of files write(2) gives EFBIG after this signal, which would end us
 * before a word of it. A handler, because programs that we start would inherit that it is ignored.
 */
static void file_limit_catch(void)
{
    struct sigaction action = { .sa_handler = on_file_limit, .sa_flags = SA_RESTART }, before;

    if (sigaction(SIGXFSZ, NULL, &before) == 0 && before.sa_handler == SIG_DFL) {
        sigaction(SIGXFSZ, &action, NULL);
    }
}

int main(int argc, char **argv)
{
    const struct cmd *cmd;

    atexit(stdout_close);
    file_limit_catch();
    if (argc < 2) {
        cli_usage(stderr);
        return CMD_USAGE;
    }
    cmd = cli_find(argv[1]);
    if (strcmp(argv[1], "--version") == 0 || asks_version(cmd, argc, argv)) {
        version_print();
        return CMD_OK;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        cli_usage(stdout);
        return CMD_OK;
    }
    if (strcmp(argv[1], "help") == 0) { /* vtegra help run = vtegra run --help */
        char *help[] = { argc > 2 ? argv[2] : NULL, (char[]){ "--help" }, NULL };

        if (argc == 2) {
            cli_usage(stdout);
            return CMD_OK;
        }
        cmd = cli_find(argv[2]);
        return cmd ? cmd->run(2, help) : cli_unknown(argv[2]);
    }
    return cmd ? cmd->run(argc - 1, argv + 1) : cli_unknown(argv[1]);
}
