/* SPDX-License-Identifier: MIT */
/* What orders the threads of a grid, event by event, and what the shadow keeps. Expected values:
 * PTX ISA 9.0, 8.7 to 8.9 and the sections named at each test. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "model/igpu/race/order.h"
#include "model/igpu/race/shadow.h"

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
        order_block_start(block[i], i);
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

    order_commit(&order, &x);
    second = ++now;
    order_commit(&order, &x);
    now++;
    ck_assert_uint_eq(order_wait_done(&x, first), 0);
    order_wait(&order, &x, 1);
    ck_assert_uint_eq(order_wait_done(&x, first), now);
    ck_assert_uint_eq(order_wait_done(&x, second), 0);
    now++;
    order_wait(&order, &x, UINT32_MAX);
    ck_assert_uint_eq(order_wait_done(&x, second), now);
}
END_TEST

/* 9.7.13.15: arrivals of the phase that is complete, for a thread whose wait was successful */
START_TEST(an_mbarrier_orders_with_its_phase)
{
    struct order_thread a = thread(0, 0), b = thread(0, 40);
    uint64_t before = now;

    order_mbarrier_arrive(&order, &a, 8);
    now++;
    order_mbarrier_wait(&order, &b, 8);
    ck_assert(!knows(0, 40, 0, 0, before));
    order_mbarrier_complete(&order, block[0], 8, live);
    now++;
    order_mbarrier_wait(&order, &b, 8);
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

/* --- shadow --- */

static unsigned races, same_values;
static uint64_t race_va;

static bool never(const struct shadow_access *a, struct shadow_record earlier)
{
    return shadow_thread(a->me) == shadow_thread(earlier);
}

static bool not_observed(const struct shadow_access *a, struct shadow_record earlier, uint64_t va,
                         uint32_t bytes)
{
    (void)a;
    (void)earlier;
    (void)va;
    (void)bytes;
    return false;
}

static void count(const struct shadow_access *a, struct shadow_record earlier, uint64_t va,
                  uint32_t bytes, bool same_value)
{
    (void)a;
    (void)earlier;
    (void)bytes;
    races++;
    same_values += same_value;
    race_va = va;
}

static const struct shadow_judge judge = { never, not_observed, count };
static const uint8_t value[SHADOW_LINE] = { 1, 2, 3, 4 };

static struct shadow_access access_by(uint64_t t, uint32_t kind)
{
    return (struct shadow_access){ .me = shadow_record(now, kind, 1, t), .judge = &judge };
}

static unsigned touch(struct shadow *s, uint64_t t, uint32_t kind, uint64_t va, uint32_t bytes)
{
    struct shadow_access a = access_by(t, kind);

    races = 0;
    shadow_touch(s, &a, va, bytes, SHADOW_ONE, kind & SHADOW_WRITE ? value : NULL);
    return races;
}

START_TEST(bytes_that_do_not_overlap_do_not_conflict)
{
    struct shadow *s = shadow_new(NULL, 256, LIMIT);

    ck_assert_uint_eq(touch(s, 1, SHADOW_WRITE, 64, 1), 0);
    ck_assert_uint_eq(touch(s, 2, SHADOW_WRITE, 65, 1), 0);
    ck_assert_uint_gt(touch(s, 3, 0, 64, 4), 0);
    ck_assert_uint_eq(touch(s, 3, 0, 68, 4), 0);
    ck_assert_uint_gt(touch(s, 2, SHADOW_WRITE, 60, 8), 0);   /* the load of the word at 64 */
    ck_assert_uint_eq(touch(s, 2, SHADOW_WRITE, 4096, 8), 0); /* beyond the space */
    shadow_free(s);
}
END_TEST

START_TEST(a_row_becomes_cells_when_lanes_mix)
{
    struct shadow_pool *pool = shadow_pool_new();
    struct shadow *s = shadow_new(pool, 0, LIMIT);
    struct shadow_access a = access_by(32, SHADOW_WRITE);

    shadow_touch(s, &a, 0x40000, SHADOW_LINE, 2, value);
    ck_assert_uint_eq(touch(s, 32 + 5, 0, 0x40000 + 5 * 4, 4), 0); /* lane 5's own word */
    ck_assert_uint_gt(touch(s, 32 + 5, 0, 0x40000 + 6 * 4, 4), 0);
    ck_assert_uint_eq(race_va, 0x40000 + 6 * 4);
    shadow_free(s);
    s = shadow_new(pool, 0, LIMIT); /* its pages are empty again */
    ck_assert_uint_eq(touch(s, 32 + 5, 0, 0x40000 + 6 * 4, 4), 0);
    shadow_free(s);
    shadow_pool_free(pool);
}
END_TEST

START_TEST(two_stores_of_one_value_are_marked)
{
    struct shadow *s = shadow_new(NULL, 64, LIMIT);

    same_values = 0;
    touch(s, 1, SHADOW_WRITE, 0, 4);
    ck_assert_uint_eq(touch(s, 2, SHADOW_WRITE, 0, 4), 1);
    ck_assert_uint_eq(same_values, 1);
    ck_assert_uint_ge(touch(s, 3, SHADOW_WRITE, 2, 2), 1); /* 1 2, where 3 4 is */
    ck_assert_uint_eq(same_values, 1);
    shadow_free(s);
}
END_TEST

/* 8.7: both strong, of scopes that include the other's thread, of one size */
START_TEST(strong_accesses_do_not_race_with_each_other)
{
    struct shadow *s = shadow_new(NULL, 64, LIMIT);
    uint32_t gpu = 2u << 1 | 2u << SHADOW_SIZE_SHIFT, cta = 1u << 1 | 2u << SHADOW_SIZE_SHIFT;
    uint64_t other = UINT64_C(1) << KNOW_THREAD_BITS;

    touch(s, 1, SHADOW_WRITE | gpu, 0, 4);
    ck_assert_uint_eq(touch(s, other, gpu, 0, 4), 0);
    ck_assert_uint_eq(touch(s, 2, cta, 0, 4), 0);
    ck_assert_uint_eq(touch(s, other + 1, cta, 0, 4), 1);
    ck_assert_uint_eq(touch(s, other + 2, 0, 0, 4), 1);
    ck_assert_uint_eq(touch(s, 3, 2u << 1 | 1u << SHADOW_SIZE_SHIFT, 0, 2), 1);
    shadow_free(s);
}
END_TEST

START_TEST(a_shadow_stops_at_its_limit)
{
    struct shadow_pool *pool = shadow_pool_new();
    struct shadow *s = shadow_new(pool, 0, 1u << 20);

    for (uint64_t i = 0; i < 1000; i++) {
        touch(s, 1, SHADOW_WRITE, i << 30, 1);
    }
    ck_assert(shadow_is_full(s));
    ck_assert_uint_eq(touch(s, 2, SHADOW_WRITE, 0, 1), 0);
    shadow_free(s);
    shadow_pool_free(pool);
}
END_TEST

/* Barriers of the block alone */
static bool by_barriers(const struct shadow_access *a, struct shadow_record earlier)
{
    return never(a, earlier) ||
           ((shadow_thread(a->me) ^ shadow_thread(earlier)) >> KNOW_THREAD_BITS == 0 &&
            shadow_stamp(earlier) <= a->base);
}

/* An access of one lane after the other, 4 bytes each; of a load of one place the first and the
 * last lane */
static void lanes_one_by_one(struct shadow *s, struct shadow_access a, const uint64_t *va,
                             uint32_t lanes, const uint8_t *values)
{
    uint64_t first = a.me.who;

    for (uint32_t l = 0; l < 32; l++) {
        a.me.who = first + l;
        if (lanes >> l & 1) {
            shadow_touch(s, &a, va[l], 4, va[l] % 4 ? SHADOW_ONE : 2,
                         values ? values + 4 * l : NULL);
        }
    }
}

/* Words of a warp at once, and a place that many of its lanes load, race as one after the other. */
START_TEST(lanes_at_once_race_as_one_by_one)
{
    static const uint32_t kinds[] = { 0,       SHADOW_WRITE,
                                      0,       SHADOW_WRITE | SHADOW_ATOMIC | 2u << 1,
                                      2u << 1, SHADOW_WRITE | 1u << 1 };
    static const struct shadow_judge barriers = { by_barriers, not_observed, count };
    GRand *r = g_rand_new_with_seed(1);
    unsigned found = 0;

    for (unsigned run = 0; run < 200; run++) {
        struct shadow *one = shadow_new(NULL, 512, LIMIT), *all = shadow_new(NULL, 512, LIMIT);
        bool settled = g_rand_boolean(r);
        uint64_t base = 0;

        for (unsigned i = 0; i < 60; i++) {
            uint32_t kind = kinds[g_rand_int_range(r, 0, G_N_ELEMENTS(kinds))];
            uint64_t warp = (uint64_t)g_rand_int_range(r, 0, 3) << KNOW_WARP_BITS;
            uint64_t of = (uint64_t)g_rand_int_range(r, 0, 8) / 7 << KNOW_THREAD_BITS;
            struct shadow_access a = access_by(of | warp, kind | 2u << SHADOW_SIZE_SHIFT);
            uint32_t lanes = g_rand_boolean(r) ? UINT32_MAX : g_rand_int(r);
            uint64_t va[32];
            uint8_t values[128];
            bool same = kind == 0 && g_rand_boolean(r);
            unsigned expected;

            for (unsigned l = 0; l < 32; l++) {
                va[l] = (uint64_t)g_rand_int_range(r, 0, 96) * 4 + (g_rand_int_range(r, 0, 99) < 1);
                memset(&values[4 * l], g_rand_int_range(r, 0, 3), 4);
            }
            now += kind != 0 && kind != SHADOW_WRITE;
            if (g_rand_int_range(r, 0, 6) == 0) {
                base = now++;
            }
            a = access_by(of | warp, kind | 2u << SHADOW_SIZE_SHIFT);
            a.base = base;
            a.settled = settled;
            a.judge = &barriers;
            for (unsigned l = 0; same && l < 32; l++) {
                va[l] = va[0] / 4 * 4;
            }
            lanes = same ? 0x80000001u : lanes;
            races = 0;
            lanes_one_by_one(one, a, va, lanes, kind == SHADOW_WRITE ? values : NULL);
            expected = races;
            races = 0;
            if (same) {
                shadow_touch_same(all, &a, va[0], 4, 2, 32);
            } else {
                shadow_touch_words(all, &a, va, lanes, kind == SHADOW_WRITE ? values : NULL);
            }
            ck_assert_uint_eq(races, expected);
            found += races;
        }
        shadow_free(one);
        shadow_free(all);
    }
    ck_assert_uint_gt(found, 1000);
    g_rand_free(r);
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
    tcase_add_test(t, bytes_that_do_not_overlap_do_not_conflict);
    tcase_add_test(t, a_row_becomes_cells_when_lanes_mix);
    tcase_add_test(t, two_stores_of_one_value_are_marked);
    tcase_add_test(t, strong_accesses_do_not_race_with_each_other);
    tcase_add_test(t, a_shadow_stops_at_its_limit);
    tcase_add_test(t, lanes_at_once_race_as_one_by_one);
    suite_add_tcase(s, t);
    r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
