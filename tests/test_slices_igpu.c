/* SPDX-License-Identifier: MIT */
/* As test_slices.c, for what the iGPU's channels can be asked for: copies, fills and kernels
 * without end. */
#include <check.h>
#include <string.h>

#include "tests/soc_rig.h"
#include "tests/suite.h"

#define SLICE (UINT64_C(1) << 22)
#define MOST (2 * SLICE)

static struct rig rig;
static uint64_t work;
static const uint64_t none; /* no parameter */

static void setup(void)
{
    rig_open_sliced(&rig, SLICE);
    work = 0;
}

static void teardown(void)
{
    rig_close(&rig);
}

static void step(void)
{
    uint64_t now;

    ck_assert_int_ne(soc_step(rig.soc, UINT64_MAX), SOC_IDLE);
    now = soc_work(rig.soc);
    ck_assert_uint_le(now - work, MOST);
    work = now;
}

static void copy(uint32_t len, uint32_t lines, uint32_t launch)
{
    rig_method(&rig, SUBCH_COPY, CE_OFFSET_IN_UPPER, (uint32_t)(RIG_VA >> 32));
    rig_method(&rig, SUBCH_COPY, CE_OFFSET_IN_LOWER, (uint32_t)RIG_VA);
    rig_method(&rig, SUBCH_COPY, CE_OFFSET_OUT_UPPER, (uint32_t)(RIG_VA >> 32));
    rig_method(&rig, SUBCH_COPY, CE_OFFSET_OUT_LOWER, (uint32_t)RIG_VA);
    rig_method(&rig, SUBCH_COPY, CE_SET_REMAP_CONST_A, 0x5a5a5a5a);
    rig_method(&rig, SUBCH_COPY, CE_SET_REMAP_COMPONENTS, CE_REMAP_DST_X_CONST_A | 3 << 16);
    rig_method(&rig, SUBCH_COPY, CE_LINE_LENGTH_IN, len);
    rig_method(&rig, SUBCH_COPY, CE_LINE_COUNT, lines);
    rig_method(&rig, SUBCH_COPY, CE_LAUNCH_DMA,
               launch | CE_LAUNCH_SRC_PITCH | CE_LAUNCH_DST_PITCH | CE_LAUNCH_MULTI_LINE);
    rig_method(&rig, 0, HOST_SYNCPOINTB, 5 << 8 | 1);
    rig_submit(&rig);
}

/* Pitches of 0: line after line at one place. @_i: a copy, a fill, lines without bytes */
START_TEST(lines_without_end)
{
    static const uint32_t len[] = { RIG_DATA_BYTES, RIG_DATA_BYTES / 4, 0 };

    copy(len[_i], UINT32_MAX, _i == 1 ? CE_LAUNCH_REMAP : 0);
    for (unsigned i = 0; i < 4; i++) {
        step();
    }
    ck_assert_uint_eq(rig_syncpt(&rig, 5), 0);
    /* Switched off, the channel is idle. */
    ck_assert_int_eq(soc_mmio_write32(rig.soc, rig.igpu + IGPU_CHAN_BASE + CHAN_CTRL, 0), 0);
    ck_assert_int_eq(soc_step(rig.soc, 1), SOC_IDLE);
}
END_TEST

/* 1000 lines of 16 KiB: 15.6 MiB. What follows in the pushbuffer comes after all of them. */
START_TEST(a_long_copy_ends_before_what_follows_it)
{
    unsigned steps = 0;

    copy(_i ? RIG_DATA_BYTES / 4 : RIG_DATA_BYTES, 1000, _i ? CE_LAUNCH_REMAP : 0);
    while (rig_syncpt(&rig, 5) == 0) {
        ck_assert_uint_lt(++steps, 20);
        step();
    }
    ck_assert_uint_ge(steps, 3);
    ck_assert_uint_eq(rig.seen[_i ? TRACE_EVENT_FILL : TRACE_EVENT_COPY], 1);
    ck_assert_int_eq(soc_step(rig.soc, 1), SOC_IDLE);
}
END_TEST

static uint64_t copy_ns(uint32_t lines)
{
    uint64_t begin = soc_time_ns(rig.soc);
    uint32_t before = rig_syncpt(&rig, 5);

    copy(RIG_DATA_BYTES, lines, 0);
    for (unsigned i = 0; i < 20 && rig_syncpt(&rig, 5) == before; i++) {
        step();
    }
    ck_assert(soc_syncpt_reached(rig.soc, 5, before + 1));
    return soc_time_ns(rig.soc) - begin;
}

/* 200 lines are one slice. */
START_TEST(slices_take_the_time_of_their_bytes)
{
    uint64_t one = copy_ns(200), five = copy_ns(1000);

    ck_assert_uint_le(five, 5 * one + one / 100);
    ck_assert_uint_ge(five, 5 * one - one / 100);
}
END_TEST

/* A fill longer than all memory of one line ends at its fault, not before. */
START_TEST(the_longest_line_ends_at_its_fault)
{
    copy(UINT32_MAX, UINT32_MAX, _i ? CE_LAUNCH_REMAP : 0);
    step();
    ck_assert_uint_eq(rig_error(&rig).kind, CHAN_ERROR_MMU);
    ck_assert_int_eq(soc_step(rig.soc, 1), SOC_IDLE);
}
END_TEST

START_TEST(a_kernel_without_end_stops_at_each_step)
{
    static const char text[] =
        ".version 7.0\n.target sm_72\n.address_size 64\n"
        ".visible .entry k() {\n.reg .u32 %r;\nL:\nadd.u32 %r, %r, 1;\nbra L;\n}\n";
    struct qmd q = { .grid = { 1, 1, 1 }, .block = { 32, 1, 1 } };

    rig_launch(&rig, &q, text, &none, 0);
    for (unsigned i = 0; i < 3; i++) {
        step();
    }
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_GRID_END], 0);
}
END_TEST

/* All of a cooperative grid is resident: as many blocks as the SMs hold, whatever the descriptor
 * asks for. */
START_TEST(a_descriptor_cannot_make_more_blocks_resident_than_the_sms_hold)
{
    static const char text[] = ".version 7.0\n.target sm_72\n.address_size 64\n"
                               ".visible .entry k() {\nret;\n}\n";
    struct qmd q = { .grid = { INT32_MAX, 1, 1 },
                     .block = { 32, 1, 1 },
                     .resident_blocks = UINT32_MAX,
                     .flags = QMD_COOPERATIVE };

    rig_launch(&rig, &q, text, &none, 0);
    step();
    step();
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_GRID_BEGIN], 1);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("slices_igpu");
    TCase *tc = tcase_create("igpu");

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, lines_without_end, 0, 3);
    tcase_add_loop_test(tc, a_long_copy_ends_before_what_follows_it, 0, 2);
    tcase_add_test(tc, slices_take_the_time_of_their_bytes);
    tcase_add_loop_test(tc, the_longest_line_ends_at_its_fault, 0, 2);
    tcase_add_test(tc, a_kernel_without_end_stops_at_each_step);
    tcase_add_test(tc, a_descriptor_cannot_make_more_blocks_resident_than_the_sms_hold);
    suite_add_tcase(s, tc);
    return suite_main(s);
}
