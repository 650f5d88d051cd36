/* SPDX-License-Identifier: MIT */
/* vtegra explore: many schedules of one program, the first that fails, and the smallest. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "profiles/edition.h"
#include "runtime/observe/shell.h"
#include "tools/cmd.h"
#include "tools/explore/explore.h"
#include "tools/junit.h"
#include "tools/run/program_find.h"

/* --- the runs --------------------------------------------------------------------------------- */

/**
 * struct exploration
 * @with_places, @placer: runs that failed, once more for the places of their findings
 * @failed, @timed_out: guint64
 * @first_found: the lowest seed that failed with a finding; G_MAXUINT64: none
 * @first_why: of the lowest seed that failed in this process
 * @alike: why each run of this process failed and what it found; NULL: they differ, or one passed
 * @begun: runs of this process; @end_us: when no more begin but the first, 0: never
 * @broken: a line was said, and there is no result
 */
struct exploration {
    struct explore_options *o;
    struct explore with_places;
    struct explore_server *server[EXPLORE_JOBS_MAX], *placer;
    guint n_servers;
    GHashTable *done, *bugs;
    GArray *failed, *timed_out;
    guint64 first_found;
    char *first_why, *alike;
    JsonParser *parser;
    guint64 next, begun, ran;
    gint64 end_us;
    int out;
    gboolean broken;
    struct junit *junit;
};

/* "vtegra run --seed ...": what shows a run once more. */
static char *explore_command(const struct explore *e, const char *command, guint64 seed,
                             const char *program)
{
    const char *edition = g_getenv(PROFILE_EDITION_ENV);
    gboolean has = edition && *edition;

    return g_strdup_printf(
        "vtegra %s%s --soc %s%s%s --os %s --policy seeded --strategy %s --depth %u --length "
        "%" G_GUINT64_FORMAT " --evict %s --seed %" G_GUINT64_FORMAT " -- %s",
        command, e->shared ? " --shared" : "", e->soc, has ? " --edition " : "", has ? edition : "",
        e->os, e->strategy, e->depth, e->length, e->evict, seed, program);
}

/* "RULE at PLACE, PLACE": the first place of the first bug; NULL: it has none. */
static const char *bug_place(char *const *bugs)
{
    const char *at = bugs && *bugs ? strstr(*bugs, " at ") : NULL;

    return at ? at + strlen(" at ") : NULL;
}

/* What a CI system shows first: how the run failed, and the first finding. NULL: it passed */
static char *junit_why(const struct explore_outcome *o)
{
    const char *bug = o->bugs ? *o->bugs : NULL;

    if (!o->why || !bug) {
        return g_strdup(o->why);
    }
    return g_str_has_prefix(o->why, "finding ") ? g_strconcat("finding ", bug, NULL)
                                                : g_strdup_printf("%s, finding %s", o->why, bug);
}

static void junit_add(struct junit *j, const struct explore *e, const struct explore_outcome *o)
{
    g_autofree char *name = g_strdup_printf("seed %" G_GUINT64_FORMAT, o->seed),
                    *program = shell_line((const char *const *)e->argv),
                    *command = explore_command(e, "run", o->seed, program),
                    *bugs = o->bugs ? g_strjoinv("\n", o->bugs) : NULL, *why = junit_why(o);

    junit_case(j, &(struct junit_result){ .group = "explore",
                                          .name = name,
                                          .why = why,
                                          .where = bug_place(o->bugs),
                                          .cure = o->todo,
                                          .command = command,
                                          .text = bugs,
                                          .seconds = o->seconds });
}

/* The next seed of this shard that has no result yet. FALSE: none. */
static gboolean next_seed(struct exploration *x, guint64 *seed)
{
    const struct explore_options *o = x->o;

    if (x->end_us && x->begun && g_get_monotonic_time() >= x->end_us) {
        return FALSE;
    }
    for (; x->next < o->e.runs; x->next++) {
        *seed = o->e.seed0 + x->next;
        if (x->next % o->shard_n == o->shard_i - 1 && !g_hash_table_contains(x->done, seed)) {
            x->next++;
            x->begun++;
            return TRUE;
        }
    }
    return FALSE;
}

/* A seed means one run: the second has the same findings, and names places in the program, which
 * would slow all others. Where --check decides, or no line is kept, there is no second. */
