/* SPDX-License-Identifier: MIT */
/* When a task runs, and how long. */
#include "tests/dla_engine_rig.h"

START_TEST(a_task_runs_when_the_soc_is_stepped)
{
    copy_task(&a, 0, 0);
    ck_assert_uint_eq(drig_submit(&rig, &a), 0);
    ck_assert_uint_eq(drig_dla_read(&rig, 0x1040), 2 | 7 << 8); /* CMD_COMPLETE of SUBMIT_TASK */
    ck_assert(!copied(TO, FROM, 64));
    drig_run(&rig);
    ck_assert(copied(TO, FROM, 64));
    ck_assert_uint_eq(rig.dram[TO - DRIG_DATA + 64], 0);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_DLA_TASK_BEGIN], 1);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_DLA_OP], 1);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_DLA_TASK_END], 1);
    ck_assert_uint_eq(rig.last[TRACE_EVENT_DLA_TASK_END].arg[4], 0);
    ck_assert(!soc_irq(rig.soc, UNIT_DLA)); /* its end is told by its post-actions alone */
}
END_TEST

START_TEST(one_operation_a_step)
{
    drig_task(&rig, &a, 0, 0);
    drig_copy(&a, TO, FROM, 1, 0);
    drig_copy(&a, TO + 32, TO, 1, 0);
    ck_assert_uint_eq(drig_submit(&rig, &a), 0);
    soc_step(rig.soc, 1000); /* begins */
    ck_assert(!copied(TO, FROM, 32));
    soc_step(rig.soc, 1000);
    ck_assert(copied(TO, FROM, 32));
    ck_assert(!copied(TO + 32, FROM, 32));
    soc_step(rig.soc, 1000);
    ck_assert(copied(TO + 32, FROM, 32));
}
END_TEST

START_TEST(time_passes_with_the_bytes_moved)
{
    const struct trace_record *end = &rig.last[TRACE_EVENT_DLA_TASK_END];
    uint64_t t1;

    drig_task(&rig, &a, 0, 0);
    drig_copy(&a, TO, FROM, 2, 0);
    drig_submit(&rig, &a);
    drig_run(&rig);
    t1 = end->time_ns;
    drig_task(&rig, &a, 0, 0);
    drig_copy(&a, TO, FROM, 256, 0); /* 8 KiB twice at 1000 MB/s: 16.4 us at least */
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert_uint_ge(end->time_ns - t1, 16384);
    ck_assert_uint_lt(t1, 16384);
}
END_TEST

START_TEST(what_a_task_did_is_told_by_region)
{
    copy_task(&a, 0, 0);
    drig_submit(&rig, &a);
    drig_run(&rig);
    soc_counts_flush(rig.soc);
    ck_assert_uint_gt(rig.seen[TRACE_EVENT_SUM_WRITE], 0);
    ck_assert_uint_eq(rig.last[TRACE_EVENT_SUM_WRITE].agent, 4); /* bus_agent: the DLA */
    ck_assert_uint_eq(rig.last[TRACE_EVENT_SUM_WRITE].region, 2);
    ck_assert_uint_eq(rig.last[TRACE_EVENT_SUM_WRITE].arg[0], 64);
    /* queue 0 of DLA 0, plus one */
    ck_assert_uint_eq(rig.last[TRACE_EVENT_DLA_OP].channel, 0x10001);
}
END_TEST

static uint64_t sums[8], sums_ns;

static void sum_up(void *opaque, const struct trace_record *r)
{
    unsigned base = r->event == TRACE_EVENT_SUM_READ    ? 0
                    : r->event == TRACE_EVENT_SUM_WRITE ? 2
                    : r->event == TRACE_EVENT_SUM_PORT  ? 4
                                                        : 6;

    (void)opaque;
    if (r->agent == 4 && base < 6) { /* the DLA */
        sums[base] += r->arg[0];
        sums[base + 1] += r->arg[1];
        sums_ns = r->time_ns;
    }
}

/* Line by line when each access is wanted, page by page else: the same bytes, sums and time. */
START_TEST(who_looks_changes_nothing)
{
    static const unsigned masks[] = { TRACE_ALL, TRACE_SUM };
    uint64_t seen[2][8], ns[2];

    for (unsigned i = 0; i < 2; i++) {
        teardown();
        setup();
        memset(sums, 0, sizeof(sums));
        soc_observe(rig.soc, masks[i], sum_up, NULL);
        drig_task(&rig, &a, 0, 0);
        drig_copy(&a, TO + 0x60, FROM + 0xfa0, 131, 0);
        drig_submit(&rig, &a);
        drig_run(&rig);
        ck_assert(copied(TO + 0x60, FROM + 0xfa0, 131 * 32));
        memcpy(seen[i], sums, sizeof(sums));
        ns[i] = sums_ns;
    }
    ck_assert_mem_eq(seen[0], seen[1], sizeof(seen[0]));
    ck_assert_uint_ge(seen[0][0], 131 * 32);
    ck_assert_uint_eq(seen[0][2], 131 * 32);
    ck_assert_uint_eq(ns[0], ns[1]);
}
END_TEST

START_TEST(a_bypass_does_its_actions_and_no_network)
{
    copy_task(&a, 0, 0);
    a.desc.flags = 1;
    drig_post(&a, 0x80, drig_shim(&rig, 5), 1);
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert(!copied(TO, FROM, 64));
    ck_assert_uint_eq(drig_syncpt(&rig, 5), 1);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dla_engine_task");
    TCase *t = tcase_create("task");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_task_runs_when_the_soc_is_stepped);
    tcase_add_test(t, one_operation_a_step);
    tcase_add_test(t, time_passes_with_the_bytes_moved);
    tcase_add_test(t, what_a_task_did_is_told_by_region);
    tcase_add_test(t, who_looks_changes_nothing);
    tcase_add_test(t, a_bypass_does_its_actions_and_no_network);
    suite_add_tcase(s, t);
    return engine_suite_run(s);
}
