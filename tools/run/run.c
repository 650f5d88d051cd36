/* SPDX-License-Identifier: MIT */
/*
 * vtegra run: checks everything that can be checked before the program starts, passes it to the
 * runtime libraries what to do through the environment, then becomes the program. So its exit
 * status, its signals and its terminal are the program's own.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

#include "checker/print/formats.h"
#include "checker/run/suppress.h"
#include "profiles/nearest.h"
#include "profiles/profile.h"
#include "runtime/camera/camera.h"
#include "tools/cmd.h"
#include "tools/explore/schedule.h"
#include "tools/run/exit_codes.h"
#include "tools/run/program_check.h"
#include "tools/run/program_find.h"
#include "tools/run/run_board.h"
#include "tools/run/run_libraries.h"
#include "tools/run/run_user.h"
#include "tools/save.h"
#include "tools/silicon/silicon.h"

#define CMD "run"

static const char *const systems[] = { "linux", "qnx", "android", "embedded-linux", NULL };
static const char *const policies[] = { "lazy", "eager", "seeded", NULL };
static const char *const strategies[] = { "pct", "random", NULL };
static const char *const evictions[] = { "never", "lru", "seeded", NULL };
static const char *const oobs[] = { "finding", "fault", NULL };
static const char *const races[] = { "auto", "on", "off", "lockstep", NULL };
static const char *const checks[] = { "auto", "on", "off", NULL };
static const char *const backends[] = { "model", "silicon", NULL };

/* Every option is also an environment variable that the runtime reads; the option wins. */
struct run_options {
    char *rest, *swap, *host_memory, *camera;
    char *soc, *edition, *power, *os, *policy, *seed, *evict, *check, *report, *json, *trace,
        *perfetto, *steps, *backend, *races, *calls, *oob;
    char *form[REPORT_FORMATS]; /* checker/print/formats.h */
    char *strategy, *depth, *length, *schedule, *board, *board_user, *error_exitcode, *suppressions;
    gboolean quiet, safety, safety_phase, gen_suppressions, shared;
};

static const char description[] =
    "The report goes to stderr unless --report names a file. The exit status and the signals of\n"
    "PROGRAM pass through; 125 means that vtegra could not start it, 126 that it is no program\n"
    "for this machine, 127 that there is no such program.\n\n"
    "Each option can also be set in the environment: VTEGRA_SOC, VTEGRA_EDITION, VTEGRA_OS,\n"
    "VTEGRA_POLICY, VTEGRA_SEED, VTEGRA_EVICT, VTEGRA_REPORT, VTEGRA_JSON, VTEGRA_SARIF,\n"
    "VTEGRA_HTML, VTEGRA_TRACE, VTEGRA_PERFETTO, VTEGRA_STEP_LIMIT, VTEGRA_BACKEND,\n"
    "VTEGRA_CHECK, VTEGRA_RACES, VTEGRA_OOB, VTEGRA_BOARD, VTEGRA_BOARD_USER, "
    "VTEGRA_ERROR_EXITCODE,\n"
    "VTEGRA_SUPPRESSIONS, VTEGRA_GEN_SUPPRESSIONS=1. Programs that PROGRAM starts have a board\n"
    "each (--shared: one together) and write a report each: vtegra run -- ctest, -- make test.\n"
    "\n"
    "Examples:\n"
    "  vtegra run -- ./app\n"
    "  vtegra run --soc tx2 --policy seeded --seed 7 --trace t.txt -- ./app input.ppm";

