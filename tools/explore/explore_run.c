/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <json-glib/json-glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/cmd.h"
#include "tools/explore/explore.h"
#include "tools/explore/explore_shared.h"
#include "tools/json_text.h"

/**
 * struct explore_server - a program before main(), see sched/start/forkserver.h
 * @pid: of several processes (@folder): the run's that waits for them
 * @json, @output: what each run writes anew; @folder: of several processes: the reports
 */
struct explore_server {
    const struct explore *explore;
    pid_t pid;
    int to, from;
    gboolean busy;
    guint64 seed;
    gint64 submitted_us;
    struct explore_file json, output;
    char *folder;
};

void explore_outcome_clear(struct explore_outcome *o)
{
    g_free(o->why);
    g_free(o->output_sha);
    g_free(o->todo);
    g_strfreev(o->findings);
    g_strfreev(o->bugs);
    *o = (struct explore_outcome){ 0 };
}

#define TIMEOUT "timeout"

gboolean explore_timed_out(const char *why)
{
    return g_strcmp0(why, TIMEOUT) == 0;
}

enum decide_strategy explore_strategy(const struct explore *e)
{
    return strcmp(e->strategy, "random") == 0 ? DECIDE_RANDOM : DECIDE_PCT;
}

/* --- starting --------------------------------------------------------------------------------- */

/* In the child: become `vtegra run`, which checks the program and becomes it. */
static void become_run(const struct explore *e, int from, int to, gboolean bind)
{
    char *fds = g_strdup_printf("%d,%d", from, to);
    GPtrArray *argv = g_ptr_array_new();
    const char *const run[] = { "vtegra", "run",  "--quiet", "--policy", "seeded", "--soc",
                                e->soc,   "--os", e->os,     "--evict",  e->evict, "--" };

    for (size_t i = 0; i < G_N_ELEMENTS(run); i++) {
        g_ptr_array_add(argv, (char *)run[i]);
    }
    for (char **a = e->argv; *a; a++) {
        g_ptr_array_add(argv, *a);
    }
    g_ptr_array_add(argv, NULL);
    setenv("VTEGRA_FORKSERVER", fds, 1);
    if (!e->check) { /* which may want to read the report, and the lines in it */
        setenv("VTEGRA_PLACES", e->places ? "1" : "0", 1);
        setenv("VTEGRA_JSON_IF_FOUND", "1", 1);
    }
    if (bind && !getenv("LD_BIND_NOW")) {
        setenv("LD_BIND_NOW", "1", 1); /* the copies need not look names up */
        setenv("VTEGRA_FORKSERVER_BIND", "1", 1);
    }
    unsetenv("VTEGRA_REPORT");
    unsetenv("VTEGRA_TRACE");
    unsetenv("VTEGRA_PERFETTO");
    unsetenv("VTEGRA_SARIF");
    unsetenv("VTEGRA_HTML");
    unsetenv("VTEGRA_SCHEDULE");
    unsetenv("VTEGRA_RECORD");
    execv("/proc/self/exe", (char **)argv->pdata);
    _exit(CMD_FAILED);
}

static gboolean explore_run_get(int fd, void *to, gsize len)
{
    for (gsize done = 0; done < len;) {
        ssize_t n = read(fd, (char *)to + done, len - done);

        if (n <= 0 && !(n < 0 && errno == EINTR)) {
            return FALSE;
        }
        done += n > 0 ? (gsize)n : 0;
    }
    return TRUE;
}

/* @unbound: set instead of a line on stderr: the loader found a name nowhere */
static gboolean explore_run_greet(struct explore_server *s, gboolean *unbound)
{
    static const char *const why[] = {
        [FORKSERVER_HAS_THREADS] = "it starts threads before main()",
        [FORKSERVER_HAS_BOARD] = "it calls CUDA before main()",
    };
    struct forkserver_hello hello;
    int status;

    if (!explore_run_get(s->from, &hello, sizeof(hello))) {
        if (waitpid(s->pid, &status, 0) == s->pid) {
            s->pid = 0;
            if (unbound && WIFEXITED(status) && WEXITSTATUS(status) == CMD_NOT_FOUND) {
                *unbound = TRUE;
                return FALSE;
            }
        }
        cmd_error(EXPLORE_CMD, "%s did not come as far as main()", s->explore->argv[0]);
        return FALSE;
    }
    if (hello.version != FORKSERVER_VERSION || hello.state >= G_N_ELEMENTS(why)) {
        cmd_error(EXPLORE_CMD, "the preloaded library is of another version than this program");
        return FALSE;
    }
    if (hello.state != FORKSERVER_READY) {
        cmd_error(EXPLORE_CMD, "%s cannot be explored: %s, so it cannot be copied there",
                  s->explore->argv[0], why[hello.state]);
        return FALSE;
    }
    return TRUE;
}

