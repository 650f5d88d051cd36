/* SPDX-License-Identifier: MIT */
/* vtegra replay: one run again, from a seed or from a schedule file. A file whose run was of
 * another program or board is refused: the same decisions would mean something else there. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/cmd.h"
#include "tools/explore/schedule.h"
#include "tools/run/program_find.h"

#define CMD "replay"

static const char description[] =
    "A number is a seed: as vtegra run --policy seeded with the same options. Anything else is a "
    "file\n"
    "that vtegra explore --schedule or vtegra run --schedule wrote; program, arguments, SoC and "
    "vtegra\n"
    "must be what they were then.\n"
    "\n"
    "The report goes to stderr and the exit status is the program's own, as with vtegra run.\n"
    "\n"
    "Examples:\n"
    "  vtegra replay 17 -- ./app\n"
    "  vtegra replay smallest.schedule --trace t.txt -- ./app";

struct options {
    char *soc, *edition, *os, *evict, *strategy, *depth, *length, *report, *json, *trace;
    gboolean quiet;
};

static void replay_add(GPtrArray *argv, const char *option, const char *value)
{
    if (value) {
        g_ptr_array_add(argv, (char *)option);
        g_ptr_array_add(argv, (char *)value);
    }
}

/* Becomes vtegra run, which checks the rest. */
static int become_run(const struct options *o, const char *seed, char **program)
{
    GPtrArray *argv = g_ptr_array_new();

    g_ptr_array_add(argv, (char *)"vtegra");
    g_ptr_array_add(argv, (char *)"run");
    replay_add(argv, "--policy", "seeded");
    replay_add(argv, "--seed", seed);
    replay_add(argv, "--soc", o->soc);
    replay_add(argv, "--edition", o->edition);
    replay_add(argv, "--os", o->os);
    replay_add(argv, "--evict", o->evict);
    replay_add(argv, "--strategy", o->strategy);
    replay_add(argv, "--depth", o->depth);
    replay_add(argv, "--length", o->length);
    replay_add(argv, "--report", o->report);
    replay_add(argv, "--json", o->json);
    replay_add(argv, "--trace", o->trace);
    if (o->quiet) {
        g_ptr_array_add(argv, (char *)"--quiet");
    }
    g_ptr_array_add(argv, (char *)"--");
    for (; *program; program++) {
        g_ptr_array_add(argv, *program);
    }
    g_ptr_array_add(argv, NULL);
    execv("/proc/self/exe", (char **)argv->pdata);
    cmd_error(CMD, "cannot start vtegra run: %s", g_strerror(errno));
    return CMD_FAILED;
}

static int replay_file(struct options *o, const char *file, char **program)
{
    struct schedule_replay replay;
    int status;
    char *path = program_find(CMD, program[0], &status);

    if (!path) {
        return status;
    }
    if (o->strategy || o->depth || o->length || o->evict) {
        cmd_error(CMD,
                  "%s says what is decided: --strategy, --depth, --length and --evict are for "
                  "seeds",
                  file);
        return CMD_FAILED;
    }
    replay = (struct schedule_replay){ .soc = o->soc, .edition = o->edition, .os = o->os };
    if (!schedule_replay(CMD, file, path, program + 1, &replay)) {
        return CMD_FAILED;
    }
    o->soc = replay.soc;
    o->edition = replay.edition;
    o->os = replay.os;
    o->evict = replay.evict;
    o->length = replay.length;
    return become_run(o, NULL, program);
}

int cmd_replay(int argc, char **argv)
{
    struct options o = { 0 };
    const GOptionEntry entries[] = {
        { "soc", 0, 0, G_OPTION_ARG_STRING, &o.soc, "as for vtegra run", "SOC" },
        { "edition", 0, 0, G_OPTION_ARG_STRING, &o.edition, "as for vtegra run", "EDITION" },
        { "os", 0, 0, G_OPTION_ARG_STRING, &o.os, "as for vtegra run", "OS" },
        { "evict", 0, 0, G_OPTION_ARG_STRING, &o.evict, "as for vtegra run", "EVICT" },
        { "strategy", 0, 0, G_OPTION_ARG_STRING, &o.strategy, "as for vtegra run", "STRATEGY" },
        { "depth", 0, 0, G_OPTION_ARG_STRING, &o.depth, "as for vtegra run", "D" },
        { "length", 0, 0, G_OPTION_ARG_STRING, &o.length, "as for vtegra run", "K" },
        { "report", 0, 0, G_OPTION_ARG_FILENAME, &o.report, "the report as text", "FILE" },
        { "json", 0, 0, G_OPTION_ARG_FILENAME, &o.json, "the report as JSON", "FILE" },
        { "trace", 0, 0, G_OPTION_ARG_FILENAME, &o.trace, "every event of the model", "FILE" },
        { "quiet", 'q', 0, G_OPTION_ARG_NONE, &o.quiet,
          "no report on stderr; errors are still printed when they happen", NULL },
        { NULL, 0, 0, 0, NULL, NULL, NULL },
    };
    char **rest, *what;

    /* Options may stand on either side of the seed or file. */
    if (!cmd_options(CMD, "SEED|FILE [options] -- PROGRAM [ARGUMENTS] - repeat a run", description,
                     entries, FALSE, &argc, &argv)) {
        return CMD_FAILED;
    }
    what = argc > 1 ? argv[1] : NULL;
    rest = what ? argv + 2 : argv;
    if (what && *rest && strcmp(*rest, "--") == 0) {
        rest++;
    }
    if (!what || !*rest) {
        cmd_error(CMD, "give a seed or a file, and a program: vtegra replay 17 -- ./app");
        return CMD_FAILED;
    }
    if (what[strspn(what, "0123456789")] == '\0') {
        return become_run(&o, what, rest);
    }
    return replay_file(&o, what, rest);
}
