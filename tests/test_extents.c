/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <stdlib.h>

#include "runtime/hal/extents.h"

static struct extents e;

static void setup(void)
{
    extents_init(&e, 0x1000, 0x9000);
}

static void teardown(void)
{
    extents_clear(&e);
}

START_TEST(lowest_free_place_is_taken)
{
    uint64_t a, b, c;

    ck_assert(extents_alloc(&e, 0x1000, 0x1000, &a) && a == 0x1000);
    ck_assert(extents_alloc(&e, 0x2000, 0x1000, &b) && b == 0x2000);
    extents_free(&e, a, 0x1000);
    ck_assert(extents_alloc(&e, 0x1000, 0x1000, &c) && c == 0x1000);
}
END_TEST

START_TEST(alignment_skips)
{
    uint64_t a;

    ck_assert(extents_alloc(&e, 0x1000, 0x4000, &a) && a == 0x4000);
}
END_TEST

START_TEST(full_range_refuses_and_changes_nothing)
{
    uint64_t a = 1, b = 1;

    ck_assert(extents_alloc(&e, 0x8000, 0x1000, &a) && a == 0x1000);
    ck_assert(!extents_alloc(&e, 0x1000, 0x1000, &b));
    ck_assert_uint_eq(b, 1);
    extents_free(&e, a, 0x8000);
    ck_assert(extents_alloc(&e, 0x8000, 0x1000, &a));
}
END_TEST

START_TEST(take_refuses_overlap_and_outside)
{
    ck_assert(extents_take(&e, 0x3000, 0x2000));
    ck_assert(!extents_take(&e, 0x4000, 0x1000));
    ck_assert(!extents_take(&e, 0x2000, 0x1001));
    ck_assert(extents_take(&e, 0x2000, 0x1000));
    ck_assert(!extents_take(&e, 0x8000, 0x2000));
    ck_assert(!extents_take(&e, 0x0, 0x1000));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("extents");
    TCase *tc = tcase_create("core");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, lowest_free_place_is_taken);
    tcase_add_test(tc, alignment_skips);
    tcase_add_test(tc, full_range_refuses_and_changes_nothing);
    tcase_add_test(tc, take_refuses_overlap_and_outside);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