static void places_find(struct exploration *x, struct explore_outcome *o)
{
    const struct explore_options *opt = x->o;
    struct explore_outcome again;

    if (opt->e.check || !(opt->out || opt->keep_all || opt->junit)) {
        return;
    }
    if (!x->placer) {
        x->with_places = opt->e;
        x->with_places.places = TRUE;
        x->placer = explore_server_new(&x->with_places);
    }
    if (!x->placer ||
        !explore_server_submit(x->placer, o->seed, explore_strategy(&opt->e), NULL, NULL) ||
        !explore_server_result(x->placer, &again)) {
        x->broken = TRUE;
        return;
    }
    if (g_strcmp0(again.why, o->why) == 0) {
        char **bugs = o->bugs;

        o->bugs = again.bugs;
        again.bugs = bugs;
    }
    explore_outcome_clear(&again);
}

static void line_out(struct exploration *x, const struct explore_outcome *o)
{
    char *line = explore_line(&x->o->e, o);

    if (o->why) {
        explore_bugs_take(x->bugs, explore_line_object(x->parser, line, -1));
    }
    if (x->out >= 0 && !explore_write(x->out, line, strlen(line))) {
        cmd_error(EXPLORE_CMD, "cannot write %s: %s", x->o->out, g_strerror(errno));
        x->broken = TRUE;
    }
    if (x->o->keep_all && (fputs(line, stdout) < 0 || fflush(stdout) != 0)) {
        cmd_error(EXPLORE_CMD, "--lines: cannot write to stdout: %s", g_strerror(errno));
        x->broken = TRUE;
    }
    g_free(line);
}

static guint64 first_of(const GArray *seeds)
{
    guint64 first = G_MAXUINT64;

    for (guint i = 0; i < seeds->len; i++) {
        first = MIN(first, g_array_index(seeds, guint64, i));
    }
    return first;
}

/* The runs of this process so far, and one more. */
static void explore_alike(struct exploration *x, const struct explore_outcome *o)
{
    g_autofree char *found = o->findings ? g_strjoinv(", ", o->findings) : NULL;
    g_autofree char *how = o->why ? g_strconcat(o->why, "\n", found, NULL) : NULL;

    if (o->why && !explore_timed_out(o->why) &&
        (x->failed->len == 0 || o->seed < first_of(x->failed))) {
        g_free(x->first_why);
        x->first_why = *(found ? found : "") && !g_str_has_prefix(o->why, "finding ")
                           ? g_strdup_printf("%s, finding %s", o->why, found)
                           : g_strdup(o->why);
    }
    if (x->ran == 0) {
        x->alike = g_steal_pointer(&how);
    } else if (g_strcmp0(x->alike, how) != 0) {
        g_clear_pointer(&x->alike, g_free);
    }
}

static void explore_take(struct exploration *x, struct explore_server *s)
{
    struct explore_outcome out;

    if (!explore_server_result(s, &out)) {
        x->broken = TRUE;
    } else {
        if (out.why && !explore_timed_out(out.why)) {
            places_find(x, &out);
            x->first_found =
                out.findings && *out.findings ? MIN(x->first_found, out.seed) : x->first_found;
        }
        line_out(x, &out);
        junit_add(x->junit, &x->o->e, &out);
        explore_alike(x, &out);
        x->ran++;
        if (out.why) {
            g_array_append_val(explore_timed_out(out.why) ? x->timed_out : x->failed, out.seed);
            x->next = x->o->stop ? x->o->e.runs : x->next;
        }
    }
    explore_outcome_clear(&out);
}

static void run_all(struct exploration *x)
{
    struct pollfd fds[EXPLORE_JOBS_MAX];
    struct explore_server *waiting[EXPLORE_JOBS_MAX];

    for (;;) {
        guint n = 0;
        guint64 seed;

        for (guint i = 0; i < x->n_servers; i++) {
            struct explore_server *s = x->server[i];

            if (!explore_server_busy(s) && !x->broken && next_seed(x, &seed)) {
                x->broken |=
                    !explore_server_submit(s, seed, explore_strategy(&x->o->e), NULL, NULL);
            }
            if (explore_server_busy(s)) {
                fds[n] = (struct pollfd){ .fd = explore_server_fd(s), .events = POLLIN };
                waiting[n++] = s;
            }
        }
        if (n == 0) {
            cmd_progress(0, 0, "");
            return;
        }
        if (poll(fds, n, -1) < 0) {
            continue;
        }
        for (guint i = 0; i < n; i++) {
            if (fds[i].revents) {
                explore_take(x, waiting[i]);
            }
        }
        cmd_progress(x->ran, (guint64)x->o->runs, x->failed->len ? "runs, some failed" : "runs");
    }
}

