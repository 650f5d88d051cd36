/* SPDX-License-Identifier: MIT */
/* The VIC's queue: jobs, increments and waits in the order of the channel. */
#include "tests/suite.h"
#include "tests/vic_rig.h"

START_TEST(nothing_happens_before_the_soc_steps)
{
    static const uint8_t in[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, none[8];

    output(RGBA, 2, 1, 2);
    input(RGBA, 2, 1, 2);
    put(INPUT, in, 8);
    execute();
    bytes_are(OUTPUT, none, 8);
    ck_assert_uint_eq(drig_read(&rig, BASE + IRQSTAT), 0);
    drig_run(&rig);
    bytes_are(OUTPUT, in, 8);
    ck_assert(soc_irq(rig.soc, UNIT_VIC));
    reg(IRQSCLR, DONE);
    ck_assert(!soc_irq(rig.soc, UNIT_VIC));
}
END_TEST

START_TEST(records_carry_its_agent_and_queue)
{
    output(RGBA, 4, 1, 4);
    job_ok();
    ck_assert_str_eq(trace_agent_name(BUS_AGENT_VIC), "vic");
    ck_assert_uint_eq(rig.last[TRACE_EVENT_SUM_WRITE].agent, BUS_AGENT_VIC);
    ck_assert_uint_eq(rig.last[TRACE_EVENT_SUM_WRITE].arg[0], 16);
    ck_assert_uint_eq(rig.last[TRACE_EVENT_SUM_WRITE].channel, QUEUE_VIC + 1);
}
END_TEST

/* hw_host1x06_uclass.h: INDX 9:0, COND 17:10; OP_DONE waits for what was executed before. */
START_TEST(syncpoints_come_after_the_work)
{
    output(RGBA, 2, 2, 2);
    execute();
    reg(SYNCPT, 5 | OP_DONE);
    reg(SYNCPT, 6);
    ck_assert_uint_eq(drig_syncpt(&rig, 5), 0);
    ck_assert_uint_eq(drig_syncpt(&rig, 6), 1);
    drig_run(&rig);
    ck_assert_uint_eq(drig_syncpt(&rig, 5), 1);
    ck_assert_uint_eq(rig.last[TRACE_EVENT_SYNCPT_INCR].agent, BUS_AGENT_VIC);
    reg(SYNCPT, 5 | OP_DONE); /* no work before it: in its turn */
    ck_assert_uint_eq(drig_syncpt(&rig, 5), 1);
    drig_run(&rig);
    ck_assert_uint_eq(drig_syncpt(&rig, 5), 2);
    reg(SYNCPT, 1023); /* there are 64 */
}
END_TEST

/* hw_host1x06_uclass.h: LOAD_SYNCPT_PAYLOAD_32 0x4e, WAIT_SYNCPT_32 0x50. */
START_TEST(what_stands_behind_a_wait_waits)
{
    static const uint8_t in[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, none[8];

    output(RGBA, 2, 1, 2);
    input(RGBA, 2, 1, 2);
    put(INPUT, in, 8);
    reg(PAYLOAD, 2);
    reg(WAIT, 7);
    execute();
    reg(SYNCPT, 5 | OP_DONE);
    drig_run(&rig);
    bytes_are(OUTPUT, none, 8);
    drig_syncpt_incr(&rig, 7);
    drig_run(&rig);
    bytes_are(OUTPUT, none, 8);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_SYNCPT_WAIT], 0);
    drig_syncpt_incr(&rig, 7);
    drig_run(&rig);
    bytes_are(OUTPUT, in, 8);
    ck_assert_uint_eq(drig_syncpt(&rig, 5), 1);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_SYNCPT_WAIT], 1);
    ck_assert_uint_eq(rig.last[TRACE_EVENT_SYNCPT_WAIT].agent, BUS_AGENT_VIC);
    ck_assert_uint_eq(rig.last[TRACE_EVENT_SYNCPT_WAIT].arg[0], QUEUE_VIC);
    ck_assert_uint_eq(rig.last[TRACE_EVENT_SYNCPT_WAIT].arg[1], 7);
    ck_assert_uint_eq(rig.last[TRACE_EVENT_SYNCPT_WAIT].arg[2], 2);
}
END_TEST

