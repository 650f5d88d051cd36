/* SPDX-License-Identifier: MIT */
/* The suites of the SMs' test program; its main() is in test_grid.c. */
#ifndef TESTS_TEST_GRID_H
#define TESTS_TEST_GRID_H

#include <check.h>

#define HEAD ".version 8.0\n.target sm_87\n.address_size 64\n"
/* %d0 = out + 4 * global thread index, %r0 = index, %r1 = tid.x */
#define HEAD90                                                                                     \
    ".version 9.0\n.target sm_90\n.address_size 64\n" /* elect, clusters, transactions of mbarrier \
                                                       */
#define ENTRY HEAD ENTRY_ANY
#define ENTRY_ANY                                                                   \
    ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<40>;\n.reg .b64 %d<20>;\n" \
    ".reg .pred %p<10>;\n.reg .f32 %f<8>;\n"
#define INDEX                                                                               \
    "mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r1, %tid.x;\n"                 \
    "mad.lo.u32 %r0, %r2, %r3, %r1;\nld.param.u64 %d0, [out];\nmul.wide.u32 %d1, %r0, 4;\n" \
    "add.u64 %d0, %d0, %d1;\n"

Suite *schedule_suite(void);
Suite *clock_suite(void);
Suite *rows_suite(void);
Suite *dense_suite(void);
Suite *alias_suite(void);
Suite *carry_suite(void);
Suite *names_suite(void);
Suite *meet_suite(void);
Suite *cvt_suite(void);
Suite *ptx_exec_suite(void);
Suite *ptx_rows_suite(void);
Suite *decode_suite(void);
Suite *intrinsic_suite(void);
Suite *matrix_suite(void);
Suite *async_suite(void);
Suite *mma_golden_suite(void);
Suite *tex_suite(void);
Suite *native_suite(void);
Suite *mbarrier_suite(void);
Suite *sync_golden_suite(void);

#endif
