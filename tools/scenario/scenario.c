/* SPDX-License-Identifier: MIT */
/* vtegra scenario: the library of mistakes, each with what a board does, and the corrected twin. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "profiles/edition.h"
#include "profiles/nearest.h"
#include "profiles/profile.h"
#include "tools/cmd.h"
#include "tools/junit.h"
#include "tools/paths.h"
#include "tools/scenario/scenario.h"

#define CMD SCENARIO_CMD

static const char description[] =
    "  list           by topic, from level 1 on: group, title, and the boards that show it\n"
    "  show NAME      the explanation, what is expected of each board, and the program\n"
    "  run NAME...    builds it (vtegra cc; kept in XDG_CACHE_HOME/vtegra), runs it, prints the "
    "explanation and\n"
    "                 the finding, and compares with what is expected\n"
    "\n"
    "Groups: omitted-sync and unsupported show in every run; schedule-dependent ones are looked "
    "for, seed by seed\n"
    "(1,000 at most); cost is about figures of a right program; litmus texts are tried out "
    "completely.\n"
    "\n"
    "The exit status is 0 when all is as expected, 1 when not, 2 for a wrong argument, 125 when "
    "something could not be\n"
    "built or run.\n"
    "\n"
    "Examples:\n"
    "  vtegra scenario run read_before_sync\n"
    "  vtegra scenario run managed_read_running --soc thor\n"
    "  vtegra scenario run --all --twin --quiet";

static struct {
    char *soc, *edition, *policy, *dir, *junit;
    gboolean twin, all, json, quiet;
    gint64 seed, runs;
} opt = { .seed = -1 };

static const GOptionEntry entries[] = {
    { "soc", 's', 0, G_OPTION_ARG_STRING, &opt.soc, "another board than the scenario's, or \"all\"",
      "SOC" },
    { "edition", 0, 0, G_OPTION_ARG_STRING, &opt.edition,
      "edition of CUDA for Tegra: 10.2, 11.4, 11.8, 12.6, 13.4 (the newest that the SoC has)",
      "EDITION" },
    { "policy", 'p', 0, G_OPTION_ARG_STRING, &opt.policy,
      "lazy, eager or seeded instead of the scenario's", "POLICY" },
    { "seed", 0, 0, G_OPTION_ARG_INT64, &opt.seed, "one run with this seed", "N" },
    { "runs", 'n', 0, G_OPTION_ARG_INT64, &opt.runs,
      "schedules to try (1000; of a twin 100, 1: none but lazy and eager)", "N" },
    { "twin", 't', 0, G_OPTION_ARG_NONE, &opt.twin, "the corrected program: nothing may be found",
      NULL },
    { "all", 'a', 0, G_OPTION_ARG_NONE, &opt.all, "every scenario", NULL },
    { "quiet", 'q', 0, G_OPTION_ARG_NONE, &opt.quiet, "one line a result", NULL },
    { "json", 'j', 0, G_OPTION_ARG_NONE, &opt.json, "one JSON object a line", NULL },
    { "junit", 0, 0, G_OPTION_ARG_FILENAME, &opt.junit, "the results as JUnit XML", "FILE" },
    { "dir", 0, 0, G_OPTION_ARG_FILENAME, &opt.dir, "another folder of scenarios", "DIR" },
    { NULL, 0, 0, 0, NULL, NULL, NULL },
};

static const char **names_of(const GPtrArray *all)
{
    const char **names = g_new0(const char *, all->len + 1);

    for (guint i = 0; i < all->len; i++) {
        names[i] = ((const struct scenario *)all->pdata[i])->name;
    }
    return names;
}

/* NULL after a line on stderr. */
static const struct scenario *scenario_find(const GPtrArray *all, const char *name)
{
    const char **names = names_of(all), *near;

    for (guint i = 0; i < all->len; i++) {
        if (strcmp(names[i], name) == 0) {
            g_free(names);
            return all->pdata[i];
        }
    }
    near = nearest_word(name, names);
    cmd_error(CMD, "no scenario \"%s\"%s%s%s; vtegra scenario list names all", name,
              near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    g_free(names);
    return NULL;
}

/* --- run -------------------------------------------------------------------------------------- */

struct tally {
    unsigned results, wrong;
    gboolean broken;
    struct junit *junit;
};

static void junit_add(struct junit *j, const struct scenario_result *r, double seconds)
{
    g_autofree char *name =
        g_strdup_printf("%s%s %s %s", r->scenario->name, r->twin ? " (twin)" : "", r->soc,
                        r->policy ? r->policy : "");
    g_autofree char *text =
        g_strdup_printf("expected: %s\n%s\n%s", r->expected, r->verdict.text ? r->verdict.text : "",
                        r->verdict.output ? r->verdict.output : "");

    g_autofree char *again = scenario_again(r);

    junit_case(j, &(struct junit_result){ .group = scenario_group_name(r->scenario->group),
                                          .name = g_strchomp(name),
                                          .why = r->why,
                                          .where = r->verdict.where,
                                          .cure = r->verdict.todo,
                                          .command = again,
                                          .text = text,
                                          .seconds = seconds });
}

static void run_on(const struct scenario *s, const char *soc, const GPtrArray *all, struct tally *t)
{
    const struct scenario_options o = { opt.policy, opt.seed, opt.runs > 0 ? (guint64)opt.runs : 0,
                                        opt.twin };
    gint64 start = g_get_monotonic_time();
    struct scenario_result r;

    if (!scenario_run(s, soc, &o, all, &r)) {
        t->broken = TRUE;
    } else if (opt.json) {
        char *line = scenario_result_json(&r);

        puts(line);
        g_free(line);
    } else {
        if (!opt.quiet && t->results > 0) {
            puts("\n");
        }
        scenario_result_print(&r, opt.quiet);
    }
    fflush(stdout);
    junit_add(t->junit, &r, (double)(g_get_monotonic_time() - start) / G_USEC_PER_SEC);
    t->results++;
    t->wrong += r.why != NULL;
    scenario_result_clear(&r);
}

/* Boards of two GPUs that the scenario names, in order. */
static void run_on_drives(const struct scenario *s, const GPtrArray *all, struct tally *t)
{
    g_auto(GStrv) socs = scenario_drives(s);

    for (char **soc = socs; *soc; soc++) {
        run_on(s, *soc, all, t);
    }
}

/* One scenario on the boards asked for. A board that has no such thing is left out, and said so if
 * it was named. */
static void run_scenario(const struct scenario *s, char **socs, const GPtrArray *all,
                         struct tally *t)
{
    for (char **soc = socs; opt.soc && *soc; soc++) {
        if (scenario_expected(s, *soc)) {
            run_on(s, *soc, all, t);
        } else if (!opt.all && strcmp(opt.soc, "all") != 0) {
            cmd_error(CMD, "%s: %s (%s) has no such thing; vtegra scenario show %s", s->name, *soc,
                      s->os, s->name);
            t->broken = TRUE;
        }
    }
    if (opt.soc && strcmp(opt.soc, "all") == 0) {
        run_on_drives(s, all, t);
    }
    if (!opt.soc) {
        run_on(s, s->soc, all, t);
    }
}

/* The boards that --soc means; NULL after a line on stderr. */
static char **socs_of(const char *soc)
{
    GError *error = NULL;
    struct soc_profile *profile;
    char **socs;

    if (!soc || strcmp(soc, "all") == 0) {
        return scenario_socs();
    }
    profile = profile_load(soc, &error);
    if (!profile) {
        cmd_error(CMD, "%s", error->message);
        g_error_free(error);
        return NULL;
    }
    socs = g_new0(char *, 2);
    socs[0] = g_strdup(profile->soc.name);
    profile_free(profile);
    return socs;
}

static int scenario_one_run(const GPtrArray *all, char **names)
{
    char **socs = socs_of(opt.soc);
    struct tally t = { .junit = NULL };
    guint n = g_strv_length(names);

    for (guint i = 0; i < n; i++) {
        if (!scenario_find(all, names[i])) {
            g_strfreev(socs);
            return CMD_USAGE;
        }
    }
    if (!socs) {
        return CMD_USAGE;
    }
    t.junit = junit_new("vtegra scenario");
    for (guint i = 0; i < (opt.all ? all->len : n); i++) {
        const struct scenario *s = opt.all ? all->pdata[i] : scenario_find(all, names[i]);

        if (opt.all && (opt.quiet || !isatty(STDOUT_FILENO))) { /* else each result shows it */
            g_autofree char *what = g_strdup_printf("scenarios: %s", s->name);

            cmd_progress(i, all->len, what);
        }
        run_scenario(s, socs, opt.all ? all : NULL, &t);
    }
    cmd_progress(0, 0, "");
    if (opt.quiet && !opt.json) {
        printf("%u results, %u not as expected\n", t.results, t.wrong);
    }
    g_strfreev(socs);
    t.broken |= !junit_end(t.junit, CMD, opt.junit);
    return t.broken ? CMD_FAILED : t.wrong ? CMD_FOUND : CMD_OK;
}

/* --- arguments -------------------------------------------------------------------------------- */

static gboolean options_check(void)
{
    static const char *const policies[] = { "lazy", "eager", "seeded", NULL };
    const char *near;

    if (opt.policy && !g_strv_contains(policies, opt.policy)) {
        near = nearest_word(opt.policy, policies);
        cmd_error(CMD, "--policy \"%s\" is none of lazy, eager, seeded%s%s%s", opt.policy,
                  near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
        return FALSE;
    }
    if (opt.policy && opt.seed >= 0 && strcmp(opt.policy, "seeded") != 0) {
        cmd_error(CMD, "--seed is for --policy seeded: the other policies decide nothing");
        return FALSE;
    }
    if (opt.runs < 0 || opt.seed < -1) {
        cmd_error(CMD, "--runs and --seed are numbers from 0 on");
        return FALSE;
    }
    return TRUE;
}

static int scenario_dispatch(const GPtrArray *all, int argc, char **argv)
{
    const struct scenario *s;

    if (strcmp(argv[1], "list") == 0 && argc == 2) {
        scenario_list_print(all, opt.json);
        return CMD_OK;
    }
    if (strcmp(argv[1], "show") == 0 && argc == 3) {
        s = scenario_find(all, argv[2]);
        if (s) {
            scenario_show(s);
        }
        return s ? CMD_OK : CMD_USAGE;
    }
    if (strcmp(argv[1], "run") == 0 && (argc > 2) != opt.all) {
        return scenario_one_run(all, argv + 2);
    }
    cmd_error(CMD, "say list, show NAME, run NAME..., or run --all%s; see vtegra scenario --help",
              cmd_meant(argv[1], (const char *const[]){ "list", "show", "run", NULL }));
    return CMD_USAGE;
}

int cmd_scenario(int argc, char **argv)
{
    GPtrArray *all;
    char *dir;
    int status;

    if (!cmd_options(CMD, "list | show NAME | run NAME...", description, entries, FALSE, &argc,
                     &argv)) {
        return CMD_USAGE;
    }
    if (argc < 2) {
        cmd_error(CMD,
                  "say list, show NAME, run NAME..., or run --all; see vtegra scenario --help");
        return CMD_USAGE;
    }
    if (!options_check()) {
        return CMD_USAGE;
    }
    g_unsetenv(PROFILE_EDITION_ENV); /* a scenario runs as its options say */
    cmd_edition(opt.edition);
    dir = opt.dir ? g_canonicalize_filename(opt.dir, NULL) : paths_get("share/vtegra/scenarios");
    all = scenario_load_all(dir);
    g_free(dir);
    if (!all) {
        return CMD_FAILED;
    }
    status = scenario_dispatch(all, argc, argv);
    g_ptr_array_unref(all);
    return status;
}
