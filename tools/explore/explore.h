/* SPDX-License-Identifier: MIT */
/* The parts of `vtegra explore`: explore_options.c what is asked for, explore.c the order of the
 * runs and the result, explore_run.c the program's fork server, explore_file.c what a run leaves
 * behind, explore_line.c results as JSON lines, explore_shard.c which seeds are this process's,
 * explore_shared.c a run of several
 * processes, explore_merge.c lines of several explorations, explore_bugs.c failing runs by bug,
 * explore_smaller.c the smallest schedule that still fails. */
#ifndef TOOLS_EXPLORE_H
#define TOOLS_EXPLORE_H

#include <glib.h>
#include <json-glib/json-glib.h>
#include <stdio.h>

#include "sched/start/forkserver.h"
#include "tools/explore/schedule.h"

#define EXPLORE_CMD "explore"

enum explore_fail_on { EXPLORE_FAIL_NEVER, EXPLORE_FAIL_ERROR, EXPLORE_FAIL_WARNING };

/**
 * struct explore - what to explore, and how a failure is known
 * @argv: the program and its arguments; @soc, @os, @evict: as for vtegra run
 * @check: a shell command that decides, or NULL
 * @length: of PCT; 0 until it has been measured
 * @places: its reports name places of the program: that takes time
 * @shared: each run is of several processes on one board (explore_shared.h)
 */
struct explore {
    char **argv;
    char *soc, *os, *evict, *strategy, *check;
    enum explore_fail_on fail_on;
    guint depth, jobs, timeout_ms;
    guint64 runs, seed0, length;
    gboolean bare; /* copies end at once, for bench */
    gboolean places, shared;
    struct schedule_key key;
};

/**
 * struct explore_outcome - of one run
 * @why: NULL: it passed; "exit 1", "signal 11", "finding stale", "check 1", "timeout"
 * @findings: rules, sorted, each once; @bugs: of a run that failed what it may share with others,
 *            sorted, each once; @output_sha: of what it printed; of a run that took too long none
 * of them, and its counts say where it was killed: another time elsewhere
 * @todo: the cure of the first finding that counts, or NULL; @seconds: of this machine
 */
struct explore_outcome {
    guint64 seed;
    char *why, *output_sha, *todo;
    double seconds;
    char **findings, **bugs;
    struct decide_counts counts;
    guint64 strayed;
};
void explore_outcome_clear(struct explore_outcome *o);
/* Is that why a run ended? It says nothing about the program: perhaps it only takes long. */
gboolean explore_timed_out(const char *why);

/* --- explore.c -------------------------------------------------------------------------------- */

#define EXPLORE_JOBS_MAX 256u

/* @shard_i, @shard_n: this process has part I of N; the rest as the options of the command say */
struct explore_options {
    struct explore e;
    char *shard, *out, *schedule, *junit, *fail_on, *edition;
    gint runs, depth, jobs, timeout, shards, budget;
    gint64 seed0, length;
    gboolean stop, keep_all;
    guint shard_i, shard_n;
};

/* Return: an exit status */
int explore_explore(struct explore_options *o);

/* --- explore_file.c --------------------------------------------------------------------------- */

/**
 * struct explore_file - in memory, for one run after the other
 * @what: for messages: "the report"; @path: by which other processes open it
 */
struct explore_file {
    int fd;
    const char *what;
    char *path;
};

/* FALSE after a line on stderr. @what stays the caller's. */
gboolean explore_file_new(struct explore_file *f, const char *what);
void explore_file_free(struct explore_file *f);
gboolean explore_file_set(const struct explore_file *f, const char *text);
/* The whole of it, and a 0 behind it. */
char *explore_file_read(const struct explore_file *f, gsize *len);
/**
 * explore_file_is_whole - does it hold all that a run wrote?
 * @error: errno of the writer, 0: none known
 * Return: FALSE after a line on stderr that says why not.
 */
gboolean explore_file_is_whole(const struct explore_file *f, guint64 seed, int error);

