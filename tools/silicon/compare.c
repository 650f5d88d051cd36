/* SPDX-License-Identifier: MIT */
/* vtegra compare: a program on the model and on NVIDIA's driver, and where the two runs part. Both
 * are started by vtegra run, one after the other. */
#include "tools/silicon/compare.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>

#include "tools/cmd.h"
#include "tools/run/program_find.h"
#include "tools/silicon/silicon.h"

#define CMD "compare"

enum { COMPARE_NO_DRIVER = 77 };

static const char description[] =
    "The program runs on the model, then on the GPU of this machine, and the first difference of\n"
    "each is printed: exit status, API calls (number, name, return code), stdout, stderr. Its\n"
    "arguments are the same; stdin is empty, or --input. Files that it writes are written twice.\n"
    "\n"
    "A GPU that is no Tegra differs in what it is: names, sizes, times. --ignore leaves lines "
    "out.\n"
    "Queries that answered \"not ready\" are not compared.\n"
    "\n"
    "The exit status is 0: no difference; 1: a difference; 2: a wrong argument; 77: no NVIDIA "
    "driver\n"
    "here, nothing was run; 125 to 127: as vtegra run.\n"
    "\n"
    "Examples:\n"
    "  vtegra compare -- ./app\n"
    "  vtegra compare --soc orin --ignore 'GB/s|ms$' -- ./app input.ppm";

struct options {
    char *soc, *edition, *os, *policy, *input, *keep;
    char **ignore;
    int timeout;
};

/**
 * struct outcome - what a run left
 * @status: as waitpid() gives it
 */
struct outcome {
    int status;
    gboolean late;
    char *out, *err, *calls;
};

static void outcome_clear(struct outcome *o)
{
    g_free(o->out);
    g_free(o->err);
    g_free(o->calls);
}

static void compare_add(GPtrArray *argv, const char *option, const char *value)
{
    if (value) {
        g_ptr_array_add(argv, (char *)option);
        g_ptr_array_add(argv, (char *)value);
    }
}

static char *compare_contents(const char *dir, const char *side, const char *what)
{
    g_autofree char *name = g_strconcat(side, ".", what, NULL),
                    *path = g_build_filename(dir, name, NULL);
    char *text = NULL;

    return g_file_get_contents(path, &text, NULL, NULL) ? text : g_strdup("");
}

static gboolean too_late(gpointer process)
{
    g_subprocess_send_signal(process, 9);
    return G_SOURCE_REMOVE;
}

/* Return: FALSE after printing why it could not be started. */
static gboolean start_and_wait(const struct options *o, char **argv, const char *dir,
                               const char *side, struct outcome *result)
{
    g_autoptr(GSubprocessLauncher) launcher = g_subprocess_launcher_new(G_SUBPROCESS_FLAGS_NONE);
    g_autoptr(GError) error = NULL;
    g_autoptr(GSubprocess) process = NULL;
    g_autofree char *out = g_strdup_printf("%s/%s.stdout", dir, side),
                    *err = g_strdup_printf("%s/%s.stderr", dir, side);
    guint timer = 0;
    GMainContext *context = g_main_context_default();

    g_subprocess_launcher_set_stdin_file_path(launcher, o->input ? o->input : "/dev/null");
    g_subprocess_launcher_set_stdout_file_path(launcher, out);
    g_subprocess_launcher_set_stderr_file_path(launcher, err);
    process = g_subprocess_launcher_spawnv(launcher, (const char *const *)argv, &error);
    if (!process) {
        cmd_error(CMD, "cannot start vtegra run: %s", error->message);
        return FALSE;
    }
    if (o->timeout > 0) {
        timer = g_timeout_add_seconds((guint)o->timeout, too_late, process);
    }
    g_subprocess_wait_async(process, NULL, NULL, NULL);
    while (g_subprocess_get_identifier(process)) {
        g_main_context_iteration(context, TRUE);
    }
    result->status = g_subprocess_get_status(process);
    result->late = timer && !g_main_context_find_source_by_id(context, timer);
    if (timer && !result->late) {
        g_source_remove(timer);
    }
    return TRUE;
}

static gboolean side_run(const struct options *o, const char *side, const char *dir, char **program,
                         struct outcome *result)
{
    GPtrArray *argv = g_ptr_array_new();
    g_autofree char *self = g_file_read_link("/proc/self/exe", NULL),
                    *calls = g_strdup_printf("%s/%s.calls", dir, side);
    gboolean ok;

    g_ptr_array_add(argv, self);
    g_ptr_array_add(argv, (char *)"run");
    g_ptr_array_add(argv, (char *)"--quiet");
    compare_add(argv, "--check", "off"); /* else a line on stderr says that nothing was checked */
    compare_add(argv, "--backend", side);
    compare_add(argv, "--soc", o->soc);
    compare_add(argv, "--edition", o->edition);
    compare_add(argv, "--os", o->os);
    compare_add(argv, "--policy", o->policy);
    compare_add(argv, "--calls", calls);
    g_ptr_array_add(argv, (char *)"--");
    for (; *program; program++) {
        g_ptr_array_add(argv, *program);
    }
    g_ptr_array_add(argv, NULL);
    ok = start_and_wait(o, (char **)argv->pdata, dir, side, result);
    g_ptr_array_free(argv, TRUE);
    result->out = compare_contents(dir, side, "stdout");
    result->err = compare_contents(dir, side, "stderr");
    result->calls = compare_contents(dir, side, "calls");
    return ok;
}

static char *status_words(const struct outcome *o)
{
    if (o->late) {
        return g_strdup("stopped by --timeout");
    }
    return WIFSIGNALED(o->status) ? g_strdup_printf("signal %d (%s)", WTERMSIG(o->status),
                                                    g_strsignal(WTERMSIG(o->status)))
                                  : g_strdup_printf("%d", WEXITSTATUS(o->status));
}

