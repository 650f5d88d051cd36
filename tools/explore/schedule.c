/* SPDX-License-Identifier: MIT */
#include "tools/explore/schedule.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "profiles/edition.h"
#include "profiles/profile.h"
#include "sched/decide.h"
#include "tools/cmd.h"

/* --- what a run is ---------------------------------------------------------------------------- */

static char *file_sha(const char *cmd, const char *path)
{
    GError *error = NULL;
    GMappedFile *file = g_mapped_file_new(path, FALSE, &error);
    char *sum;

    if (!file) {
        cmd_error(cmd, "cannot read %s: %s", path, error->message);
        g_error_free(error);
        return NULL;
    }
    sum = g_compute_checksum_for_data(G_CHECKSUM_SHA256,
                                      (const guchar *)g_mapped_file_get_contents(file),
                                      g_mapped_file_get_length(file));
    g_mapped_file_unref(file);
    return sum;
}

/* Of the figures, as text: not of the file, whose comments may change. */
static char *profile_sha(const struct soc_profile *p)
{
    GString *text = g_string_new(NULL);
    char *sum;

#define PUT_U32(v) g_string_append_printf(text, "%" PRIu32 "\n", (uint32_t)(v))
#define PUT_U64(v) g_string_append_printf(text, "%" PRIu64 "\n", (uint64_t)(v))
#define PUT_BOOL(v) g_string_append_printf(text, "%d\n", (v))
#define PUT_STR(v) g_string_append_printf(text, "%s\n", (v))
#define SECTION(section)
#define OPTIONAL_SECTION(section)
#define KEY(section, name, type, min, max, unit, what) \
    g_string_append(text, #section "." #name "=");     \
    PUT_##type(p->section.name);
#define SECTION_END(section)
#include "model/profile.def"
#undef SECTION
#undef OPTIONAL_SECTION
#undef KEY
#undef SECTION_END
    sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text->str, -1);
    g_string_free(text, TRUE);
    return sum;
}

gboolean schedule_key_of(const char *cmd, const char *path, char **arguments, const char *soc,
                         const char *os, const char *evict, struct schedule_key *key)
{
    GError *error = NULL;
    struct soc_profile *profile = profile_load(soc, &error);

    *key = (struct schedule_key){ 0 };
    if (!profile) {
        cmd_error(cmd, "%s", error->message);
        g_error_free(error);
        return FALSE;
    }
    key->version = g_strdup(VTEGRA_VERSION);
    key->program = g_path_get_basename(path);
    key->program_sha = file_sha(cmd, path);
    key->soc = g_strdup(profile->soc.name);
    key->soc_sha = profile_sha(profile);
    key->os = g_strdup(os);
    key->edition = g_strdup(profile->soc.edition);
    key->evict = g_strdup(evict);
    key->origin = g_strdup("none");
    key->arguments = g_strdupv(arguments);
    profile_free(profile);
    return key->program_sha != NULL;
}

void schedule_key_clear(struct schedule_key *key)
{
    char *texts[] = { key->version, key->program, key->program_sha, key->soc,   key->soc_sha,
                      key->os,      key->edition, key->evict,       key->origin };

    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_free(texts[i]);
    }
    g_strfreev(key->arguments);
    *key = (struct schedule_key){ 0 };
}

char *schedule_header(const struct schedule_key *key)
{
    GString *s = g_string_new(SCHEDULE_FIRST_LINE "\n");

    g_string_append_printf(s, "vtegra %s\n", key->version);
    g_string_append_printf(s, "program %s sha256 %s\n", key->program, key->program_sha);
    g_string_append_printf(s, "board %s sha256 %s os %s", key->soc, key->soc_sha, key->os);
    g_string_append_printf(s, "%s%s\n", key->edition ? " edition " : "",
                           key->edition ? key->edition : "");
    g_string_append_printf(s, "lines %s\n", key->evict);
    g_string_append_printf(s, "origin %s\n", key->origin);
    for (char **a = key->arguments; a && *a; a++) {
        char *escaped = g_strescape(*a, NULL);

        g_string_append_printf(s, "argument %s\n", escaped);
        g_free(escaped);
    }
    return g_string_free(s, FALSE);
}

/* --- reading ---------------------------------------------------------------------------------- */

static gboolean schedule_take(char **into, const char *from)
{
    if (*into) {
        return FALSE; /* twice */
    }
    *into = g_strdup(from);
    return TRUE;
}