/* How many steps the program has when nothing is changed: what PCT's change points are drawn over.
 */
static gboolean length_measure(struct exploration *x)
{
    struct explore_outcome out;

    if (x->o->e.length || x->o->e.shared) { /* of several processes it is not known */
        return TRUE;
    }
    if (!explore_server_submit(x->server[0], 0, DECIDE_NONE, NULL, NULL) ||
        !explore_server_result(x->server[0], &out)) {
        return FALSE;
    }
    if (explore_timed_out(out.why)) { /* where it was killed is another step each time */
        fprintf(
            stderr,
            "vtegra explore: the run that measures --length took more than %u s (--timeout): it "
            "is 0, unknown\n",
            x->o->e.timeout_ms / 1000);
    } else {
        x->o->e.length = MAX(out.counts.steps, 8);
    }
    explore_outcome_clear(&out);
    return TRUE;
}

static gboolean servers_start(struct exploration *x)
{
    struct explore *e = &x->o->e;
    guint64 share = (e->runs + x->o->shard_n - 1) / x->o->shard_n;
    guint n = (guint)MIN(e->jobs, share);

    for (; x->n_servers < n; x->n_servers++) {
        x->server[x->n_servers] = explore_server_new(e);
        if (!x->server[x->n_servers]) {
            return FALSE;
        }
    }
    return length_measure(x);
}

/* --- the end ---------------------------------------------------------------------------------- */

static void explore_command_print(const struct explore *e, const char *command, guint64 seed,
                                  const char *program)
{
    g_autofree char *line = explore_command(e, command, seed, program);

    fprintf(stderr, "  %s\n", line);
}

/* Lines of the file, not counts.switches: that leaves out those at which no agent was kept from
 * going on.
 */
static void explore_left_print(const struct explore_left *left, const char *file,
                               const char *program)
{
    const char *const replay[] = { "vtegra", "replay", file, "--", NULL };
    g_autofree char *line = shell_line(replay);

    fprintf(stderr, "smallest: %s, with %u switch%s and %u eviction%s", left->outcome.why,
            left->switches, left->switches == 1 ? "" : "es", left->evictions,
            left->evictions == 1 ? "" : "s");
    if (left->orders) {
        fprintf(stderr, " and %u order%s of blocks", left->orders, left->orders == 1 ? "" : "s");
    }
    fprintf(stderr, " in the schedule\n  %s %s\n", line, program);
}

/* PCT finds a bug of two steps in a run of K steps with a probability of at least 1 / (n K) for n
 * threads (Burckhardt et al., ASPLOS 2010, section 2): fewer runs than K promise nothing. */
static void explore_odds_print(const struct exploration *x)
{
    guint64 ran = x->ran + g_hash_table_size(x->done);

    if (explore_strategy(&x->o->e) == DECIDE_PCT && x->o->depth > 1 && x->o->e.length > ran) {
        fprintf(stderr,
                "%" G_GUINT64_FORMAT " runs are few for a program with %" G_GUINT64_FORMAT
                " switch points. Try --strategy random\n",
                ran, x->o->e.length);
    }
}

/* No seed of many passes: then it is no matter of the order, and any run shows it. */
static void explore_alike_print(const struct exploration *x, const char *program)
{
    const struct explore *e = &x->o->e;

    if (!x->alike || x->ran < 2 || g_hash_table_size(x->done) || x->timed_out->len) {
        return;
    }
    fprintf(stderr,
            "all %" G_GUINT64_FORMAT " runs failed in the same way, so the bug does not depend on "
            "the order: vtegra run%s --soc %s --os %s -- %s shows it, too\n",
            x->ran, e->shared ? " --shared" : "", e->soc, e->os, program);
    if (!e->check && strncmp(x->first_why, "finding ", strlen("finding ")) == 0) {
        fprintf(stderr, "to search for a wrong result instead: --fail-on never (the exit status "
                        "decides) or --check CMD\n");
    }
}

/* The time budget was over before all seeds of the shard had their run. */
static void explore_left_over_print(struct exploration *x)
{
    guint64 seed, left = 0;

    if (x->end_us) {
        x->end_us = 0;
        while (next_seed(x, &seed)) {
            left++;
        }
    }
    if (left) {
        fprintf(stderr, "the time budget of %d s is over: %" G_GUINT64_FORMAT " seeds are left%s\n",
                x->o->budget, left, x->o->out ? "; the same command runs them" : "");
    }
}