/* All of it. FALSE: errno says why. */
gboolean explore_write(int fd, const char *text, gsize len);
/* Can --@option be written, and is it a regular file? NULL is. FALSE after a line on stderr. */
gboolean explore_output_check(const char *option, const char *path);

/* --- explore_run.c ---------------------------------------------------------------------------- */

struct explore_server;

/* Start the program up to main(). NULL after a line on stderr. */
struct explore_server *explore_server_new(const struct explore *e);
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
/* The result is there, or is waited for. FALSE: there is none, because the server has gone or what
 * the run wrote could not be kept (said on stderr). */
gboolean explore_server_result(struct explore_server *s, struct explore_outcome *out);

/* --- explore_line.c --------------------------------------------------------------------------- */

/* Of a line whose runs had several processes: true; in others it is absent. */
#define EXPLORE_SHARED "shared"

/* One result, with a newline. */
char *explore_line(const struct explore *e, const struct explore_outcome *o);

/* Seeds of this exploration that @file holds already; its torn last line is cut off. Failing ones
 * go to @failed or, where the time was over, to @timed_out, and to @bugs. Return: FALSE after a
 * line on stderr. */
gboolean explore_lines_resume(const struct explore *e, const char *file, GHashTable *done,
                              GArray *failed, GArray *timed_out, GHashTable *bugs);

/* A line, for explore_bugs_take(); owned by @parser. NULL: it is no JSON object. */
JsonObject *explore_line_object(JsonParser *parser, const char *line, gssize len);

/* What was explored, as text, and the seed; NULL: @line, of @len bytes, is no result. */
char *explore_line_key(JsonParser *parser, const char *line, gsize len, guint64 *seed);

/* --- explore_shard.c -------------------------------------------------------------------------- */

/**
 * explore_shard_get - the part I of N
 * @shard: --shard, or NULL; @shards: --shards, or 0. Neither: as the environment of a Slurm array
 *         says, or all
 * Return: FALSE after a line on stderr.
 */
gboolean explore_shard_get(const char *shard, gint shards, guint *i, guint *n);
#define EXPLORE_SHARDS_MAX 1000000

/* How many runs at a time, where --jobs does not say it. */
guint explore_shard_jobs(void);
/* vtegra explore missing --runs N --shards N FILE...: an exit status. */
int explore_missing(int argc, char **argv);

/* --- explore_bugs.c --------------------------------------------------------------------------- */

/* "RULE at PLACE, PLACE", of a finding of a report. g_free() it. */
char *explore_bug_of(JsonObject *finding);
/* The same, of a program without CUDA, whose scheduler prints how its threads are stuck; or NULL.
 */
char *explore_bug_of_output(const char *output);

/* Bugs with their seeds: of one exploration. */
GHashTable *explore_bugs_new(void);
/* @line: a result; one that passed adds nothing */
void explore_bugs_take(GHashTable *bugs, JsonObject *line);
/* A line a bug and the command of its smallest seed. */
void explore_bugs_print(GHashTable *bugs, FILE *out);

/* --- explore_merge.c -------------------------------------------------------------------------- */

/* vtegra explore merge FILE...: an exit status. @out: as given before the word "merge" */
int explore_merge(int argc, char **argv, char *out);

/* --- explore_smaller.c ------------------------------------------------------------------------ */

/**
 * struct explore_left - the smallest schedule that was found
 * @switches, @evictions, @orders: its lines
 */
struct explore_left {
    struct explore_outcome outcome;
    guint switches, evictions, orders;
};

/**
 * explore_smaller - leave decisions of a failing seed out, as long as the run still fails
 * @out: the schedule file to write; @*left: what it decides
 * Return: CMD_OK; after a line on stderr CMD_FOUND: the seed does not fail again, or CMD_FAILED.
 */
int explore_smaller(const struct explore *e, struct explore_server *s, guint64 seed,
                    const char *out, struct explore_left *left);

#endif
