/* SPDX-License-Identifier: MIT */
/* The suites of the SMs' test program; its main() is in test_grid.c. */
#ifndef TESTS_TEST_GRID_H
#define TESTS_TEST_GRID_H

#include <check.h>

Suite *ptx_exec_suite(void);
Suite *decode_suite(void);
Suite *intrinsic_suite(void);

#endif
