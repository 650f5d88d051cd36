/* SPDX-License-Identifier: MIT */
/* vtegra gdb: gdb outside, `vtegra run` as what starts the program in it (gdb's exec-wrapper), so
 * that our libraries are in the program and not in gdb. With --at a run without gdb comes first;
 * its report has the line of the finding. */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/cmd.h"
#include "tools/explore/schedule.h"
#include "tools/run/program_find.h"

#define CMD "gdb"

static const char description[] =
    "Starts PROGRAM under gdb on a virtual Tegra, with the libraries and the schedule that vtegra "
    "run\n"
    "would give it. Signals that the runtime uses to see accesses (SIGSEGV, SIGSYS) do not stop "
    "it:\n"
    "`handle SIGSEGV stop` changes that.\n"
    "\n"
    "--at FINDING runs the program once without gdb and takes the finding from its report: a\n"
    "number, or the name of a rule (its first finding). Then gdb stops at the finding's line. The\n"
    "same options give the same run (docs/reproduce.md). With other options a seed is another\n"
    "run: use the complete line that vtegra explore prints. gdb stops each time that the program\n"
    "reaches the line, also before the finding.\n"
    "\n"
    "The exit status is gdb's; 1: there is no such finding, or it has no line on the CPU; 125: "
    "gdb\n"
    "or the program could not be started.\n"
    "\n"
    "Examples:\n"
    "  vtegra gdb -- ./app\n"
    "  vtegra gdb --at 1 --soc tx2 --check on -- ./app\n"
    "  vtegra gdb --at deadlock --soc xavier --seed 3 --strategy pct --depth 2 --length 29 \\\n"
    "      --evict seeded -- ./frame\n"
    "  vtegra gdb --at 1 --schedule bug.schedule -- ./frame";

struct options {
    char *schedule, *at, *soc, *edition, *os, *policy, *seed, *strategy, *depth, *length, *evict,
        *check;
    char **ex;
    gboolean batch;
};

static void gdb_add(GPtrArray *argv, const char *option, const char *value)
{
    if (value) {
        g_ptr_array_add(argv, g_strdup(option));
        g_ptr_array_add(argv, g_strdup(value));
    }
}

/* vtegra run with the options, without the program. */
static GPtrArray *run_line(const struct options *o)
{
    GPtrArray *argv = g_ptr_array_new_with_free_func(g_free);

    g_ptr_array_add(argv, g_file_read_link("/proc/self/exe", NULL));
    g_ptr_array_add(argv, g_strdup("run"));
    gdb_add(argv, "--soc", o->soc);
    gdb_add(argv, "--edition", o->edition);
    gdb_add(argv, "--os", o->os);
    gdb_add(argv, "--policy", o->policy ? o->policy : o->seed ? "seeded" : NULL);
    gdb_add(argv, "--seed", o->seed);
    gdb_add(argv, "--strategy", o->strategy);
    gdb_add(argv, "--depth", o->depth);
    gdb_add(argv, "--length", o->length);
    gdb_add(argv, "--evict", o->evict);
    gdb_add(argv, "--check", o->check);
    return argv;
}

/* Return: the report of a run without gdb as JSON; NULL after a message. */
static char *report_of(const struct options *o, char **program)
{
    GPtrArray *argv = run_line(o);
    g_autofree char *file = NULL;
    char *text = NULL;
    g_autoptr(GError) error = NULL;
    int fd = g_file_open_tmp("vtegra-gdb-XXXXXX", &file, &error);

    if (fd >= 0) {
        close(fd);
        g_ptr_array_add(argv, g_strdup("--quiet"));
        gdb_add(argv, "--json", file);
        g_ptr_array_add(argv, g_strdup("--"));
        for (; *program; program++) {
            g_ptr_array_add(argv, g_strdup(*program));
        }
        g_ptr_array_add(argv, NULL);
        if (g_spawn_sync(NULL, (char **)argv->pdata, NULL,
                         G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, NULL,
                         NULL, NULL, &error)) {
            g_file_get_contents(file, &text, NULL, &error);
        }
        g_remove(file);
    }
    if (!text) {
        cmd_error(CMD, "no report of a run without gdb: %s", error ? error->message : "");
    }
    g_ptr_array_free(argv, TRUE);
    return text;
}

