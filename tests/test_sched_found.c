/* SPDX-License-Identifier: MIT */
/* The scheduler is another library, perhaps of another version of vtegra. */
#include <check.h>
#include <glib.h>

#include "runtime/check/sched.h"
#include "tests/hal_none.h"
#include "tests/suite.h"

static struct vtegra_sched sched;
static unsigned asked;

__attribute__((visibility("default"))) const struct vtegra_sched *vtegra_sched(void)
{
    asked++;
    return &sched;
}

START_TEST(only_a_scheduler_of_this_version_is_asked)
{
    sched.version = VTEGRA_SCHED_VERSION + (unsigned)_i;
    ck_assert_ptr_eq(check_sched(), _i == 0 ? &sched : NULL);
    ck_assert_ptr_eq(check_sched(), _i == 0 ? &sched : NULL);
    ck_assert_uint_eq(asked, 1);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("sched_found");
    TCase *t = tcase_create("sched_found");

    tcase_add_loop_test(t, only_a_scheduler_of_this_version_is_asked, 0, 2);
    suite_add_tcase(s, t);
    return suite_main(s);
}
