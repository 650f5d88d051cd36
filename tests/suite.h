/* SPDX-License-Identifier: MIT */
/* How a test program ends that has one suite. */
#ifndef TESTS_SUITE_H
#define TESTS_SUITE_H

#include <check.h>
#include <stdlib.h>

/* Runs @s and frees it. Return: what main() returns. */
static inline int suite_main(Suite *s)
{
    SRunner *runner = srunner_create(s);
    int failed;

    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
