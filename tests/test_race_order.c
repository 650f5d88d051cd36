/* SPDX-License-Identifier: MIT */
/* What orders the threads of a grid, event by event. Expected values:
 * PTX ISA 9.0, 8.7 to 8.9 and the sections named at each test. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "model/igpu/race/order.h"

#define WARPS 2u
#define LIMIT (UINT64_C(1) << 30)

static uint64_t now;
static struct order_grid order;
static struct order_block *block[2];
static const uint32_t live[WARPS] = { UINT32_MAX, UINT32_MAX };

static void setup(void)
{
    now = 1;
    order_init(&order, &now, false);
    for (unsigned i = 0; i < 2; i++) {
        block[i] = order_block_new(WARPS);
        order_block_start(block[i], i, i);
    }
}

static void teardown(void)
{
    order_block_free(block[0]);
    order_block_free(block[1]);
    order_clear(&order);
}

static struct order_thread thread(unsigned b, uint32_t t)
{
    return (struct order_thread){ block[b], t / 32, t % 32 };
}

static uint64_t id(unsigned b, uint32_t t)
{
    return (uint64_t)b << KNOW_THREAD_BITS | t;
}

/* Does what @t of @b does now come behind what @of of @of_block did at @stamp? */
static bool knows(unsigned b, uint32_t t, unsigned of_block, uint32_t of, uint64_t stamp)
{
    struct order_thread x = thread(b, t);

    return order_knows(&x, id(of_block, of), stamp);
}

static void strong(unsigned b, uint32_t t, struct order_access a)
{
    struct order_thread x = thread(b, t);

    a.va = a.va ? a.va : 0x1000;
    order_strong(&order, &x, &a);
    now++;
}

static void fence(unsigned b, uint32_t t, enum order_scope scope)
{
    struct order_thread x = thread(b, t);

    order_fence(&order, &x, scope, ORDER_ACQUIRE | ORDER_RELEASE);
    now++;
}

#define STORE .writes = true, .scope = ORDER_ALL
#define LOAD .reads = true, .scope = ORDER_ALL
#define ATOMIC .reads = true, .writes = true, .rmw = true, .scope = ORDER_ALL

START_TEST(a_thread_knows_its_own_accesses)
{
    ck_assert(knows(0, 5, 0, 5, now));
    ck_assert(!knows(0, 5, 0, 6, now));
    ck_assert(!knows(0, 5, 1, 5, now));
}
END_TEST

/* 9.7.13.1 */
START_TEST(a_barrier_of_the_block_orders_what_was_before_it)
{
    uint64_t before = now;

    order_arrive(&order, block[0], 0, 0, UINT32_MAX);
    order_arrive(&order, block[0], 0, 1, UINT32_MAX);
    order_release(&order, block[0], 0, true, live, live);
    now++;
    ck_assert(knows(0, 0, 0, 63, before));
    ck_assert(!knows(0, 0, 0, 63, now));
    ck_assert(!knows(0, 0, 1, 0, before));
}
END_TEST

/* 9.7.13.1: "bar.arrive does not cause executing thread to wait" */
START_TEST(an_arrival_gives_and_does_not_take)
{
    const uint32_t waiting[WARPS] = { 0, UINT32_MAX };
    uint64_t before = now;

    order_arrive(&order, block[0], 3, 0, UINT32_MAX);
    now++;
    order_arrive(&order, block[0], 3, 1, UINT32_MAX);
    order_release(&order, block[0], 3, false, waiting, live);
    now++;
    ck_assert(knows(0, 32, 0, 0, before));
    ck_assert(!knows(0, 0, 0, 32, before));
    ck_assert(!knows(0, 32, 0, 0, before + 1));
}
END_TEST

/* 9.7.13.2 */
START_TEST(a_warp_barrier_orders_the_lanes_of_its_mask)
{
    uint64_t before = now;

    order_warp_sync(&order, block[0], 0, 0xf, UINT32_MAX);
    now++;
    ck_assert(knows(0, 0, 0, 3, before));
    ck_assert(!knows(0, 0, 0, 4, before));
    ck_assert(!knows(0, 4, 0, 0, before));
    ck_assert(!knows(0, 0, 0, 3, now));
}
END_TEST

/* 8.8: fence; strong store, and strong load; fence */
START_TEST(fences_on_both_sides_of_a_flag_order)
{
    uint64_t before = now;

    fence(0, 0, ORDER_ALL);
    strong(0, 0, (struct order_access){ STORE });
    strong(1, 7, (struct order_access){ LOAD });
    ck_assert(!knows(1, 7, 0, 0, before));
    fence(1, 7, ORDER_ALL);
    ck_assert(knows(1, 7, 0, 0, before));
    ck_assert(!knows(1, 7, 0, 0, now));
    ck_assert(!knows(1, 8, 0, 0, before));
}
END_TEST

/* 8.7: the two fences must include each other's thread. */
START_TEST(a_fence_of_the_block_gives_nothing_to_another_block)
{
    uint64_t before = now;

    fence(0, 0, ORDER_BLOCK);
    strong(0, 0, (struct order_access){ STORE });
    strong(1, 7, (struct order_access){ LOAD });
    fence(1, 7, ORDER_ALL);
    ck_assert(!knows(1, 7, 0, 0, before));
    strong(0, 40, (struct order_access){ LOAD });
    fence(0, 40, ORDER_BLOCK);
    ck_assert(knows(0, 40, 0, 0, before));
}
END_TEST

