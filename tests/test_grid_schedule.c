/* SPDX-License-Identifier: MIT */
/* When a grid's warps and blocks run, and what it says about itself meanwhile. */
#include "tests/grid_rig.h"
#include "tests/test_grid.h"
#include <glib.h>
#include <string.h>

static struct rig rig;
static const uint64_t out = RIG_BASE;

static void setup(void)
{
    rig_init(&rig);
}

static void teardown(void)
{
    rig_free(&rig);
}

static uint32_t word(unsigned i)
{
    uint32_t v;

    memcpy(&v, rig_at(&rig, RIG_BASE + 4 * (uint64_t)i), 4);
    return v;
}

static void launch(const char *ptx, unsigned blocks, unsigned threads)
{
    struct rig_launch l = {
        .grid = { blocks }, .block = { threads }, .param = &out, .param_bytes = 8
    };

    rig_launch(&rig, ptx, &l);
}

static const char flag_wait[] =
    ENTRY INDEX "ld.param.u64 %d2, [out];\nL1:\nld.acquire.sys.global.u32 %r4, [%d2+4096];\n"
                "setp.eq.u32 %p1, %r4, 0;\n@%p1 bra L1;\nst.global.u32 [%d0], %r4;\nret;\n}\n";

START_TEST(waiting_for_the_cpu_is_spinning)
{
    struct grid_program *p = rig_program(flag_wait);
    struct rig_launch l = { .block = { 64 }, .param = &out, .param_bytes = 8 };
    struct grid *g = rig_grid(&rig, p, &l);
    enum grid_state s;
    uint32_t five = 5;

    do {
        s = grid_run(g, 1000);
    } while (s == GRID_MORE);
    ck_assert_int_eq(s, GRID_SPINNING);
    ck_assert_uint_lt(grid_stats(g)->warp_insts, 200000);
    do {
        s = grid_run(g, 1000);
    } while (s == GRID_MORE);
    ck_assert_int_eq(s, GRID_SPINNING);
    memcpy(rig_at(&rig, RIG_BASE + 4096), &five, 4);
    ck_assert_int_eq(rig_run(g), GRID_DONE);
    ck_assert_uint_eq(word(63), 5);
    grid_free(g);
    grid_program_unref(p);
}
END_TEST

/* A long computation is not spinning, however long it stores nothing. */
START_TEST(computing_is_not_spinning)
{
    static const char ptx[] = ENTRY INDEX
        "mov.u32 %r4, 0;\nmov.u32 %r5, 1;\nL1:\nmad.lo.u32 %r5, %r5, 1664525, 1013904223;\n"
        "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, 5000000;\n@%p1 bra L1;\n"
        "st.global.u32 [%d0], %r5;\nret;\n}\n";
    struct grid_program *p = rig_program(ptx);
    struct rig_launch l = { .block = { 32 }, .param = &out, .param_bytes = 8 };
    struct grid *g = rig_grid(&rig, p, &l);
    enum grid_state s;

    do {
        s = grid_run(g, 10000);
        ck_assert_int_ne(s, GRID_SPINNING);
    } while (s == GRID_MORE);
    ck_assert_int_eq(s, GRID_DONE);
    grid_free(g);
    grid_program_unref(p);
}
END_TEST

/* Block 0 waits for block 1: it ends when both may be resident, and spins when not. */
static const char block_wait[] =
    ENTRY INDEX "ld.param.u64 %d2, [out];\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra L2;\nL1:\n"
                "ld.volatile.global.u32 %r4, [%d2+4096];\nsetp.eq.u32 %p2, %r4, 0;\n@%p2 bra L1;\n"
                "st.global.u32 [%d0], %r4;\nret;\nL2:\nmov.u32 %r4, 3;\nst.volatile.global.u32 "
                "[%d2+4096], %r4;\n"
                "ret;\n}\n";

START_TEST(spinning_block_brings_in_the_next)
{
    struct rig_launch l = {
        .grid = { 2 }, .block = { 32 }, .param = &out, .param_bytes = 8, .resident_blocks = 2
    };

    rig_launch(&rig, block_wait, &l);
    ck_assert_uint_eq(word(0), 3);
}
END_TEST

START_TEST(spinning_block_waits_for_ever_without_room)
{
    struct grid_program *p = rig_program(block_wait);
    struct rig_launch l = {
        .grid = { 2 }, .block = { 32 }, .param = &out, .param_bytes = 8, .resident_blocks = 1
    };
    struct grid *g = rig_grid(&rig, p, &l);

    ck_assert_int_eq(rig_run(g), GRID_SPINNING);
    grid_free(g);
    grid_program_unref(p);
}
END_TEST

