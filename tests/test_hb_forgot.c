/* SPDX-License-Identifier: MIT */
/* What the happens-before checker has no room for: it is counted, and nothing is invented. The
 * limits are those of docs/report.md, "What is kept". */
#include "hb_rig.h"

enum { LOADS_KEPT = 255, STEPS_KEPT = 4096, CLOCKS_KEPT = 256, LOCK = 0x77 };

/* Each thread's load is a reader of its own, since nothing orders them. */
START_TEST(readers_that_a_line_has_no_room_for_are_counted)
{
    for (uint32_t i = 0; i < LOADS_KEPT; i++) {
        cpu(i, TRACE_EVENT_CPU_LOAD, PINNED, 0, 1, false, 0x1000);
    }
    ck_assert_uint_eq(hb_forgot(hb, RUN_FORGOT_ACCESSES), 0);
    for (uint32_t i = 0; i < 10; i++) {
        cpu(LOADS_KEPT + i, TRACE_EVENT_CPU_LOAD, PINNED, 0, 1, false, 0x1000);
    }
    ck_assert_uint_eq(hb_forgot(hb, RUN_FORGOT_ACCESSES), 10);
    EXPECT_NONE();
}
END_TEST

START_TEST(a_wait_for_a_point_long_ago_is_counted)
{
    gpu_store(0, PINNED, 0, 1);
    for (unsigned i = 0; i < STEPS_KEPT; i++) {
        done(0, 1);
    }
    wait_for(0, 1, 10);
    ck_assert_uint_eq(hb_forgot(hb, RUN_FORGOT_WAITS), 0);
    done(0, 1); /* the older half goes */
    wait_for(0, 1, STEPS_KEPT + 1);
    ck_assert_uint_eq(hb_forgot(hb, RUN_FORGOT_WAITS), 0);
    wait_for(1, 1, 10);
    ck_assert_uint_eq(hb_forgot(hb, RUN_FORGOT_WAITS), 1);
    load(PINNED, 0, 1); /* ordered all the same */
    EXPECT_NONE();
}
END_TEST

/* Thread 0 writes and hands over to thread 1, whose plain store thread 2 reads as a flag much
 * later: what thread 0 wrote lies before it. */
START_TEST(a_flag_stored_long_ago_still_orders_what_its_writer_knew)
{
    cpu(0, TRACE_EVENT_CPU_STORE, PINNED, 0, 4, false, 0x2000);
    handover(TRACE_EVENT_CPU_RELEASE, 0, LOCK);
    handover(TRACE_EVENT_CPU_ACQUIRE, 1, LOCK);
    cpu(1, TRACE_EVENT_CPU_STORE, PINNED, 128, 4, false, 0x2010);
    for (unsigned i = 0; i < 2 * CLOCKS_KEPT; i++) {
        handover(TRACE_EVENT_CPU_RELEASE, 1, LOCK + 1);
    }
    cpu(2, TRACE_EVENT_CPU_LOAD, PINNED, 128, 4, true, 0x2020);
    cpu(2, TRACE_EVENT_CPU_LOAD, PINNED, 0, 4, false, 0x2030);
    EXPECT_NONE();
    ck_assert_uint_eq(hb_forgot(hb, RUN_FORGOT_WAITS), 1);
}
END_TEST

int main(void)
{
    const hb_test tests[] = {
        readers_that_a_line_has_no_room_for_are_counted,
        a_wait_for_a_point_long_ago_is_counted,
        a_flag_stored_long_ago_still_orders_what_its_writer_knew,
    };
    Suite *s = suite_create("hb_forgot");

    HB_CASE(s, "limits", coherent, tests);
    return hb_suite_run(s);
}
