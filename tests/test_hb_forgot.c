/* SPDX-License-Identifier: MIT */
/* What the happens-before checker has no room for: it is counted, and nothing is invented. The
 * limits are those of docs/report.md, "What is kept". */
#include "hb_rig.h"

enum {
    LOADS_KEPT = 255,
    STEPS_KEPT = 4096,
    CLOCKS_KEPT = 256,
    LOCK = 0x77,
    THREADS = 40,
    FIRST = 9 /* whose place is free */
};

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

static void thread_begins(uint32_t by, uint32_t thread)
{
    handover(TRACE_EVENT_CPU_RELEASE, by, 1000 + thread);
    handover(TRACE_EVENT_CPU_ACQUIRE, thread, 1000 + thread);
}

/* Thread 1 makes it and joins it; it stores in a line of its own. */
static void thread_lives(uint32_t thread)
{
    struct trace_record ended = record(TRACE_EVENT_CPU_RELEASE, BUS_AGENT_CPU, 0, thread + 1, 0);

    thread_begins(1, thread);
    cpu(thread, TRACE_EVENT_CPU_STORE, PINNED, thread * 64, 4, false, 0x3000);
    handover(TRACE_EVENT_CPU_RELEASE, thread, 1000 + thread);
    handover(TRACE_EVENT_CPU_ACQUIRE, 1, 1000 + thread);
    ended.thread = 1;
    send(ended);
}

static void threads_live(void)
{
    cpu(1, TRACE_EVENT_CPU_STORE, PINNED, 0, 4, false, 0x3000);
    for (uint32_t i = 2; i < 2 + THREADS; i++) {
        thread_lives(i);
    }
}

/* One that begins takes the place of one that has ended, if it comes after it: it hides nothing. */
START_TEST(a_thread_takes_no_place_that_it_does_not_come_after)
{
    threads_live();
    thread_begins(0, 100);
    cpu(100, TRACE_EVENT_CPU_LOAD, PINNED, FIRST * 64, 4, false, 0x3010);
    expect(HB_RACE, FIRST * 64, 4);
    ck_assert_uint_eq(found[0].first.number, FIRST);
    ck_assert_uint_eq(found[0].second.number, 100);
}
END_TEST

START_TEST(threads_that_end_make_room)
{
    threads_live();
    thread_begins(1, 100);
    for (uint32_t i = 0; i < 2 + THREADS; i++) {
        cpu(100, TRACE_EVENT_CPU_LOAD, PINNED, i * 64, 4, false, 0x3010);
    }
    EXPECT_NONE();
    cpu(100, TRACE_EVENT_CPU_STORE, PINNED, 2 * 64, 4, false, 0x3020);
    cpu(1, TRACE_EVENT_CPU_LOAD, PINNED, 2 * 64, 4, false, 0x3030);
    expect(HB_RACE, 2 * 64, 4);
    ck_assert_uint_eq(found[0].first.number, 100);
    ck_assert_uint_eq(found[0].second.number, 1);
    ck_assert_uint_eq(hb_forgot(hb, RUN_FORGOT_WAITS), 0);
}
END_TEST

int main(void)
{
    const hb_test tests[] = {
        readers_that_a_line_has_no_room_for_are_counted,
        a_wait_for_a_point_long_ago_is_counted,
        a_flag_stored_long_ago_still_orders_what_its_writer_knew,
        a_thread_takes_no_place_that_it_does_not_come_after,
        threads_that_end_make_room,
    };
    Suite *s = suite_create("hb_forgot");

    HB_CASE(s, "limits", coherent, tests);
    return hb_suite_run(s);
}
