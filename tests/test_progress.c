/* SPDX-License-Identifier: MIT */
/* The line of a long kernel: when it comes, what it says, when it goes. */
#include <check.h>
#include <glib.h>

#include "runtime/hal/inproc/progress.h"
#include "tests/suite.h"

static struct progress p;

static void due(uint64_t kernel, uint64_t done, uint64_t now_ms, const char *want)
{
    g_autofree char *text = progress_text(&p, kernel, done, 400, now_ms);

    ck_assert_pstr_eq(text, want);
}

static void setup(void)
{
    p = (struct progress){ .on = true };
}

START_TEST(a_kernel_of_less_than_two_seconds_has_no_line)
{
    due(7, 0, 1000, NULL);
    due(7, 399, 2999, NULL);
    due(0, 0, 3001, NULL);
}
END_TEST

START_TEST(a_longer_one_has_blocks_and_the_time_left_and_none_when_it_has_ended)
{
    due(7, 0, 1000, NULL);
    due(7, 100, 3000, "\r\033[Kvtegra: kernel: 100 of 400 blocks, about 7 s left");
    due(7, 101, 3200, NULL); /* twice a second */
    due(7, 200, 5000, "\r\033[Kvtegra: kernel: 200 of 400 blocks, about 5 s left");
    due(0, 0, 5001, "\r\033[K");
    due(0, 0, 9000, NULL);
}
END_TEST

START_TEST(the_next_kernel_counts_anew)
{
    due(7, 0, 0, NULL);
    due(7, 1, 2000, "\r\033[Kvtegra: kernel: 1 of 400 blocks, about 13 min left");
    due(8, 0, 2001, "\r\033[K");
    due(8, 1, 4000, NULL);
    due(8, 0, 4001, "\r\033[Kvtegra: kernel: 0 of 400 blocks");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("progress");
    TCase *tc = tcase_create("progress");

    tcase_add_checked_fixture(tc, setup, NULL);
    tcase_add_test(tc, a_kernel_of_less_than_two_seconds_has_no_line);
    tcase_add_test(tc, a_longer_one_has_blocks_and_the_time_left_and_none_when_it_has_ended);
    tcase_add_test(tc, the_next_kernel_counts_anew);
    suite_add_tcase(s, tc);
    return suite_main(s);
}
