/* SPDX-License-Identifier: MIT */
/* Races between the threads of one kernel: kernels with a label by PTX ISA, chapter 8, against the
 * detector of the SMs (grid_races()), and against the full relation of oracle.c. */
#include "ptx/decode.h"
#include "tests/race/cases.h"
#include "tests/race/observer.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

static const struct race_case *const tables[] = {
    race_cases_block, race_cases_warp, race_cases_scope, race_cases_flag,
    race_cases_async, race_cases_size, race_cases_wide,  race_cases_matrix,
};
static GPtrArray *cases;
static struct rig rig;
static const uint64_t out = RIG_BASE;

static void setup(void)
{
    rig_init(&rig);
}

static void teardown(void)
{
    rig_free(&rig);
}

static struct rig_launch launch_of(const struct race_case *c)
{
    return (struct rig_launch){
        .grid = { c->blocks ? c->blocks : 1 },
        .block = { c->threads },
        .param = &out,
        .param_bytes = 8,
        .resident_blocks = 4,
    };
}

static int name_compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The mark of a line, or its number */
static void mark_append(GString *s, const char *text, unsigned line)
{
    for (char m = 'A'; m <= 'Z'; m++) {
        if (race_case_line(text, m) == line) {
            g_string_append_c(s, m);
            return;
        }
    }
    g_string_append_printf(s, "<%u>", line);
}

/* One pair as in race_case.pairs; g_free() it */
static char *pair_name(const char *text, unsigned a, unsigned b)
{
    GString *s = g_string_new(NULL);

    mark_append(s, text, MIN(a, b));
    mark_append(s, text, MAX(a, b));
    return g_string_free(s, FALSE);
}

/* Equal names, of pairs that lack several things, become one. */
static void names_unite(GPtrArray *names)
{
    for (guint i = 1; i < names->len;) {
        if (strcmp(names->pdata[i - 1], names->pdata[i]) == 0) {
            g_free(g_ptr_array_remove_index(names, i));
        } else {
            i++;
        }
    }
}

/* Sorted, with spaces; the names are freed */
static char *names_join(GPtrArray *names)
{
    char *all;

    g_ptr_array_sort(names, name_compare);
    names_unite(names);
    g_ptr_array_add(names, NULL);
    all = g_strjoinv(" ", (char **)names->pdata);
    g_strfreev((char **)g_ptr_array_free(names, FALSE));
    return all;
}

static char *oracle_names(const char *text, struct oracle *o)
{
    GPtrArray *names = g_ptr_array_new();
    const struct oracle_pair *p;
    size_t n = oracle_pairs(o, &p);

    for (size_t i = 0; i < n; i++) {
        g_ptr_array_add(names, pair_name(text, p[i].line[0], p[i].line[1]));
    }
    return names_join(names);
}

START_TEST(labels_are_those_of_the_full_relation)
{
    const struct race_case *c = cases->pdata[_i];
    struct rig_launch l = launch_of(c);
    g_autofree char *text = race_case_text(c), *pairs = NULL;
    struct oracle *o = observer_run(&rig, text, &l);

    pairs = oracle_names(text, o);
    ck_assert_msg(strcmp(pairs, c->pairs ? c->pairs : "") == 0, "%s: %s, not %s", c->name, pairs,
                  c->pairs ? c->pairs : "none");
    oracle_free(o);
}
END_TEST

/* What the detector has found; the grid stays until the next call. */
static size_t detect(const struct race_case *c, const char *text, enum grid_races races,
                     const struct grid_race **rows)
{
    static struct grid *g;
    static struct grid_program *p;
    struct rig_launch l = launch_of(c);

    grid_free(g);
    grid_program_unref(p);
    g = NULL;
    p = NULL;
    if (!text) {
        return 0;
    }
    l.races = races;
    p = rig_program(text);
    g = rig_grid(&rig, p, &l);
    ck_assert_int_eq(rig_run(g), GRID_DONE);
    return grid_races(g, rows);
}

static char *detected_names(const char *text, const struct grid_race *rows, size_t n)
{
    GPtrArray *names = g_ptr_array_new();

    for (size_t i = 0; i < n; i++) {
        g_ptr_array_add(names, pair_name(text, rows[i].earlier.line, rows[i].later.line));
    }
    return names_join(names);
}

static const struct ptx_lines {
    const char *opcode;
    enum grid_race_kind kind;
} kinds[] = {
    { "ld.", GRID_RACE_LOAD },         { "st.", GRID_RACE_STORE },
    { "atom.", GRID_RACE_ATOMIC },     { "red.", GRID_RACE_ATOMIC },
    { "cp.async.", GRID_RACE_ASYNC },  { "wmma.load", GRID_RACE_LOAD },
    { "wmma.store", GRID_RACE_STORE }, { "ldmatrix", GRID_RACE_LOAD },
};

