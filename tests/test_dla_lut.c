/* SPDX-License-Identifier: MIT */
/* Edges of the look-up tables. Expected values by hand from lut-programming.rst. */
#include "model/dla/lut.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct dla_lut lut;
static struct dla_stats stats;

/* LE: linear, entries 10 * i from 100 on, 8 apart. LO: entries 1000 + i from 200 on, 1 apart. */
static void setup(void)
{
    memset(&lut, 0, sizeof(lut));
    memset(&stats, 0, sizeof(stats));
    for (int i = 0; i < 65; i++) {
        lut.le[i] = (int16_t)(10 * i);
    }
    for (int i = 0; i < 257; i++) {
        lut.lo[i] = (int16_t)(1000 + i);
    }
    lut.start[0] = 100;
    lut.end[0] = 100 + 64 * 8;
    lut.start[1] = 200;
    lut.end[1] = 456;
    lut.select[0] = 3;
}

static int look(int64_t x)
{
    return dla_lut_int(&lut, x, 35, 32, &stats);
}

START_TEST(the_start_itself_is_an_underflow)
{
    lut.uflow_lo = true;
    ck_assert_int_eq(look(100), 1000);
    ck_assert_uint_eq(stats.lut_uflow, 1);
    ck_assert_int_eq(look(101), 1); /* 10 / 8, to the nearest */
    ck_assert_uint_eq(stats.lut_le_hit, 1);
}
END_TEST

START_TEST(the_end_is_an_overflow)
{
    lut.oflow_scale[0] = 2;
    lut.end[0] = 600;
    ck_assert_int_eq(look(611), 639); /* 630 + 10 * 7 / 8 = 638.75 */
    ck_assert_uint_eq(stats.lut_le_hit, 1);
    ck_assert_int_eq(look(612), 640 + 2 * 12);
    ck_assert_uint_eq(stats.lut_oflow, 1);
}
END_TEST

START_TEST(both_hit_asks_the_hybrid_priority)
{
    ck_assert_int_eq(look(300), 250);
    lut.hybrid_lo = true;
    ck_assert_int_eq(look(300), 1100);
    ck_assert_uint_eq(stats.lut_hybrid, 2);
}
END_TEST

START_TEST(one_over_and_one_under_is_hybrid_too)
{
    lut.start[1] = 5000;
    lut.hybrid_lo = true;
    ck_assert_int_eq(look(4000), 1000);
    ck_assert_uint_eq(stats.lut_hybrid, 1);
}
END_TEST

START_TEST(slopes_shift_either_way)
{
    lut.uflow_scale[0] = 3;
    lut.uflow_shift[0] = 1;
    ck_assert_int_eq(look(95), -8); /* -15 / 2, half away from zero */
    lut.uflow_shift[0] = -2;
    ck_assert_int_eq(look(95), -60);
}
END_TEST

START_TEST(an_exponential_table_doubles)
{
    lut.exponential = true;
    lut.index_offset = 2;
    lut.uflow_scale[0] = 1;
    lut.start[1] = 1 << 20;
    ck_assert_int_eq(look(104), 0); /* 4 above the start: entry 0 */
    ck_assert_int_eq(look(106), 5); /* half way to 8 */
    ck_assert_int_eq(look(108), 10);
    lut.uflow_lo = false;
    ck_assert_int_eq(look(103), -1); /* one below 4: underflow from there */
    ck_assert_uint_eq(stats.lut_uflow, 1);
}
END_TEST

START_TEST(select_may_be_negative)
{
    lut.select[1] = -4;               /* 16 entries a step */
    ck_assert_int_eq(look(205), 131); /* both hit: LE, (205 - 100) / 8 * 10 = 131.25 */
    lut.hybrid_lo = true;
    ck_assert_int_eq(look(205), 1080);
    lut.start[0] = 1 << 20;
    ck_assert_int_eq(look(216), 1256); /* 16 * 16: past the table, entry 256 */
}
END_TEST

START_TEST(any_setting_has_an_answer)
{
    static const int64_t x[] = { INT32_MIN, -1, 0, 1, INT32_MAX };

    for (int select = -128; select < 128; select++) {
        lut.select[0] = lut.select[1] = lut.index_offset = (int8_t)select;
        for (int e = 0; e < 2; e++) {
            lut.exponential = e;
            for (size_t i = 0; i < 5; i++) {
                look(x[i]);
                dla_lut_int(&lut, x[i], 16, 16, &stats);
            }
        }
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dla_lut");
    TCase *t = tcase_create("edges");
    SRunner *r = srunner_create(s);
    int failed;

    tcase_add_checked_fixture(t, setup, NULL);
    tcase_add_test(t, the_start_itself_is_an_underflow);
    tcase_add_test(t, the_end_is_an_overflow);
    tcase_add_test(t, both_hit_asks_the_hybrid_priority);
    tcase_add_test(t, one_over_and_one_under_is_hybrid_too);
    tcase_add_test(t, slopes_shift_either_way);
    tcase_add_test(t, an_exponential_table_doubles);
    tcase_add_test(t, select_may_be_negative);
    tcase_add_test(t, any_setting_has_an_answer);
    suite_add_tcase(s, t);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
