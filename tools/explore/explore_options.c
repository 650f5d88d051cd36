/* SPDX-License-Identifier: MIT */
/* What `vtegra explore` is asked for. */
#include <string.h>

#include "tools/cmd.h"
#include "tools/explore/explore.h"

static const char description[] =
    "Runs PROGRAM once for each seed from --seed0 on, under the policy seeded: the seed decides "
    "which\n"
    "thread or stream runs next and when caches lose lines. A run fails when it ends with another "
    "status\n"
    "than 0 or its report has an error (--fail-on). With --check the command alone decides.\n"
    "VTEGRA_OUTPUT and VTEGRA_JSON name the run's output and report for this command,\n"
    "VTEGRA_STATUS is the run's status. With --shared, VTEGRA_JSON names a folder with a report "
    "for\n"
    "each process.\n"
    "\n"
    "Each run is one JSON line in --out; a killed exploration resumes where it stopped. --shard "
    "1/4\n"
    "runs every fourth seed; vtegra explore merge FILE... combines the lines. The result "
    "is\n"
    "the same for any number of shards. In a Slurm array each task is a shard. vtegra explore\n"
    "missing names the incomplete shards, for sbatch --array.\n"
    "\n"
    "PROGRAM reads nothing from stdin (it is /dev/null in each run): give input as a file "
    "argument.\n"
    "\n"
    "The exit status is 0 if no run failed, 1 if a run failed. The first failing seed is printed, "
    "and\n"
    "the fewest decisions that still fail are written to --schedule for vtegra replay.\n"
    "\n"
    "Examples:\n"
    "  vtegra explore --runs 1000 -- ./app\n"
    "  vtegra explore --runs 100000 --shard 3/16 --out s3.jsonl -- ./app\n"
    "  vtegra explore merge --out all.jsonl s*.jsonl\n"
    "  vtegra explore missing --runs 100000 --shards 16 s*.jsonl";

static gboolean one_of(const char *option, const char *value, const char *const *words)
{
    char *all;

    if (g_strv_contains(words, value)) {
        return TRUE;
    }
    all = g_strjoinv(", ", (char **)words);
    cmd_error(EXPLORE_CMD, "--%s \"%s\" is none of %s", option, value, all);
    g_free(all);
    return FALSE;
}

static void explore_otherwise(char **value, const char *variable, const char *def)
{
    const char *env = variable ? g_getenv(variable) : NULL;

    if (!*value) {
        *value = g_strdup(env && *env ? env : def);
    }
}

static gboolean options_check(struct explore_options *o)
{
    static const char *const strategies[] = { "pct", "random", NULL };
    static const char *const evictions[] = { "never", "lru", "seeded", NULL };
    static const char *const fails[] = { "never", "error", "warning", NULL };

    cmd_edition(o->edition);
    explore_otherwise(&o->e.soc, "VTEGRA_SOC", "orin");
    explore_otherwise(&o->e.os, "VTEGRA_OS", "linux");
    explore_otherwise(&o->e.evict, "VTEGRA_EVICT", "seeded");
    explore_otherwise(&o->e.strategy, "VTEGRA_STRATEGY", o->e.shared ? "random" : "pct");
    explore_otherwise(&o->fail_on, NULL, "error");
    if (!one_of("strategy", o->e.strategy, strategies) || !one_of("evict", o->e.evict, evictions) ||
        !one_of("fail-on", o->fail_on, fails)) {
        return FALSE;
    }
    if (o->e.check && (!o->e.check[0] || o->e.check[0] == '-')) {
        cmd_error(EXPLORE_CMD,
                  "--check \"%s\" is no command: write --check 'COMMAND'; it finds what the run "
                  "printed in the file $VTEGRA_OUTPUT",
                  o->e.check);
        return FALSE;
    }
    if (o->e.shared && o->schedule) {
        cmd_error(EXPLORE_CMD, "--schedule: not with --shared: a schedule is of one process; the "
                               "command with the seed shows the run again");
        return FALSE;
    }
    if (o->runs < 1 || o->depth < 1 || o->depth > (gint)DECIDE_DEPTH_MAX || o->seed0 < 0 ||
        o->length < 0 || o->jobs < 0 || o->timeout < 0 || o->budget < 0) {
        cmd_error(EXPLORE_CMD, "--runs from 1 on, --depth 1 to %u, the other numbers from 0 on",
                  DECIDE_DEPTH_MAX);
        return FALSE;
    }
    if (!explore_shard_get(o->shard, o->shards, &o->shard_i, &o->shard_n)) {
        return FALSE;
    }
    o->e.fail_on = strcmp(o->fail_on, "never") == 0   ? EXPLORE_FAIL_NEVER
                   : strcmp(o->fail_on, "error") == 0 ? EXPLORE_FAIL_ERROR
                                                      : EXPLORE_FAIL_WARNING;
    o->e.runs = (guint64)o->runs;
    o->e.seed0 = (guint64)o->seed0;
    o->e.length = (guint64)o->length;
    o->e.depth = (guint)o->depth;
    o->e.timeout_ms = (guint)o->timeout * 1000;
    o->e.jobs = MIN(o->jobs ? (guint)o->jobs : explore_shard_jobs(), EXPLORE_JOBS_MAX);
    return TRUE;
}