/* What follows a wait comes after the increment, however late the engine's own clock is behind. */
START_TEST(a_wait_takes_the_time_of_its_end)
{
    uint64_t ns;

    output(RGBA, 2, 1, 2);
    reg(PAYLOAD, 1);
    reg(WAIT, 7);
    execute();
    soc_time_advance(rig.soc, 5000000);
    drig_syncpt_incr(&rig, 7);
    ns = rig.last[TRACE_EVENT_SYNCPT_INCR].time_ns;
    ck_assert_uint_ge(ns, 5000000);
    drig_run(&rig);
    ck_assert_uint_ge(rig.last[TRACE_EVENT_SYNCPT_WAIT].time_ns, ns);
    ck_assert_uint_ge(rig.last[TRACE_EVENT_SUM_WRITE].time_ns, ns);
}
END_TEST

/* For the checker: what the CPU did before EXECUTE is ordered before the job, by its number. */
START_TEST(doorbell_and_segment_carry_the_number_of_the_job)
{
    output(RGBA, 2, 1, 2);
    execute();
    execute();
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_DOORBELL], 2);
    ck_assert_uint_eq(rig.last[TRACE_EVENT_DOORBELL].arg[0], QUEUE_VIC);
    ck_assert_uint_eq(rig.last[TRACE_EVENT_DOORBELL].arg[1], 2);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_SEGMENT], 0);
    drig_run(&rig);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_SEGMENT], 2);
    ck_assert_uint_eq(rig.last[TRACE_EVENT_SEGMENT].arg[0], QUEUE_VIC);
    ck_assert_uint_eq(rig.last[TRACE_EVENT_SEGMENT].arg[1], 2);
}
END_TEST

START_TEST(a_job_after_a_failed_one_runs)
{
    output(RGBA, 1, 1, 2);
    set(OUT, 11, 4, 2);
    job_fails(ERR_CONFIG, OUT);
    ck_assert_uint_eq(drig_read(&rig, BASE + NUMBER), 1);
    reg(IRQSCLR, FAILED | DONE);
    set(OUT, 11, 4, 0);
    job_ok();
}
END_TEST

START_TEST(a_full_queue_says_so)
{
    uint32_t room = drig_read(&rig, BASE + FREE);

    ck_assert_uint_ge(room, 16 * 19); /* 16 operations with 16 waits and 2 increments each */
    output(RGBA, 1, 1, 2);
    for (unsigned i = 0; i < room; i++) {
        execute();
    }
    ck_assert_uint_eq(drig_read(&rig, BASE + FREE), 0);
    ck_assert_uint_eq(drig_read(&rig, BASE + IRQSTAT), 0);
    execute();
    ck_assert_uint_eq(drig_read(&rig, BASE + IRQSTAT), FAILED);
    ck_assert_uint_eq(drig_read(&rig, BASE + ERROR), ERR_QUEUE);
    ck_assert_uint_eq(drig_read(&rig, BASE + NUMBER), room + 1);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("vic_queue");
    TCase *t = tcase_create("vic_queue");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, nothing_happens_before_the_soc_steps);
    tcase_add_test(t, records_carry_its_agent_and_queue);
    tcase_add_test(t, syncpoints_come_after_the_work);
    tcase_add_test(t, what_stands_behind_a_wait_waits);
    tcase_add_test(t, a_wait_takes_the_time_of_its_end);
    tcase_add_test(t, doorbell_and_segment_carry_the_number_of_the_job);
    tcase_add_test(t, a_job_after_a_failed_one_runs);
    tcase_add_test(t, a_full_queue_says_so);
    suite_add_tcase(s, t);
    return suite_main(s);
}
