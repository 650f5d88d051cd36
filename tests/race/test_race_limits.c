/* SPDX-License-Identifier: MIT */
/* What programs may ask for at most: blocks, arrivals at an mbarrier. */
#include <check.h>
#include <stdlib.h>

#include "tests/grid_rig.h"

#define MAX_X 0x7fffffffu /* of a grid: CUDA Programming Guide, compute capabilities */
#define BEGIN                                                                                \
    ".version 8.0\n.target sm_87\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n" \
    ".reg .b32 %r<8>;\n.reg .b64 %d<8>;\n.reg .pred %p<4>;\n.shared .align 8 .b8 m[8];\n"    \
    ".shared .align 4 .b8 s[4096];\nld.param.u64 %d0, [out];\nmov.u32 %r0, %ctaid.x;\n"      \
    "mov.u32 %r1, %tid.x;\nmov.u32 %r2, m;\nshl.b32 %r3, %r1, 2;\nxor.b32 %r4, %r3, 4092;\n" \
    "mov.u32 %r5, s;\nadd.u32 %r3, %r3, %r5;\nadd.u32 %r4, %r4, %r5;\n"
#define STORE_BLOCK "st.global.u32 [%d0], %r0;\n"
#define STORE "st.shared.u32 [%r3], %r1;\n"
#define LOAD "ld.shared.u32 %r6, [%r4];\n"
#define INIT "setp.eq.u32 %p1, %r1, 0;\n@%p1 mbarrier.init.shared.b64 [%r2], 1024;\nbar.sync 0;\n"
#define ARRIVE "mbarrier.arrive.shared.b64 %d1, [%r2];\n"
#define WAIT "L:\nmbarrier.test_wait.shared.b64 %p2, [%r2], %d1;\n@!%p2 bra L;\n"
#define END "ret;\n}\n"

static struct rig rig;
static struct grid_program *program;

static struct grid *grid_of(const char *text, uint32_t x, uint32_t y, uint32_t threads)
{
    static const uint64_t out = RIG_BASE;

    rig_init(&rig);
    program = rig_program(text);
    return rig_grid(&rig, program,
                    &(struct rig_launch){ .grid = { x, y, 1 },
                                          .block = { threads, 1, 1 },
                                          .param = &out,
                                          .param_bytes = sizeof(out),
                                          .races = GRID_RACES_STRICT });
}

static void grid_end(struct grid *g)
{
    grid_free(g);
    grid_program_unref(program);
    rig_free(&rig);
}

START_TEST(the_first_of_two_billion_blocks_are_checked)
{
    struct grid *g = grid_of(BEGIN STORE_BLOCK END, MAX_X, 1, 1);
    const struct grid_race *row;

    ck_assert_int_eq(grid_run(g, 10000), GRID_MORE);
    ck_assert(!grid_races_stopped(g));
    ck_assert_uint_eq(grid_races(g, &row), 1);
    ck_assert_uint_eq(row->relation, GRID_RACE_GRID);
    grid_end(g);
}
END_TEST

START_TEST(a_launch_of_more_blocks_than_records_hold_runs_unchecked_and_says_so)
{
    struct grid *g = grid_of(BEGIN STORE_BLOCK END, MAX_X, 65535, 1);
    const struct grid_race *row;

    ck_assert_int_eq(grid_run(g, 10000), GRID_MORE);
    ck_assert(grid_races_stopped(g));
    ck_assert_uint_eq(grid_races(g, &row), 0);
    grid_end(g);
}
END_TEST

START_TEST(an_mbarrier_orders_all_threads_of_the_largest_block)
{
    struct grid *g = grid_of(BEGIN INIT STORE ARRIVE WAIT LOAD END, 1, 1, 1024);
    const struct grid_race *row;

    ck_assert_int_eq(rig_run(g), GRID_DONE);
    ck_assert(!grid_races_stopped(g));
    ck_assert_uint_eq(grid_races(g, &row), 0);
    grid_end(g);
}
END_TEST

START_TEST(a_load_before_the_wait_for_them_races)
{
    struct grid *g = grid_of(BEGIN INIT STORE ARRIVE LOAD WAIT END, 1, 1, 1024);
    const struct grid_race *row;

    ck_assert_int_eq(rig_run(g), GRID_DONE);
    ck_assert(!grid_races_stopped(g));
    ck_assert_uint_ge(grid_races(g, &row), 1);
    ck_assert_uint_eq(row->relation, GRID_RACE_BLOCK);
    grid_end(g);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("race_limits");
    TCase *t = tcase_create("limits");
    SRunner *r = srunner_create(s);
    int failed;

    tcase_add_test(t, the_first_of_two_billion_blocks_are_checked);
    tcase_add_test(t, a_launch_of_more_blocks_than_records_hold_runs_unchecked_and_says_so);
    tcase_add_test(t, an_mbarrier_orders_all_threads_of_the_largest_block);
    tcase_add_test(t, a_load_before_the_wait_for_them_races);
    suite_add_tcase(s, t);
    srunner_run_all(r, CK_ENV);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
