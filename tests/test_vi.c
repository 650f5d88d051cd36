/* SPDX-License-Identifier: MIT */
/* The VI's queue, times, syncpoints and faults. */
#include "tests/suite.h"
#include "tests/vi_rig.h"

/* 4 x 4 pixels of RAW8: each line 4 bytes. */
static void raw_open(void)
{
    for (unsigned i = 0; i < 16; i++) {
        frame_bytes[i] = (uint8_t)(i * 3);
    }
    open_camera(RAW8, 4, 4, ORDER_OLDEST);
    surface(L8, 4, 4, 8);
}

static void frame_is(uint64_t pa, unsigned stride, unsigned frame)
{
    for (unsigned i = 0; i < 16; i++) {
        ck_assert_uint_eq(*drig_at(&rig, pa + i / 4 * stride + i % 4), (uint8_t)(i * 3 + frame));
    }
}

START_TEST(the_sensor_is_in_registers)
{
    raw_open();
    ck_assert_uint_eq(read_reg(SIZE), 4 << 16 | 4);
    ck_assert_uint_eq(read_reg(TYPE), 0x2a);
    ck_assert_uint_eq(read_reg(PERIOD), PERIOD_NS);
    ck_assert_uint_eq(read_reg(FREE), 64);
}
END_TEST

START_TEST(nothing_is_written_before_the_soc_steps)
{
    raw_open();
    reg(SINGLE_SHOT, 1);
    ck_assert_uint_eq(*drig_at(&rig, OUTPUT + 1), 0);
    ck_assert_uint_eq(read_reg(SINGLE_SHOT), 1);
    ck_assert_uint_eq(read_reg(FREE), 63);
    drig_run(&rig);
    frame_is(OUTPUT, 8, 0);
    ck_assert_uint_eq(*drig_at(&rig, OUTPUT + 4), 0); /* behind a line */
    ck_assert_uint_eq(read_reg(SINGLE_SHOT), 0);
}
END_TEST

/* Upstream's driver asks for both before SINGLE_SHOT, for that capture alone. */
START_TEST(syncpoints_at_frame_start_and_when_it_is_written)
{
    raw_open();
    reg(INCR_SYNCPT, FRAME_START | 5);
    reg(INCR_SYNCPT, MW_ACK_DONE | 6);
    reg(SINGLE_SHOT, 1);
    ck_assert_uint_eq(drig_syncpt(&rig, 5) + drig_syncpt(&rig, 6), 0);
    drig_run(&rig);
    ck_assert_uint_eq(drig_syncpt(&rig, 5), 1);
    ck_assert_uint_eq(drig_syncpt(&rig, 6), 1);
    ck_assert_uint_eq(rig.last[TRACE_EVENT_SYNCPT_INCR].agent, BUS_AGENT_VI);
    reg(SINGLE_SHOT, 1);
    drig_run(&rig);
    ck_assert_uint_eq(drig_syncpt(&rig, 6), 1);
}
END_TEST

/* A period after the start of streaming, and the frame lasts 15 / 16 of it. */
START_TEST(times_are_the_sensors)
{
    struct status s;
    uint64_t start;

    raw_open();
    start = soc_time_ns(rig.soc);
    reg(SINGLE_SHOT, 1);
    reg(SINGLE_SHOT, 1);
    drig_run(&rig);
    s = status_get();
    ck_assert_uint_eq(s.status, 1);
    ck_assert_uint_eq(s.frame, 1);
    ck_assert_uint_eq(s.dropped, 0);
    ck_assert_uint_ge(s.sof_ns, start + 2 * PERIOD_NS - 1000); /* register writes take time */
    ck_assert_uint_le(s.sof_ns, start + 2 * PERIOD_NS);
    ck_assert_uint_eq(s.eof_ns - s.sof_ns, PERIOD_NS / 16 * 15);
    frame_is(OUTPUT, 8, 1);
}
END_TEST

START_TEST(frames_without_a_capture_are_dropped)
{
    struct status s;

    raw_open();
    reg(SINGLE_SHOT, 1);
    drig_run(&rig);
    soc_time_advance(rig.soc, 5 * PERIOD_NS + PERIOD_NS / 2);
    reg(SINGLE_SHOT, 1);
    drig_run(&rig);
    s = status_get();
    ck_assert_uint_eq(s.frame, 5);
    ck_assert_uint_eq(s.dropped, 4);
    frame_is(OUTPUT, 8, 5);
    ck_assert_uint_eq(rig.last[TRACE_EVENT_VI_FRAME_START].arg[2], 5);
    ck_assert_uint_eq(rig.last[TRACE_EVENT_VI_FRAME_START].arg[3], 4);
    ck_assert_uint_eq(rig.last[TRACE_EVENT_VI_FRAME_END].arg[3], 1);
}
END_TEST

