/* SPDX-License-Identifier: MIT */
/* The DRAM that all engines share: nobody is slowed alone, and together they get what there is. */
#include <check.h>
#include <stdlib.h>

#include "model/soc/dram.h"

#define MB_S 1000u /* 1 byte a ns */

static struct dram *dram;

static void setup(void)
{
    dram = malloc(sizeof(*dram));
    ck_assert_ptr_nonnull(dram);
    dram_init(dram, MB_S);
}

static void teardown(void)
{
    dram_fini(dram);
    free(dram);
}

START_TEST(one_engine_takes_its_own_time)
{
    ck_assert_uint_eq(dram_take(dram, 5, 1000000, 900000), 1000000);
    ck_assert_uint_eq(dram_take(dram, 1000005, 77, 60), 77);
    ck_assert_uint_eq(dram_take(dram, 2000000, 5000, 0), 5000);
    ck_assert_uint_eq(dram_take(dram, 2000000, 0, 0), 0);
}
END_TEST

/* Each alone takes 1 ms of 90 %. The second has 10 % in the first millisecond, which are 100,000 of
 * its bytes, and then needs 800,000 / 0.9 ns for the others. */
START_TEST(two_that_ask_for_more_than_there_is_take_longer)
{
    uint64_t first = dram_take(dram, 0, 1000000, 900000);
    uint64_t second = dram_take(dram, 0, 1000000, 900000);

    ck_assert_uint_eq(first, 1000000);
    ck_assert_uint_ge(second, 1888889 - DRAM_SLOT_NS);
    ck_assert_uint_le(second, 1888889 + DRAM_SLOT_NS);
}
END_TEST

/* Half and half fit. */
START_TEST(two_that_fit_do_not_slow_each_other)
{
    ck_assert_uint_eq(dram_take(dram, 0, 1000000, 500000), 1000000);
    ck_assert_uint_eq(dram_take(dram, 0, 1000000, 490000), 1000000);
}
END_TEST

/* Three engines from the same moment on: the last ends no sooner than all bytes need. */
START_TEST(the_sum_stays_below_the_ceiling)
{
    uint64_t end = 0;

    for (unsigned i = 0; i < 3; i++) {
        uint64_t ns = dram_take(dram, 100, 400000, 380000);

        end = ns > end ? ns : end;
    }
    ck_assert_uint_ge(end, 3 * 380000 - 20000);
    ck_assert_uint_le(end, 3 * 380000 + 60000);
}
END_TEST

/* The least bandwidth and the least part of it that a profile may have are below 1 MB/s: 1 MB/s is
 * what is left, 32,000 bytes in 32 ms, and work ends. */
START_TEST(a_ceiling_of_nothing_lets_work_end)
{
    uint64_t ns;

    dram_init(dram, 0);
    ns = dram_take(dram, 0, 1000000, 32000);
    ck_assert_uint_ge(ns, 30000000);
    ck_assert_uint_le(ns, 35000000);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dram");
    TCase *t = tcase_create("dram");
    SRunner *r;
    int failed;

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, one_engine_takes_its_own_time);
    tcase_add_test(t, two_that_ask_for_more_than_there_is_take_longer);
    tcase_add_test(t, two_that_fit_do_not_slow_each_other);
    tcase_add_test(t, the_sum_stays_below_the_ceiling);
    tcase_add_test(t, a_ceiling_of_nothing_lets_work_end);
    suite_add_tcase(s, t);
    r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
