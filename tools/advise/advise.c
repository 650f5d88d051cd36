/* SPDX-License-Identifier: MIT */
/* vtegra advise: runs a program once and charges what it did again, for each kind of memory. */
#include "tools/advise/advise.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "profiles/profile.h"
#include "tools/cmd.h"
#include "tools/run/program_find.h"
#include "tools/save.h"

#define CMD "advise"

static const char description[] =
    "The program runs once, on the first SOC. What its kernels, copies and CPU did to each buffer "
    "is\n"
    "then charged again: as cudaMalloc() with copies, pinned, registered, managed and pageable, by "
    "the\n"
    "figures of each SOC. A kind is named only if it saves more than the error to expect.\n"
    "\n"
    "What the CPU does is seen in programs that `vtegra cc --track` built. Without it pinned and\n"
    "managed buffers get no answer, only the part of the kernels.\n"
    "\n"
    "Assumptions: the CPU writes what is copied in once, and reads what is copied out once; of a "
    "buffer\n"
    "that was not cached, a launch fetches each byte from DRAM once; copies wait for their end.\n"
    "\n"
    "Examples:\n"
    "  vtegra advise -- ./app\n"
    "  vtegra advise --soc tx2,orin -- ./app input.ppm\n"
    "  vtegra advise --soc all --from report.json";

struct options {
    char *soc, *edition, *power, *os, *from, *json;
};