START_TEST(without_a_stream_a_capture_waits)
{
    raw_open();
    reg(STREAM, 0);
    reg(SINGLE_SHOT, 1);
    drig_run(&rig);
    ck_assert_uint_eq(read_reg(FREE), 63);
    reg(STREAM, 1);
    drig_run(&rig);
    ck_assert_uint_eq(read_reg(FREE), 64);
    frame_is(OUTPUT, 8, 0);
}
END_TEST

/* 16 lines are an operation: a reset behind the first leaves a torn frame. */
START_TEST(a_reset_tears_the_frame)
{
    memset(frame_bytes, 0x55, sizeof(frame_bytes));
    open_camera(RAW8, 4, 64, ORDER_OLDEST);
    surface(L8, 4, 64, 4);
    reg(INCR_SYNCPT, FRAME_START | 5);
    reg(INCR_SYNCPT, MW_ACK_DONE | 6);
    reg(SINGLE_SHOT, 1);
    reg(INCR_SYNCPT, MW_ACK_DONE | 6);
    reg(SINGLE_SHOT, 1);
    ck_assert_int_eq(soc_step(rig.soc, 1), SOC_PROGRESS);
    reg(SW_RESET, 0xf);
    reg(SW_RESET, 0);
    drig_run(&rig);
    ck_assert_uint_eq(*drig_at(&rig, OUTPUT + 15 * 4), 0x55);
    ck_assert_uint_eq(*drig_at(&rig, OUTPUT + 16 * 4), 0);
    ck_assert_uint_eq(drig_syncpt(&rig, 5), 1);
    ck_assert_uint_eq(drig_syncpt(&rig, 6), 2);
    ck_assert_uint_eq(status_get().status, 0);
    ck_assert_uint_eq(read_reg(FREE), 64);
}
END_TEST

START_TEST(a_frame_that_ends_early_is_short)
{
    raw_open();
    broken_from = 2;
    reg(INCR_SYNCPT, MW_ACK_DONE | 6);
    reg(SINGLE_SHOT, 1);
    drig_run(&rig);
    ck_assert_uint_eq(status_get().status, 7);
    ck_assert_uint_eq(read_reg(ERROR), 7);
    ck_assert_uint_eq(drig_syncpt(&rig, 6), 1);
    ck_assert(soc_irq(rig.soc, UNIT_VI));
    reg(IRQSTAT, 1);
    ck_assert(!soc_irq(rig.soc, UNIT_VI));
    reg(ERROR, UINT32_MAX);
    ck_assert_uint_eq(read_reg(ERROR), 0);
}
END_TEST

START_TEST(what_the_engine_has_not_fails)
{
    static const struct {
        unsigned format, width, height;
    } wrong[] = { { 99, 4, 4 },   { R16, 4, 4 },  { L8, 2, 4 },     { UYVY, 0, 4 },
                  { UYVY, 4, 0 }, { UYVY, 3, 4 }, { UYVY, 4, 8194 } };

    raw_open();
    for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        surface(wrong[i].format, wrong[i].width, wrong[i].height, 16);
        reg(SINGLE_SHOT, 1);
        drig_run(&rig);
        ck_assert_uint_eq(status_get().status, 4);
        ck_assert_uint_eq(*drig_at(&rig, OUTPUT + 1), 0);
    }
    surface(L8, 4, 4, 8);
    reg(CROP_POS, 2);
    reg(CROP_SIZE, 4 << 16 | 4); /* leaves the frame */
    reg(SINGLE_SHOT, 1);
    drig_run(&rig);
    ck_assert_uint_eq(status_get().status, 4);
}
END_TEST

START_TEST(a_full_queue_says_so)
{
    raw_open();
    for (unsigned i = 0; i < 64; i++) {
        reg(SINGLE_SHOT, 1);
    }
    ck_assert_uint_eq(read_reg(ERROR), 0);
    reg(SINGLE_SHOT, 1);
    ck_assert_uint_eq(read_reg(ERROR), 10);
    drig_run(&rig);
    ck_assert_uint_eq(status_get().frame, 63);
}
END_TEST