static void files_free(struct explore_server *s)
{
    if (s->folder) {
        explore_shared_clear(s->folder);
        rmdir(s->folder);
        g_free(s->folder);
    }
    explore_file_free(&s->json);
    explore_file_free(&s->output);
    g_free(s);
}

/* @unbound: names are looked up at once; NULL: when they are called */
static struct explore_server *server_new(const struct explore *e, gboolean *unbound)
{
    struct explore_server *s = g_new0(struct explore_server, 1);
    int jobs[2], results[2];

    s->explore = e;
    if (!explore_file_new(&s->json, "the report") ||
        !explore_file_new(&s->output, "what it printed")) {
        files_free(s);
        return NULL;
    }
    if (pipe2(jobs, O_CLOEXEC) != 0 || pipe2(results, O_CLOEXEC) != 0) {
        cmd_error(EXPLORE_CMD, "cannot make a pipe: %s", g_strerror(errno));
        files_free(s);
        return NULL;
    }
    if (e->shared) {
        s->folder = explore_shared_folder();
        s->to = results[1];
        s->from = results[0];
        close(jobs[0]);
        close(jobs[1]);
        if (!s->folder) {
            explore_server_free(s);
            return NULL;
        }
        return s;
    }
    s->pid = fork();
    if (s->pid == 0) {
        fcntl(jobs[0], F_SETFD, 0);
        fcntl(results[1], F_SETFD, 0);
        become_run(e, jobs[0], results[1], unbound != NULL);
    }
    close(jobs[0]);
    close(results[1]);
    s->to = jobs[1];
    s->from = results[0];
    if (s->pid < 0 || !explore_run_greet(s, unbound)) {
        explore_server_free(s);
        return NULL;
    }
    return s;
}

/* A library that names a function which is nowhere, and never calls it, is no obstacle: then names
 * are looked up when they are called. */
struct explore_server *explore_server_new(const struct explore *e)
{
    gboolean unbound = FALSE;
    struct explore_server *s = server_new(e, &unbound);

    return unbound ? server_new(e, NULL) : s;
}

void explore_server_free(struct explore_server *s)
{
    int status;

    if (s) {
        close(s->to); /* end of file ends it */
        close(s->from);
        if (s->pid > 0) {
            waitpid(s->pid, &status, 0);
        }
        files_free(s);
    }
}

/* --- runs ------------------------------------------------------------------------------------- */

static void path_put(char *into, const char *path)
{
    g_strlcpy(into, path ? path : "", FORKSERVER_PATH); /* /proc/PID/fd/N */
}

gboolean explore_server_submit(struct explore_server *s, guint64 seed,
                               enum decide_strategy strategy, const char *schedule,
                               const char *record)
{
    struct forkserver_job job = {
        .seed = seed,
        .length = s->explore->length,
        .strategy = strategy,
        .depth = s->explore->depth,
        .timeout_ms = s->explore->timeout_ms,
        .bare = s->explore->bare,
    };

    s->seed = seed;
    if (!explore_file_set(&s->json, "") || !explore_file_set(&s->output, "")) {
        return FALSE;
    }
    path_put(job.json, s->json.path);
    path_put(job.output, s->output.path);
    path_put(job.schedule, schedule);
    path_put(job.record, record);
    s->submitted_us = g_get_monotonic_time();
    if (s->folder) {
        s->pid = explore_shared_begin(
            &(struct explore_shared_run){ s->explore, seed, s->output.path, s->folder }, s->to);
        s->busy = s->pid > 0;
        return s->busy;
    }
    s->busy = write(s->to, &job, sizeof(job)) == (ssize_t)sizeof(job);
    if (!s->busy) {
        cmd_error(EXPLORE_CMD, "%s has ended before its runs", s->explore->argv[0]);
    }
    return s->busy;
}

int explore_server_fd(const struct explore_server *s)
{
    return s->from;
}

gboolean explore_server_busy(const struct explore_server *s)
{
    return s->busy;
}

/* The findings of a report; NULL: it has not been written to its end. */
static JsonArray *findings_of(JsonParser *parser, const char *text, gsize len)
{
    JsonNode *root =
        json_text_load(parser, "", text, (gssize)len, NULL) ? json_parser_get_root(parser) : NULL;
    JsonObject *report = root && JSON_NODE_HOLDS_OBJECT(root) ? json_node_get_object(root) : NULL;

    return report && json_object_has_member(report, "findings")
               ? json_object_get_array_member(report, "findings")
               : NULL;
}

static void add_once(GPtrArray *list, char *text)
{
    if (g_ptr_array_find_with_equal_func(list, text, g_str_equal, NULL)) {
        g_free(text);
    } else {
        g_ptr_array_add(list, text);
    }
}

