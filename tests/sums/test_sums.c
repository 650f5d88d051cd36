/* SPDX-License-Identifier: MIT */
/* The teaching engine SUMS, the third one that a build appends: two instances with four queues
 * each. */
#include <check.h>

#include "tests/dla_soc_rig.h"
#include "tests/rows_before.h"
#include "tests/suite.h"

enum { SRC = 0x00, WORDS = 0x04, DST = 0x08, STATUS = 0x0c, START = 0x10, QUEUE = 0x20 };

static struct drig rig;

static uint64_t base(unsigned instance, unsigned queue)
{
    return UINT64_C(0x15920000) + instance * 0x10000 + queue * QUEUE;
}

static void open_order(enum order order)
{
    drig_open(&rig, "t194", order);
    for (unsigned i = 0; i < 4096; i++) {
        ((uint32_t *)(void *)rig.dram)[i] = i;
        ((uint32_t *)(void *)rig.view)[i] = i;
    }
}

static void teardown(void)
{
    drig_close(&rig);
}

static void add(unsigned instance, unsigned queue, uint32_t words)
{
    drig_write(&rig, base(instance, queue) + SRC, (uint32_t)DRIG_DATA);
    drig_write(&rig, base(instance, queue) + WORDS, words);
    drig_write(&rig, base(instance, queue) + DST,
               (uint32_t)(DRIG_DATA + 0x10000 + instance * 64 + queue * 4));
    drig_write(&rig, base(instance, queue) + START, 1);
}

static uint32_t sum(unsigned instance, unsigned queue)
{
    return *(uint32_t *)(void *)drig_at(&rig, DRIG_DATA + 0x10000 + instance * 64 + queue * 4);
}

/* 0 + 1 + ... + n - 1 = n (n - 1) / 2 */
START_TEST(every_queue_of_every_instance_ends)
{
    open_order((enum order)_i);
    for (unsigned k = 0; k < 8; k++) {
        add(k / 4, k % 4, 100 + 400 * k);
    }
    drig_run(&rig);
    for (unsigned k = 0; k < 8; k++) {
        uint32_t n = 100 + 400 * k;

        ck_assert_uint_eq(sum(k / 4, k % 4), n * (n - 1) / 2);
        ck_assert_uint_eq(drig_read(&rig, base(k / 4, k % 4) + STATUS), 1);
        drig_write(&rig, base(k / 4, k % 4) + STATUS, 1);
    }
    ck_assert(!soc_irq(rig.soc, UNIT_SUMS));
    ck_assert(!soc_irq(rig.soc, UNIT_SUMS_LAST));
}
END_TEST

/* Two pieces of 4096 bytes each: the queue that was started last has all of its turns first, or
 * none. */
START_TEST(the_order_picks_the_queue)
{
    open_order(_i ? ORDER_NEWEST : ORDER_OLDEST);
    add(0, 0, 2048);
    add(0, 3, 2048);
    soc_step(rig.soc, 1);
    soc_step(rig.soc, 1);
    ck_assert_uint_eq(drig_read(&rig, base(0, _i ? 3 : 0) + STATUS), 1);
    ck_assert_uint_eq(drig_read(&rig, base(0, _i ? 0 : 3) + STATUS), 0);
}
END_TEST

START_TEST(numbers_follow_the_rows_before)
{
    struct rows_before before = rows_before("SUMS");

    open_order(ORDER_OLDEST);
    ck_assert_int_eq(UNIT_SUMS, before.units);
    ck_assert_int_eq(UNIT_SUMS_LAST, UNIT_SUMS + 1);
    ck_assert_int_eq(QUEUE_SUMS, 0x10000 + before.queues);
    ck_assert_int_eq(QUEUE_SUMS_LAST, QUEUE_SUMS + 7);
    add(1, 2, 4);
    drig_run(&rig);
    ck_assert_uint_eq(rig.last[TRACE_EVENT_SUM_WRITE].channel, QUEUE_SUMS + 6 + 1);
    ck_assert_int_eq(rig.last[TRACE_EVENT_SUM_WRITE].agent, BUS_AGENT_SUMS);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("sums");
    TCase *tc = tcase_create("sums");

    tcase_add_checked_fixture(tc, NULL, teardown);
    tcase_add_loop_test(tc, every_queue_of_every_instance_ends, 0, 3);
    tcase_add_loop_test(tc, the_order_picks_the_queue, 0, 2);
    tcase_add_test(tc, numbers_follow_the_rows_before);
    suite_add_tcase(s, tc);
    return suite_main(s);
}