/* The stream is the device's: TEGRA194_SID_VI. */
START_TEST(the_smmu_refuses_what_is_not_mapped)
{
    enum unit_id smmu;
    uint64_t size;

    raw_open();
    ck_assert_int_eq(soc_unit_smmu(rig.soc, UNIT_VI, &smmu, &rig.stream), 0);
    ck_assert_uint_eq(rig.stream, 4);
    ck_assert_int_eq(smmu, UNIT_SMMU0);
    rig.smmu = soc_unit_base(rig.soc, smmu, &size);
    rig.banks = rig.smmu + size / 2;
    drig_map(&rig, 0, 0x100000, OUTPUT, DRIG_RW);
    drig_map(&rig, 0, 0x200000, STATUS_AT, DRIG_RW);
    drig_bank(&rig, 1, 0, 2);
    drig_stream(&rig, 1, 1);
    address(SURFACE0, 0x100000);
    address(STATUS, 0x200000);
    reg(SINGLE_SHOT, 1);
    drig_run(&rig);
    frame_is(OUTPUT, 8, 0);
    address(SURFACE0, 0x300000);
    reg(SINGLE_SHOT, 1);
    drig_run(&rig);
    ck_assert_uint_eq(status_get().status, 9);
    ck_assert(soc_irq(rig.soc, UNIT_VI));
}
END_TEST

/* Not coherent: a valid line of the CPU's stays as it was. */
START_TEST(the_cpus_lines_stay)
{
    uint8_t byte;

    raw_open();
    ck_assert_int_eq(soc_cpu_read(rig.soc, OUTPUT + 1, &byte, 1), 0);
    reg(SINGLE_SHOT, 1);
    drig_run(&rig);
    ck_assert_int_eq(soc_cpu_read(rig.soc, OUTPUT + 1, &byte, 1), 0);
    ck_assert_uint_eq(byte, 0);
    soc_cpu_invalidate(rig.soc, OUTPUT, 64);
    ck_assert_int_eq(soc_cpu_read(rig.soc, OUTPUT + 1, &byte, 1), 0);
    ck_assert_uint_eq(byte, 3);
    drig_close(&rig);
    drig_open_camera(&rig, "t194", ORDER_OLDEST, true, &camera);
    reg(STREAM, 1);
    surface(L8, 4, 4, 8);
    ck_assert_int_eq(soc_cpu_read(rig.soc, OUTPUT + 1, &byte, 1), 0);
    reg(SINGLE_SHOT, 1);
    drig_run(&rig);
    ck_assert_int_eq(soc_cpu_read(rig.soc, OUTPUT + 1, &byte, 1), 0);
    ck_assert_uint_eq(byte, 3);
}
END_TEST

START_TEST(without_a_camera_there_is_none)
{
    uint64_t size;

    raw_open();
    ck_assert_uint_eq(soc_unit_base(rig.soc, UNIT_VI, &size), BASE);
    drig_close(&rig);
    drig_open(&rig, "t194", ORDER_OLDEST);
    ck_assert_uint_eq(soc_unit_base(rig.soc, UNIT_VI, &size), 0);
}
END_TEST

static void teardown(void)
{
    drig_close(&rig);
}

int main(void)
{
    Suite *s = suite_create("vi");
    TCase *t = tcase_create("vi");

    tcase_add_checked_fixture(t, NULL, teardown);
    tcase_add_test(t, the_sensor_is_in_registers);
    tcase_add_test(t, nothing_is_written_before_the_soc_steps);
    tcase_add_test(t, syncpoints_at_frame_start_and_when_it_is_written);
    tcase_add_test(t, times_are_the_sensors);
    tcase_add_test(t, frames_without_a_capture_are_dropped);
    tcase_add_test(t, without_a_stream_a_capture_waits);
    tcase_add_test(t, a_reset_tears_the_frame);
    tcase_add_test(t, a_frame_that_ends_early_is_short);
    tcase_add_test(t, what_the_engine_has_not_fails);
    tcase_add_test(t, a_full_queue_says_so);
    tcase_add_test(t, the_smmu_refuses_what_is_not_mapped);
    tcase_add_test(t, the_cpus_lines_stay);
    tcase_add_test(t, without_a_camera_there_is_none);
    suite_add_tcase(s, t);
    return suite_main(s);
}