/**
 * struct found - in a report
 * @rules: all; @bugs: of severity enough to count, as @worst, the first of these, and its @todo
 */
struct found {
    GPtrArray *rules, *bugs;
    char *worst, *todo;
};

static void finding_read(const struct explore *e, JsonObject *f, struct found *found)
{
    const char *rule = json_object_get_string_member(f, "rule");
    const char *severity = json_object_get_string_member(f, "severity");

    if (strcmp(severity, "advice") != 0) {
        add_once(found->rules, g_strdup(rule));
    }
    if ((e->fail_on >= EXPLORE_FAIL_ERROR && strcmp(severity, "error") == 0) ||
        (e->fail_on >= EXPLORE_FAIL_WARNING && strcmp(severity, "warning") == 0)) {
        add_once(found->bugs, explore_bug_of(f));
        if (!found->worst) {
            found->worst = g_strdup_printf("finding %s", rule);
            found->todo = g_strdup(json_object_get_string_member_with_default(f, "todo", NULL));
        }
    }
}

static void list_read(const struct explore *e, JsonArray *list, struct found *found)
{
    for (guint i = 0; list && i < json_array_get_length(list); i++) {
        finding_read(e, json_array_get_object_element(list, i), found);
    }
}

/* A report as it was read, with the process whose it is. */
struct process_report {
    gint64 process;
    JsonParser *parser;
    JsonArray *list;
};

static void process_report_clear(gpointer data)
{
    g_object_unref(((struct process_report *)data)->parser);
}

static gint process_order(gconstpointer a, gconstpointer b)
{
    const struct process_report *x = a, *y = b;

    return (x->process > y->process) - (x->process < y->process);
}

/* FALSE after a line on stderr: it has no end, though the run ended by itself. */
static gboolean process_report_read(const struct explore_server *s, const char *path, int status,
                                    GArray *reports)
{
    struct process_report r = { 0, json_parser_new(), NULL };
    g_autofree char *text = NULL;
    gsize len = 0;
    JsonObject *run;

    g_file_get_contents(path, &text, &len, NULL);
    r.list = len ? findings_of(r.parser, text, len) : NULL;
    if (!r.list) {
        g_object_unref(r.parser);
        if (!len || WIFSIGNALED(status)) {
            return TRUE;
        }
        cmd_error(EXPLORE_CMD, "seed %" G_GUINT64_FORMAT ": a report could not be kept whole",
                  s->seed);
        return FALSE;
    }
    run =
        json_object_get_object_member(json_node_get_object(json_parser_get_root(r.parser)), "run");
    r.process = json_object_get_int_member_with_default(run, "process", 0);
    g_array_append_val(reports, r);
    return TRUE;
}

/* Of each process, in the order of their numbers. */
static gboolean reports_read(const struct explore_server *s, int status, struct found *found)
{
    GPtrArray *paths = explore_shared_reports(s->folder);
    GArray *reports = g_array_new(FALSE, FALSE, sizeof(struct process_report));
    gboolean ok = TRUE;

    g_array_set_clear_func(reports, process_report_clear);
    for (guint i = 0; i < paths->len && ok; i++) {
        ok = process_report_read(s, paths->pdata[i], status, reports);
    }
    g_array_sort(reports, process_order);
    for (guint i = 0; i < reports->len; i++) {
        list_read(s->explore, g_array_index(reports, struct process_report, i).list, found);
    }
    g_array_free(reports, TRUE);
    g_ptr_array_free(paths, TRUE);
    return ok;
}

/* No report is one that finds nothing; a half one is reported where the run ended by itself. */
static gboolean findings_read(const struct explore_server *s, int status, struct found *found)
{
    JsonParser *parser;
    gsize len;
    char *text;
    JsonArray *list;
    gboolean ok;

    if (s->folder) {
        return reports_read(s, status, found);
    }
    parser = json_parser_new();
    text = explore_file_read(&s->json, &len);
    list = len ? findings_of(parser, text, len) : NULL;
    ok = !len || list || WIFSIGNALED(status) || explore_file_is_whole(&s->json, s->seed, EIO);
    g_free(text);
    list_read(s->explore, list, found);
    g_object_unref(parser);
    return ok;
}

