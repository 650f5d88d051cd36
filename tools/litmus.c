/* SPDX-License-Identifier: MIT */
/* vtegra litmus: every outcome of a small program of several agents. */
#include <json-glib/json-glib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "litmus/litmus.h"
#include "profiles/profile.h"
#include "tools/cmd.h"

#define CMD "litmus"
#define WITNESS_NONE (-1)
#define LIMIT_DEFAULT 5000000

static const char description[] =
    "A litmus file holds a few operations for CPU, iGPU, copy engine and other engines, a "
    "condition\n"
    "on the final values, and the verdict expected of each SoC (docs/litmus.md). Every "
    "interleaving,\n"
    "eviction, write-back and reordering is tried. Files of herd7 and litmus7 that begin with "
    "AArch64\n"
    "or PTX are read, too.\n"
    "\n"
    "Verdicts of exists:\n"
    "  allowed      some run meets the condition\n"
    "  forbidden    no run meets it, and a document that the file names says that no run may\n"
    "  unseen       no run meets it, but no document is named that forbids it\n"
    "Verdicts of ~exists and forall: holds (all runs meet the condition), fails. For all:\n"
    "  unknown      --limit was reached\n"
    "  absent       the SoC does not have an operation, SM or engine of the test\n"
    "\n"
    "Exit status: 0 all as expected; 1 an expectation fails, or the limit was reached; 2 a file "
    "or\n"
    "an option is wrong, or all tests are absent. docs/litmus.md has the standing of each rule.";

static struct {
    char *soc, *edition;
    gboolean outcomes, json, teach, quiet, all, herd;
    int witness;
    gint64 limit;
} opt;

static const GOptionEntry entries[] = {
    { "edition", 0, 0, G_OPTION_ARG_STRING, &opt.edition,
      "edition of CUDA for Tegra: 10.2, 11.4, 11.8, 12.6, 13.4 (the newest that the SoC has)",
      "EDITION" },
    { "soc", 's', 0, G_OPTION_ARG_STRING, &opt.soc,
      "only this SoC (default: those the file names, else orin)", "SOC" },
    { "outcomes", 'o', 0, G_OPTION_ARG_NONE, &opt.outcomes,
      "list every outcome with its count of final states", NULL },
    { "witness", 'w', 0, G_OPTION_ARG_INT, &opt.witness,
      "show a shortest run to outcome N of --outcomes; 0: to each", "N" },
    { "teach", 't', 0, G_OPTION_ARG_NONE, &opt.teach, "print the file's explanation and sources",
      NULL },
    { "quiet", 'q', 0, G_OPTION_ARG_NONE, &opt.quiet, "only what is not as expected, and the sum",
      NULL },
    { "json", 'j', 0, G_OPTION_ARG_NONE, &opt.json, "all of it as JSON", NULL },
    { "herd", 0, 0, G_OPTION_ARG_NONE, &opt.herd,
      "print each file as an AArch64 file of herd7 and litmus7, and run nothing", NULL },
    { "no-reduction", 0, 0, G_OPTION_ARG_NONE, &opt.all,
      "keep states apart that differ in nothing visible", NULL },
    { "limit", 0, 0, G_OPTION_ARG_INT64, &opt.limit, "give up after N states (default 5000000)",
      "N" },
    { NULL, 0, 0, 0, NULL, NULL, NULL },
};

/* What a run came to. */
struct sum {
    unsigned tests, checked, failed, wrong, absent;
    uint64_t states;
};

static const struct litmus_expect *expect_find(const struct litmus_test *test, const char *soc)
{
    for (unsigned i = 0; i < test->expects; i++) {
        if (strcmp(test->expect[i].soc, soc) == 0) {
            return &test->expect[i];
        }
    }
    return NULL;
}

/* --- text ------------------------------------------------------------------------------------- */