static gboolean choice_check(const char *option, const char *value, const char *const *choices)
{
    char *all;
    const char *near;

    if (g_strv_contains(choices, value)) {
        return TRUE;
    }
    near = nearest_word(value, choices);
    all = g_strjoinv(", ", (char **)choices);
    cmd_error(CMD, "--%s \"%s\" is none of %s%s%s%s", option, value, all,
              near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    g_free(all);
    return FALSE;
}

static gboolean number_check(const char *option, const char *value, guint64 min)
{
    GError *error = NULL;

    if (g_ascii_string_to_unsigned(value, 10, min, G_MAXUINT64, NULL, &error)) {
        return TRUE;
    }
    cmd_error(CMD, "--%s \"%s\" must be a whole number from %" G_GUINT64_FORMAT " on", option,
              value, min);
    g_error_free(error);
    return FALSE;
}

/* Takes @value from the environment where the command line gave none. Owned by the process. */
static void fall_back(char **value, const char *variable, const char *otherwise)
{
    const char *env = g_getenv(variable);

    if (!*value) {
        *value = g_strdup(env && *env ? env : otherwise);
    }
}

static gboolean soc_check(struct run_options *o)
{
    GError *error = NULL;
    struct soc_profile *profile;
    g_autofree char *dram = NULL;
    char **has;
    gboolean ok;

    if (strcmp(o->backend, "silicon") == 0) {
        return TRUE; /* the board is there */
    }
    profile = profile_load(o->soc, &error);
    if (!profile) {
        cmd_error(CMD, "%s", error->message);
        g_error_free(error);
        return FALSE;
    }
    dram = g_strdup_printf("%" G_GUINT64_FORMAT,
                           profile->memory.dram_bytes - profile->memory.carveout_bytes);
    g_setenv("VTEGRA_DRAM_BYTES", dram, TRUE); /* runtime/preload/files.c */
    has = g_strsplit(profile->soc.os, ",", -1);
    ok = g_strv_contains((const char *const *)has, o->os);
    if (!ok) {
        cmd_error(CMD, "--os %s: %s (%s) has %s; vtegra soc show %s says from where", o->os,
                  profile->soc.name, profile->soc.marketing, profile->soc.os, o->soc);
    }
    if (strchr(o->soc, '/') || g_str_has_suffix(o->soc, ".profile")) {
        char *path = g_canonicalize_filename(o->soc, NULL); /* the program may change its folder */

        g_free(o->soc);
        o->soc = path;
    }
    g_strfreev(has);
    profile_free(profile);
    return ok;
}

/* The runtime reads it again; here a mistake in it ends the run before it begins. */
static gboolean suppressions_check(struct run_options *o)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *text = NULL;
    struct suppressions *s = NULL;
    char *absolute;

    if (!o->suppressions) {
        return TRUE;
    }
    if (g_file_get_contents(o->suppressions, &text, NULL, &error)) {
        s = suppressions_parse(text, o->suppressions, &error);
    }
    if (!s) {
        cmd_error(CMD, "%s", error->message);
        return FALSE;
    }
    suppressions_free(s);
    absolute =
        g_canonicalize_filename(o->suppressions, NULL); /* the program may change its folder */
    g_free(o->suppressions);
    o->suppressions = absolute;
    return TRUE;
}

/* A file we are to write must be writable now, not when the program has run for an hour. */
static gboolean output_check(const char *option, char **path)
{
    char *absolute;

    if (!*path) {
        return TRUE;
    }
    if (!cmd_output_check(CMD, option, *path, "the program was not started")) {
        return FALSE;
    }
    absolute = g_canonicalize_filename(*path, NULL);
    g_free(*path);
    *path = absolute;
    return TRUE;
}

static gboolean mib_check(const char *option, const char *value)
{
    if (!value || g_ascii_string_to_unsigned(value, 10, 0, 1 << 20, NULL, NULL)) {
        return TRUE;
    }
    cmd_error(CMD, "--%s \"%s\" must be a whole number of MiB, 0 to 1048576", option, value);
    return FALSE;
}

static gboolean memory_check(const struct run_options *o)
{
    if (!mib_check("rest", o->rest) || !mib_check("swap", o->swap) ||
        !mib_check("host-memory", o->host_memory)) {
        return FALSE;
    }
    if (o->swap && strcmp(o->swap, "0") != 0 && strcmp(o->os, "qnx") == 0) {
        cmd_error(CMD, "--swap %s: QNX has no swap space (CUDA for Tegra 2.2)", o->swap);
        return FALSE;
    }
    return TRUE;
}

static gboolean camera_check(struct run_options *o)
{
    g_autofree char *why = NULL;
    struct camera *camera = o->camera ? camera_open(o->camera, &why) : NULL;

    if (why) {
        cmd_error(CMD, "--camera %s: %s", o->camera, why);
        return FALSE;
    }
    if (camera && !strchr(o->camera, ':') &&
        !g_path_is_absolute(o->camera)) { /* the program may change its folder */
        char *path = g_canonicalize_filename(o->camera, NULL);

        g_free(o->camera);
        o->camera = path;
    }
    camera_close(camera);
    return TRUE;
}

static gboolean forms_check(struct run_options *o)
{
    for (unsigned i = 0; i < REPORT_FORMATS; i++) {
        if (!output_check(report_forms[i].option, &o->form[i])) {
            return FALSE;
        }
    }
    return TRUE;
}