/* A command that cannot be run decides nothing: FALSE after a line on stderr. */
static gboolean check_run(const struct explore_server *s, int status, char **why)
{
    char *number = g_strdup_printf("%d", status);
    char **env = g_get_environ();
    const char *argv[] = { "/bin/sh", "-c", s->explore->check, NULL };
    GError *error = NULL;
    int result, code;

    env = g_environ_setenv(env, "VTEGRA_OUTPUT", s->output.path, TRUE);
    env = g_environ_setenv(env, "VTEGRA_JSON", s->folder ? s->folder : s->json.path, TRUE);
    env = g_environ_setenv(env, "VTEGRA_STATUS", number, TRUE);
    g_spawn_sync(NULL, (char **)argv, env, G_SPAWN_DEFAULT, NULL, NULL, NULL, NULL, &result,
                 &error);
    g_free(number);
    g_strfreev(env);
    if (error) {
        cmd_error(EXPLORE_CMD, "--check: %s", error->message);
        g_error_free(error);
        return FALSE;
    }
    code = WIFEXITED(result) ? WEXITSTATUS(result) : -1;
    if (code == CMD_NOT_RUN || code == CMD_NOT_FOUND) {
        cmd_error(EXPLORE_CMD, "--check: the shell ended with %d, %s, so it decides nothing: %s",
                  code,
                  code == CMD_NOT_RUN ? "a command that cannot be run" : "there is no such command",
                  s->explore->check);
        return FALSE;
    }
    *why = code ? g_strdup_printf("check %d", code) : NULL;
    return TRUE;
}

static gint explore_run_order(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Why it failed, or NULL in @why. FALSE after a line on stderr: that cannot be known. */
static gboolean why_of(const struct explore_server *s, int status, struct found *found, char **why)
{
    if (!findings_read(s, status, found)) {
        return FALSE;
    }
    if (s->explore->check) {
        return check_run(s, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), why);
    }
    if (WIFSIGNALED(status) || WEXITSTATUS(status)) {
        *why = WIFSIGNALED(status) ? g_strdup_printf("signal %d", WTERMSIG(status))
                                   : g_strdup_printf("exit %d", WEXITSTATUS(status));
    } else {
        *why = g_steal_pointer(&found->worst);
    }
    return TRUE;
}

static char **list_end(GPtrArray *list)
{
    g_ptr_array_sort(list, explore_run_order);
    g_ptr_array_add(list, NULL);
    return (char **)g_ptr_array_free(list, FALSE);
}

/* A run that failed otherwise than by its findings has a bug of that name, too: the findings may
 * stand in every run. That threads are stuck is the finding. */
static void bug_without_finding(struct found *found, int status, const char *why,
                                const char *output)
{
    gboolean is_finding = why && g_str_has_prefix(why, "finding ");
    gboolean is_stuck = why && WIFEXITED(status) && WEXITSTATUS(status) == CMD_STUCK;
    char *stuck = is_stuck && found->bugs->len == 0 ? explore_bug_of_output(output) : NULL;

    if (stuck) {
        g_ptr_array_add(found->bugs, stuck);
    }
    if (why && !is_finding && !(is_stuck && found->bugs->len)) {
        g_ptr_array_add(found->bugs, g_strdup(why));
    } else if (!why) {
        g_ptr_array_set_size(found->bugs, 0);
    }
}

/* Of a run that ended: one that was killed in time says nothing that would be so again. */
static gboolean explore_run_ended(const struct explore_server *s, int status,
                                  struct explore_outcome *out)
{
    struct found found = { .rules = g_ptr_array_new(),
                           .bugs = g_ptr_array_new_with_free_func(g_free) };
    gboolean ok = why_of(s, status, &found, &out->why);
    gsize len;
    char *text = explore_file_read(&s->output, &len);

    out->output_sha = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (guchar *)text, len);
    bug_without_finding(&found, status, out->why, text);
    g_free(text);
    out->findings = list_end(found.rules);
    out->bugs = list_end(found.bugs);
    out->todo = found.todo;
    g_free(found.worst);
    return ok;
}

gboolean explore_server_result(struct explore_server *s, struct explore_outcome *out)
{
    struct forkserver_result r;

    *out = (struct explore_outcome){ .seed = s->seed };
    s->busy = FALSE;
    if (!explore_run_get(s->from, &r, sizeof(r))) {
        cmd_error(EXPLORE_CMD, "%s has gone in the middle of its runs", s->explore->argv[0]);
        return FALSE;
    }
    if (s->folder) {
        waitpid(s->pid, NULL, 0);
        s->pid = 0;
    }
    out->seconds = (double)(g_get_monotonic_time() - s->submitted_us) / G_USEC_PER_SEC;
    out->counts = r.counts;
    out->strayed = r.counts.strayed;
    if (!explore_file_is_whole(&s->output, s->seed, 0) ||
        !explore_file_is_whole(&s->json, s->seed, r.report_error)) {
        return FALSE;
    }
    if (r.timed_out) {
        out->why = g_strdup(TIMEOUT);
        return TRUE;
    }
    return explore_run_ended(s, r.status, out);
}
