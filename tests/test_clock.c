/* SPDX-License-Identifier: MIT */
/* How long a grid takes: units of an SM, banks of its shared memory, SMs that others wait for.
 * Rates: CUDA C++ Programming Guide, Arithmetic Instructions, compute capability 8.7: of a cycle
 * and SM 2 results in double precision and 16 of special functions; tensor cores: 1024
 * multiply-adds. */
#include "tests/grid_rig.h"
#include "tests/test_grid.h"
#include <glib.h>

static struct rig rig;
static const uint64_t out = RIG_BASE;
static struct grid_units units;

static void setup(void)
{
    rig_init(&rig);
    units = (struct grid_units){ .fp64 = 2, .sfu = 16, .ldst = 32, .tensor = 1024 };
}

static void teardown(void)
{
    rig_free(&rig);
}

/* @times @text in an entry, on 2 SMs of 4 schedulers */
static uint64_t cycles(const char *head, const char *text, unsigned times, unsigned blocks,
                       unsigned threads)
{
    struct rig_launch l = { .grid = { blocks },
                            .block = { threads },
                            .resident_blocks = blocks,
                            .param = &out,
                            .param_bytes = 8,
                            .schedulers = 8,
                            .units = units };
    GString *ptx = g_string_new(ENTRY ".reg .f64 %g<4>;\n.shared .align 16 .b8 s[16384];\n");
    struct grid_program *p;
    struct grid *g;
    uint64_t n;

    g_string_append(ptx, head);
    for (unsigned i = 0; i < times; i++) {
        g_string_append(ptx, text);
    }
    g_string_append(ptx, "ret;\n}\n");
    p = rig_program(ptx->str);
    g = rig_grid(&rig, p, &l);
    ck_assert_int_eq(rig_run(g), GRID_DONE);
    n = grid_cycles(g);
    grid_free(g);
    grid_program_unref(p);
    g_string_free(ptx, TRUE);
    return n;
}

START_TEST(a_warp_has_a_unit_for_as_long_as_it_has_fewer_lanes)
{
    ck_assert_uint_eq(cycles("", "add.f32 %f1, %f1, %f2;\n", 10, 1, 32), 11);
    ck_assert_uint_eq(cycles("", "fma.rn.f64 %g1, %g1, %g2, %g3;\n", 10, 1, 32), 10 * 16 + 1);
    ck_assert_uint_eq(cycles("", "ex2.approx.f32 %f1, %f1;\n", 10, 1, 32), 10 * 2 + 1);
}
END_TEST

START_TEST(warps_share_the_units_of_their_sm)
{
    /* 16 warps an SM, of 10 instructions */
    ck_assert_uint_eq(cycles("", "fma.rn.f64 %g1, %g1, %g2, %g3;\n", 10, 4, 256), 16 * 10 * 16);
    ck_assert_uint_eq(cycles("", "rsqrt.approx.f32 %f1, %f1;\n", 10, 4, 256), 16 * 10 * 2);
    /* 4 schedulers an SM; the ret, too */
    ck_assert_uint_eq(cycles("", "add.f32 %f1, %f1, %f2;\n", 11, 4, 256), 16 * 12 / 4);
}
END_TEST

START_TEST(a_loop_counts_each_round)
{
    ck_assert_uint_ge(cycles("mov.u32 %r1, 0;\nL:\n"
                             "fma.rn.f64 %g1, %g1, %g2, %g3;\nadd.u32 %r1, %r1, 1;\n"
                             "setp.lt.u32 %p1, %r1, 100;\n@%p1 bra L;\n",
                             "", 0, 1, 32),
                      100 * 16);
}
END_TEST

START_TEST(tensor_cores_take_what_their_peak_says)
{
    /* 16 x 8 x 16 multiply-adds are 2 cycles of an SM; of 8 bits as many take half as long */
    static const char half[] = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                               "{%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, "
                               "{%f0,%f1,%f2,%f3};\n";
    static const char byte[] = "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
                               "{%r10,%r11,%r12,%r13}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, "
                               "{%r10,%r11,%r12,%r13};\n";

    ck_assert_uint_eq(cycles("", half, 10, 4, 256), 16 * 10 * 2);
    ck_assert_uint_eq(cycles("", byte, 10, 4, 256), 16 * 10 * 2);
}
END_TEST

#define SHARED(step)                                                          \
    "mov.u32 %r1, %tid.x;\nmul.lo.u32 %r1, %r1, " step ";\nmov.u32 %r2, s;\n" \
    "add.u32 %r2, %r2, %r1;\n"

START_TEST(lanes_that_want_one_bank_take_turns)
{
    static const char load[] = "ld.shared.u32 %r3, [%r2];\n";
    uint64_t row = cycles(SHARED("4"), load, 20, 1, 32);

    ck_assert_uint_eq(cycles(SHARED("8"), load, 20, 1, 32), row + 20);        /* two words a bank */
    ck_assert_uint_eq(cycles(SHARED("128"), load, 20, 1, 32), row + 20 * 31); /* a column */
    ck_assert_uint_eq(cycles(SHARED("132"), load, 20, 1, 32), row); /* one of a padded tile */
    ck_assert_uint_eq(cycles(SHARED("0"), load, 20, 1, 32), row);   /* one word for all */
    ck_assert_uint_eq(cycles(SHARED("128"), "st.shared.u32 [%r2], %r3;\n", 20, 1, 32),
                      row + 20 * 31);
    /* 512 bytes are four passes */
    ck_assert_uint_eq(
        cycles(SHARED("16"), "ld.shared.v4.u32 {%r3,%r4,%r5,%r6}, [%r2];\n", 20, 1, 32),
        row + 20 * 3);
}
END_TEST

/* The last of 5 blocks is alone on an SM, and both SMs take as long as three. */
START_TEST(a_grid_waits_for_the_sm_with_the_most_blocks)
{
    static const char text[] = "fma.rn.f64 %g1, %g1, %g2, %g3;\n";

    ck_assert_uint_eq(cycles("", text, 10, 6, 256), 3 * 8 * 10 * 16);
    ck_assert_uint_eq(cycles("", text, 10, 5, 256), 3 * 8 * 10 * 16);
    ck_assert_uint_eq(cycles("", text, 10, 4, 256), 2 * 8 * 10 * 16);
}
END_TEST

/* Empty blocks take as long as an SM needs to start half of them (docs/timing.md, L1b); one that
 * works for longer hides it. */
START_TEST(an_sm_starts_one_block_after_the_other)
{
    units.block = 40;
    ck_assert_uint_eq(cycles("", "", 0, 64, 32), 32 * 40);
    ck_assert_uint_eq(cycles("", "fma.rn.f64 %g1, %g1, %g2, %g3;\n", 10, 4, 256), 16 * 10 * 16);
}
END_TEST

Suite *clock_suite(void)
{
    Suite *s = suite_create("clock");
    TCase *t = tcase_create("clock");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_warp_has_a_unit_for_as_long_as_it_has_fewer_lanes);
    tcase_add_test(t, warps_share_the_units_of_their_sm);
    tcase_add_test(t, a_loop_counts_each_round);
    tcase_add_test(t, tensor_cores_take_what_their_peak_says);
    tcase_add_test(t, lanes_that_want_one_bank_take_turns);
    tcase_add_test(t, a_grid_waits_for_the_sm_with_the_most_blocks);
    tcase_add_test(t, an_sm_starts_one_block_after_the_other);
    suite_add_tcase(s, t);
    return s;
}