static void witness_print(const struct litmus_outcome *o)
{
    if (o->witness->len == 0) {
        puts("        (nothing has to happen)");
    }
    for (guint i = 0; i < o->witness->len; i++) {
        printf("        %2u  %s\n", i + 1, (const char *)o->witness->pdata[i]);
    }
}

/* The verdict is the file's word where the file has one: what we find is that no run ends so, what
 * a document says about it is in "expect". */
static enum litmus_verdict verdict_word(const struct litmus_result *r,
                                        const struct litmus_expect *expect, bool ok)
{
    return expect && ok ? expect->verdict : r->verdict;
}

/* The result without an outcome that matches: why there is no line of it. */
static void unmatched_print(const struct litmus_test *test, const struct litmus_result *r,
                            enum litmus_verdict verdict)
{
    static const char unseen[] = "unseen: not seen here; no document is named that forbids it";
    const char *word = !r->exhausted                 ? "unknown: not seen before the limit"
                       : verdict == LITMUS_FORBIDDEN ? "forbidden"
                                                     : unseen;

    printf("     -   %s: %s\n", word, test->cond_text + strlen("exists "));
}

static void outcomes_print(const struct litmus_test *test, const struct litmus_result *r,
                           enum litmus_verdict verdict, bool unexpected)
{
    bool listed = opt.outcomes || opt.witness >= 0 || unexpected;

    for (guint i = 0; listed && i < r->outcomes->len; i++) {
        const struct litmus_outcome *o = &g_array_index(r->outcomes, struct litmus_outcome, i);
        char *text = litmus_outcome_text(test, o);
        bool chosen = opt.witness == 0 || opt.witness == (int)i + 1;
        bool shown = opt.outcomes || chosen || unexpected;

        if (shown) {
            printf("    %2u %c %s  (%" G_GUINT64_FORMAT " final state%s)\n", i + 1,
                   o->matches ? '*' : ' ', text, o->states, o->states == 1 ? "" : "s");
        }
        if (chosen ||
            (unexpected && opt.witness < 0 && o->matches == (test->quantifier != LITMUS_FORALL))) {
            witness_print(o);
        }
        g_free(text);
    }
    if (listed && test->quantifier == LITMUS_EXISTS && r->verdict != LITMUS_ALLOWED) {
        unmatched_print(test, r, verdict);
    }
}

static void result_print(const struct litmus_test *test, const char *soc,
                         const struct litmus_expect *expect, const struct litmus_result *r, bool ok)
{
    enum litmus_verdict verdict = verdict_word(r, expect, ok);

    if (opt.quiet && ok) {
        return;
    }
    printf("  %-9s %-10s", soc, r->exhausted ? litmus_verdict_name(verdict) : "unknown");
    if (!r->exhausted) {
        printf(" gave up after %" G_GUINT64_FORMAT " states: shorten the test, or raise --limit",
               r->states);
    } else if (!expect) {
        printf(" %" G_GUINT64_FORMAT " states, nothing expected", r->states);
    } else if (ok) {
        printf(" as expected, %" G_GUINT64_FORMAT " states", r->states);
    } else {
        printf(" NOT AS EXPECTED (%s), %" G_GUINT64_FORMAT " states",
               litmus_verdict_name(expect->verdict), r->states);
    }
    putchar('\n');
    outcomes_print(test, r, verdict, !ok && r->exhausted);
}

