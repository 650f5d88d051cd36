/* SPDX-License-Identifier: MIT */
/* The parts of `vtegra explore`: explore.c options and order, explore_run.c the program's fork
 * server, explore_line.c results as JSON lines, explore_smaller.c the smallest schedule that still
 * fails. */
#ifndef TOOLS_EXPLORE_H
#define TOOLS_EXPLORE_H

#include <glib.h>

#include "runtime/sched/forkserver.h"
#include "tools/schedule.h"

#define EXPLORE_CMD "explore"

enum explore_fail_on { EXPLORE_FAIL_NEVER, EXPLORE_FAIL_ERROR, EXPLORE_FAIL_WARNING };

/**
 * struct explore - what to explore, and how a failure is known
 * @argv: the program and its arguments; @soc, @os, @evict: as for vtegra run
 * @check: a shell command that decides, or NULL
 * @length: of PCT; 0 until it has been measured
 */
struct explore {
    char **argv;
    char *soc, *os, *evict, *strategy, *check, *directory;
    enum explore_fail_on fail_on;
    guint depth, jobs, timeout_ms;
    guint64 runs, seed0, length;
    gboolean bare; /* copies end at once, for bench */
    struct schedule_key key;
};

/**
 * struct explore_outcome - of one run
 * @why: NULL: it passed; "exit 1", "signal 11", "finding stale", "check 1", "timeout"
 * @findings: rules, sorted, each once; @output_sha: of what it printed
 */
struct explore_outcome {
    guint64 seed;
    char *why, *output_sha;
    char **findings;
    struct decide_counts counts;
    guint64 strayed;
};
void explore_outcome_clear(struct explore_outcome *o);
/* Is that why a run ended? It says nothing about the program: perhaps it only takes long. */
gboolean explore_timed_out(const char *why);

/* --- explore_run.c
 * --------------------------------------------------------------------------------- */

struct explore_server;

/* Start the program up to main(). NULL after a line on stderr. */
struct explore_server *explore_server_new(const struct explore *e, guint number);
void explore_server_free(struct explore_server *s);

enum decide_strategy explore_strategy(const struct explore *e);

/**
 * explore_server_submit - begin a run
 * @schedule: a file to replay, or NULL: as the seed says; @record: where its schedule goes, or NULL
 */
gboolean explore_server_submit(struct explore_server *s, guint64 seed,
                               enum decide_strategy strategy, const char *schedule,
                               const char *record);
/* To poll(2) for the result. */
int explore_server_fd(const struct explore_server *s);
gboolean explore_server_busy(const struct explore_server *s);
/* The result is there, or is waited for. FALSE: the server has gone (said on stderr). */
gboolean explore_server_result(struct explore_server *s, struct explore_outcome *out);

/* --- explore_line.c
 * -------------------------------------------------------------------------------- */

/* One result, with a newline. */
char *explore_line(const struct explore *e, const struct explore_outcome *o);

/* Seeds of this exploration that @file holds already; its torn last line is cut off. Failing ones
 * go to @failed or, where the time was over, to @timed_out. Return: FALSE after a line on stderr.
 */
gboolean explore_lines_resume(const struct explore *e, const char *file, GHashTable *done,
                              GArray *failed, GArray *timed_out);

/* vtegra explore merge FILE... Return: an exit status. */
int explore_merge(char **files, const char *out);

/* --- explore_smaller.c
 * ----------------------------------------------------------------------------- */

/**
 * explore_smaller - leave decisions of a failing seed out, as long as the run still fails
 * @out: the schedule file to write; @*left: what it decides
 * Return: FALSE after a line on stderr: the seed does not fail (again).
 */
gboolean explore_smaller(const struct explore *e, struct explore_server *s, guint64 seed,
                         const char *out, struct explore_outcome *left);

#endif