/* Return: FALSE after saying which verb a word that names no program may be. */
static gboolean explore_verb_check(const char *word)
{
    const char *const verbs[] = { "merge", "missing", NULL };
    const char *meant = strchr(word, '/') ? "" : cmd_meant(word, verbs);
    g_autofree char *path = g_find_program_in_path(word);

    if (!path && *meant) {
        cmd_error(EXPLORE_CMD, "no program \"%s\" in PATH%s", word, meant);
        return FALSE;
    }
    return TRUE;
}

int cmd_explore(int argc, char **argv)
{
    struct explore_options o = { .runs = 100, .depth = 2, .timeout = 60 };
    const GOptionEntry entries[] = {
        { "runs", 'n', 0, G_OPTION_ARG_INT, &o.runs, "how many seeds (100)", "N" },
        { "seed0", 0, 0, G_OPTION_ARG_INT64, &o.seed0, "the first seed (0)", "N" },
        { "strategy", 0, 0, G_OPTION_ARG_STRING, &o.e.strategy,
          "pct, or random (pct; with --shared: random)", "STRATEGY" },
        { "depth", 'd', 0, G_OPTION_ARG_INT, &o.depth,
          "events that a bug needs in order, for PCT (2)", "D" },
        { "length", 0, 0, G_OPTION_ARG_INT64, &o.length,
          "steps of a run, for PCT's change points (measured)", "K" },
        { "edition", 0, 0, G_OPTION_ARG_STRING, &o.edition, "as for vtegra run", "EDITION" },
        { "soc", 0, 0, G_OPTION_ARG_STRING, &o.e.soc, "virtual SoC, or a profile file (orin)",
          "SOC" },
        { "os", 0, 0, G_OPTION_ARG_STRING, &o.e.os, "system of the SoC (linux)", "OS" },
        { "evict", 0, 0, G_OPTION_ARG_STRING, &o.e.evict,
          "when caches lose lines: never, lru, seeded (seeded)", "EVICT" },
        { "fail-on", 0, 0, G_OPTION_ARG_STRING, &o.fail_on,
          "findings that make a run fail: error, warning, never (error)", "SEVERITY" },
        { "check", 0, 0, G_OPTION_ARG_STRING, &o.e.check,
          "a shell command that ends with 0 if the run is right", "CMD" },
        { "shared", 0, 0, G_OPTION_ARG_NONE, &o.e.shared,
          "PROGRAM starts processes that share one board: all of them take turns", NULL },
        { "timeout", 0, 0, G_OPTION_ARG_INT, &o.timeout, "real seconds a run may take (60), 0: any",
          "S" },
        { "jobs", 'j', 0, G_OPTION_ARG_INT, &o.jobs, "runs at a time (number of CPUs)", "N" },
        { "shard", 0, 0, G_OPTION_ARG_STRING, &o.shard,
          "only part I of N (default: all; in a Slurm array the task's part)", "I/N" },
        { "shards", 0, 0, G_OPTION_ARG_INT, &o.shards,
          "part SLURM_ARRAY_TASK_ID of N, also when some tasks are submitted again", "N" },
        { "budget", 0, 0, G_OPTION_ARG_INT, &o.budget,
          "real seconds after which no more run begins (0: any)", "S" },
        { "out", 'o', 0, G_OPTION_ARG_FILENAME, &o.out,
          "a JSON line for each run; resumes where it stopped", "FILE" },
        { "schedule", 0, 0, G_OPTION_ARG_FILENAME, &o.schedule,
          "the smallest failing schedule, for vtegra replay", "FILE" },
        { "junit", 0, 0, G_OPTION_ARG_FILENAME, &o.junit, "the runs as JUnit XML", "FILE" },
        { "stop", 0, 0, G_OPTION_ARG_NONE, &o.stop, "stop at the first failing run", NULL },
        { "bare", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, &o.e.bare, "for bench", NULL },
        { "lines", 0, 0, G_OPTION_ARG_NONE, &o.keep_all, "the JSON lines on stdout", NULL },
        { NULL, 0, 0, 0, NULL, NULL, NULL },
    };
    char **rest;

    if (!cmd_options(EXPLORE_CMD, "[--] PROGRAM [ARGUMENTS] - find a schedule that fails",
                     description, entries, TRUE, &argc, &argv)) {
        return CMD_FAILED;
    }
    rest = argv + 1;
    if (*rest && strcmp(*rest, "merge") == 0) {
        return explore_merge((int)(argv + argc - rest), rest, o.out);
    }
    if (*rest && strcmp(*rest, "missing") == 0) {
        return explore_missing((int)(argv + argc - rest), rest);
    }
    if (*rest && strcmp(*rest, "--") == 0) {
        rest++;
    }
    if (!*rest) {
        cmd_error(EXPLORE_CMD, "no program given: vtegra explore [options] -- ./app");
        return CMD_FAILED;
    }
    if (!explore_verb_check(*rest)) {
        return CMD_NOT_FOUND;
    }
    o.e.argv = rest;
    return options_check(&o) ? explore_explore(&o) : CMD_FAILED;
}