/* Finding @at: a number from 1, or a rule. */
static JsonObject *finding_find(JsonArray *findings, const char *at)
{
    gboolean number = at[strspn(at, "0123456789")] == '\0';
    guint64 n = g_ascii_strtoull(at, NULL, 10);

    for (guint i = 0; i < json_array_get_length(findings); i++) {
        JsonObject *f = json_array_get_object_element(findings, i);

        if (number
                ? n == i + 1
                : g_strcmp0(at, json_object_get_string_member_with_default(f, "rule", "")) == 0) {
            return f;
        }
    }
    return NULL;
}

/* Return: "app.cu:31", for gdb; NULL after a message. */
static char *line_of(JsonObject *f, const char *at)
{
    const char *where = json_object_get_string_member_with_default(f, "where", NULL);
    const char *colon = where ? strrchr(where, ':') : NULL;
    size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;

    if (!digits) {
        cmd_error(CMD, "finding %s (%s) has no line in the program%s%s; build it with -g", at,
                  json_object_get_string_member_with_default(f, "rule", "?"),
                  where ? ", its place is " : "", where ? where : "");
        return NULL;
    }
    return g_strndup(where, (gsize)(colon + 1 + digits - where));
}

static char *line_at(const struct options *o, char **program)
{
    g_autofree char *text = report_of(o, program);
    g_autoptr(JsonParser) parser = json_parser_new();
    JsonObject *report, *f;
    JsonArray *findings;

    if (!text) {
        return NULL;
    }
    if (!json_parser_load_from_data(parser, text, -1, NULL)) {
        cmd_error(CMD, "the run without gdb has left no report: does %s run with vtegra run?",
                  program[0]);
        return NULL;
    }
    report = json_node_get_object(json_parser_get_root(parser));
    findings = json_object_get_array_member(report, "findings");
    f = finding_find(findings, o->at);
    if (!f) {
        cmd_error(CMD, "no finding %s in that run: it has %u%s", o->at,
                  json_array_get_length(findings),
                  !o->seed ? ""
                           : ". A seed is the same run only with the same options: --soc, --os, "
                             "--strategy, --depth, --length and --evict, as vtegra explore prints "
                             "them, and with the same build");
        return NULL;
    }
    fprintf(
        stderr,
        "vtegra gdb: finding %s, %s: %s; gdb stops each time that the program reaches this line\n",
        o->at, json_object_get_string_member_with_default(f, "rule", "?"),
        json_object_get_string_member_with_default(f, "where", "?"));
    return line_of(f, o->at);
}

static char *wrapper_of(const struct options *o)
{
    GPtrArray *argv = run_line(o);
    GString *text = g_string_new("set exec-wrapper");

    for (guint i = 0; i < argv->len; i++) {
        g_autofree char *word = g_shell_quote(g_ptr_array_index(argv, i));

        g_string_append_printf(text, " %s", word);
    }
    g_string_append(text, " --");
    g_ptr_array_free(argv, TRUE);
    return g_string_free(text, FALSE);
}

static int become_gdb(const struct options *o, const char *path, char **program, const char *line)
{
    GPtrArray *argv = g_ptr_array_new_with_free_func(g_free);

    g_ptr_array_add(argv, g_strdup("gdb"));
    g_ptr_array_add(argv, g_strdup("-q"));
    if (o->batch) {
        g_ptr_array_add(argv, g_strdup("-batch"));
    }
    gdb_add(argv, "-ex", "set breakpoint pending on");
    gdb_add(argv, "-ex", "handle SIGSEGV SIGSYS nostop noprint pass");
    /* gdb adds them, and they would move the stack against a run without it. */
    gdb_add(argv, "-ex", "unset environment LINES");
    gdb_add(argv, "-ex", "unset environment COLUMNS");
    g_ptr_array_add(argv, g_strdup("-ex"));
    g_ptr_array_add(argv, wrapper_of(o));
    if (line) {
        g_ptr_array_add(argv, g_strdup("-ex"));
        g_ptr_array_add(argv, g_strdup_printf("break %s", line));
        gdb_add(argv, "-ex", "run");
    }
    for (char **ex = o->ex; ex && *ex; ex++) {
        gdb_add(argv, "-ex", *ex);
    }
    gdb_add(argv, "--args", path);
    for (program++; *program; program++) {
        g_ptr_array_add(argv, g_strdup(*program));
    }
    g_ptr_array_add(argv, NULL);
    execvp("gdb", (char **)argv->pdata);
    cmd_error(CMD, "cannot run gdb: %s%s", g_strerror(errno),
              errno == ENOENT ? "; on Debian: apt-get install gdb" : "");
    g_ptr_array_free(argv, TRUE);
    return CMD_FAILED;
}

