/* SPDX-License-Identifier: MIT */
/* The scenario library: a folder each below share/vtegra/scenarios, with scenario.conf, a program
 * or a litmus text, and README.md. docs/scenarios.md has the format. */
#ifndef TOOLS_SCENARIO_H
#define TOOLS_SCENARIO_H

#include <glib.h>

#define SCENARIO_CMD "scenario"

/* What kind of proof a scenario needs. */
/* What a scenario is about, in the order of a course; scenario_file.c has the words. */
enum scenario_topic {
    SCENARIO_TOPIC_WAIT,
    SCENARIO_TOPIC_STREAMS,
    SCENARIO_TOPIC_MANAGED,
    SCENARIO_TOPIC_MEMORY,
    SCENARIO_TOPIC_CACHES,
    SCENARIO_TOPIC_ORDER,
    SCENARIO_TOPIC_LIFETIME,
    SCENARIO_TOPIC_THREADS,
    SCENARIO_TOPIC_SCI,
    SCENARIO_TOPIC_ERRORS,
    SCENARIO_TOPIC_OTHER, /* says none */
    SCENARIO_TOPICS
};

enum scenario_group {
    SCENARIO_OMITTED,     /* something is missing: the verdict comes in every run */
    SCENARIO_SCHEDULE,    /* only some orders of events show it: within 1,000 seeds */
    SCENARIO_UNSUPPORTED, /* the board does not have it: every run */
    SCENARIO_COST,        /* right, but slow: an advice, every run */
    SCENARIO_LITMUS,      /* a litmus text: all outcomes at once */
    SCENARIO_GROUPS
};

/**
 * struct scenario - one folder
 * @program: path of the source; NULL for a litmus text
 * @litmus, @litmus_twin: paths; NULL for a program
 * @network: what `vtegra dla build` makes the first argument of the program of, or NULL
 * @libraries, @policies: words; the verdict holds under each of the policies
 * @by_result: a schedule has failed when the answer is wrong, whatever the checker says
 * @marks: the lines where the finding may be; none: the source does not say
 * @strategy: of vtegra explore, the one to try first
 * @races: vtegra run --races; @camera: --camera, empty: none
 * @arch: vtegra cc -arch, empty: its default
 * @teach: the paragraph for the reader
 */
struct scenario {
    char *name, *dir, *title, *source, *section, *standing, *soc, *os;
    char *program, *litmus, *litmus_twin, *network, *teach, *strategy, *races, *camera, *arch;
    char **libraries, **policies;
    enum scenario_group group;
    enum scenario_topic topic;
    unsigned level; /* 1: a first one of its topic, 2, 3 */
    gboolean by_result;
    GArray *marks;      /* unsigned */
    GHashTable *expect; /* SoC or "all" -> words */
};

/* What one run came to. Words: rules, error names, "result", "fault", "stuck"; of a litmus text its
 * verdict. */
struct scenario_verdict {
    GPtrArray *words, *advice;
    char *text, *todo, *where, *other, *output;
    gboolean at_mark;
    int status; /* as the shell reports it */
};

/**
 * struct scenario_result - a verdict beside what was expected
 * @seed: of the run that is shown; -1: no seed
 * @runs: how many there were; @length: of PCT, 0: not measured
 * @why: what is not as expected; NULL: all is
 */
struct scenario_result {
    const struct scenario *scenario;
    const char *soc, *policy, *strategy;
    gboolean twin;
    gint64 seed;
    guint64 runs, length;
    char *expected, *why, *program;
    struct scenario_verdict verdict;
};

const char *scenario_topic_name(enum scenario_topic topic);
/* "Streams and events" */
const char *scenario_topic_title(enum scenario_topic topic);
const char *scenario_group_name(enum scenario_group group);

/**
 * scenario_load_all - the folders of @dir that have a scenario.conf, by name
 * Return: struct scenario pointers; NULL after a line on stderr that names file and key.
 */
GPtrArray *scenario_load_all(const char *dir);

/* The profile that is no Tegra: not among "all", a scenario is for it only where it names it. */
#define SCENARIO_PC "desktop"

/** scenario_expected - the words for a SoC, or NULL: it has no such thing ("absent") */
const char *scenario_expected(const struct scenario *s, const char *soc);

/**
 * scenario_match - does a verdict say what is expected?
 * @expected: words; a trailing "?" makes one optional
 * @loose: all of them are
 * @result: wrong answers are part of it (elsewhere they come and go with the schedule)
 *
 * Return: NULL, or what differs. g_free().
 */
char *scenario_match(const struct scenario *s, const struct scenario_verdict *v,
                     const char *expected, gboolean loose, gboolean result);

void scenario_verdict_clear(struct scenario_verdict *v);

/* --- scenario_build.c ------------------------------------------------------------------------- */

/**
 * scenario_build - the program, from the cache folder if nothing has changed
 * @all: scenarios to build along with it in one program (that compiles once), or NULL
 * Return: its command line up to the argument that makes it the twin; NULL after a line on stderr.
 */
char **scenario_build(const struct scenario *s, const GPtrArray *all);

/**
 * scenario_spawn - run this vtegra with arguments; what it prints goes to @out and @err
 * @s: whose --races and --camera vtegra run and explore have from the environment; NULL: none
 * Return: exit status as the shell reports it; 127 after a line on stderr.
 */
int scenario_spawn(const char *const *args, char **rest, const struct scenario *s, char **out,
                   char **err);

/* --- scenario_run.c --------------------------------------------------------------------------- */

struct scenario_options {
    const char *policy; /* NULL: the scenario's own */
    gint64 seed;        /* -1: none */
    guint64 runs;       /* 0: 1,000 to find, 100 of a twin */
    gboolean twin;
};

/**
 * scenario_run - run it on one SoC and compare
 * Return: FALSE after a line on stderr: it could not be run at all.
 */
gboolean scenario_run(const struct scenario *s, const char *soc, const struct scenario_options *o,
                      const GPtrArray *all, struct scenario_result *r);

void scenario_result_clear(struct scenario_result *r);

/* --- scenario_print.c --------------------------------------------------------------------------
 */

/* The boards of the library: those that have had the edition in force, with one GPU. g_strfreev().
 */
char **scenario_socs(void);
/* Boards with two GPUs for which the scenario's file has an expectation. g_strfreev(). */
char **scenario_drives(const struct scenario *s);
void scenario_list_print(const GPtrArray *all, gboolean json);
void scenario_show(const struct scenario *s);
/* The command that shows a result once more. g_free(). */
char *scenario_again(const struct scenario_result *r);
void scenario_result_print(const struct scenario_result *r, gboolean quiet);
char *scenario_result_json(const struct scenario_result *r);

#endif
