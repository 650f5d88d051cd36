/* SPDX-License-Identifier: MIT */
/* Programs of scenarios, built by vtegra cc into $XDG_CACHE_HOME/vtegra/scenarios. The name of the
 * folder is a checksum over everything that goes into the program, so nothing there is ever out of
 * date. */
#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/cmd.h"
#include "tools/paths.h"
#include "tools/scenario/scenario.h"

/* Real seconds of a run. Not alarm(2): where a signal may still come, the scheduler sees no
 * deadlock. */
#define RUN_LIMIT_S "120"

#define INCLUDE_DEPTH 4u

/* What an earlier shell may have set: a scenario runs as its options say. */
static const char *const variables[] = {
    "VTEGRA_SOC",      "VTEGRA_OS",      "VTEGRA_POLICY",
    "VTEGRA_SEED",     "VTEGRA_EVICT",   "VTEGRA_CHECK",
    "VTEGRA_DEPTH",    "VTEGRA_LENGTH",  "VTEGRA_STRATEGY",
    "VTEGRA_REPORT",   "VTEGRA_JSON",    "VTEGRA_TRACE",
    "VTEGRA_QUIET",    "VTEGRA_RECORD",  "VTEGRA_STEP_LIMIT",
    "VTEGRA_PLACES",   "VTEGRA_BACKEND", "VTEGRA_JSON_IF_FOUND",
    "VTEGRA_PERFETTO", "VTEGRA_SARIF",   "VTEGRA_HTML",
    "VTEGRA_RACES",    "VTEGRA_CAMERA",
};

