/* SPDX-License-Identifier: MIT */
/* Checks for races that may cost only so much: what is checked first and again, what it costs, and
 * that neither results nor counts nor the clock depend on it. */
#include "tests/grid_rig.h"
#include <check.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"
#define ENTRY(name)                                                                               \
    ".visible .entry " name "(.param .u64 out)\n{\n.reg .u64 %d<8>;\n.reg .u32 %r<8>;\n"          \
    ".reg .pred %p<4>;\nld.param.u64 %d0, [out];\nmov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %tid.x;\n" \
    "mov.u32 %r2, %ntid.x;\nmad.lo.u32 %r3, %r0, %r2, %r1;\nand.b32 %r3, %r3, 0xffff;\n"          \
    "mul.wide.u32 %d1, %r3, 4;\nadd.u64 %d1, %d0, %d1;\n"

/* Each thread works on a word of its own; the kernel @racy swaps words of a block without a
 * barrier. */
static const char text[] = HEAD ".shared .align 4 .b8 tile[1024];\n" ENTRY(
    "plain") "mov.u32 %r4, 0;\nAGAIN:\nld.global.u32 %r5, [%d1];\nadd.u32 %r5, %r5, %r3;\n"
             "st.global.u32 [%d1], %r5;\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, 16;\n"
             "@%p1 bra AGAIN;\nret;\n}\n" ENTRY(
                 "racy") "mov.u64 %d2, tile;\nmul.wide.u32 %d3, %r1, 4;\nadd.u64 %d2, %d2, %d3;\n"
                         "st.shared.u32 [%d2], %r1;\nxor.b32 %r4, %r1, 32;\nmul.wide.u32 %d3, %r4, "
                         "4;\n"
                         "mov.u64 %d4, tile;\nadd.u64 %d4, %d4, %d3;\nld.shared.u32 %r5, [%d4];\n"
                         "st.global.u32 [%d1], %r5;\nret;\n}\n"
    /* A block takes the sum of the block before it and passes its own on, in order. */
    ENTRY(
        "chain") "mul.wide.u32 %d2, %r0, 8;\nadd.u64 %d2, %d0, %d2;\nsetp.ne.u32 %p1, %r1, "
                 "0;\n@%p1 bra END;\n"
                 "setp.eq.u32 %p2, %r0, 0;\n@%p2 bra FIRST;\nWAIT:\nld.acquire.gpu.u32 %r4, "
                 "[%d2+-4];\n"
                 "setp.eq.u32 %p3, %r4, 0;\n@%p3 bra WAIT;\nld.global.u32 %r5, [%d2+-8];\nFIRST:\n"
                 "add.u32 %r5, %r5, 1;\nst.global.u32 [%d2], %r5;\nmov.u32 %r6, 1;\n"
                 "st.release.gpu.u32 [%d2+4], %r6;\nEND:\nret;\n}\n";

static const uint64_t out = RIG_BASE;
static struct rig rig;
static struct grid_program *program;
static struct grid_budget budget;

static void setup(void)
{
    rig_init(&rig);
    program = rig_program(text);
    budget = (struct grid_budget){ 0 };
}

static void teardown(void)
{
    grid_program_unref(program);
    rig_free(&rig);
}

/* What a launch gives; @some: checked at all, @blocks: from their start to their end */
struct result {
    struct grid_stats stats;
    uint64_t cycles, blocks;
    size_t races;
    bool part, some;
};

static struct result launch(const char *entry, uint32_t blocks, struct grid_budget *of,
                            enum grid_races races)
{
    const struct rig_launch l = { .entry = entry,
                                  .grid = { blocks },
                                  .block = { 64 },
                                  .param = &out,
                                  .param_bytes = 8,
                                  .resident_blocks = 4,
                                  .races = races,
                                  .budget = of };
    struct grid *g = rig_grid(&rig, program, &l);
    const struct grid_race *rows;
    struct result r = { .blocks = 0 };

    ck_assert_int_eq(rig_run(g), GRID_DONE);
    r.stats = *grid_stats(g);
    r.cycles = grid_cycles(g);
    r.races = grid_races(g, &rows);
    r.part = grid_races_part(g, &r.blocks, &r.some);
    grid_free(g);
    return r;
}

static struct result sampled(const char *entry, uint32_t blocks)
{
    return launch(entry, blocks, &budget, GRID_RACES_STRICT);
}

/* As if a kernel that ran before had used up what there is at the beginning, but for @left. */
static void budget_use(uint64_t left)
{
    budget = (struct grid_budget){ 0, UINT64_C(400000000) - left };
}