/* All blocks of a cooperative grid meet: count in, wait until the count is full. */
START_TEST(cooperative_blocks_meet)
{
    static const char ptx[] =
        ENTRY INDEX "mov.u32 %r9, %envreg1;\nmov.u32 %r10, %envreg2;\nmov.b64 %d2, {%r10, %r9};\n"
                    "bar.sync 0;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra L2;\natom.global.add.u32 %r4, "
                    "[%d2], 1;\nL1:\n"
                    "ld.acquire.gpu.global.u32 %r5, [%d2];\nsetp.lt.u32 %p2, %r5, 6;\n@%p2 bra "
                    "L1;\nL2:\nbar.sync 0;\n"
                    "ld.global.u32 %r5, [%d2];\nst.global.u32 [%d0], %r5;\nret;\n}\n";
    struct rig_launch l = { .grid = { 6 },
                            .block = { 64 },
                            .param = &out,
                            .param_bytes = 8,
                            .resident_blocks = 6,
                            .cooperative = true,
                            .workspace = RIG_BASE + 65536 };

    rig_launch(&rig, ptx, &l);
    for (unsigned i = 0; i < 6 * 64; i++) {
        ck_assert_uint_eq(word(i), 6);
    }
}
END_TEST

/* The order of accesses does not depend on how the grid is cut into quanta. */
static GString *access_log;

static void access_note(struct rig *r, uint64_t va, bool write)
{
    (void)r;
    g_string_append_printf(access_log, "%c%" G_GINT64_MODIFIER "x ", write ? 'w' : 'r', va);
}

static char *accesses_of(const char *ptx, uint64_t quantum)
{
    struct grid_program *p = rig_program(ptx);
    struct rig_launch l = {
        .grid = { 2 }, .block = { 96 }, .param = &out, .param_bytes = 8, .resident_blocks = 2
    };
    struct grid *g;

    memset(rig.mem, 0, RIG_BYTES);
    access_log = g_string_new(NULL);
    rig.on_access = access_note;
    g = rig_grid(&rig, p, &l);
    while (grid_run(g, quantum) == GRID_MORE) {
    }
    grid_free(g);
    grid_program_unref(p);
    return g_string_free(access_log, FALSE);
}

START_TEST(quantum_does_not_change_the_order)
{
    char *one = accesses_of(block_wait, UINT64_C(1) << 40), *many = accesses_of(block_wait, 1);

    ck_assert_str_eq(one, many);
    g_free(one);
    g_free(many);
}
END_TEST

START_TEST(clocks_advance_with_the_work)
{
    launch(ENTRY
           "ld.param.u64 %d0, [out];\nmov.u64 %d1, %clock64;\nadd.u64 %d2, %d1, 0;\n"
           "add.u64 %d2, %d2, 0;\nmov.u64 %d2, %clock64;\nsub.u64 %d3, %d2, %d1;\n"
           "st.global.u64 [%d0], %d3;\nmov.u64 %d4, %globaltimer;\nst.global.u64 [%d0+8], %d4;\n"
           "mov.u32 %r1, %clock;\nst.global.u32 [%d0+16], %r1;\nnanosleep.u32 100;\nret;\n}\n",
           1, 1);
    ck_assert_uint_eq(word(0), 3);
    ck_assert_uint_eq(word(2), 1000007); /* 1 ms at the start, 7 instructions at 1 GHz */
    ck_assert_uint_eq(word(4), 9);
}
END_TEST

/* Until the clock has moved by 200,000. */
#define DELAY                                                                         \
    "mov.u64 %d1, %clock64;\nLOOP:\nmov.u64 %d2, %clock64;\nsub.u64 %d3, %d2, %d1;\n" \
    "setp.lt.u64 %p2, %d3, 200000;\n@%p2 bra LOOP;\n"

static struct grid *timed(const char *ptx, struct rig_launch l, struct grid_program **p)
{
    struct grid *g;

    l.param = &out;
    l.param_bytes = 8;
    *p = rig_program(ptx);
    g = rig_grid(&rig, *p, &l);
    ck_assert_int_eq(rig_run(g), GRID_DONE);
    return g;
}

static uint64_t cycles_of(const char *ptx, struct rig_launch l)
{
    struct grid_program *p;
    struct grid *g = timed(ptx, l, &p);
    uint64_t cycles = grid_cycles(g);

    ck_assert_uint_lt(grid_stats(g)->warp_insts, 400000);
    grid_free(g);
    grid_program_unref(p);
    return cycles;
}

/* Measured on an H100, driver 580: a kernel of this form takes 5.01 ms for 5 ms of cycles, with 1,
 * 16 and 256 blocks. A wait is over at most 1024 cycles late. */
START_TEST(a_wait_for_the_clock_takes_as_long_as_it_says)
{
    static const char ptx[] = ENTRY DELAY "ret;\n}\n";
    struct rig_launch one = { .block = { 32 }, .schedulers = 4 };
    struct rig_launch many = {
        .grid = { 16 }, .block = { 256 }, .resident_blocks = 16, .schedulers = 4
    };
    struct rig_launch waves = {
        .grid = { 16 }, .block = { 256 }, .resident_blocks = 8, .schedulers = 4
    };
    uint64_t cycles = cycles_of(ptx, one);

    ck_assert_uint_ge(cycles, 200000);
    ck_assert_uint_lt(cycles, 202000);
    cycles = cycles_of(ptx, many);
    ck_assert_uint_ge(cycles, 200000);
    ck_assert_uint_lt(cycles, 202000);
    cycles = cycles_of(ptx, waves);
    ck_assert_uint_ge(cycles, 400000);
    ck_assert_uint_lt(cycles, 404000);
}
END_TEST