int scenario_spawn(const char *const *args, char **rest, const struct scenario *s, char **out,
                   char **err)
{
    char *self = g_file_read_link("/proc/self/exe", NULL), **env = g_get_environ();
    GPtrArray *argv = g_ptr_array_new();
    GError *error = NULL;
    int status = 127 << 8;

    if (args && strcmp(args[0], "run") == 0) {
        g_ptr_array_add(argv, (char *)"timeout");
        g_ptr_array_add(argv, (char *)RUN_LIMIT_S);
    }
    g_ptr_array_add(argv, self);
    for (; args && *args; args++) {
        g_ptr_array_add(argv, (char *)*args);
    }
    for (; rest && *rest; rest++) {
        g_ptr_array_add(argv, *rest);
    }
    g_ptr_array_add(argv, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(variables); i++) {
        env = g_environ_unsetenv(env, variables[i]);
    }
    if (s && strcmp(s->races, "auto") != 0) { /* a finding's command then has it, too */
        env = g_environ_setenv(env, "VTEGRA_RACES", s->races, TRUE);
    }
    if (s && *s->camera) {
        env = g_environ_setenv(env, "VTEGRA_CAMERA", s->camera, TRUE);
    }
    if (!g_spawn_sync(NULL, (char **)argv->pdata, env, G_SPAWN_SEARCH_PATH, NULL, NULL, out, err,
                      &status, &error)) {
        cmd_error(SCENARIO_CMD, "%s", error->message);
        g_error_free(error);
    }
    g_strfreev(env);
    g_ptr_array_unref(argv);
    g_free(self);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* --- where ------------------------------------------------------------------------------------ */

static void hash_text(GChecksum *sum, const char *text)
{
    g_checksum_update(sum, (const guchar *)text, (gssize)strlen(text) + 1);
}

/* A file of this vtegra: by size and time. */
static void hash_ours(GChecksum *sum, const char *relative)
{
    char *path = paths_get(relative), *text;
    struct stat st;

    if (stat(path, &st) == 0) {
        text = g_strdup_printf("%s %lld %lld.%09ld", path, (long long)st.st_size,
                               (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
        hash_text(sum, text);
        g_free(text);
    }
    g_free(path);
}

/* The folder for @text, a program of @name; NULL after a line on stderr. */
static char *folder_make(const char *name, const char *text, const char *arch, char **libraries)
{
    static const char *const ours[] = { "bin/vtegra", "lib/libvtegra_track.a",
                                        "lib/vtegra_track.wrap", "lib/libcudart.so.13" };
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
    char *key, *path;

    hash_text(sum, VTEGRA_VERSION);
    hash_text(sum, text);
    hash_text(sum, arch);
    for (size_t i = 0; i < G_N_ELEMENTS(ours); i++) {
        hash_ours(sum, ours[i]);
    }
    for (; libraries && *libraries; libraries++) {
        hash_text(sum, *libraries);
    }
    key = g_strdup_printf("%s-%.16s", name, g_checksum_get_string(sum));
    path = g_build_filename(g_get_user_cache_dir(), "vtegra", "scenarios", key, NULL);
    if (!cmd_folder_own(SCENARIO_CMD, path, "XDG_CACHE_HOME says where built programs go")) {
        g_free(path);
        path = NULL;
    }
    g_free(key);
    g_checksum_free(sum);
    return path;
}

/* Moves what was built to its name in one step: others may be building the same. */
static gboolean move_in(const char *from, const char *to)
{
    if (g_rename(from, to) == 0) {
        return TRUE;
    }
    cmd_error(SCENARIO_CMD, "cannot write %s: %s", to, g_strerror(errno));
    return FALSE;
}

/* --- building --------------------------------------------------------------------------------- */

static gboolean scenario_build_compile(const char *source, const char *arch, char **libraries,
                                       const char *program)
{
    char *temporary = g_strdup_printf("%s.%d", program, (int)getpid()), *err = NULL;
    const char *args[] = { "cc",   "--track", "-g",      "-O1", "-fno-inline",
                           source, "-o",      temporary, NULL };
    GPtrArray *rest = g_ptr_array_new_with_free_func(g_free);
    gboolean ok;

    if (*arch) {
        g_ptr_array_add(rest, g_strconcat("-arch=", arch, NULL));
    }
    for (; libraries && *libraries; libraries++) {
        if (**libraries) {
            g_ptr_array_add(rest, g_strconcat("-l", *libraries, NULL));
        }
    }
    g_ptr_array_add(rest, NULL);
    ok = scenario_spawn(args, (char **)rest->pdata, NULL, NULL, &err) == 0;
    if (!ok) {
        cmd_error(SCENARIO_CMD, "%s cannot be built:\n%s", source, err ? err : "");
    }
    ok = ok && move_in(temporary, program);
    g_ptr_array_unref(rest);
    g_free(temporary);
    g_free(err);
    return ok;
}

static gboolean network_build(const char *network, const char *loadable)
{
    char *temporary = g_strdup_printf("%s.%d", loadable, (int)getpid()), *out = NULL, *err = NULL;
    const char *args[] = { "dla", "build", network, "-o", temporary, NULL };
    gboolean ok = scenario_spawn(args, NULL, NULL, &out, &err) == 0;

    if (!ok) {
        cmd_error(SCENARIO_CMD, "%s cannot be built:\n%s", network, err ? err : "");
    }
    ok = ok && move_in(temporary, loadable);
    g_free(temporary);
    g_free(out);
    g_free(err);
    return ok;
}

/* Appends to @text what the files contain that @source includes in quotes: ../sci/sci.h, shared by
 * several programs. @depth ends what includes itself. */
static void includes_append(GString *text, const char *source, const char *path, unsigned depth)
{
    g_auto(GStrv) lines = g_strsplit(source, "\n", -1);
    g_autofree char *dir = g_path_get_dirname(path);

    for (char **line = lines; *line; line++) {
        const char *name = g_str_has_prefix(*line, "#include \"") ? *line + 10 : NULL;
        g_autofree char *word = name ? g_strndup(name, strcspn(name, "\"")) : NULL;
        g_autofree char *file = name ? g_build_filename(dir, word, NULL) : NULL;
        g_autofree char *contents = NULL;

        if (file && depth && g_file_get_contents(file, &contents, NULL, NULL)) {
            g_string_append(text, contents);
            includes_append(text, contents, file, depth - 1);
        }
    }
}

/* The program and what it includes; NULL: it cannot be read. g_free() it. */
static char *source_text(const char *path)
{
    g_autofree char *source = NULL;
    GString *text;

    if (!g_file_get_contents(path, &source, NULL, NULL)) {
        return NULL;
    }
    text = g_string_new(source);
    includes_append(text, source, path, INCLUDE_DEPTH);
    return g_string_free(text, FALSE);
}

/* One program for one scenario. */
static char **build_one(const struct scenario *s)
{
    GPtrArray *argv = g_ptr_array_new_with_free_func(g_free);
    char *text = source_text(s->program), *dir = NULL, *program, *loadable;
    gboolean ok;

    dir = text ? folder_make(s->name, text, s->arch, s->libraries) : NULL;
    program = g_build_filename(dir ? dir : "", s->name, NULL);
    loadable = g_build_filename(dir ? dir : "", "network.loadable", NULL);
    ok = dir && (g_file_test(program, G_FILE_TEST_EXISTS) ||
                 scenario_build_compile(s->program, s->arch, s->libraries, program));
    if (ok && s->network) {
        ok = g_file_test(loadable, G_FILE_TEST_EXISTS) || network_build(s->network, loadable);
    }
    g_ptr_array_add(argv, program);
    if (s->network) {
        g_ptr_array_add(argv, loadable);
    } else {
        g_free(loadable);
    }
    g_ptr_array_add(argv, NULL);
    g_free(dir);
    g_free(text);
    if (!ok) {
        g_ptr_array_unref(argv);
        return NULL;
    }
    return (char **)g_ptr_array_free(argv, FALSE);
}

/* --- many in one ------------------------------------------------------------------------------ */

/* The headers of CUDA are most of what the compiler reads, so all programs that need no library and
 * no header of their own (which a guard would keep to the first of them) are put into one: each
 * main() in a namespace, and a main() that picks by name. Lines stay those of the sources. */
static gboolean in_bundle(const struct scenario *s)
{
    g_autofree char *source = NULL;

    return s->program && !s->network && !s->libraries[0] && !*s->arch &&
           g_file_get_contents(s->program, &source, NULL, NULL) && !strstr(source, "#include \"");
}

static void bundle_headers(GString *text, const char *source)
{
    char **lines = g_strsplit(source, "\n", -1);

    for (char **line = lines; *line; line++) {
        if (g_str_has_prefix(*line, "#include <") && !strstr(text->str, *line)) {
            g_string_append_printf(text, "%s\n", *line);
        }
    }
    g_strfreev(lines);
}

/* The source of the program, and at @sources all that it includes. */
static char *bundle_text(const GPtrArray *all, GString *sources)
{
    GString *headers = g_string_new("#include <cstring>\n"), *spaces = g_string_new(NULL);
    GString *table = g_string_new(NULL);
    char *text;

    for (guint i = 0; i < all->len; i++) {
        const struct scenario *s = all->pdata[i];
        char *source = NULL;

        if (in_bundle(s) && g_file_get_contents(s->program, &source, NULL, NULL)) {
            bundle_headers(headers, source);
            g_string_append(sources, source);
            g_string_append_printf(spaces,
                                   "namespace s_%s {\n#define main scenario_main\n#include \"%s\"\n"
                                   "#undef main\n}\n",
                                   s->name, s->program);
            g_string_append_printf(table, "    { \"%s\", s_%s::scenario_main },\n", s->name,
                                   s->name);
        }
        g_free(source);
    }
    text = g_strdup_printf(
        "%s%s"
        "static const struct {\n    const char *name;\n    int (*run)(int, char **);\n"
        "} scenarios[] = {\n%s};\n"
        "int main(int argc, char **argv)\n{\n"
        "    for (const auto &s : scenarios) {\n"
        "        if (argc > 1 && !strcmp(argv[1], s.name)) {\n"
        "            return s.run(argc - 1, argv + 1);\n        }\n    }\n"
        "    return 99;\n}\n",
        headers->str, spaces->str, table->str);
    g_string_free(headers, TRUE);
    g_string_free(spaces, TRUE);
    g_string_free(table, TRUE);
    return text;
}

static char **build_bundle(const struct scenario *s, const GPtrArray *all)
{
    GString *sources = g_string_new(NULL);
    char *text = bundle_text(all, sources), *dir, *source = NULL, *program = NULL;
    char **argv = NULL;
    gboolean ok;

    g_string_append(sources, text);
    dir = folder_make("all", sources->str, "", NULL);
    ok = dir != NULL;
    if (ok) {
        source = g_build_filename(dir, "all.cu", NULL);
        program = g_build_filename(dir, "all", NULL);
        if (!g_file_test(program, G_FILE_TEST_EXISTS)) {
            ok = g_file_set_contents(source, text, -1, NULL) &&
                 scenario_build_compile(source, "", NULL, program);
        }
    }
    if (ok) {
        argv = g_new0(char *, 3);
        argv[0] = g_strdup(program);
        argv[1] = g_strdup(s->name);
    }
    g_string_free(sources, TRUE);
    g_free(source);
    g_free(program);
    g_free(text);
    g_free(dir);
    return argv;
}

char **scenario_build(const struct scenario *s, const GPtrArray *all)
{
    return all && in_bundle(s) ? build_bundle(s, all) : build_one(s);
}
