/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "tools/cmd.h"
#include "tools/survey/survey.h"

#define NOT_ENDED 124 /* of timeout(1) */
#define WAIVED 2
#define CAUSE_BYTES 160

/* Between fork and exec: no allocation. A limit that cannot be set leaves the one of real time. */
static void limit_set(void *data)
{
    const int *seconds = data;
    struct rlimit limit;

    if (*seconds && getrlimit(RLIMIT_CPU, &limit) == 0) {
        limit.rlim_cur = MIN((rlim_t)*seconds, limit.rlim_max);
        setrlimit(RLIMIT_CPU, &limit);
    }
}

int survey_spawn(GPtrArray *argv, const char *dir, int seconds, char **out)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *standard = NULL, *errors = NULL;
    int status;

    g_ptr_array_add(argv, NULL);
    if (!g_spawn_sync(dir, (char **)argv->pdata, NULL, G_SPAWN_SEARCH_PATH, limit_set, &seconds,
                      &standard, &errors, &status, &error)) {
        cmd_error(SURVEY_CMD, "%s", error->message);
        return -1;
    }
    *out = g_strconcat(errors, standard, NULL);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void survey_try_word(GPtrArray *argv, const char *text)
{
    g_ptr_array_add(argv, g_strdup(text));
}

/* The rest of the line that begins at @at, without blanks around it; NULL: empty */
static char *line_at(const char *at)
{
    char *line = g_strndup(at, strcspn(at, "\r\n"));

    if (strlen(line) > CAUSE_BYTES) {
        const char *end = NULL;

        g_utf8_validate(line, CAUSE_BYTES, &end);
        line[end - line] = '\0';
    }
    if (!*g_strstrip(line)) {
        g_free(line);
        return NULL;
    }
    return line;
}

/* The first line of @text with one of @words in it, from that word on; an earlier word is a better
 * cause than a later one. */
static char *line_with(const char *text, const char *const *words)
{
    for (; *words; words++) {
        const char *at = strstr(text, *words);
        char *line = at ? line_at(at) : NULL;

        if (line) {
            return line;
        }
    }
    return NULL;
}

/* The whole line with @words. What libnvrtc asks for and does without is no cause. */
static char *line_naming(const char *text, const char *words)
{
    const char *at = text;

    while ((at = strstr(at, words))) {
        const char *start = at;
        char *line;

        while (start > text && start[-1] != '\n') {
            start--;
        }
        line = line_at(start);
        if (line && !strstr(line, "cuGetExportTable")) {
            return line;
        }
        g_free(line);
        at += strlen(words);
    }
    return NULL;
}

static char *line_last(const char *text)
{
    const char *end = text + strlen(text);

    while (end > text) {
        const char *start = end;
        char *line;

        while (start > text && start[-1] != '\n') {
            start--;
        }
        line = line_at(start);
        if (line) {
            return line;
        }
        end = start > text ? start - 1 : text;
    }
    return NULL;
}

/* Do the user's flags say which GPU to build for? */
static gboolean names_gpu(char **flags)
{
    for (; flags && *flags; flags++) {
        if (g_str_has_prefix(*flags, "-arch") || g_str_has_prefix(*flags, "-gencode") ||
            g_str_has_prefix(*flags, "--gpu-") || g_str_has_prefix(*flags, "--generate-code")) {
            return TRUE;
        }
    }
    return FALSE;
}

void survey_not_built(struct survey_program *p, const char *out)
{
    static const char *const words[] = {
        "fatal error", "error:",      "error :", "undefined reference",
        "cannot find", "CMake Error", "Error",   "not found - will not build",
        NULL
    };

    p->result = SURVEY_NOT_BUILT;
    p->cause = line_with(out, words);
    p->cause = p->cause ? p->cause : line_last(out);
}

static gboolean survey_try_build(struct survey_program *p, const struct survey_options *o,
                                 const char *program)
{
    g_autoptr(GPtrArray) argv = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *out = NULL, *self = g_file_read_link("/proc/self/exe", NULL);
    int status;

    survey_try_word(argv, o->clang ? self : "nvcc");
    if (o->clang) {
        survey_try_word(argv, "cc");
        g_ptr_array_add(argv, g_strconcat("--soc=", o->soc, NULL));
    } else { /* the runtime that nvcc links by default works with no driver but NVIDIA's */
        survey_try_word(argv, "-cudart=shared");
        if (!names_gpu(o->flags)) {
            g_ptr_array_add(argv, g_strconcat("-arch=", o->arch, NULL));
        }
    }
    for (char **flag = o->flags; flag && *flag; flag++) {
        survey_try_word(argv, *flag);
    }
    for (guint i = 0; i < p->sources->len; i++) {
        survey_try_word(argv, p->sources->pdata[i]);
    }
    survey_try_word(argv, "-o");
    survey_try_word(argv, program);
    status = survey_spawn(argv, NULL, 0, &out);
    if (status > 0) {
        survey_not_built(p, out);
    }
    return status >= 0;
}

gboolean survey_run(struct survey_program *p, const struct survey_options *o, const char *dir,
                    const char *program)
{
    static const char *const words[] = { "vtegra: error:", "vtegra: warning:", "vtegra run:",
                                         "error:", NULL };
    g_autoptr(GPtrArray) argv = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *out = NULL, *self = g_file_read_link("/proc/self/exe", NULL), *named = NULL;
    gboolean ended;
    int status;

    survey_try_word(argv, "timeout");
    g_ptr_array_add(argv, g_strdup_printf("%d", SURVEY_WAIT * o->seconds));
    survey_try_word(argv, self);
    survey_try_word(argv, "run");
    g_ptr_array_add(argv, g_strconcat("--soc=", o->soc, NULL));
    survey_try_word(argv, "--check=off");
    survey_try_word(argv, "--report=/dev/null"); /* findings in full when they happen */
    survey_try_word(argv, "--");
    survey_try_word(argv, program);
    status = survey_spawn(argv, dir, o->seconds, &out);
    if (status <= 0) {
        return status == 0;
    }
    ended = status != NOT_ENDED && status != 128 + SIGXCPU;
    p->result = !ended ? SURVEY_NOT_ENDED : status == WAIVED ? SURVEY_WAIVED : SURVEY_FAILED;
    named = line_naming(out, "has machine code only"); /* a library of NVIDIA's */
    named = named ? named : line_naming(out, "not supported by vtegra");
    p->cause = !ended  ? g_strdup_printf("%d s", o->seconds)
               : named ? g_steal_pointer(&named)
                       : line_with(out, words);
    if (!p->cause && status == WAIVED) {
        p->cause = line_last(out);
    }
    if (!p->cause) {
        p->cause = status > 128
                       ? g_strdup(g_strsignal(status - 128))
                       : g_strdup_printf("exit status %d; vtegra run --soc %s -- PROGRAM shows "
                                         "what it prints",
                                         status, o->soc);
    }
    return TRUE;
}

gboolean survey_try(struct survey_program *p, const struct survey_options *o, const char *work)
{
    g_autofree char *program = g_build_filename(work, "program", NULL);

    p->result = SURVEY_PASS;
    if (o->cmake) {
        return survey_cmake(p, o, work);
    }
    return survey_try_build(p, o, program) &&
           (p->result == SURVEY_NOT_BUILT || survey_run(p, o, p->dir, program));
}