/* Kind and scope as the line has them */
static void side_check(const struct race_case *c, const char *text, const struct grid_race_side *s)
{
    g_auto(GStrv) line = g_strsplit(text, "\n", -1);
    const char *at = line[s->line - 1];

    at += *at == '@' ? strcspn(at, " ") + 1 : 0;
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        if (g_str_has_prefix(at, kinds[i].opcode)) {
            ck_assert_msg(s->kind == kinds[i].kind, "%s: %s is of kind %u", c->name, at, s->kind);
        }
    }
    ck_assert_msg((s->scope == PTX_SCOPE_CTA) == (strstr(at, ".cta") != NULL),
                  "%s: %s has scope %u", c->name, at, s->scope);
    ck_assert_uint_lt(s->block, c->blocks ? c->blocks : 1);
    ck_assert_uint_lt(s->thread, c->threads);
}

static enum grid_race_relation relation_of(const struct grid_race *r)
{
    return r->later.block != r->earlier.block               ? GRID_RACE_GRID
           : r->later.thread / 32 != r->earlier.thread / 32 ? GRID_RACE_BLOCK
                                                            : GRID_RACE_WARP;
}

static void row_check(const struct race_case *c, const char *text, const struct grid_race *r)
{
    side_check(c, text, &r->later);
    side_check(c, text, &r->earlier);
    ck_assert_msg(r->relation == relation_of(r), "%s: relation %u", c->name, r->relation);
    ck_assert_msg(r->relation == c->relation, "%s: relation %u, not %d", c->name, r->relation,
                  (int)c->relation);
    ck_assert_msg(!c->missing || c->missing >> r->missing & 1, "%s: missing %u, not of 0x%x",
                  c->name, r->missing, c->missing);
    ck_assert_msg(r->same_value == c->same_value, "%s: same value %d", c->name, r->same_value);
    ck_assert_uint_gt(r->times, 0);
    ck_assert_uint_gt(r->bytes, 0);
    ck_assert_uint_le(r->bytes, 64); /* a row of a matrix */
}

static void rows_check(const struct race_case *c, const char *text, const struct grid_race *rows,
                       size_t n)
{
    unsigned missing = 0;

    for (size_t i = 0; i < n; i++) {
        row_check(c, text, &rows[i]);
        missing |= 1u << rows[i].missing;
    }
    ck_assert_msg((c->also & ~missing) == 0, "%s: missing 0x%x, not 0x%x", c->name, missing,
                  c->also);
}

START_TEST(detector_finds_the_pairs_of_the_label)
{
    const struct race_case *c = cases->pdata[_i];
    g_autofree char *text = race_case_text(c), *pairs = NULL;
    const struct grid_race *rows;
    size_t n = detect(c, text, GRID_RACES_STRICT, &rows);

    pairs = detected_names(text, rows, n);
    ck_assert_msg(strcmp(pairs, c->pairs ? c->pairs : "") == 0, "%s: %s, not %s", c->name, pairs,
                  c->pairs ? c->pairs : "none");
    rows_check(c, text, rows, n);
    detect(c, NULL, GRID_RACES_OFF, NULL);
}
END_TEST

START_TEST(lockstep_orders_the_instructions_of_a_warp)
{
    const struct race_case *c = cases->pdata[_i];
    const char *label = c->lockstep ? c->lockstep : c->pairs ? c->pairs : "";
    g_autofree char *text = race_case_text(c), *pairs = NULL;
    const struct grid_race *rows;
    size_t n = detect(c, text, GRID_RACES_LOCKSTEP, &rows);

    pairs = detected_names(text, rows, n);
    ck_assert_msg(strcmp(label, "?") == 0 || strcmp(pairs, label) == 0, "%s: %s, not %s", c->name,
                  pairs, *label ? label : "none");
    detect(c, NULL, GRID_RACES_OFF, NULL);
}
END_TEST

START_TEST(off_finds_nothing)
{
    const struct race_case *c = cases->pdata[_i];
    g_autofree char *text = race_case_text(c);
    const struct grid_race *rows;

    ck_assert_uint_eq(detect(c, text, GRID_RACES_OFF, &rows), 0);
    detect(c, NULL, GRID_RACES_OFF, NULL);
}
END_TEST

static void cases_collect(void)
{
    cases = g_ptr_array_new();
    for (size_t i = 0; i < G_N_ELEMENTS(tables); i++) {
        for (const struct race_case *c = tables[i]; c->name; c++) {
            g_ptr_array_add(cases, (void *)(uintptr_t)c);
        }
    }
}

int main(void)
{
    Suite *s = suite_create("kernel_race");
    TCase *t = tcase_create("cases");
    SRunner *r;
    int failed;

    cases_collect();
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, labels_are_those_of_the_full_relation, 0, (int)cases->len);
    tcase_add_loop_test(t, detector_finds_the_pairs_of_the_label, 0, (int)cases->len);
    tcase_add_loop_test(t, lockstep_orders_the_instructions_of_a_warp, 0, (int)cases->len);
    tcase_add_loop_test(t, off_finds_nothing, 0, (int)cases->len);
    suite_add_tcase(s, t);
    r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    g_ptr_array_unref(cases);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