START_TEST(short_launches_are_checked_whole)
{
    for (int i = 0; i < 20; i++) {
        struct result r = sampled("racy", 8);

        ck_assert(!r.part);
        ck_assert_uint_eq(r.races, 1);
        ck_assert(!sampled("plain", 8).part);
    }
    ck_assert_uint_gt(budget.spent, 0);
    ck_assert_uint_gt(budget.work, 0);
}
END_TEST

START_TEST(a_long_launch_is_checked_from_its_first_block_on)
{
    struct result r;

    budget_use(2000000);
    r = sampled("plain", 4000);
    ck_assert(r.part && r.some);
    ck_assert_uint_gt(r.blocks, 10);
    ck_assert_uint_lt(r.blocks, 4000);
}
END_TEST

START_TEST(without_a_budget_left_a_known_kernel_is_not_checked)
{
    budget_use(1000);
    sampled("plain", 100);
    ck_assert(sampled("plain", 100).part);
    ck_assert(!sampled("plain", 100).some);
    ck_assert_uint_eq(sampled("racy", 1).races, 1); /* it is new */
}
END_TEST

/* 30 % of what the program's own work costs, and what there is at the beginning */
START_TEST(checks_cost_a_fraction_of_the_work)
{
    struct result r = { 0 };
    unsigned again = 0;

    budget_use(101000000); /* a quarter stays for new kernels */
    for (int i = 0; i < 80; i++) {
        r = sampled("plain", 200);
        again += i > 40 && r.some;
    }
    ck_assert_uint_lt(budget.spent, 300000000 + budget.work * 3 / 10 + 5000000);
    ck_assert_uint_gt(again, 0); /* launches are sampled to the end */
}
END_TEST

START_TEST(one_run_checks_what_another_does)
{
    struct result r[2][16];

    for (int k = 0; k < 2; k++) {
        teardown();
        setup();
        budget_use(3000000);
        for (int i = 0; i < 16; i++) {
            r[k][i] = sampled(i % 3 ? "plain" : "racy", 200);
        }
    }
    for (int i = 0; i < 16; i++) {
        ck_assert_uint_eq(r[0][i].blocks, r[1][i].blocks);
        ck_assert_uint_eq(r[0][i].races, r[1][i].races);
        ck_assert_int_eq(r[0][i].some, r[1][i].some);
    }
}
END_TEST

/* Also where checks end in the middle of the grid and begin again */
START_TEST(results_counts_and_clock_are_those_without_checks)
{
    static const char *const entries[] = { "plain", "racy", "chain" };
    g_autofree uint8_t *memory = g_malloc(1u << 20);
    struct result off, some;

    memset(rig_at(&rig, RIG_BASE), 0, 1u << 20);
    off = launch(entries[_i], 3000, NULL, GRID_RACES_OFF);
    memcpy(memory, rig_at(&rig, RIG_BASE), 1u << 20);
    memset(rig_at(&rig, RIG_BASE), 0, 1u << 20);
    budget_use(500000);
    some = sampled(entries[_i], 3000);
    ck_assert(some.part && some.some);
    ck_assert_mem_eq(&off.stats, &some.stats, sizeof(off.stats));
    ck_assert_uint_eq(off.cycles, some.cycles);
    ck_assert_mem_eq(memory, rig_at(&rig, RIG_BASE), 1u << 20);
}
END_TEST

/* What a block has acquired while it was not checked is not missed afterwards. */
START_TEST(order_that_was_not_observed_makes_no_race)
{
    struct result r;
    bool whole;

    memset(rig_at(&rig, RIG_BASE), 0, 1u << 20);
    whole = launch("chain", 100, NULL, GRID_RACES_STRICT).races == 0;
    ck_assert(whole);
    for (int i = 0; i < 6; i++) {
        memset(rig_at(&rig, RIG_BASE), 0, 1u << 20);
        budget.spent = MAX(budget.spent, 399000000u);
        r = sampled("chain", 8000);
        ck_assert_uint_eq(r.races, 0);
    }
    ck_assert(r.part);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("race_budget");
    TCase *t = tcase_create("budget");
    SRunner *r;
    int failed;

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 120);
    tcase_add_test(t, short_launches_are_checked_whole);
    tcase_add_test(t, a_long_launch_is_checked_from_its_first_block_on);
    tcase_add_test(t, without_a_budget_left_a_known_kernel_is_not_checked);
    tcase_add_test(t, checks_cost_a_fraction_of_the_work);
    tcase_add_test(t, one_run_checks_what_another_does);
    tcase_add_loop_test(t, results_counts_and_clock_are_those_without_checks, 0, 3);
    tcase_add_test(t, order_that_was_not_observed_makes_no_race);
    suite_add_tcase(s, t);
    r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