static void test_head_print(const struct litmus_test *test)
{
    printf("%s%s%s\n  %s\n", test->name, test->doc ? ": " : "", test->doc ? test->doc : "",
           test->cond_text);
    if (opt.teach) {
        printf("%s%s%s%s\n", test->teach ? test->teach : "", test->teach ? "\n" : "",
               test->source ? "Sources: " : "", test->source ? test->source : "");
    }
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void litmus_member(JsonBuilder *b, const char *name, const char *value)
{
    json_builder_set_member_name(b, name);
    if (value) {
        json_builder_add_string_value(b, value);
    } else {
        json_builder_add_null_value(b);
    }
}

static void member_int(JsonBuilder *b, const char *name, uint64_t value)
{
    json_builder_set_member_name(b, name);
    json_builder_add_int_value(b, (gint64)value);
}

static void outcome_json(JsonBuilder *b, const struct litmus_test *test,
                         const struct litmus_outcome *o)
{
    json_builder_begin_object(b);
    json_builder_set_member_name(b, "values");
    json_builder_begin_object(b);
    for (unsigned i = 0; i < test->items; i++) {
        char *name = litmus_item_text(test, i);

        json_builder_set_member_name(b, name);
        if (o->known >> i & 1) {
            json_builder_add_int_value(b, (gint64)o->value[i]);
        } else {
            json_builder_add_null_value(b);
        }
        g_free(name);
    }
    json_builder_end_object(b);
    for (unsigned k = 0; k < 2; k++) {
        json_builder_set_member_name(b, k ? "never_end" : "fault");
        json_builder_begin_array(b);
        for (unsigned t = 0; t < test->threads; t++) {
            if ((k ? o->blocked : o->fault) >> t & 1) {
                json_builder_add_string_value(b, test->thread[t].name);
            }
        }
        json_builder_end_array(b);
    }
    member_int(b, "final_states", o->states);
    json_builder_set_member_name(b, "matches");
    json_builder_add_boolean_value(b, o->matches);
    json_builder_set_member_name(b, "witness");
    json_builder_begin_array(b);
    for (guint i = 0; i < o->witness->len; i++) {
        json_builder_add_string_value(b, o->witness->pdata[i]);
    }
    json_builder_end_array(b);
    json_builder_end_object(b);
}

static void result_json(JsonBuilder *b, const struct litmus_test *test, const char *soc,
                        const struct litmus_expect *expect, const struct litmus_result *r, bool ok)
{
    json_builder_begin_object(b);
    litmus_member(b, "file", test->file);
    litmus_member(b, "test", test->name);
    litmus_member(b, "condition", test->cond_text);
    litmus_member(b, "soc", soc);
    litmus_member(b, "verdict",
                  r->exhausted ? litmus_verdict_name(verdict_word(r, expect, ok)) : NULL);
    litmus_member(b, "expected", expect ? litmus_verdict_name(expect->verdict) : NULL);
    json_builder_set_member_name(b, "ok");
    json_builder_add_boolean_value(b, ok);
    json_builder_set_member_name(b, "exhausted");
    json_builder_add_boolean_value(b, r->exhausted);
    member_int(b, "states", r->states);
    member_int(b, "steps", r->steps);
    json_builder_set_member_name(b, "outcomes");
    json_builder_begin_array(b);
    for (guint i = 0; i < r->outcomes->len; i++) {
        outcome_json(b, test, &g_array_index(r->outcomes, struct litmus_outcome, i));
    }
    json_builder_end_array(b);
    json_builder_end_object(b);
}

static void json_print(JsonBuilder *b)
{
    JsonGenerator *generator = json_generator_new();
    JsonNode *root = json_builder_get_root(b);
    char *text;

    json_generator_set_root(generator, root);
    json_generator_set_pretty(generator, TRUE);
    text = json_generator_to_data(generator, NULL);
    puts(text);
    g_free(text);
    json_node_unref(root);
    g_object_unref(generator);
}

/* --- running ---------------------------------------------------------------------------------- */

/* What keeps a file or a SoC from a verdict: said on stderr, and in the JSON. */
static void litmus_failure(const char *file, const char *message, struct sum *sum, JsonBuilder *b)
{
    fflush(stdout);
    cmd_error(CMD, "%s", message);
    sum->wrong++;
    if (b) {
        json_builder_begin_object(b);
        litmus_member(b, "file", file);
        litmus_member(b, "error", message);
        json_builder_end_object(b);
    }
}

/* The SoC lacks something: no mistake of a file that expects nothing of it. */
static void litmus_absent(const struct litmus_test *test, const char *soc, const char *reason,
                          struct sum *sum, JsonBuilder *b)
{
    sum->absent++;
    if (b) {
        json_builder_begin_object(b);
        litmus_member(b, "file", test->file);
        litmus_member(b, "test", test->name);
        litmus_member(b, "condition", test->cond_text);
        litmus_member(b, "soc", soc);
        litmus_member(b, "verdict", NULL);
        litmus_member(b, "absent", reason);
        json_builder_end_object(b);
    } else if (!opt.quiet) {
        printf("  %-9s absent: %s\n", soc, reason);
    }
}

static void result_output(const struct litmus_test *test, const char *soc,
                          const struct litmus_expect *expect, const struct litmus_result *r,
                          struct sum *sum, JsonBuilder *b)
{
    bool ok = r->exhausted && (!expect || litmus_verdict_meets(r->verdict, expect->verdict));

    sum->checked++;
    sum->failed += !ok;
    sum->states += r->states;
    if (b) {
        result_json(b, test, soc, expect, r, ok);
    } else {
        if (opt.quiet && !ok) {
            test_head_print(test);
        }
        result_print(test, soc, expect, r, ok);
    }
    if (opt.witness > (int)r->outcomes->len) {
        char *message = g_strdup_printf("%s: no outcome %d on %s: there are %u", test->file,
                                        opt.witness, soc, r->outcomes->len);

        litmus_failure(test->file, message, sum, b);
        g_free(message);
    }
}

/* @expect: the place in the file that names the SoC; NULL: the command line does, or nothing */
static void soc_run(const struct litmus_test *test, const char *soc,
                    const struct litmus_expect *expect, struct sum *sum, JsonBuilder *b)
{
    struct litmus_options options = { !opt.all, (uint64_t)opt.limit };
    GError *error = NULL;
    struct soc_profile *profile = profile_load(soc, &error);
    struct litmus_result *r = profile ? litmus_explore(test, profile, &options, &error) : NULL;

    if (profile && !expect) {
        expect = expect_find(test, profile->soc.name);
    }
    if (r) {
        result_output(test, profile->soc.name, expect, r, sum, b);
    } else if (profile && !expect) {
        litmus_absent(test, profile->soc.name, error->message, sum, b);
    } else {
        char *at = expect ? g_strdup_printf("%s:%u:%u: expect %s: ", test->file, expect->line,
                                            expect->column, soc)
                          : g_strdup("");
        char *message = g_strconcat(at, error->message, NULL);

        litmus_failure(test->file, message, sum, b);
        g_free(message);
        g_free(at);
    }
    g_clear_error(&error);
    litmus_result_free(r);
    profile_free(profile);
}

/* A pipe would block, and has no name for a message. */
static struct litmus_test *file_load(const char *file, GError **error)
{
    struct litmus_test *test = NULL;
    char *text;
    gsize len;

    if (g_file_test(file, G_FILE_TEST_EXISTS) && !g_file_test(file, G_FILE_TEST_IS_REGULAR)) {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "%s: not a regular file", file);
    } else if (g_file_get_contents(file, &text, &len, error)) {
        test = litmus_parse(text, len, file, error);
        g_free(text);
    }
    return test;
}