/* What a schedule file decides, in place of options. Return: FALSE after a message. */
static gboolean schedule_take(struct options *o, const char *path, char **arguments)
{
    struct schedule_replay replay = { .soc = o->soc, .edition = o->edition, .os = o->os };

    if (o->seed || o->policy || o->strategy || o->depth || o->length || o->evict) {
        cmd_error(CMD,
                  "%s says what is decided: --policy, --seed, --strategy, --depth, --length and "
                  "--evict are for runs without it",
                  o->schedule);
        return FALSE;
    }
    if (!schedule_replay(CMD, o->schedule, path, arguments, &replay)) {
        return FALSE;
    }
    o->soc = replay.soc;
    o->edition = replay.edition;
    o->os = replay.os;
    o->evict = replay.evict;
    o->length = replay.length;
    o->policy = g_strdup("seeded");
    return TRUE;
}

static int gdb_gdb(struct options *o, char **program)
{
    int status;
    g_autofree char *path = program_find(CMD, program[0], &status), *line = NULL;

    if (!path) {
        return status;
    }
    if (o->schedule && !schedule_take(o, path, program + 1)) {
        return CMD_FAILED;
    }
    if (o->at && !(line = line_at(o, program))) {
        return CMD_FOUND;
    }
    return become_gdb(o, path, program, line);
}

int cmd_gdb(int argc, char **argv)
{
    struct options o = { 0 };
    const GOptionEntry entries[] = {
        { "at", 0, 0, G_OPTION_ARG_STRING, &o.at, "stop at the line of a finding, or of a rule",
          "FINDING" },
        { "ex", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o.ex, "a command for gdb; may be given again",
          "COMMAND" },
        { "batch", 0, 0, G_OPTION_ARG_NONE, &o.batch, "gdb ends after the last command", NULL },
        { "soc", 0, 0, G_OPTION_ARG_STRING, &o.soc, "as for vtegra run", "SOC" },
        { "edition", 0, 0, G_OPTION_ARG_STRING, &o.edition, "as for vtegra run", "EDITION" },
        { "os", 0, 0, G_OPTION_ARG_STRING, &o.os, "as for vtegra run", "OS" },
        { "policy", 0, 0, G_OPTION_ARG_STRING, &o.policy, "as for vtegra run (with --seed: seeded)",
          "POLICY" },
        { "seed", 0, 0, G_OPTION_ARG_STRING, &o.seed, "as for vtegra run", "N" },
        { "strategy", 0, 0, G_OPTION_ARG_STRING, &o.strategy, "as for vtegra run", "STRATEGY" },
        { "depth", 0, 0, G_OPTION_ARG_STRING, &o.depth, "as for vtegra run", "D" },
        { "length", 0, 0, G_OPTION_ARG_STRING, &o.length, "as for vtegra run", "K" },
        { "evict", 0, 0, G_OPTION_ARG_STRING, &o.evict, "as for vtegra run", "EVICT" },
        { "schedule", 0, 0, G_OPTION_ARG_FILENAME, &o.schedule,
          "a file of vtegra explore, as for vtegra replay", "FILE" },
        { "check", 0, 0, G_OPTION_ARG_STRING, &o.check, "as for vtegra run", "CHECK" },
        { NULL, 0, 0, 0, NULL, NULL, NULL },
    };
    char **texts[] = { &o.at,       &o.soc,   &o.edition, &o.os,    &o.policy, &o.seed,
                       &o.strategy, &o.depth, &o.length,  &o.evict, &o.check,  &o.schedule };
    char **rest;
    int status;

    if (!cmd_options(CMD, "[--] PROGRAM [ARGUMENTS] - a program under gdb, at a finding",
                     description, entries, TRUE, &argc, &argv)) {
        return CMD_FAILED;
    }
    rest = argv + 1;
    if (*rest && strcmp(*rest, "--") == 0) {
        rest++;
    }
    if (!*rest) {
        cmd_error(CMD, "no program given: vtegra gdb [options] -- ./app");
        return CMD_FAILED;
    }
    status = gdb_gdb(&o, rest);
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_free(*texts[i]);
    }
    g_strfreev(o.ex);
    return status;
}