/* One line of the header. FALSE: it is none, or not whole. */
static gboolean header_line(struct schedule_key *key, GPtrArray *arguments, const char *line)
{
    char **w = g_strsplit(line, " ", -1);
    guint n = g_strv_length(w);
    gboolean ok = FALSE;

    if (strcmp(w[0], "vtegra") == 0 && n == 2) {
        ok = schedule_take(&key->version, w[1]);
    } else if (strcmp(w[0], "program") == 0 && n >= 4 && strcmp(w[n - 2], "sha256") == 0) {
        char *name = g_strndup(line + 8, strlen(line) - 8 - strlen(w[n - 1]) - 8);

        ok = schedule_take(&key->program, name) && schedule_take(&key->program_sha, w[n - 1]);
        g_free(name);
    } else if (strcmp(w[0], "board") == 0 && (n == 6 || n == 8)) {
        ok = schedule_take(&key->soc, w[1]) && schedule_take(&key->soc_sha, w[3]) &&
             schedule_take(&key->os, w[5]) && (n == 6 || schedule_take(&key->edition, w[7]));
    } else if (strcmp(w[0], "lines") == 0 && n == 2) {
        ok = schedule_take(&key->evict, w[1]);
    } else if (strcmp(w[0], "origin") == 0 && n >= 2) {
        ok = schedule_take(&key->origin, line + 7);
    } else if (strcmp(w[0], "argument") == 0 && n >= 2) {
        g_ptr_array_add(arguments, g_strcompress(line + 9));
        ok = TRUE;
    }
    g_strfreev(w);
    return ok;
}

static gboolean is_decision(const char *line)
{
    return g_str_has_prefix(line, "switch ") || g_str_has_prefix(line, "evict ") ||
           g_str_has_prefix(line, "order ");
}

/* "end", and what the run counted where it says so; @steps: G_MAXUINT64 where it does not. */
static gboolean is_end(const char *line, guint64 *steps)
{
    guint64 counted[3];
    char rest;

    *steps = G_MAXUINT64;
    return strcmp(line, "end") == 0 ||
           sscanf(line,
                  "end steps %" SCNu64 " switches %" SCNu64 " evictions %" SCNu64
                  " strayed %" SCNu64 "%c",
                  steps, &counted[0], &counted[1], &counted[2], &rest) == 4;
}

static gboolean bad_line(const char *cmd, const char *file, guint line, const char *expected)
{
    cmd_error(cmd, "%s:%u: expected %s", file, line, expected);
    return FALSE;
}

#define A_DECISION                                                                                 \
    "\"switch STEP AGENT\", \"evict QUESTION CACHE NUMBER\", \"order LAUNCH NUMBER\" or \"end\", " \
    "the last "                                                                                    \
    "line"

/* From @lines[@at] on: decisions, then the end, and nothing behind it. */
static gboolean body_check(const char *cmd, const char *file, char **lines, guint at)
{
    guint64 steps, step, last = 0;

    for (; !lines[at] || !is_end(lines[at], &steps); at++) {
        if (!lines[at] || !lines[at + 1] ||
            (!*lines[at] && !lines[at + 2])) { /* behind the last newline */
            return bad_line(cmd, file, at + 1,
                            "\"end\" in the last line: the file is cut off, or its run crashed. To "
                            "replay what there is, add the line \"end\"");
        }
        if (!is_decision(lines[at])) {
            return bad_line(cmd, file, at + 1, A_DECISION);
        }
        last = sscanf(lines[at], "switch %" SCNu64, &step) == 1 ? step : last;
    }
    if (!lines[at + 1]) {
        return bad_line(cmd, file, at + 1, "a newline behind \"end\": the file is cut off");
    }
    if (*lines[at + 1] || lines[at + 2]) {
        return bad_line(cmd, file, at + 2, "nothing behind \"end\"");
    }
    if (last > steps) {
        return bad_line(cmd, file, at + 1, "no fewer steps than the last \"switch\" has");
    }
    return TRUE;
}

static gboolean decisions_check(const char *cmd, const char *file, const char *text)
{
    struct decide *d = decide_new(&(struct decide_config){ .strategy = DECIDE_NONE });
    unsigned line;
    gboolean ok = decide_replay(d, text, &line);

    if (!ok) {
        cmd_error(cmd,
                  "%s:%u: expected \"switch STEP AGENT\", \"evict QUESTION CACHE NUMBER\" or "
                  "\"order LAUNCH NUMBER\", "
                  "numbers ascending",
                  file, line);
    }
    decide_free(d);
    return ok;
}