static int explore_result_print(struct exploration *x)
{
    struct explore_options *o = x->o;
    struct explore_left left;
    int status = CMD_FOUND;
    g_autofree char *program = shell_line((const char *const *)o->e.argv);
    guint64 first = first_of(x->failed->len ? x->failed : x->timed_out);

    fprintf(stderr, "vtegra explore: %" G_GUINT64_FORMAT " runs, %u failed",
            x->ran + g_hash_table_size(x->done), x->failed->len);
    if (x->timed_out->len) {
        fprintf(stderr, ", %u took more than %u s (--timeout)", x->timed_out->len,
                o->e.timeout_ms / 1000);
    }
    fputc('\n', stderr);
    explore_left_over_print(x);
    if (x->failed->len == 0 && x->timed_out->len == 0) {
        explore_odds_print(x);
        return CMD_OK;
    }
    fprintf(stderr, "first %s: %" G_GUINT64_FORMAT,
            x->failed->len ? "failing seed" : "seed that took too long", first);
    if (x->first_why && !g_hash_table_size(x->done)) {
        fprintf(stderr, " (%s)", x->first_why);
    }
    fputc('\n', stderr);
    explore_command_print(&o->e, "run", first, program);
    if (first == x->first_found && !o->e.shared) {
        explore_command_print(&o->e, "gdb --at 1", first, program);
    }
    explore_alike_print(x, program);
    if (o->out && x->failed->len > 1) {
        explore_bugs_print(x->bugs, stderr);
    }
    if (o->schedule && x->failed->len) {
        int smaller = explore_smaller(&o->e, x->server[0], first, o->schedule, &left);

        if (smaller == CMD_OK) {
            explore_left_print(&left, o->schedule, program);
        } else {
            status = smaller;
        }
        explore_outcome_clear(&left.outcome);
    }
    return status;
}

int explore_explore(struct explore_options *o)
{
    struct exploration x = { .o = o, .out = -1 };
    int status = CMD_FAILED;
    char *program = program_find(EXPLORE_CMD, o->e.argv[0], &status);

    x.done = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    x.first_found = G_MAXUINT64;
    x.failed = g_array_new(FALSE, FALSE, sizeof(guint64));
    x.timed_out = g_array_new(FALSE, FALSE, sizeof(guint64));
    x.bugs = explore_bugs_new();
    x.parser = json_parser_new();
    x.end_us = o->budget ? g_get_monotonic_time() + o->budget * G_USEC_PER_SEC : 0;
    x.junit = junit_new("vtegra explore");
    signal(SIGPIPE, SIG_IGN);
    if (program) {
        status = CMD_FAILED;
    }
    if (program && explore_output_check("out", o->out) &&
        explore_output_check("schedule", o->schedule) && explore_output_check("junit", o->junit) &&
        schedule_key_of(EXPLORE_CMD, program, o->e.argv + 1, o->e.soc, o->e.os, o->e.evict,
                        &o->e.key) &&
        servers_start(&x) &&
        (!o->out || explore_lines_resume(&o->e, o->out, x.done, x.failed, x.timed_out, x.bugs))) {
        x.out = o->out ? open(o->out, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
        if (o->out && x.out < 0) {
            cmd_error(EXPLORE_CMD, "cannot write %s: %s", o->out, g_strerror(errno));
        } else {
            run_all(&x);
            status = x.broken ? CMD_FAILED : explore_result_print(&x);
        }
    }
    for (guint i = 0; i < x.n_servers; i++) {
        explore_server_free(x.server[i]);
    }
    explore_server_free(x.placer);
    if (!junit_end(x.junit, EXPLORE_CMD, status == CMD_FAILED ? NULL : o->junit)) {
        status = CMD_FAILED;
    }
    if (x.out >= 0 && close(x.out) != 0 && status != CMD_FAILED) {
        cmd_error(EXPLORE_CMD, "cannot write %s: %s", o->out, g_strerror(errno));
        status = CMD_FAILED;
    }
    g_object_unref(x.parser);
    g_free(x.first_why);
    g_free(x.alike);
    g_hash_table_destroy(x.bugs);
    g_hash_table_destroy(x.done);
    g_array_free(x.failed, TRUE);
    g_array_free(x.timed_out, TRUE);
    g_free(program);
    return status;
}
