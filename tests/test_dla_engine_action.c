/* SPDX-License-Identifier: MIT */
/* What a task waits for before it begins, and what it leaves behind. */
#include "tests/dla_engine_rig.h"

START_TEST(a_task_waits_for_a_syncpoint)
{
    copy_task(&a, 0, 0);
    drig_pre(&a, 0x92, drig_shim(&rig, 5), 2);
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert(!copied(TO, FROM, 64));
    drig_syncpt_incr(&rig, 5);
    drig_run(&rig);
    ck_assert(!copied(TO, FROM, 64));
    drig_syncpt_incr(&rig, 5);
    drig_run(&rig);
    ck_assert(copied(TO, FROM, 64));
    ck_assert_uint_eq(rig.last[TRACE_EVENT_SYNCPT_WAIT].arg[1], 5);
}
END_TEST

/* Value, opcode, threshold: goes or waits. GE compares as host1x does, over the wrap. */
START_TEST(a_semaphore_is_compared_as_its_action_says)
{
    static const struct {
        uint32_t value, threshold;
        uint8_t opcode;
        bool goes;
    } cases[] = {
        { 7, 7, 0x90, true },          { 8, 7, 0x90, false },          { 6, 7, 0x90, false },
        { 7, 7, 0x92, true },          { 8, 7, 0x92, true },           { 6, 7, 0x92, false },
        { 1, 0xfffffffe, 0x92, true }, { 0xfffffffe, 1, 0x92, false },
    };

    put_word(SEM, cases[_i].value);
    copy_task(&a, 0, 0);
    drig_pre(&a, cases[_i].opcode, SEM, cases[_i].threshold);
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert(copied(TO, FROM, 64) == cases[_i].goes);
}
END_TEST

START_TEST(pre_actions_are_satisfied_one_after_the_other)
{
    copy_task(&a, 0, 0);
    drig_pre(&a, 0x90, SEM, 1);
    drig_pre(&a, 0x90, SEM, 2);
    drig_submit(&rig, &a);
    put_word(SEM, 2);
    drig_run(&rig);
    ck_assert(!copied(TO, FROM, 64));
    put_word(SEM, 1);
    drig_run(&rig);
    ck_assert(!copied(TO, FROM, 64));
    put_word(SEM, 2); /* the first stays satisfied */
    drig_run(&rig);
    ck_assert(copied(TO, FROM, 64));
}
END_TEST

START_TEST(a_task_goes_on_with_the_status_it_wants)
{
    const uint16_t status = 3;

    memcpy(drig_at(&rig, SEM) + 14, &status, 2); /* struct dla_task_status.status_task */
    memcpy(rig.view + (SEM - DRIG_DATA) + 14, &status, 2);
    copy_task(&a, 0, 0);
    drig_pre(&a, 0xc0, SEM, 3);
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert(copied(TO, FROM, 64));
}
END_TEST

START_TEST(another_status_ends_the_task)
{
    copy_task(&a, 0, 0);
    drig_pre(&a, 0xc0, SEM, 3);
    drig_post(&a, 0x80, drig_shim(&rig, 5), 1);
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert(!copied(TO, FROM, 64));
    ck_assert_uint_eq(drig_error(&rig).error, 14); /* TASK_STATUS_MISMATCH */
    ck_assert_uint_eq(drig_syncpt(&rig, 5), 1);
}
END_TEST

/* --- what it leaves behind ------------------------------------------------------------------- */

START_TEST(writing_a_syncpoint_increments_it_by_one)
{
    copy_task(&a, 0, 0);
    drig_post(&a, 0x80, drig_shim(&rig, 5), 1);
    drig_post(&a, 0x80, drig_shim(&rig, 6), 99); /* whatever is written */
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert_uint_eq(drig_syncpt(&rig, 5), 1);
    ck_assert_uint_eq(drig_syncpt(&rig, 6), 1);
    ck_assert_uint_eq(drig_syncpt(&rig, 4), 0);
    ck_assert_uint_eq(drig_syncpt(&rig, 7), 0);
}
END_TEST

static uint64_t word64(uint64_t pa)
{
    uint64_t v;

    memcpy(&v, drig_at(&rig, pa), 8);
    return v;
}

START_TEST(post_actions_write_what_they_say)
{
    uint64_t before = soc_time_ns(rig.soc), after;

    put_word(SEM + 4, 40);
    copy_task(&a, 0, 0);
    drig_post(&a, 0x80, SEM, 7);
    drig_post(&a, 0x82, SEM + 4, 2);
    drig_post(&a, 0x83, SEM + 16, 9); /* value, and the time 8 bytes behind it */
    drig_post(&a, 0x87, SEM + 40, 0); /* the time */
    drig_post(&a, 0xc1, SEM + 64, 5); /* struct dla_task_status */
    drig_submit(&rig, &a);
    drig_run(&rig);
    after = rig.last[TRACE_EVENT_DLA_TASK_END].time_ns;
    ck_assert_uint_eq(word(SEM), 7);
    ck_assert_uint_eq(word(SEM + 4), 42);
    ck_assert_uint_eq(word(SEM + 16), 9);
    ck_assert(word64(SEM + 24) > before && word64(SEM + 24) <= after);
    ck_assert(word64(SEM + 40) > before && word64(SEM + 40) <= after);
    ck_assert(word64(SEM + 64) > before && word64(SEM + 64) <= after);
    ck_assert_uint_eq(word(SEM + 72), 0);             /* status_engine */
    ck_assert_uint_eq(drig_at(&rig, SEM + 78)[0], 5); /* status_task */
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dla_engine_action");
    TCase *t = tcase_create("action");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_task_waits_for_a_syncpoint);
    tcase_add_loop_test(t, a_semaphore_is_compared_as_its_action_says, 0, 8);
    tcase_add_test(t, pre_actions_are_satisfied_one_after_the_other);
    tcase_add_test(t, a_task_goes_on_with_the_status_it_wants);
    tcase_add_test(t, another_status_ends_the_task);
    tcase_add_test(t, writing_a_syncpoint_increments_it_by_one);
    tcase_add_test(t, post_actions_write_what_they_say);
    suite_add_tcase(s, t);
    return engine_suite_run(s);
}