/* The first warp waits before the barrier, the second behind it. */
START_TEST(who_waits_at_a_barrier_waits_for_the_last)
{
    struct rig_launch l = { .block = { 64 }, .schedulers = 4 };
    uint64_t cycles =
        cycles_of(ENTRY "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 32;\n"
                        "@!%p1 bra MEET;\n" DELAY "MEET:\nbar.sync 0;\n"
                        "@%p1 bra END;\nmov.u64 %d1, %clock64;\nBACK:\n"
                        "mov.u64 %d2, %clock64;\nsub.u64 %d3, %d2, %d1;\n"
                        "setp.lt.u64 %p2, %d3, 200000;\n@%p2 bra BACK;\nEND:\nret;\n}\n",
                  l);

    ck_assert_uint_ge(cycles, 400000);
    ck_assert_uint_lt(cycles, 404000);
}
END_TEST

/* One warp has an instruction a cycle; 16 blocks of 8 warps share 4 schedulers. */
START_TEST(a_grid_takes_the_longer_of_path_and_throughput)
{
    static const char ptx[] = ENTRY "add.u64 %d1, %d2, 1;\nadd.u64 %d1, %d1, 1;\n"
                                    "add.u64 %d1, %d1, 1;\nret;\n}\n";
    struct rig_launch one = { .block = { 32 }, .schedulers = 4 };
    struct rig_launch many = {
        .grid = { 16 }, .block = { 256 }, .resident_blocks = 16, .schedulers = 4
    };

    ck_assert_uint_eq(cycles_of(ptx, one), 4);
    ck_assert_uint_eq(cycles_of(ptx, many), 16 * 8 * 4 / 4);
}
END_TEST

START_TEST(a_sleeping_thread_lets_time_pass)
{
    static const char ptx[] =
        ENTRY "mov.u32 %r1, %tid.x;\nnanosleep.u32 %r1;\nnanosleep.u32 500;\nret;\n}\n";
    struct rig_launch l = { .block = { 32 }, .schedulers = 4 };

    ck_assert_uint_eq(cycles_of(ptx, l), 4 + 31 + 500); /* at 1 GHz; the longest of the lanes */
}
END_TEST

START_TEST(statistics_count_what_was_done)
{
    struct grid_program *p = rig_program(
        ENTRY INDEX
        "st.global.u32 [%d0], %r0;\nbar.sync 0;\nsetp.lt.u32 %p1, %r1, 8;\n@%p1 bra L1;\n"
        "nanosleep.u32 1;\nL1:\nret;\n}\n");
    struct rig_launch l = { .grid = { 2 }, .block = { 48 }, .param = &out, .param_bytes = 8 };
    struct grid *g = rig_grid(&rig, p, &l);

    ck_assert_int_eq(rig_run(g), GRID_DONE);
    /* 7 + 4 instructions and the ret for each of 4 warps; nanosleep in the two first warps of a
     * block for the lanes that did not branch, and in the two second ones for all */
    ck_assert_uint_eq(grid_stats(g)->warp_insts, 4 * 12 + 4);
    ck_assert_uint_eq(grid_stats(g)->thread_insts, 96 * 12 + 2 * (24 + 16));
    ck_assert_uint_eq(grid_stats(g)->mem_insts, 4);
    ck_assert_uint_eq(grid_stats(g)->mem_lines, 2 + 3); /* block 1 begins inside a line */
    ck_assert_uint_eq(grid_stats(g)->barriers, 4);
    ck_assert_uint_eq(grid_stats(g)->divergences, 2);
    grid_free(g);
    grid_program_unref(p);
}
END_TEST

Suite *schedule_suite(void)
{
    Suite *s = suite_create("schedule");
    TCase *t = tcase_create("schedule");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 30);
    tcase_add_test(t, waiting_for_the_cpu_is_spinning);
    tcase_add_test(t, computing_is_not_spinning);
    tcase_add_test(t, spinning_block_brings_in_the_next);
    tcase_add_test(t, spinning_block_waits_for_ever_without_room);
    tcase_add_test(t, cooperative_blocks_meet);
    tcase_add_test(t, quantum_does_not_change_the_order);
    tcase_add_test(t, clocks_advance_with_the_work);
    tcase_add_test(t, a_wait_for_the_clock_takes_as_long_as_it_says);
    tcase_add_test(t, who_waits_at_a_barrier_waits_for_the_last);
    tcase_add_test(t, a_grid_takes_the_longer_of_path_and_throughput);
    tcase_add_test(t, a_sleeping_thread_lets_time_pass);
    tcase_add_test(t, statistics_count_what_was_done);
    suite_add_tcase(s, t);
    return s;
}