/* A seed is for decisions that only the seeded policies make. */
static void seed_note(const struct run_options *o, gboolean given)
{
    if (given && !o->quiet && strcmp(o->policy, "seeded") != 0 &&
        g_strcmp0(o->evict, "seeded") != 0) {
        cmd_error(CMD,
                  "note: --seed %s decides nothing under --policy %s: give --policy seeded, or "
                  "--evict seeded",
                  o->seed, o->policy);
    }
}

static gboolean options_check(struct run_options *o)
{
    gboolean seed_given = o->seed != NULL;

    fall_back(&o->soc, "VTEGRA_SOC", "orin");
    cmd_edition(o->edition);
    cmd_power(o->power);
    fall_back(&o->os, "VTEGRA_OS", "linux");
    fall_back(&o->policy, "VTEGRA_POLICY", "lazy");
    fall_back(&o->seed, "VTEGRA_SEED", NULL);
    fall_back(&o->evict, "VTEGRA_EVICT", NULL);
    fall_back(&o->check, "VTEGRA_CHECK", NULL);
    fall_back(&o->races, "VTEGRA_RACES", NULL);
    fall_back(&o->oob, "VTEGRA_OOB", NULL);
    fall_back(&o->strategy, "VTEGRA_STRATEGY", NULL);
    fall_back(&o->depth, "VTEGRA_DEPTH", NULL);
    fall_back(&o->length, "VTEGRA_LENGTH", NULL);
    fall_back(&o->report, "VTEGRA_REPORT", NULL);
    fall_back(&o->json, "VTEGRA_JSON", NULL);
    fall_back(&o->trace, "VTEGRA_TRACE", NULL);
    fall_back(&o->perfetto, "VTEGRA_PERFETTO", NULL);
    for (unsigned i = 0; i < REPORT_FORMATS; i++) {
        fall_back(&o->form[i], report_forms[i].variable, NULL);
    }
    fall_back(&o->steps, "VTEGRA_STEP_LIMIT", NULL);
    fall_back(&o->backend, "VTEGRA_BACKEND", "model");
    fall_back(&o->board, "VTEGRA_BOARD", NULL);
    fall_back(&o->board_user, "VTEGRA_BOARD_USER", NULL);
    fall_back(&o->rest, "VTEGRA_REST_MIB", NULL);
    fall_back(&o->camera, "VTEGRA_CAMERA", NULL);
    fall_back(&o->swap, "VTEGRA_SWAP_MIB", NULL);
    fall_back(&o->host_memory, "VTEGRA_HOST_MIB", NULL);
    fall_back(&o->error_exitcode, "VTEGRA_ERROR_EXITCODE", NULL);
    fall_back(&o->suppressions, "VTEGRA_SUPPRESSIONS", NULL);
    seed_note(o, seed_given);
    return choice_check("backend", o->backend, backends) && choice_check("os", o->os, systems) &&
           choice_check("policy", o->policy, policies) &&
           (!o->evict || choice_check("evict", o->evict, evictions)) &&
           (!o->check || choice_check("check", o->check, checks)) &&
           (!o->seed || number_check("seed", o->seed, 0)) &&
           (!o->strategy || choice_check("strategy", o->strategy, strategies)) &&
           (!o->depth || number_check("depth", o->depth, 1)) &&
           (!o->length || number_check("length", o->length, 0)) &&
           (!o->races || choice_check("races", o->races, races)) &&
           (!o->oob || choice_check("oob", o->oob, oobs)) &&
           (!o->steps || number_check("steps", o->steps, 1)) &&
           (!o->error_exitcode || exit_codes_check(o->error_exitcode)) && suppressions_check(o) &&
           memory_check(o) && camera_check(o) && soc_check(o) &&
           run_board_check(&o->board, &o->board_user, o->soc) &&
           output_check("schedule", &o->schedule) && output_check("report", &o->report) &&
           output_check("json", &o->json) && output_check("trace", &o->trace) &&
           output_check("perfetto", &o->perfetto) && output_check("calls", &o->calls) &&
           forms_check(o);
}

static void env_set(const char *name, const char *value)
{
    if (value) {
        g_setenv(name, value, TRUE);
    } else {
        g_unsetenv(name);
    }
}

/* Same addresses in every run, so that a trace or a bug report can be compared. */
static void randomisation_off(gboolean quiet)
{
    int now = personality(0xffffffff);

    if ((now < 0 || personality((unsigned long)now | ADDR_NO_RANDOMIZE) < 0) && !quiet) {
        cmd_error(CMD,
                  "cannot switch address randomisation off (%s): host addresses will differ "
                  "from run to run",
                  g_strerror(errno));
    }
}

