/* SPDX-License-Identifier: MIT */
/* Runs of several processes on one board: each seed is a `vtegra run --shared` of its own, because
 * the board and the turn of the processes cannot be copied before main(). A process of ours waits
 * for all processes of the run, and kills them when the time is over. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/cmd.h"
#include "tools/explore/explore.h"
#include "tools/explore/explore_shared.h"

#define REPORT_END ".json"

/* --- the folder of reports -------------------------------------------------------------------- */

char *explore_shared_folder(void)
{
    GError *error = NULL;
    char *path = g_dir_make_tmp("vtegra-explore-XXXXXX", &error);

    if (!path) {
        cmd_error(EXPLORE_CMD, "--shared: a folder for the reports: %s", error->message);
        g_error_free(error);
    }
    return path;
}

void explore_shared_clear(const char *folder)
{
    GDir *dir = g_dir_open(folder, 0, NULL);
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(folder, name, NULL);

        unlink(path);
    }
    if (dir) {
        g_dir_close(dir);
    }
}

GPtrArray *explore_shared_reports(const char *folder)
{
    GPtrArray *reports = g_ptr_array_new_with_free_func(g_free);
    GDir *dir = g_dir_open(folder, 0, NULL);
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        if (g_str_has_suffix(name, REPORT_END)) {
            g_ptr_array_add(reports, g_build_filename(folder, name, NULL));
        }
    }
    if (dir) {
        g_dir_close(dir);
    }
    return reports;
}

/* --- a run ------------------------------------------------------------------------------------ */

static void G_GNUC_NORETURN become_run(const struct explore_shared_run *run)
{
    const struct explore *e = run->explore;
    g_autofree char *seed = g_strdup_printf("%" G_GUINT64_FORMAT, run->seed);
    g_autofree char *depth = g_strdup_printf("%u", e->depth);
    g_autofree char *length = g_strdup_printf("%" G_GUINT64_FORMAT, e->length);
    g_autofree char *json = g_strconcat(run->folder, "/%p" REPORT_END, NULL);
    const char *const head[] = { "vtegra",  "run",    "--quiet", "--shared", "--policy", "seeded",
                                 "--seed",  seed,     "--soc",   e->soc,     "--os",     e->os,
                                 "--evict", e->evict, "--depth", depth,      "--length", length,
                                 "--json",  json,     "--",      NULL };
    GPtrArray *argv = g_ptr_array_new();
    int null = open("/dev/null", O_RDWR);
    int out = open(run->output, O_WRONLY | O_APPEND);

    dup2(null, STDIN_FILENO);
    dup2(out >= 0 ? out : null, STDOUT_FILENO);
    dup2(out >= 0 ? out : null, STDERR_FILENO);
    close(null);
    close(out);
    for (const char *const *word = head; *word; word++) {
        g_ptr_array_add(argv, (char *)*word);
    }
    for (char **word = e->argv; *word; word++) {
        g_ptr_array_add(argv, *word);
    }
    g_ptr_array_add(argv, NULL);
    setenv("VTEGRA_STRATEGY", e->strategy, 1);
    if (!e->check) {
        setenv("VTEGRA_PLACES", e->places ? "1" : "0", 1);
        setenv("VTEGRA_JSON_IF_FOUND", "1", 1);
    }
    execv("/proc/self/exe", (char **)argv->pdata);
    _exit(CMD_FAILED);
}

static pid_t first; /* of the run, and its group */

/* `vtegra explore` has ended. */
static void group_end(int signal)
{
    (void)signal;
    if (first > 0) {
        kill(-first, SIGKILL);
    }
    _exit(CMD_FAILED);
}

#define LOOK_MS 2
#define KILLED_US (5 * G_USEC_PER_SEC) /* for what a killed run leaves */

static gboolean prints_too_much(const char *output)
{
    struct stat st;

    return stat(output, &st) == 0 && st.st_size > (off_t)FORKSERVER_OUTPUT_MAX;
}

/* Until no process of the run is left: orphans are this process's children. A process that has left
 * the group of a run that is killed is not waited for. Return: TRUE: the time was over. */
static gboolean all_await(const struct explore_shared_run *run, int *status)
{
    gint64 now = g_get_monotonic_time(), killed_us = 0;
    gint64 end =
        run->explore->timeout_ms ? now + (gint64)run->explore->timeout_ms * 1000 : G_MAXINT64;
    gboolean over = FALSE;
    int other;

    for (pid_t gone = 0; gone >= 0 || errno != ECHILD;) {
        gone = waitpid(-1, &other, WNOHANG);
        now = g_get_monotonic_time();
        if (gone == first) {
            *status = other;
        }
        if (gone != 0) {
            continue;
        }
        if (killed_us && now - killed_us > KILLED_US) {
            break;
        }
        if (!killed_us && (now >= end || prints_too_much(run->output))) {
            over = now >= end;
            killed_us = now;
            kill(-first, SIGKILL);
        }
        poll(NULL, 0, LOOK_MS);
    }
    return over;
}

/* The process between `vtegra explore` and the run. */
static void G_GNUC_NORETURN explore_shared_supervise(const struct explore_shared_run *run, int to)
{
    struct forkserver_result result = { .status = CMD_FAILED << 8 };
    int status = result.status;

    signal(SIGTERM, group_end);
    signal(SIGINT, SIG_IGN); /* then `vtegra explore` ends, and so the run */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    first = fork();
    if (first == 0) {
        setpgid(0, 0);
        signal(SIGTERM, SIG_DFL);
        signal(SIGINT, SIG_DFL);
        close(to);
        become_run(run);
    }
    if (first > 0) {
        setpgid(first, first);
        result.timed_out = all_await(run, &status);
        result.status = status;
    }
    _exit(write(to, &result, sizeof(result)) != (ssize_t)sizeof(result));
}

pid_t explore_shared_begin(const struct explore_shared_run *run, int to)
{
    pid_t child;

    explore_shared_clear(run->folder);
    child = fork();
    if (child == 0) {
        explore_shared_supervise(run, to);
    }
    if (child < 0) {
        cmd_error(EXPLORE_CMD, "--shared: cannot start a process: %s", g_strerror(errno));
    }
    return child;
}
