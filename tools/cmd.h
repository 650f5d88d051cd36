/* SPDX-License-Identifier: MIT */
/* The subcommands of vtegra, one file each, and what they share. */
#ifndef TOOLS_CMD_H
#define TOOLS_CMD_H

#include <glib.h>

/* Exit statuses of our own, as env(1) and timeout(1) have them: an application's own pass through.
 */
enum {
    CMD_OK = 0,
    CMD_FOUND = 1,       /* check-app: something stands in the way; cc: the compiler failed */
    CMD_USAGE = 2,       /* wrong arguments to a subcommand that runs nothing */
    CMD_STUCK = 122,     /* run: deadlock or livelock of the program's threads, policy seeded */
    CMD_FAILED = 125,    /* run: vtegra itself cannot go on */
    CMD_NOT_RUN = 126,   /* run: there is a file, but it cannot be run */
    CMD_NOT_FOUND = 127, /* run: there is no such program */
};

/**
 * struct cmd - one subcommand
 * @run: argv[0] is the subcommand; returns the exit status
 * @has_verbs: its first argument is a word: vtegra dla run
 */
struct cmd {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
    gboolean has_verbs;
};

int cmd_run(int argc, char **argv);
int cmd_explore(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_gdb(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_measure(int argc, char **argv);
int cmd_advise(int argc, char **argv);
int cmd_cc(int argc, char **argv);
int cmd_check_app(int argc, char **argv);
int cmd_soc(int argc, char **argv);
int cmd_dla(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_stats(int argc, char **argv);
int cmd_board(int argc, char **argv);
int cmd_vm(int argc, char **argv);
int cmd_litmus(int argc, char **argv);
int cmd_view(int argc, char **argv);
int cmd_lessons(int argc, char **argv);
int cmd_playground(int argc, char **argv);
int cmd_scenario(int argc, char **argv);
int cmd_survey(int argc, char **argv);
int cmd_completion(int argc, char **argv);
int cmd_man(int argc, char **argv);

/* All of them, in the order of --help. */
const struct cmd *cmd_all(size_t *n);

/** cmd_error - print "vtegra <cmd>: <message>" on stderr */
void cmd_error(const char *cmd, const char *format, ...) G_GNUC_PRINTF(2, 3);

/**
 * cmd_progress - "17 of 100 runs" in the last line of a terminal on stderr; gone when all are done
 */
void cmd_progress(guint64 done, guint64 all, const char *what);

/**
 * cmd_edition - the edition of CUDA for Tegra that --edition names, for profile_load() here and in
 * what is started
 * @edition: NULL: as the environment says. profile_load() refuses one that does not exist, or not
 * for its SoC.
 */
void cmd_edition(const char *edition);

/** cmd_power - the same of the power mode that --power names */
void cmd_power(const char *mode);

/**
 * cmd_folder_own - make a folder in which no other user can put anything, or see that it is one
 * @todo: what else the user can do
 *
 * Return: TRUE; FALSE after a line on stderr: it cannot be made, or is another user's, or a link of
 * another user's.
 */
gboolean cmd_folder_own(const char *cmd, const char *path, const char *todo);

/**
 * cmd_output_check - can @path, which --@option named, be written? What is new is gone again
 * @else_what: what has not happened otherwise, "the program was not started"
 *
 * Return: TRUE; FALSE after a line on stderr that says what to do.
 */
gboolean cmd_output_check(const char *cmd, const char *option, const char *path,
                          const char *else_what);

/**
 * cmd_meant - "; did you mean show?" of the nearest of @words, which NULL ends
 * @word: as it was typed; NULL: nothing was
 *
 * Return: "" if none is near. Valid until the next call.
 */
const char *cmd_meant(const char *word, const char *const *words);

/**
 * cmd_options - parse options with GLib, leaving the rest in @argv
 * @strict: options end at the first word that is none (a program and its arguments follow)
 *
 * Return: TRUE; FALSE after printing what is wrong. --help prints and exits with 0.
 */
gboolean cmd_options(const char *cmd, const char *usage, const char *description,
                     const GOptionEntry *entries, gboolean strict, int *argc, char ***argv);

#endif