gboolean schedule_read(const char *cmd, const char *file, struct schedule_key *key, char **text)
{
    GPtrArray *arguments = g_ptr_array_new();
    GError *error = NULL;
    char **lines;
    guint64 steps;
    guint i = 1;
    gboolean ok = TRUE;
    gsize len;

    *key = (struct schedule_key){ 0 };
    if (!g_file_get_contents(file, text, &len, &error)) {
        cmd_error(cmd, "%s", error->message);
        g_error_free(error);
        g_ptr_array_free(arguments, TRUE);
        return FALSE;
    }
    lines = g_strsplit(*text, "\n", -1);
    if (!lines[0] || strcmp(lines[0], SCHEDULE_FIRST_LINE) != 0) {
        cmd_error(cmd,
                  "%s:1: expected \"" SCHEDULE_FIRST_LINE "\"; is it a file of vtegra explore?",
                  file);
        ok = FALSE;
    }
    if (ok && strlen(*text) != len) {
        cmd_error(cmd, "%s is no text: byte %zu is 0", file, strlen(*text));
        ok = FALSE;
    }
    for (; ok && lines[i] && *lines[i] && !is_decision(lines[i]) && !is_end(lines[i], &steps);
         i++) {
        ok = header_line(key, arguments, lines[i]);
        if (!ok) {
            cmd_error(cmd, "%s:%u: no line of a schedule: \"%s\"", file, i + 1, lines[i]);
        }
    }
    g_ptr_array_add(arguments, NULL);
    key->arguments = (char **)g_ptr_array_free(arguments, FALSE);
    if (ok && (!key->version || !key->program || !key->soc || !key->evict)) {
        cmd_error(cmd, "%s: the lines before the decisions are not complete", file);
        ok = FALSE;
    }
    ok = ok && decisions_check(cmd, file, *text) && body_check(cmd, file, lines, i);
    g_strfreev(lines);
    return ok;
}

static gboolean schedule_same(const char *cmd, const char *file, const char *what, const char *then,
                              const char *now)
{
    const int shown = strstr(what, "SHA-256") ? 12 : -1; /* of a sum the beginning will do */

    if (g_strcmp0(then, now) == 0) {
        return TRUE;
    }
    cmd_error(cmd,
              "%s was made with %s %.*s; here it is %.*s. The same decisions would be another "
              "run: explore again",
              file, what, shown, then ? then : "?", shown, now ? now : "?");
    return FALSE;
}

/* A copy under another name is the same program. */
static gboolean same_program(const char *cmd, const char *file, const struct schedule_key *then,
                             const struct schedule_key *now)
{
    if (g_strcmp0(then->program_sha, now->program_sha) == 0) {
        return TRUE;
    }
    cmd_error(
        cmd,
        "%s was made with a program of SHA-256 %.12s, %s; this %s is %.12s. The same decisions "
        "would be another run: explore again",
        file, then->program_sha ? then->program_sha : "?", then->program, now->program,
        now->program_sha ? now->program_sha : "?");
    return FALSE;
}

gboolean schedule_matches(const char *cmd, const char *file, const struct schedule_key *then,
                          const struct schedule_key *now)
{
    if (!same_program(cmd, file, then, now) ||
        !schedule_same(cmd, file, "--soc", then->soc, now->soc) ||
        (then->edition && !schedule_same(cmd, file, "--edition", then->edition, now->edition)) ||
        !schedule_same(cmd, file, "a profile of SHA-256", then->soc_sha, now->soc_sha) ||
        !schedule_same(cmd, file, "--os", then->os, now->os) ||
        !schedule_same(cmd, file, "vtegra", then->version, now->version)) {
        return FALSE;
    }
    if (!g_strv_equal((const char *const *)then->arguments, (const char *const *)now->arguments)) {
        cmd_error(cmd, "%s was made with other arguments of the program", file);
        return FALSE;
    }
    return TRUE;
}

/* --- replay ------------------------------------------------------------------------------------
 */

/* Of "pct depth 2 length 400 seed 17". A replay needs it too: after how many steps a waiting thread
 * gets its turn depends on the length. */
static char *length_of(const char *origin)
{
    const char *length = origin ? strstr(origin, " length ") : NULL;

    length = length ? length + strlen(" length ") : "";
    return *length ? g_strndup(length, strspn(length, "0123456789")) : NULL;
}

gboolean schedule_replay(const char *cmd, const char *file, const char *path, char **arguments,
                         struct schedule_replay *r)
{
    struct schedule_key then = { 0 }, now = { 0 };
    g_autofree char *absolute = NULL, *text = NULL;
    gboolean matches;

    if (!schedule_read(cmd, file, &then, &text)) {
        return FALSE;
    }
    r->soc = r->soc ? r->soc : g_strdup(then.soc);
    r->os = r->os ? r->os : g_strdup(then.os);
    r->evict = g_strdup(then.evict);
    if (!r->edition && g_strcmp0(r->soc, then.soc) == 0) { /* another board may not have had it */
        r->edition = g_strdup(then.edition);
    }
    if (r->edition) {
        g_setenv(PROFILE_EDITION_ENV, r->edition, TRUE);
    }
    r->length = length_of(then.origin);
    matches = schedule_key_of(cmd, path, arguments, r->soc, r->os, r->evict, &now) &&
              schedule_matches(cmd, file, &then, &now);
    schedule_key_clear(&then);
    schedule_key_clear(&now);
    absolute = g_canonicalize_filename(file, NULL);
    g_setenv("VTEGRA_SCHEDULE", absolute, TRUE);
    return matches;
}