static void environment_set(const struct run_options *o)
{
    if (strcmp(o->policy, "seeded") == 0 && !g_getenv("OMP_WAIT_POLICY")) {
        g_setenv("GOMP_SPINCOUNT", "0",
                 FALSE); /* who spins keeps its turn, and no other thread can act */
    }
    env_set("VTEGRA_SOC", o->soc);
    env_set("VTEGRA_SAFETY_PHASE", o->safety_phase ? "1" : NULL);
    env_set("VTEGRA_OS", o->os);
    env_set("VTEGRA_POLICY", o->policy);
    env_set("VTEGRA_SEED", o->seed);
    env_set("VTEGRA_EVICT", o->evict);
    env_set("VTEGRA_CHECK", o->check);
    env_set("VTEGRA_STRATEGY", o->strategy);
    env_set("VTEGRA_DEPTH", o->depth);
    env_set("VTEGRA_LENGTH", o->length);
    env_set("VTEGRA_RECORD", o->schedule);
    env_set("VTEGRA_REPORT", o->report);
    env_set("VTEGRA_JSON", o->json);
    env_set("VTEGRA_TRACE", o->trace);
    env_set("VTEGRA_PERFETTO", o->perfetto);
    for (unsigned i = 0; i < REPORT_FORMATS; i++) {
        env_set(report_forms[i].variable, o->form[i]);
    }
    if (o->form[REPORT_SARIF]) { /* the program may change its folder */
        g_autofree char *folder = g_get_current_dir();

        g_setenv("VTEGRA_FOLDER", folder, FALSE);
    }
    if ((o->trace || o->perfetto) && strcmp(o->backend, "silicon") != 0) {
        run_nvtx_set();
    }
    env_set("VTEGRA_STEP_LIMIT", o->steps);
    env_set("VTEGRA_RACES", o->races);
    env_set("VTEGRA_OOB", o->oob);
    env_set("VTEGRA_BOARD", o->board);
    env_set("VTEGRA_BOARD_USER", o->shared ? NULL : o->board_user); /* its own user's */
    env_set("VTEGRA_SHARED", o->shared ? "1" : NULL);
    env_set("VTEGRA_REST_MIB", o->rest);
    env_set("VTEGRA_SWAP_MIB", o->swap);
    env_set("VTEGRA_HOST_MIB", o->host_memory);
    env_set("VTEGRA_ERROR_EXITCODE", o->error_exitcode);
    env_set("VTEGRA_SUPPRESSIONS", o->suppressions);
    if (o->gen_suppressions) {
        g_setenv("VTEGRA_GEN_SUPPRESSIONS", "1", TRUE);
    }
    env_set("VTEGRA_QUIET", o->quiet ? "1" : NULL);
    if (o->safety) {
        env_set("VTEGRA_SAFETY", "1");
    }
}

/* The head of the schedule file; the program's own libraries write the decisions behind it. */
static gboolean schedule_begin(const struct run_options *o, const char *path, char **argv)
{
    struct schedule_key key;
    GError *error = NULL;
    char *header;
    gboolean ok;

    if (!o->schedule) {
        return TRUE;
    }
    if (strcmp(o->policy, "seeded") != 0) {
        cmd_error(CMD, "--schedule needs --policy seeded: the other policies decide nothing");
        return FALSE;
    }
    if (o->shared) {
        cmd_error(CMD, "--schedule: not with --shared: a schedule is of one process");
        return FALSE;
    }
    if (!schedule_key_of(CMD, path, argv + 1, o->soc, o->os, o->evict ? o->evict : "seeded",
                         &key)) {
        return FALSE;
    }
    g_free(key.origin);
    key.origin = g_strdup_printf("%s depth %s length %s seed %s", o->strategy ? o->strategy : "pct",
                                 o->depth ? o->depth : "2", o->length ? o->length : "0",
                                 o->seed ? o->seed : "0");
    header = schedule_header(&key);
    ok = save(o->schedule, header, strlen(header), &error);
    if (!ok) {
        cmd_error(CMD, "--schedule: %s", error->message);
        g_error_free(error);
    }
    g_free(header);
    schedule_key_clear(&key);
    return ok;
}

