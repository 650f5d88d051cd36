/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "profiles/profile.h"
#include "tools/cmd.h"
#include "tools/survey/survey.h"

static const char *const result_names[SURVEY_RESULTS] = {
    [SURVEY_PASS] = "pass",           [SURVEY_WAIVED] = "waives itself", [SURVEY_FAILED] = "fails",
    [SURVEY_NOT_ENDED] = "not ended", [SURVEY_NOT_BUILT] = "not built",
};

/* In a table of Markdown a bar would end the cell; the others begin code, an element, an escape. */
static char *survey_cell(const char *text)
{
    GString *out = g_string_new(NULL);

    for (; text && *text; text++) {
        if (*text == '<') {
            g_string_append(out, "&lt;");
        } else {
            g_string_append_printf(out, "%s%c", strchr("|`\\", *text) ? "\\" : "", *text);
        }
    }
    return g_string_free(out, FALSE);
}

static void row_print(const struct survey_program *p, gboolean markdown)
{
    g_autofree char *cause = markdown ? survey_cell(p->cause) : g_strdup(p->cause ? p->cause : "");
    g_autofree char *name = markdown ? survey_cell(p->name) : NULL;

    if (markdown) {
        printf("| %s | %s | %s |\n", name, result_names[p->result], cause);
    } else {
        printf("%-40s %-14s %s\n", p->name, result_names[p->result], cause);
    }
    fflush(stdout); /* a long list is read while it grows */
}

/* Return: do all pass, or say themselves that the board lacks something? */
static gboolean sum_print(GPtrArray *programs)
{
    unsigned sums[SURVEY_RESULTS] = { 0 };

    for (guint i = 0; i < programs->len; i++) {
        sums[((struct survey_program *)programs->pdata[i])->result]++;
    }
    printf("\n%u of %u pass", sums[SURVEY_PASS], programs->len);
    for (unsigned i = SURVEY_PASS + 1; i < SURVEY_RESULTS; i++) {
        if (sums[i]) {
            printf(", %u %s", sums[i], result_names[i]);
        }
    }
    printf("\n");
    return sums[SURVEY_PASS] + sums[SURVEY_WAIVED] == programs->len;
}

static int survey_survey(GPtrArray *programs, const struct survey_options *o, gboolean markdown)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *work = g_dir_make_tmp("vtegra-survey-XXXXXX", &error);
    g_autofree char *program = work ? g_build_filename(work, "program", NULL) : NULL;
    int status = CMD_OK;

    if (!work) {
        cmd_error(SURVEY_CMD, "%s (TMPDIR says where programs are built)", error->message);
        return CMD_FAILED;
    }
    if (markdown) {
        printf("| program | on %s | cause |\n|---|---|---|\n", o->soc);
    }
    for (guint i = 0; i < programs->len && status == CMD_OK; i++) {
        struct survey_program *p = programs->pdata[i];

        cmd_progress(i, programs->len, "programs");
        if (survey_try(p, o, work)) {
            cmd_progress(programs->len, programs->len, "programs");
            row_print(p, markdown);
        } else {
            status = CMD_FAILED;
        }
        g_unlink(program);
    }
    if (status == CMD_OK && !sum_print(programs)) {
        status = CMD_FOUND;
    }
    g_rmdir(work);
    return status;
}

/* NULL after a line on stderr */
static char *arch_of(const char *soc)
{
    g_autoptr(GError) error = NULL;
    struct soc_profile *profile = profile_load(soc, &error);
    char *arch;

    if (!profile) {
        cmd_error(SURVEY_CMD, "%s", error->message);
        return NULL;
    }
    arch = g_strdup_printf("sm_%u%u", profile->gpu.cc_major, profile->gpu.cc_minor);
    profile_free(profile);
    return arch;
}

int cmd_survey(int argc, char **argv)
{
    struct survey_options o = { .soc = "orin", .seconds = 120 };
    g_autoptr(GPtrArray) programs = NULL;
    g_autofree char *soc = NULL, *root = NULL, *nvcc = NULL, *arch = NULL;
    gboolean markdown = FALSE;
    const GOptionEntry entries[] = {
        { "soc", 0, 0, G_OPTION_ARG_STRING, &soc, "the board (orin)", "SOC" },
        { "seconds", 0, 0, G_OPTION_ARG_INT, &o.seconds,
          "of processor time a program may take (120), and five times that of real time", "N" },
        { "cc", 0, 0, G_OPTION_ARG_NONE, &o.clang, "build with vtegra cc in place of nvcc", NULL },
        { "cmake", 0, 0, G_OPTION_ARG_NONE, &o.cmake,
          "build the CMake projects below DIR, as their build files ask; FLAGS are for cmake",
          NULL },
        { "markdown", 0, 0, G_OPTION_ARG_NONE, &markdown, "print a table of Markdown", NULL },
        G_OPTION_ENTRY_NULL,
    };

    if (!cmd_options(SURVEY_CMD, "DIR [-- FLAGS FOR THE COMPILER]",
                     "Builds and runs every CUDA program below DIR, without arguments and in its "
                     "own folder, and\nsays which pass (exit status 0) and what stops the others. "
                     "A file with a main() is a program;\nwhere a folder has one main(), all its "
                     "sources belong to it.\n\nExit status: 0 all pass or waive themselves "
                     "(status 2: the board lacks something), 1 some do\nnot, 2 a wrong argument, "
                     "125 nothing could be tried.",
                     entries, FALSE, &argc, &argv)) {
        return CMD_USAGE;
    }
    if (argc < 2 || o.seconds <= 0) {
        cmd_error(SURVEY_CMD,
                  argc < 2 ? "which folder? vtegra survey DIR" : "--seconds: at least 1");
        return CMD_USAGE;
    }
    root = g_canonicalize_filename(argv[1], NULL);
    o.soc = soc ? soc : o.soc;
    o.flags = argv + 2;
    if (o.flags[0] && strcmp(o.flags[0], "--") == 0) {
        o.flags++;
    }
    nvcc = g_find_program_in_path("nvcc");
    o.nvcc = nvcc;
    if (o.clang && o.cmake) {
        cmd_error(SURVEY_CMD, "--cmake builds with nvcc, --cc does not: leave one out");
        return CMD_USAGE;
    }
    if (!o.clang && !nvcc) {
        cmd_error(SURVEY_CMD, "no nvcc in PATH; --cc builds with vtegra cc");
        return CMD_FAILED;
    }
    arch = arch_of(o.soc);
    if (!arch) {
        return CMD_USAGE;
    }
    o.arch = arch;
    programs = o.cmake ? survey_projects(root) : survey_find(root);
    if (!programs) {
        return CMD_USAGE;
    }
    if (!programs->len) {
        cmd_error(SURVEY_CMD,
                  o.cmake ? "no CMake project with CUDA below %s"
                          : "no .cu file with a main() below %s",
                  root);
        return CMD_USAGE;
    }
    return survey_survey(programs, &o, markdown);
}
