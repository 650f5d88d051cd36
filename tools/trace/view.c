/* SPDX-License-Identifier: MIT */
/* vtegra view, vtegra lessons: the page (viewer/), with a trace or a report in it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tools/cmd.h"
#include "tools/paths.h"
#include "tools/save.h"
#include "tools/trace/view_excerpt.h"
#include "tools/trace/view_run.h"
#include "tools/trace/view_sources.h"
#include "trace/reader.h"

#define DATA_BEGIN "id=\"data\">"
#define SOURCES_BEGIN "id=\"sources\">" /* behind the data */

static const char view_description[] =
    "FILE is a trace (`vtegra run --trace`), a JSON report (`--json`), or a program, which then "
    "runs\n"
    "once with every access recorded. The page opens at its first\n"
    "finding; it is one file and asks nothing of the network. It has the text of the program's\n"
    "source files, where they are still there. The way of a line from a store to a\n"
    "stale read needs a trace of all accesses, which `vtegra view -- PROGRAM` makes:\n"
    "\n"
    "  vtegra view --soc tx2 -- ./app     # runs it, writes app.html\n"
    "  VTEGRA_TRACE_CLASSES=all vtegra run --trace t.txt -- ./app\n"
    "  vtegra view t.txt                  # writes t.txt.html, and opens it where there is a "
    "desktop\n"
    "  vtegra view -o page.html t.txt";

static const char lessons_description[] =
    "Lessons on caches, coherency and order: each asks a question, steps through an answer, and "
    "lets\n"
    "you change the program; the same code as `vtegra litmus` checks it. The page works offline.\n"
    "\n"
    "  vtegra lessons                     # says where the page is, and opens it where there is a "
    "desktop\n"
    "  vtegra lessons -o lessons.html     # a copy, to give away";

static char *page_path(void)
{
    return paths_get("share/vtegra/viewer/page.html");
}

/* NULL after a line on stderr. */
static char *page_read(const char *cmd)
{
    g_autofree char *path = page_path();
    char *page = NULL;

    if (!g_file_get_contents(path, &page, NULL, NULL)) {
        cmd_error(
            cmd,
            "%s is not there: this vtegra was built without clang-19, lld-19, wasi-libc and "
            "libclang-rt-19-dev-wasm32. Install them (scripts/install-deps.sh) and build again",
            path);
    }
    return page;
}

/* Only where there is a desktop: elsewhere xdg-open would start a text browser, or ask. */
static void page_open(const char *path)
{
    g_autofree char *opener = g_find_program_in_path("xdg-open"),
                    *absolute = g_canonicalize_filename(path, NULL);
    char *argv[] = { opener, absolute, NULL };

    if (opener && (g_getenv("DISPLAY") || g_getenv("WAYLAND_DISPLAY"))) {
        g_spawn_async(NULL, argv, NULL, G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL,
                      NULL, NULL, NULL, NULL);
    }
}

/* Is it what the page can open? FALSE after a line on stderr. */
static gboolean data_check(const char *file, const char *data, gsize len)
{
    if (len == 0 || (data[0] != '{' && !g_str_has_prefix(data, "# vtegra trace ") &&
                     !g_str_has_prefix(data, "@run"))) {
        cmd_error("view", "%s is neither a trace (vtegra run --trace) nor a JSON report (--json)",
                  file);
        return FALSE;
    }
    return TRUE;
}

/* A trace ends with the note @end. */
static void end_check(const char *file, const GString *data)
{
    const char *last = g_strrstr(data->str, "\n@end");

    if (data->str[0] != '{' && !last) {
        cmd_error("view",
                  "%s: the trace ends before the run did: it was cut off (the program was killed, "
                  "or the disk was full); the page is of what is there",
                  file);
    }
}

/* The bytes of a report, or the text of a trace: what surrounds the findings, if it is large. NULL
 * after a line on stderr. */
static GString *data_read(const char *file)
{
    GString *data = view_excerpt(file);
    const char *excerpt = data ? strstr(data->str, "\n# excerpt ") : NULL;

    if (!data) {
        cmd_error("view", "%s: %s", file,
                  errno == EBADMSG ? "a compact trace, damaged"
                  : errno == EFBIG
                      ? "a report of more than 20 MiB: make the page of the trace (--trace)"
                      : g_strerror(errno));
    } else if (excerpt) {
        cmd_error("view",
                  "%s is large: the page has what surrounds the findings, %.*s; its sums "
                  "are of these",
                  file, (int)strcspn(excerpt + 11, "\n"), excerpt + 11);
    }
    return data;
}