static int program_run(struct run_options *o, char **argv)
{
    gboolean silicon = strcmp(o->backend, "silicon") == 0, user = FALSE;
    int status;
    char *path = program_find(CMD, argv[0], &status);

    if (!path) {
        return status;
    }
    if (silicon && !silicon_check()) {
        g_free(path);
        return CMD_FAILED;
    }
    status = program_check(path, silicon, &user);
    if (status != CMD_OK) {
        g_free(path);
        return status;
    }
    env_set("VTEGRA_CAMERA",
            o->camera); /* the board is a process of its own: it reads the frames */
    if (o->shared &&
        !run_board_start(&o->board, o->soc, o->policy, user || silicon ? path : NULL)) {
        g_free(path);
        return CMD_FAILED;
    }
    environment_set(o);
    if (!schedule_begin(o, path, argv)) {
        g_free(path);
        return CMD_FAILED;
    }
    if (user) {
        randomisation_off(o->quiet);
        status = run_user_exec(path, argv, o->soc);
        g_free(path);
        return status;
    }
    if (!run_libraries_set(path, silicon, o->board && !silicon) ||
        (o->calls && !run_calls_set(o->calls))) {
        g_free(path);
        return CMD_FAILED;
    }
    randomisation_off(o->quiet);
    execv(path, argv);
    if (errno == ENOENT) { /* it is there: program_find() */
        cmd_error(
            CMD,
            "cannot run %s: its interpreter is not on this machine (head -1 shows a script's, "
            "readelf -l a program's)",
            path);
    } else {
        cmd_error(CMD, "cannot run %s: %s", path, g_strerror(errno));
    }
    g_free(path);
    return CMD_NOT_RUN;
}

static void options_free(struct run_options *o)
{
    char *texts[] = { o->camera,   o->rest,    o->swap,       o->host_memory,    o->edition,
                      o->power,    o->soc,     o->os,         o->policy,         o->seed,
                      o->evict,    o->check,   o->report,     o->json,           o->trace,
                      o->steps,    o->backend, o->strategy,   o->depth,          o->length,
                      o->schedule, o->board,   o->board_user, o->error_exitcode, o->suppressions,
                      o->calls,    o->races,   o->oob };

    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_free(texts[i]);
    }
}

#define FORM_OPTION(form_)                                                         \
    { report_forms[form_].option, 0,     0, G_OPTION_ARG_FILENAME, &o.form[form_], \
      report_forms[form_].help,   "FILE" }

