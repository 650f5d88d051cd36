/* SPDX-License-Identifier: MIT */
/* Sixteen queues: how many tasks they hold, and which goes first. */
#include "tests/dla_engine_rig.h"

static struct drig_task b; /* runs after a, or beside it */

static void setup_newest(void)
{
    open_chip("t234", ORDER_NEWEST);
}

START_TEST(a_queue_holds_32_tasks)
{
    for (unsigned i = 0; i < 32; i++) {
        copy_task(&a, i, 3);
        drig_pre(&a, 0x92, drig_shim(&rig, 5), 1);
        ck_assert_uint_eq(drig_submit(&rig, &a), 0);
    }
    copy_task(&a, 32, 3);
    ck_assert_uint_eq(drig_submit(&rig, &a), 12); /* PROCESSOR_BUSY */
    copy_task(&a, 33, 4);
    ck_assert_uint_eq(drig_submit(&rig, &a), 0); /* another queue has room */
    drig_syncpt_incr(&rig, 5);
    drig_run(&rig);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_DLA_TASK_END], 33);
}
END_TEST

/* Two tasks write the same place from two queues: the last one wins. */
static void two_queues(unsigned queue_a, unsigned queue_b)
{
    drig_task(&rig, &a, 0, queue_a);
    drig_copy(&a, TO, FROM, 1, 0);
    drig_task(&rig, &b, 1, queue_b);
    drig_copy(&b, TO, FROM + 0x100, 1, 0);
    drig_submit(&rig, &a);
    drig_submit(&rig, &b);
    drig_run(&rig);
}

START_TEST(the_oldest_task_goes_first)
{
    two_queues(9, 2);
    ck_assert(copied(TO, FROM + 0x100, 32));
}
END_TEST

START_TEST(the_newest_task_goes_first)
{
    two_queues(2, 9);
    ck_assert(copied(TO, FROM, 32));
}
END_TEST

/* Which queue wins under each seed, as bits. */
static unsigned winners(void)
{
    unsigned bits = 0;

    for (unsigned seed = 0; seed < 16; seed++) {
        drig_close(&rig);
        drig_open_with(&rig, "t234", ORDER_SEEDED, true, seed);
        drig_identity(&rig);
        rig.dram[0] = rig.view[0] = 1;
        two_queues(2, 9);
        bits |= (unsigned)copied(TO, FROM, 32) << seed;
    }
    return bits;
}

START_TEST(the_seed_decides_and_decides_the_same_again)
{
    unsigned first = winners();

    ck_assert_uint_ne(first, 0);
    ck_assert_uint_ne(first, 0xffff);
    ck_assert_uint_eq(winners(), first);
}
END_TEST

START_TEST(inside_a_queue_tasks_keep_their_order)
{
    two_queues(2, 2);
    ck_assert(copied(TO, FROM + 0x100, 32));
}
END_TEST

START_TEST(a_queue_that_waits_does_not_hold_another)
{
    copy_task(&a, 0, 0);
    drig_pre(&a, 0x92, drig_shim(&rig, 5), 1);
    drig_submit(&rig, &a);
    drig_task(&rig, &b, 1, 1);
    drig_copy(&b, TO + 0x100, FROM, 1, 0);
    drig_submit(&rig, &b);
    drig_run(&rig);
    ck_assert(!copied(TO, FROM, 32));
    ck_assert(copied(TO + 0x100, FROM, 32));
}
END_TEST

START_TEST(a_queue_is_suspended_resumed_and_flushed)
{
    ck_assert_uint_eq(drig_command(&rig, 12, 0), 0);
    copy_task(&a, 0, 0);
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert(!copied(TO, FROM, 64));
    ck_assert_uint_eq(drig_command(&rig, 13, 0), 0);
    drig_run(&rig);
    ck_assert(copied(TO, FROM, 64));
    drig_command(&rig, 12, 0);
    drig_post(&a, 0x80, drig_shim(&rig, 5), 1);
    drig_submit(&rig, &a);
    ck_assert_uint_eq(drig_command(&rig, 14, 0), 0);
    drig_command(&rig, 13, 0);
    drig_run(&rig);
    ck_assert_uint_eq(drig_syncpt(&rig, 5), 0); /* dropped: not even its actions are done */
    ck_assert_uint_eq(drig_command(&rig, 14, 16), 5);
}
END_TEST

START_TEST(each_dla_has_queues_of_its_own)
{
    uint64_t dla1 = soc_unit_base(rig.soc, UNIT_DLA_LAST, NULL);

    copy_task(&a, 0, 0);
    drig_submit(&rig, &a);
    drig_command(&rig, 14, 0); /* takes it back from DLA 0; its memory stays */
    /* DLA 1 is behind the other SMMU, which passes everything after reset. */
    drig_write(&rig, dla1 + 0x40, 7);
    drig_write(&rig, dla1 + 0x44, (uint32_t)(a.at >> 8));
    ck_assert_uint_eq(drig_read(&rig, dla1 + 0x1040), 2 | 7 << 8);
    drig_run(&rig);
    ck_assert(copied(TO, FROM, 64));
    ck_assert_uint_eq(rig.last[TRACE_EVENT_DLA_TASK_END].arg[0], 1);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dla_engine_queue");
    TCase *t = tcase_create("oldest"), *newest = tcase_create("newest");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_queue_holds_32_tasks);
    tcase_add_test(t, the_oldest_task_goes_first);
    tcase_add_test(t, a_queue_that_waits_does_not_hold_another);
    tcase_add_test(t, a_queue_is_suspended_resumed_and_flushed);
    tcase_add_test(t, each_dla_has_queues_of_its_own);
    tcase_add_checked_fixture(newest, setup_newest, teardown);
    tcase_add_test(newest, the_newest_task_goes_first);
    tcase_add_test(newest, the_seed_decides_and_decides_the_same_again);
    tcase_add_test(newest, inside_a_queue_tasks_keep_their_order);
    suite_add_tcase(s, t);
    suite_add_tcase(s, newest);
    return engine_suite_run(s);
}
