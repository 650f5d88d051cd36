/* SPDX-License-Identifier: MIT */
/* The scheduler is another library, perhaps of another version of vtegra; so is what is preloaded.
 */
#include <check.h>
#include <glib.h>

#include "runtime/observe/check_internal.h"
#include "runtime/observe/sched_lookup.h"
#include "runtime/preload/preload.h"
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

static struct vtegra_preload preloaded;

__attribute__((visibility("default"))) const struct vtegra_preload *vtegra_preload(void)
{
    return &preloaded;
}

START_TEST(only_a_preloaded_library_of_this_version_is_used)
{
    preloaded.version = VTEGRA_PRELOAD_VERSION + (unsigned)_i;
    ck_assert_ptr_eq(preload_find(), _i == 0 ? &preloaded : NULL);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("sched_found");
    TCase *t = tcase_create("sched_found");

    tcase_add_loop_test(t, only_a_scheduler_of_this_version_is_asked, 0, 2);
    tcase_add_loop_test(t, only_a_preloaded_library_of_this_version_is_used, 0, 2);
    suite_add_tcase(s, t);
    return suite_main(s);
}