/* 8.9.2: through atomic operations of any thread; a store ends it. */
START_TEST(atomics_carry_a_release_and_a_store_ends_it)
{
    uint64_t before = now;

    strong(0, 0, (struct order_access){ STORE, .what = ORDER_RELEASE });
    strong(0, 33, (struct order_access){ ATOMIC });
    strong(1, 0, (struct order_access){ LOAD, .what = ORDER_ACQUIRE });
    ck_assert(knows(1, 0, 0, 0, before));
    ck_assert(!knows(0, 33, 0, 0, before));
    strong(0, 33, (struct order_access){ STORE });
    strong(1, 1, (struct order_access){ LOAD, .what = ORDER_ACQUIRE });
    ck_assert(!knows(1, 1, 0, 0, before));
}
END_TEST

/* 8.9.5: causality is transitive, whatever the scopes of the links. */
START_TEST(what_a_thread_has_acquired_passes_its_barrier)
{
    uint64_t before = now;

    strong(0, 0, (struct order_access){ STORE, .what = ORDER_RELEASE });
    strong(1, 3, (struct order_access){ LOAD, .what = ORDER_ACQUIRE });
    order_warp_sync(&order, block[1], 0, UINT32_MAX, UINT32_MAX);
    now++;
    ck_assert(knows(1, 9, 0, 0, before));
    ck_assert(!knows(1, 33, 0, 0, before));
}
END_TEST

/* 9.7.9.25.3.3: "at most N pending groups" */
START_TEST(a_wait_ends_the_groups_but_the_last_ones)
{
    struct order_thread x = thread(0, 0);
    uint64_t first = now, second;

    order_commit(&order, &x, ORDER_COPIES);
    second = ++now;
    order_commit(&order, &x, ORDER_COPIES);
    now++;
    ck_assert_uint_eq(order_wait_done(&x, ORDER_COPIES, first), 0);
    order_wait(&order, &x, ORDER_COPIES, 1);
    ck_assert_uint_eq(order_wait_done(&x, ORDER_COPIES, first), now);
    ck_assert_uint_eq(order_wait_done(&x, ORDER_COPIES, second), 0);
    now++;
    order_wait(&order, &x, ORDER_COPIES, UINT32_MAX);
    ck_assert_uint_eq(order_wait_done(&x, ORDER_COPIES, second), now);
}
END_TEST

/* 9.7.13.15: arrivals of the phase that is complete, for a thread whose wait was successful */
START_TEST(an_mbarrier_orders_with_its_phase)
{
    struct order_thread a = thread(0, 0), b = thread(0, 40);
    uint64_t before = now;

    order_mbarrier_arrive(&order, &a, a.block, 8);
    now++;
    order_mbarrier_wait(&order, &b, b.block, 8);
    ck_assert(!knows(0, 40, 0, 0, before));
    order_mbarrier_complete(&order, block[0], 8, live);
    now++;
    order_mbarrier_wait(&order, &b, b.block, 8);
    ck_assert(knows(0, 40, 0, 0, before));
    ck_assert(!knows(0, 41, 0, 0, before));
}
END_TEST

/* --- lists --- */

START_TEST(a_list_keeps_the_latest_stamp_of_each_key)
{
    struct know *a = NULL, *b = NULL;
    uint64_t work = 0;

    for (uint64_t i = 0; i < 100; i++) {
        a = know_add(a, i * 37 % 100 * 2, i + 1, &work);
        b = know_add(b, i, 50, &work);
    }
    b = know_join(b, a, &work);
    for (uint64_t i = 0; i < 100; i++) {
        ck_assert_uint_eq(know_find(b, i * 37 % 100 * 2),
                          i * 37 % 100 * 2 < 100 && i + 1 < 50 ? 50 : i + 1);
        ck_assert_uint_eq(know_find(a, i * 37 % 100 * 2 + 1), 0);
    }
    ck_assert_uint_eq(know_find(b, 51), 50);
    know_drop(a);
    know_drop(b);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("race_order");
    TCase *t = tcase_create("order");
    SRunner *r;
    int failed;

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_thread_knows_its_own_accesses);
    tcase_add_test(t, a_barrier_of_the_block_orders_what_was_before_it);
    tcase_add_test(t, an_arrival_gives_and_does_not_take);
    tcase_add_test(t, a_warp_barrier_orders_the_lanes_of_its_mask);
    tcase_add_test(t, fences_on_both_sides_of_a_flag_order);
    tcase_add_test(t, a_fence_of_the_block_gives_nothing_to_another_block);
    tcase_add_test(t, atomics_carry_a_release_and_a_store_ends_it);
    tcase_add_test(t, what_a_thread_has_acquired_passes_its_barrier);
    tcase_add_test(t, a_wait_ends_the_groups_but_the_last_ones);
    tcase_add_test(t, an_mbarrier_orders_with_its_phase);
    tcase_add_test(t, a_list_keeps_the_latest_stamp_of_each_key);
    suite_add_tcase(s, t);
    r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