static int outcomes_compare(const struct outcome *m, const struct outcome *s,
                            const GPtrArray *ignore)
{
    GString *text = g_string_new(NULL);
    g_autofree char *of_m = status_words(m), *of_s = status_words(s);
    gboolean same = strcmp(of_m, of_s) == 0;

    g_string_append_printf(text, "  %-13s %s and %s%s\n", "exit status", of_m, of_s,
                           same ? "" : ": they differ");
    same &= compare_calls(m->calls, s->calls, text);
    same &= compare_text("stdout", m->out, s->out, ignore, text);
    same &= compare_text("stderr", m->err, s->err, ignore, text);
    g_print("%s", text->str);
    g_string_free(text, TRUE);
    return same ? CMD_OK : CMD_FOUND;
}

static void folder_remove(const char *dir)
{
    GDir *d = g_dir_open(dir, 0, NULL);
    const char *name;

    while (d && (name = g_dir_read_name(d))) {
        g_autofree char *path = g_build_filename(dir, name, NULL);

        g_remove(path);
    }
    g_clear_pointer(&d, g_dir_close);
    g_rmdir(dir);
}

static GPtrArray *ignore_of(char **patterns)
{
    GPtrArray *all = g_ptr_array_new_with_free_func((GDestroyNotify)g_regex_unref);

    for (; patterns && *patterns; patterns++) {
        g_autoptr(GError) error = NULL;
        GRegex *regex = g_regex_new(*patterns, G_REGEX_RAW | G_REGEX_OPTIMIZE, 0, &error);

        if (!regex) {
            cmd_error(CMD, "--ignore %s: %s", *patterns, error->message);
            g_ptr_array_free(all, TRUE);
            return NULL;
        }
        g_ptr_array_add(all, regex);
    }
    return all;
}

static int both_run(const struct options *o, const char *dir, char **program,
                    const GPtrArray *ignore)
{
    struct outcome model = { 0 }, silicon = { 0 };
    int status = CMD_FAILED;

    if (side_run(o, "model", dir, program, &model) &&
        side_run(o, "silicon", dir, program, &silicon)) {
        g_print("vtegra compare: %s on the model of %s and on NVIDIA's driver\n", program[0],
                o->soc ? o->soc : "orin");
        status = outcomes_compare(&model, &silicon, ignore);
    }
    outcome_clear(&model);
    outcome_clear(&silicon);
    return status;
}

static int compare_compare(const struct options *o, char **program)
{
    const char *missing = silicon_missing();
    g_autoptr(GError) error = NULL;
    GPtrArray *ignore = ignore_of(o->ignore);
    g_autofree char *dir = NULL, *path = NULL;
    int status = CMD_FAILED;

    if (!ignore) {
        return CMD_USAGE;
    }
    path = program_find(CMD, program[0], &status);
    if (path && missing) {
        cmd_error(CMD, "%s; nothing was run", missing);
        status = COMPARE_NO_DRIVER;
    } else if (path) {
        dir = o->keep ? g_strdup(o->keep) : g_dir_make_tmp("vtegra-compare-XXXXXX", &error);
        if (!dir || g_mkdir_with_parents(dir, 0755) != 0) {
            cmd_error(CMD, "cannot make a folder for the outputs%s%s", error ? ": " : "",
                      error ? error->message : "");
            status = CMD_FAILED;
        } else {
            status = both_run(o, dir, program, ignore);
        }
        if (dir && !o->keep) {
            folder_remove(dir);
        }
    }
    g_ptr_array_free(ignore, TRUE);
    return status;
}

int cmd_compare(int argc, char **argv)
{
    struct options o = { 0 };
    const GOptionEntry entries[] = {
        { "soc", 0, 0, G_OPTION_ARG_STRING, &o.soc, "as for vtegra run", "SOC" },
        { "edition", 0, 0, G_OPTION_ARG_STRING, &o.edition, "as for vtegra run", "EDITION" },
        { "os", 0, 0, G_OPTION_ARG_STRING, &o.os, "as for vtegra run", "OS" },
        { "policy", 0, 0, G_OPTION_ARG_STRING, &o.policy, "as for vtegra run", "POLICY" },
        { "ignore", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o.ignore,
          "leave out lines of stdout and stderr that match; may be given again", "REGEX" },
        { "input", 0, 0, G_OPTION_ARG_FILENAME, &o.input, "stdin of both runs", "FILE" },
        { "keep", 0, 0, G_OPTION_ARG_FILENAME, &o.keep, "leave outputs and records of calls there",
          "DIR" },
        { "timeout", 0, 0, G_OPTION_ARG_INT, &o.timeout, "stop a run after N seconds", "N" },
        { NULL, 0, 0, 0, NULL, NULL, NULL },
    };
    char **rest;
    int status;

    if (!cmd_options(CMD, "[--] PROGRAM [ARGUMENTS] - the first difference of model and silicon",
                     description, entries, TRUE, &argc, &argv)) {
        return CMD_USAGE;
    }
    rest = argv + 1;
    if (*rest && strcmp(*rest, "--") == 0) {
        rest++;
    }
    if (!*rest) {
        cmd_error(CMD, "no program given: vtegra compare [options] -- ./app");
        return CMD_USAGE;
    }
    status = compare_compare(&o, rest);
    g_strfreev(o.ignore);
    g_free(o.soc);
    g_free(o.edition);
    g_free(o.os);
    g_free(o.policy);
    g_free(o.input);
    g_free(o.keep);
    return status;
}