/* The page with the file's bytes and the program's sources in it. NULL after a line on stderr. */
static char *page_with(const char *file, gsize *size)
{
    g_autofree char *page = page_read("view"), *text = NULL, *sources = NULL;
    char *at = page ? strstr(page, DATA_BEGIN) : NULL,
         *behind = at ? strstr(at, SOURCES_BEGIN) : NULL, *whole;
    GString *data;

    if (!behind) {
        return NULL;
    }
    data = data_read(file);
    if (!data || !data_check(file, data->str, data->len)) {
        if (data) {
            g_string_free(data, TRUE);
        }
        return NULL;
    }
    end_check(file, data);
    at += strlen(DATA_BEGIN);
    behind += strlen(SOURCES_BEGIN);
    text = g_base64_encode((const guchar *)data->str, data->len);
    sources = view_sources_json(data->str, file);
    g_string_free(data, TRUE);
    whole = g_strdup_printf("%.*s%s%.*s%s%s", (int)(at - page), page, text, (int)(behind - at), at,
                            sources, behind);
    *size = strlen(whole);
    return whole;
}

static int page_save(const char *cmd, const char *path, const char *page, gsize size)
{
    GError *error = NULL;

    if (!save(path, page, size, &error)) {
        cmd_error(cmd, "%s", error->message);
        g_error_free(error);
        return CMD_FAILED;
    }
    puts(path);
    page_open(path);
    return CMD_OK;
}

/* "vtegra view [OPTIONS] -- PROGRAM" runs it; without "--" there is a file. */
static gboolean program_given(char **argv)
{
    return g_strv_contains((const char *const *)argv, "--");
}

/* @trace: of the program's run, or NULL; then @file is shown. */
static int view_make(const char *file, char *trace, char *given)
{
    g_autofree char *base = trace ? g_path_get_basename(file) : g_strdup(file),
                    *out = given ? g_strdup(given) : g_strconcat(base, ".html", NULL), *page = NULL;
    gsize size = 0;

    if (!cmd_output_check("view", "output", out, "no page was made")) {
        return CMD_FAILED;
    }
    page = page_with(trace ? trace : file, &size);
    return page ? page_save("view", out, page, size) : CMD_FAILED;
}

int cmd_view(int argc, char **argv)
{
    g_autofree char *out = NULL, *soc = NULL;
    const GOptionEntry entries[] = {
        { "output", 'o', 0, G_OPTION_ARG_FILENAME, &out, "the page (FILE.html)", "PAGE" },
        { "soc", 0, 0, G_OPTION_ARG_STRING, &soc, "the board that runs the program", "SOC" },
        { NULL, 0, 0, 0, NULL, NULL, NULL },
    };
    gboolean program = program_given(argv);
    char *trace = NULL;
    int status;

    if (!cmd_options(
            "view",
            "FILE | -- PROGRAM [ARGUMENTS] - a page that shows a run: its findings, its timeline, "
            "the life of a line",
            view_description, entries, program, &argc, &argv)) {
        return CMD_USAGE;
    }
    if (argc > 1 && strcmp(argv[1], "--") == 0) {
        argv++;
        argc--;
    }
    if (program ? argc < 2 : argc != 2) {
        cmd_error("view",
                  "one trace or report, or -- and a program, please; see vtegra view --help");
        return CMD_USAGE;
    }
    if (soc && !program) {
        cmd_error("view", "--soc is for a program: vtegra view --soc %s -- PROGRAM", soc);
        return CMD_USAGE;
    }
    trace = program ? view_run_record(soc, argv + 1) : NULL;
    status = program && !trace ? CMD_FAILED : view_make(argv[1], trace, out);
    view_run_forget(trace);
    return status;
}

int cmd_lessons(int argc, char **argv)
{
    g_autofree char *out = NULL;
    const GOptionEntry entries[] = {
        { "output", 'o', 0, G_OPTION_ARG_FILENAME, &out, "a copy of the page", "PAGE" },
        { NULL, 0, 0, 0, NULL, NULL, NULL },
    };
    g_autofree char *page = NULL, *path = page_path();

    if (!cmd_options("lessons", "- lessons on coherency, in a browser", lessons_description,
                     entries, FALSE, &argc, &argv)) {
        return CMD_USAGE;
    }
    if (argc != 1) {
        cmd_error("lessons", "it takes no arguments; see vtegra lessons --help");
        return CMD_USAGE;
    }
    page = page_read("lessons");
    if (!page) {
        return CMD_FAILED;
    }
    if (out) {
        return cmd_output_check("lessons", "output", out, "no page was made")
                   ? page_save("lessons", out, page, strlen(page))
                   : CMD_FAILED;
    }
    puts(path);
    page_open(path);
    return CMD_OK;
}
