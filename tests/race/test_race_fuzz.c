/* SPDX-License-Identifier: MIT */
/* The detector of the SMs against the full relation (oracle.c), in random kernels of fixed seeds.
 * Arguments: how many; the first seed. */
#include "tests/race/generator.h"
#include "tests/race/observer.h"
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of pairs; where many lines race for few words, most records are of others. */
#define PAIRS_PERCENT 95u
#define PAIRS_PERCENT_SETTLED 85u

static int kernels = 100, first_seed;

/* Programs and pairs of lines: by the oracle, found, found though the oracle has none */
static struct score {
    unsigned racy, racy_found, clean, clean_found, pairs, pairs_found, pairs_wrong;
} score;

static struct rig rig;
static const uint64_t out = RIG_BASE;

static bool pair_in(const struct oracle_pair *p, size_t n, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < n; i++) {
        if (p[i].line[0] == MIN(a, b) && p[i].line[1] == MAX(a, b)) {
            return true;
        }
    }
    return false;
}

static void text_print(uint32_t seed, const char *what, const char *text, uint32_t a, uint32_t b)
{
    g_auto(GStrv) line = g_strsplit(text, "\n", -1);

    g_printerr("seed %u, %s: line %u \"%s\", line %u \"%s\"\n", seed, what, a, line[a - 1], b,
               line[b - 1]);
}

/* Has an earlier row the pair, with another cure? */
static bool row_is_second(const struct grid_race *row, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        uint32_t a = row[k].earlier.line, b = row[k].later.line;

        if (MIN(a, b) == MIN(row[i].earlier.line, row[i].later.line) &&
            MAX(a, b) == MAX(row[i].earlier.line, row[i].later.line)) {
            return true;
        }
    }
    return false;
}

static void pairs_compare(uint32_t seed, const char *text, struct oracle *o,
                          const struct grid_race *row, size_t n)
{
    const struct oracle_pair *p;
    size_t n_pairs = oracle_pairs(o, &p);
    bool found = false;

    for (size_t i = 0; i < n; i++) {
        uint32_t a = row[i].earlier.line, b = row[i].later.line;

        if (pair_in(p, n_pairs, a, b)) {
            score.pairs_found += !row_is_second(row, i);
            found = true;
        } else {
            score.pairs_wrong++;
            text_print(seed, "wrong", text, a, b);
        }
    }
    score.pairs += (unsigned)n_pairs;
    score.racy += n_pairs > 0;
    score.racy_found += n_pairs > 0 && found;
    score.clean += n_pairs == 0;
    score.clean_found += n_pairs == 0 && n > 0;
    if (n_pairs && !found) {
        text_print(seed, "missed", text, p->line[0], p->line[1]);
    }
}

typedef char *generator(uint32_t seed, struct rig_launch *l, bool *faultless);

static void kernel_compare(generator *generate, uint32_t seed)
{
    struct rig_launch l;
    bool faultless;
    g_autofree char *text = generate(seed, &l, &faultless);
    const struct oracle_pair *pair;
    const struct grid_race *row;
    struct grid_program *p;
    struct oracle *o;
    struct grid *g;
    size_t n;

    l.param = &out;
    l.param_bytes = sizeof(out);
    rig_init(&rig);
    o = observer_run(&rig, text, &l);
    ck_assert_msg(!faultless || oracle_pairs(o, &pair) == 0,
                  "seed %u: not even the oracle is right", seed);
    rig_free(&rig);
    rig_init(&rig);
    l.races = GRID_RACES_STRICT;
    p = rig_program(text);
    g = rig_grid(&rig, p, &l);
    ck_assert_int_eq(rig_run(g), GRID_DONE);
    n = grid_races(g, &row);
    pairs_compare(seed, text, o, row, n);
    grid_free(g);
    grid_program_unref(p);
    rig_free(&rig);
    oracle_free(o);
}

static void kernels_compare(generator *generate, unsigned percent)
{
    for (int i = 0; i < kernels; i++) {
        kernel_compare(generate, (uint32_t)(first_seed + i));
    }
    printf("racy programs: %u of %u; clean ones with a finding: %u of %u; pairs: %u of %u, wrong: "
           "%u\n",
           score.racy_found, score.racy, score.clean_found, score.clean, score.pairs_found,
           score.pairs, score.pairs_wrong);
    if (kernels >= 100) {
        ck_assert_uint_ge(score.racy, (unsigned)kernels / 4);
        ck_assert_uint_ge(score.clean, (unsigned)kernels / 6);
        ck_assert_uint_ge(score.pairs_found * 100, score.pairs * percent);
    }
    ck_assert_uint_eq(score.racy_found, score.racy);
    ck_assert_uint_eq(score.pairs_wrong, 0);
}

START_TEST(detector_agrees_with_the_full_relation)
{
    kernels_compare(race_generate, PAIRS_PERCENT);
}
END_TEST

START_TEST(detector_agrees_where_only_barriers_order)
{
    kernels_compare(race_generate_settled, PAIRS_PERCENT_SETTLED);
}
END_TEST

int main(int argc, char **argv)
{
    Suite *s = suite_create("race_fuzz");
    TCase *t = tcase_create("fuzz");
    SRunner *r;
    int failed;

    kernels = argc > 1 ? atoi(argv[1]) : kernels;
    first_seed = argc > 2 ? atoi(argv[2]) : first_seed;
    tcase_set_timeout(t, 300);
    tcase_add_test(t, detector_agrees_with_the_full_relation);
    tcase_add_test(t, detector_agrees_where_only_barriers_order);
    suite_add_tcase(s, t);
    r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