static void herd_print(const struct litmus_test *test, struct sum *sum)
{
    GError *error = NULL;
    char *text = litmus_herd_text(test, &error);

    if (text) {
        fputs(text, stdout);
    } else {
        litmus_failure(test->file, error->message, sum, NULL);
        g_error_free(error);
    }
    g_free(text);
}

static void file_run(const char *file, struct sum *sum, JsonBuilder *b)
{
    GError *error = NULL;
    struct litmus_test *test = file_load(file, &error);

    if (!test) {
        litmus_failure(file, error->message, sum, b);
        g_error_free(error);
        return;
    }
    sum->tests++;
    if (opt.herd) {
        herd_print(test, sum);
        litmus_free(test);
        return;
    }
    if (!b && !opt.quiet) {
        test_head_print(test);
    }
    for (unsigned i = 0; !opt.soc && i < test->expects; i++) {
        soc_run(test, test->expect[i].soc, &test->expect[i], sum, b);
    }
    if (opt.soc || test->expects == 0) {
        soc_run(test, opt.soc ? opt.soc : "orin", NULL, sum, b);
    }
    litmus_free(test);
}

static int name_compare(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A folder stands for its *.litmus files, by name. */
static void path_run(const char *path, struct sum *sum, JsonBuilder *b)
{
    GDir *dir = g_dir_open(path, 0, NULL);
    GPtrArray *files;
    const char *name;

    if (!dir) {
        file_run(path, sum, b);
        return;
    }
    files = g_ptr_array_new_with_free_func(g_free);
    while ((name = g_dir_read_name(dir))) {
        if (g_str_has_suffix(name, ".litmus")) {
            g_ptr_array_add(files, g_build_filename(path, name, NULL));
        }
    }
    g_dir_close(dir);
    g_ptr_array_sort(files, name_compare);
    for (guint i = 0; i < files->len; i++) {
        if (b || opt.quiet || !isatty(STDOUT_FILENO)) { /* else each result shows it */
            cmd_progress(i, files->len, "tests");
        }
        file_run(files->pdata[i], sum, b);
    }
    cmd_progress(0, 0, "");
    if (files->len == 0) {
        char *message = g_strdup_printf("%s: a folder without *.litmus files", path);

        litmus_failure(path, message, sum, b);
        g_free(message);
    }
    g_ptr_array_free(files, TRUE);
}

static bool options_valid(void)
{
    if (opt.witness < WITNESS_NONE) {
        cmd_error(CMD, "--witness %d: the number of an outcome, or 0 for all", opt.witness);
        return false;
    }
    if (opt.herd && opt.json) {
        cmd_error(CMD, "--herd prints a file, --json results: give one of them");
        return false;
    }
    if (opt.limit < 1) {
        cmd_error(CMD, "--limit %" G_GINT64_FORMAT ": expected a number of states, 1 or more",
                  opt.limit);
        return false;
    }
    return true;
}

static void sum_print(const struct sum *sum)
{
    printf("%u tests, %u verdicts, %u not as expected, ", sum->tests, sum->checked, sum->failed);
    if (sum->absent) {
        printf("%u absent, ", sum->absent);
    }
    printf("%" G_GUINT64_FORMAT " states\n", sum->states);
}

static int sum_status(const struct sum *sum)
{
    if (sum->wrong || (sum->absent && !sum->checked)) {
        return CMD_USAGE;
    }
    return sum->failed ? CMD_FOUND : CMD_OK;
}

int cmd_litmus(int argc, char **argv)
{
    struct sum sum = { 0 };
    JsonBuilder *b = NULL;

    opt.witness = WITNESS_NONE;
    opt.limit = LIMIT_DEFAULT;
    if (!cmd_options(CMD, "FILE|FOLDER...", description, entries, FALSE, &argc, &argv)) {
        return CMD_USAGE;
    }
    if (argc < 2) {
        cmd_error(CMD, "no file; see vtegra litmus --help");
        return CMD_USAGE;
    }
    cmd_edition(opt.edition);
    if (!options_valid()) {
        return CMD_USAGE;
    }
    if (opt.json) {
        b = json_builder_new();
        json_builder_begin_array(b);
    }
    for (int i = 1; i < argc; i++) {
        path_run(argv[i], &sum, b);
    }
    if (b) {
        json_builder_end_array(b);
        json_print(b);
        g_object_unref(b);
    } else if ((sum.tests > 1 || opt.quiet) && !opt.herd) {
        sum_print(&sum);
    }
    return sum_status(&sum);
}