int cmd_run(int argc, char **argv)
{
    struct run_options o = { 0 };
    const GOptionEntry entries[] = {
        { "soc", 0, 0, G_OPTION_ARG_STRING, &o.soc, "virtual SoC, or a profile file (orin)",
          "SOC" },
        { "edition", 0, 0, G_OPTION_ARG_STRING, &o.edition,
          "edition of CUDA for Tegra: 10.2, 11.4, 11.8, 12.6, 13.4 (the newest that the SoC has)",
          "EDITION" },
        { "power", 0, 0, G_OPTION_ARG_STRING, &o.power,
          "power mode of nvpmodel: 15W, MAXN, ... (vtegra soc show lists them)", "MODE" },
        { "os", 0, 0, G_OPTION_ARG_STRING, &o.os,
          "system of the SoC: linux (L4T), qnx, android, embedded-linux (linux)", "OS" },
        { "policy", 0, 0, G_OPTION_ARG_STRING, &o.policy,
          "when queued work runs: lazy, eager, seeded (lazy)", "POLICY" },
        { "seed", 0, 0, G_OPTION_ARG_STRING, &o.seed, "the seed (0)", "N" },
        { "evict", 0, 0, G_OPTION_ARG_STRING, &o.evict,
          "when caches lose lines: never, lru (as on the board), seeded", "EVICT" },
        { "check", 0, 0, G_OPTION_ARG_STRING, &o.check,
          "look for races and stale bytes: on, off, auto: on if built with vtegra cc --track (on)",
          "CHECK" },
        { "strategy", 0, 0, G_OPTION_ARG_STRING, &o.strategy,
          "how the seed decides: pct, random (pct)", "STRATEGY" },
        { "depth", 0, 0, G_OPTION_ARG_STRING, &o.depth,
          "events that a bug needs in order, for PCT (2)", "D" },
        { "length", 0, 0, G_OPTION_ARG_STRING, &o.length,
          "steps of the run, for PCT (vtegra explore measures them)", "K" },
        { "schedule", 0, 0, G_OPTION_ARG_FILENAME, &o.schedule,
          "write the decisions of the seed, for vtegra replay", "FILE" },
        { "report", 0, 0, G_OPTION_ARG_FILENAME, &o.report, "the report as text", "FILE" },
        { "json", 0, 0, G_OPTION_ARG_FILENAME, &o.json, "the report as JSON", "FILE" },
        FORM_OPTION(REPORT_SARIF),
        FORM_OPTION(REPORT_HTML),
        { "trace", 0, 0, G_OPTION_ARG_FILENAME, &o.trace,
          "every event of the model; compact if the name ends with .zst", "FILE" },
        { "perfetto", 0, 0, G_OPTION_ARG_FILENAME, &o.perfetto,
          "the timeline, for ui.perfetto.dev (protobuf)", "FILE" },
        { "camera", 0, 0, G_OPTION_ARG_STRING, &o.camera,
          "a camera at /dev/video0: a Y4M or PPM file, a folder of PPM files, pattern:WxH@FPS",
          "SOURCE" },
        { "rest", 0, 0, G_OPTION_ARG_STRING, &o.rest,
          "DRAM that the rest of the board's system has (0)", "MIB" },
        { "swap", 0, 0, G_OPTION_ARG_STRING, &o.swap, "the board's free swap space (0)", "MIB" },
        { "host-memory", 0, 0, G_OPTION_ARG_STRING, &o.host_memory,
          "DRAM of the program's own CPU memory (measured; 0 with --policy seeded)", "MIB" },
        { "races", 0, 0, G_OPTION_ARG_STRING, &o.races,
          "races between a kernel's threads: auto: in the first launches, then in some, on, off, "
          "lockstep (auto)",
          "HOW" },
        { "oob", 0, 0, G_OPTION_ARG_STRING, &o.oob,
          "a kernel's access beside a buffer, in the same 2 MiB: finding: the kernel goes on, as "
          "on "
          "a board; fault: it is stopped (finding)",
          "HOW" },
        { "steps", 0, 0, G_OPTION_ARG_STRING, &o.steps, "stop a kernel after N steps", "N" },
        { "error-exitcode", 0, 0, G_OPTION_ARG_STRING, &o.error_exitcode,
          "end with N if there are findings, with M if something was not checked (0)", "N[,M]" },
        { "suppressions", 0, 0, G_OPTION_ARG_FILENAME, &o.suppressions,
          "entries of findings to leave out: docs/suppressions.md", "FILE" },
        { "gen-suppressions", 0, 0, G_OPTION_ARG_NONE, &o.gen_suppressions,
          "print the entry for each finding", NULL },
        { "board", 0, 0, G_OPTION_ARG_FILENAME, &o.board,
          "the socket of a `vtegra board`: the model runs there", "SOCKET" },
        { "board-user", 0, 0, G_OPTION_ARG_STRING, &o.board_user,
          "accept a --board of this user, who reads and writes shared memory (your own)", "USER" },
        { "shared", 0, 0, G_OPTION_ARG_NONE, &o.shared,
          "one board for PROGRAM and all programs that it starts", NULL },
        { "calls", 0, 0, G_OPTION_ARG_FILENAME, &o.calls,
          "every API call of the program and the code that it returned", "FILE" },
        { "backend", 0, 0, G_OPTION_ARG_STRING, &o.backend,
          "model, or silicon: NVIDIA's driver and GPU (model)", "BACKEND" },
        { "safety", 0, 0, G_OPTION_ARG_NONE, &o.safety,
          "a safety context: PTX alone is refused (223), pinned memory is advised", NULL },
        { "safety-phase", 0, 0, G_OPTION_ARG_NONE, &o.safety_phase,
          "NvSci: calls of the Init group fail after the first fence, wait or signal", NULL },
        { "quiet", 'q', 0, G_OPTION_ARG_NONE, &o.quiet,
          "no report on stderr; errors are still printed when they happen", NULL },
        { NULL, 0, 0, 0, NULL, NULL, NULL },
    };
    char **rest;
    int status;

    if (!cmd_options(CMD, "[--] PROGRAM [ARGUMENTS] - run a CUDA program on a virtual Tegra",
                     description, entries, TRUE, &argc, &argv)) {
        return CMD_FAILED;
    }
    rest = argv + 1;
    if (*rest && strcmp(*rest, "--") == 0) {
        rest++;
    }
    if (!*rest) {
        cmd_error(CMD, "no program given: vtegra run [options] -- ./app; see vtegra run --help");
        return CMD_FAILED;
    }
    status = options_check(&o) ? program_run(&o, rest) : CMD_FAILED;
    options_free(&o); /* only reached where the program could not be started */
    return status;
}
