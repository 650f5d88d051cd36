/* SPDX-License-Identifier: MIT */
/* The generators against results of NVIDIA's host generators: tests/golden/curand_host_10.4.txt. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/library/random/random.h"
#include "suite.h"
#include "tests/random_case.h"

#define SAMPLES 6

/* The numbers 0, 1, 2, n / 2, n - 2 and n - 1 of a call for normal ones. Return: behind them */
static const char *samples_check(const char *text, const struct random_case *c, unsigned part,
                                 const uint8_t *data)
{
    char form = c->part[part].form;
    uint64_t n = c->part[part].n;
    const uint64_t at[SAMPLES] = { 0, 1, 2, n / 2, n - 2, n - 1 };
    size_t width = random_case_width(form);

    for (unsigned i = 0; i < SAMPLES; i++) {
        uint64_t bits;
        int used;

        ck_assert_int_eq(sscanf(text, "%lx%n", &bits, &used), 1);
        ck_assert_msg(random_case_near(c, form, data + at[i] * width, &bits), "form %c, number %lu",
                      form, at[i]);
        text += used;
    }
    return text;
}

static void line_check(const char *line, uint64_t piece)
{
    const char *text = strchr(line, ':') + 1;
    struct random_case c;
    uint8_t *data;
    size_t at = 0;

    ck_assert(random_case_parse(line, &c));
    random_case_run(&c, piece, &random_math, &data);
    for (unsigned i = 0; i < c.n_parts; i++) {
        size_t bytes = c.part[i].n * random_case_width(c.part[i].form);
        uint64_t hash;
        int used;

        if (strchr("nNgG", c.part[i].form)) {
            text = samples_check(text, &c, i, data + at);
        } else {
            ck_assert_int_eq(sscanf(text, "%lx%n", &hash, &used), 1);
            ck_assert_msg(random_case_hash(data + at, bytes) == hash, "call %u of %s", i, line);
            text += used;
        }
        at += random_case_bytes(&c, i);
    }
    free(data);
}

static void golden_check(uint64_t piece)
{
    FILE *f = fopen(GOLDEN, "r");
    char line[1024];
    unsigned n = 0;

    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof(line), f)) {
        if (line[0] != '#') {
            line_check(line, piece);
            n++;
        }
    }
    fclose(f);
    ck_assert_uint_ge(n, 20);
}

START_TEST(numbers_are_those_of_nvidias_host_generators)
{
    golden_check(0);
}
END_TEST

START_TEST(numbers_do_not_depend_on_how_a_call_is_divided)
{
    golden_check(1000);
}
END_TEST

/* Recorded: another host, compiler or instruction set must give the same. */
START_TEST(normal_numbers_are_the_same_on_every_host)
{
    static const struct {
        const char *line;
        uint64_t hash;
    } all[] = {
        { "101 101 5 0 1 0.5 2 n10000 N10000 g10000 G10000", UINT64_C(2829417613516484438) },
        { "161 101 5 0 1 0.5 2 n10000 N10000 g10000 G10000", UINT64_C(6081485864170267646) },
        { "121 101 5 0 1 0.5 2 n10000 N10000 g10000 G10000", UINT64_C(7055511977233802911) },
        { "203 101 5 0 3 0.5 2 n9999 N9999 g9999 G9999", UINT64_C(11510020324868911753) },
    };
    struct random_case c;
    uint8_t *data;
    size_t bytes;

    ck_assert(random_case_parse(all[_i].line, &c));
    bytes = random_case_run(&c, 0, &random_math, &data);
    ck_assert_uint_eq(random_case_hash(data, bytes), all[_i].hash);
    free(data);
}
END_TEST

/* Joe and Kuo, new-joe-kuo-6: dimensions 2 to 8 (s, a, m_i) */
START_TEST(direction_numbers_begin_as_published)
{
    static const uint32_t m[7][5] = {
        { 1 },          { 1, 3 },        { 1, 3, 1 },       { 1, 1, 1 },
        { 1, 1, 3, 3 }, { 1, 3, 5, 13 }, { 1, 1, 5, 5, 17 }
    };
    uint32_t v[32];
    uint64_t w[64];

    for (uint32_t d = 0; d < 7; d++) {
        sobol_directions_32(d + 1, v);
        sobol_directions_64(d + 1, w);
        for (unsigned i = 0; i < 5 && m[d][i]; i++) {
            ck_assert_uint_eq(v[i] >> (31 - i), m[d][i]);
            ck_assert_uint_eq(w[i] >> (63 - i), m[d][i]);
        }
    }
}
END_TEST

START_TEST(bytes_that_are_no_generator_are_refused)
{
    size_t bytes = random_state_bytes(RANDOM_SOBOL32);
    struct random_setup setup = { .type = RANDOM_SOBOL32, .dimensions = 5 };
    uint32_t *state = calloc(1, bytes);

    ck_assert(!random_state_check(state, bytes, RANDOM_SOBOL32));
    random_state_init(state, &setup);
    ck_assert(random_state_check(state, bytes, RANDOM_SOBOL32));
    ck_assert(!random_state_check(state, bytes - 1, RANDOM_SOBOL32));
    ck_assert(!random_state_check(state, bytes, RANDOM_SOBOL64));
    state[1] = RANDOM_DIMENSIONS + 1;
    ck_assert(!random_state_check(state, bytes, RANDOM_SOBOL32));
    ck_assert_uint_eq(random_state_bytes((enum random_type)999), 0);
    free(state);
}
END_TEST

static Suite *random_suite(void)
{
    Suite *s = suite_create("random");
    TCase *tc = tcase_create("random");

    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, numbers_are_those_of_nvidias_host_generators);
    tcase_add_test(tc, numbers_do_not_depend_on_how_a_call_is_divided);
    tcase_add_loop_test(tc, normal_numbers_are_the_same_on_every_host, 0, 4);
    tcase_add_test(tc, direction_numbers_begin_as_published);
    tcase_add_test(tc, bytes_that_are_no_generator_are_refused);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return suite_main(random_suite());
}
