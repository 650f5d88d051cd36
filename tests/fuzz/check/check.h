/* SPDX-License-Identifier: MIT */
/* Check's asserts for rigs that a fuzzer uses: where no test runs, Check's own end the program. */
#ifndef TESTS_FUZZ_CHECK_CHECK_H
#define TESTS_FUZZ_CHECK_CHECK_H

#include <stdlib.h>

#define ck_assert_msg(condition, ...) ((condition) ? (void)0 : abort())
#define ck_assert(condition) ck_assert_msg(condition)
#define ck_assert_uint_eq(a, b) ck_assert_msg((a) == (b))
#define ck_abort_msg(...) abort()

#endif