/* Return: the exit status of vtegra run. */
static int program_run(const struct options *o, const char *soc, const char *report, char **program)
{
    g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
    g_autoptr(GPtrArray) argv = g_ptr_array_new();
    g_autoptr(GError) error = NULL;
    const char *const given[][2] = { { "--edition", o->edition }, { "--os", o->os } };
    int status = 0;

    for (const char *const *word = (const char *const[]){ self, "run", "--quiet", "--races", "off",
                                                          "--json", report, "--soc", soc, NULL };
         *word; word++) {
        g_ptr_array_add(argv, (char *)*word);
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(given); i++) {
        if (given[i][1]) {
            g_ptr_array_add(argv, (char *)given[i][0]);
            g_ptr_array_add(argv, (char *)given[i][1]);
        }
    }
    g_ptr_array_add(argv, (char *)"--");
    for (; *program; program++) {
        g_ptr_array_add(argv, *program);
    }
    g_ptr_array_add(argv, NULL);
    if (!g_spawn_sync(NULL, (char **)argv->pdata, NULL, G_SPAWN_CHILD_INHERITS_STDIN, NULL, NULL,
                      NULL, NULL, &status, &error)) {
        cmd_error(CMD, "cannot start vtegra run: %s", error->message);
        return CMD_FAILED;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void board_clear(gpointer data)
{
    struct advise_board *b = data;

    profile_free((struct soc_profile *)b->profile);
}

/* Return: FALSE after saying which SOC is none. */
static gboolean boards_load(char **names, GArray *boards)
{
    for (; *names; names++) {
        g_autoptr(GError) error = NULL;
        struct soc_profile *p = profile_load(*names, &error);
        struct advise_board board;

        if (!p) {
            cmd_error(CMD, "%s", error->message);
            return FALSE;
        }
        if (soc_profile_discrete(p) && boards->len) {
            profile_free(p); /* of "all": a PC has no memory that both sides share */
            continue;
        }
        board = (struct advise_board){ *names, p, charge_error_percent(p) };
        g_array_append_val(boards, board);
    }
    return TRUE;
}

/* "all": orin first, on which the program runs. */
static char **soc_names(const char *list)
{
    g_auto(GStrv) all = NULL;
    g_autoptr(GStrvBuilder) names = g_strv_builder_new();

    if (strcmp(list, "all") != 0) {
        return g_strsplit(list, ",", -1);
    }
    all = profile_list(NULL);
    g_strv_builder_add(names, "orin");
    for (char **name = all; *name; name++) {
        if (strcmp(*name, "orin") != 0) {
            g_strv_builder_add(names, *name);
        }
    }
    return g_strv_builder_end(names);
}

static int answer_print(const struct options *o, const char *report, const GArray *boards)
{
    const struct advise_board *first = (const void *)boards->data;
    g_autoptr(GError) error = NULL;
    struct advise_run *a = advise_read(report, &error);
    struct soc_profile *ran = a ? profile_load(a->soc, &error) : NULL;
    GString *out = g_string_new(NULL);
    int status = CMD_FAILED;

    if (ran) {
        a->run.profile = ran;
        advise_text(a, first, boards->len, out);
        fputs(out->str, stdout);
        status = CMD_OK;
        if (o->json) {
            g_string_truncate(out, 0);
            advise_json(a, first, boards->len, out);
            if (!save(o->json, out->str, out->len, &error)) {
                status = CMD_FAILED;
            }
        }
    }
    if (status) {
        cmd_error(CMD, "%s", error->message);
    }
    g_string_free(out, TRUE);
    g_clear_pointer(&ran, profile_free);
    g_clear_pointer(&a, advise_run_free);
    return status;
}

static int advise_run_and_print(const struct options *o, char **program, const GArray *boards)
{
    const struct advise_board *first = (const void *)boards->data;
    g_autofree char *dir = NULL, *report = NULL, *path = NULL;
    g_autoptr(GError) error = NULL;
    int status = CMD_FAILED;

    if (o->from) {
        return answer_print(o, o->from, boards);
    }
    path = program_find(CMD, program[0], &status);
    if (!path) {
        return status;
    }
    dir = g_dir_make_tmp("vtegra-advise-XXXXXX", &error);
    if (!dir) {
        cmd_error(CMD, "%s", error->message);
        return CMD_FAILED;
    }
    report = g_build_filename(dir, "report.json", NULL);
    status = program_run(o, first->name, report, program);
    if (g_file_test(report, G_FILE_TEST_EXISTS)) {
        int answered = answer_print(o, report, boards);

        status = status ? status : answered;
    } else {
        cmd_error(CMD, "the run left no report (its exit status is %d): no answer", status);
        status = status ? status : CMD_FAILED;
    }
    g_remove(report);
    g_rmdir(dir);
    return status;
}

int cmd_advise(int argc, char **argv)
{
    struct options o = { 0 };
    const GOptionEntry entries[] = {
        { "soc", 0, 0, G_OPTION_ARG_STRING, &o.soc,
          "the board that runs the program, and others to answer for; all (default: orin)",
          "SOC[,SOC...]" },
        { "edition", 0, 0, G_OPTION_ARG_STRING, &o.edition, "as for vtegra run", "EDITION" },
        { "power", 0, 0, G_OPTION_ARG_STRING, &o.power, "as for vtegra run", "MODE" },
        { "os", 0, 0, G_OPTION_ARG_STRING, &o.os, "as for vtegra run", "OS" },
        { "from", 0, 0, G_OPTION_ARG_FILENAME, &o.from,
          "answer from a report that vtegra run --json wrote; nothing runs", "FILE" },
        { "json", 0, 0, G_OPTION_ARG_FILENAME, &o.json, "the answer as JSON, too", "FILE" },
        { NULL, 0, 0, 0, NULL, NULL, NULL },
    };
    g_autoptr(GArray) boards = g_array_new(FALSE, FALSE, sizeof(struct advise_board));
    g_auto(GStrv) names = NULL;
    char **rest;
    int status = CMD_USAGE;

    g_array_set_clear_func(boards, board_clear);
    if (!cmd_options(CMD, "[--] PROGRAM [ARGUMENTS] - which kind of memory, and by how much",
                     description, entries, TRUE, &argc, &argv)) {
        return CMD_USAGE;
    }
    rest = argv + 1;
    if (*rest && strcmp(*rest, "--") == 0) {
        rest++;
    }
    if (!*rest && !o.from) {
        cmd_error(CMD, "no program given: vtegra advise [options] -- ./app");
    } else if (*rest && o.from) {
        cmd_error(CMD, "--from answers from a report: no program runs");
    } else if (!o.json || cmd_output_check(CMD, "json", o.json, "the program was not started")) {
        cmd_edition(o.edition);
        cmd_power(o.power);
        names = soc_names(o.soc ? o.soc : "orin");
        status = boards_load(names, boards) ? advise_run_and_print(&o, rest, boards) : CMD_USAGE;
    }
    g_free(o.soc);
    g_free(o.edition);
    g_free(o.power);
    g_free(o.os);
    g_free(o.from);
    g_free(o.json);
    return status;
}
