/* SPDX-License-Identifier: MIT */
/* What a shadow keeps of accesses, and which of them race. Expected values: PTX ISA 9.0, 8.7, and
 * for rows and words of a warp what their lanes give one after the other. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "model/igpu/race/know.h"
#include "model/igpu/race/shadow.h"

#define LIMIT (UINT64_C(1) << 30)

static uint64_t now = 1;

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

static const struct shadow_judge judge = { never, not_observed, count, NULL };
static const uint8_t value[SHADOW_LINE] = { 1, 2, 3, 4 };
static const uint8_t row_values[32 * 16];

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

/* One access of rows_race_as_one_by_one(): @lanes of 1 << @shift bytes each, in a row, or all at
 * @va
 */
struct row {
    struct shadow_access a;
    uint64_t va;
    unsigned shift;
    uint32_t lanes;
    bool same;
};

/* Of warps and blocks at random, mostly where kernels have it: each warp's own place, or another's
 */
static struct row row_random(GRand *r, unsigned width, bool flat)
{
    unsigned shift = g_rand_int_range(r, 0, 8) ? width : (unsigned)g_rand_int_range(r, 0, 5);
    bool same = g_rand_int_range(r, 0, 3) == 0;
    uint32_t kind = !same && g_rand_boolean(r) ? SHADOW_WRITE : 0;
    uint64_t warp = (uint64_t)g_rand_int_range(r, 0, 3), own = g_rand_int_range(r, 0, 3) ? warp : 2;
    uint64_t of = (uint64_t)g_rand_int_range(r, 0, flat ? 1 : 2) << KNOW_THREAD_BITS;
    uint64_t at = g_rand_int_range(r, 0, 5) ? own * 32 : (uint64_t)g_rand_int_range(r, 0, 40);

    shift = same ? 2 : shift;
    return (
        struct row){ .a = access_by(of | warp << KNOW_WARP_BITS, kind | shift << SHADOW_SIZE_SHIFT),
                     .va = same ? (uint64_t)g_rand_int_range(r, 0, 40) * 4 : at << shift,
                     .shift = shift,
                     .lanes = g_rand_boolean(r) ? 32 : 16,
                     .same = same };
}

/* Lane by lane; of a place that all load the first and the last. Return: does one race? */
static bool row_by_lanes(struct shadow *s, const struct row *x, const uint8_t *values)
{
    races = 0;
    for (uint32_t l = 0; l < x->lanes; l += x->same ? x->lanes - 1 : 1) {
        struct shadow_access lane = x->a;

        lane.me.who += l;
        shadow_touch(s, &lane, x->va + (x->same ? 0 : l << x->shift), 1u << x->shift,
                     x->same ? x->shift : SHADOW_ONE, values);
    }
    return races != 0;
}

static bool row_at_once(struct shadow *s, const struct row *x, const uint8_t *values)
{
    races = 0;
    if (x->same) {
        shadow_touch_same(s, &x->a, x->va, 1u << x->shift, x->shift, x->lanes);
    } else {
        shadow_touch(s, &x->a, x->va, x->lanes << x->shift, x->shift, values);
    }
    return races != 0;
}

/* Rows of a warp, of elements of 1 to 16 bytes from anywhere, and places that all its lanes load,
 * race as their lanes one after the other: in shared memory and, of two blocks, in global memory.
 */
START_TEST(rows_race_as_one_by_one)
{
    static const struct shadow_judge barriers = { by_barriers, not_observed, count, NULL };
    struct shadow_pool *pool = shadow_pool_new();
    GRand *r = g_rand_new_with_seed(2);
    unsigned found = 0;

    for (unsigned run = 0; run < 4000; run++) {
        bool flat = run % 2 == 0;
        struct shadow *one = shadow_new(flat ? NULL : pool, 4096, LIMIT);
        struct shadow *all = shadow_new(flat ? NULL : pool, 4096, LIMIT);
        unsigned width = (unsigned)g_rand_int_range(r, 0, 5), n = run % 3 ? 12 : 48;
        uint64_t base = 0;

        for (unsigned i = 0; i < n; i++) {
            struct row x = row_random(r, width, flat);
            const uint8_t *values = shadow_kind(x.a.me) & SHADOW_WRITE ? row_values : NULL;
            bool expected;

            if (g_rand_int_range(r, 0, 4) == 0) {
                base = now++;
                x.a.me = shadow_record(now, shadow_kind(x.a.me), 1, shadow_thread(x.a.me));
            }
            x.a.base = base;
            x.a.judge = &barriers;
            expected = row_by_lanes(one, &x, values);
            ck_assert_int_eq(row_at_once(all, &x, values), expected);
            found += expected;
        }
        shadow_free(one);
        shadow_free(all);
    }
    ck_assert_uint_gt(found, 1000);
    shadow_pool_free(pool);
    g_rand_free(r);
}
END_TEST

static unsigned row_touch(struct shadow *s, uint64_t t, uint32_t kind, uint64_t va, uint32_t bytes,
                          unsigned shift, uint64_t base)
{
    static const struct shadow_judge barriers = { by_barriers, not_observed, count, NULL };
    struct shadow_access a = access_by(t, kind | shift << SHADOW_SIZE_SHIFT);

    a.base = base;
    a.judge = &barriers;
    races = 0;
    shadow_touch(s, &a, va, bytes, shift, kind ? value : NULL);
    return races;
}

START_TEST(a_record_stands_for_threads_in_a_row_only)
{
    struct shadow_pool *pool = shadow_pool_new();
    struct shadow *s = shadow_new(pool, 0, LIMIT);

    row_touch(s, 0, SHADOW_WRITE, 0x1000, 32, 0, 0);
    row_touch(s, 64, SHADOW_WRITE, 0x1020, 32, 0, 0); /* not the next warp */
    ck_assert_uint_eq(row_touch(s, 32, 0, 0x1020, 1, 0, 0), 1);
    row_touch(s, 32, SHADOW_WRITE, 0x2020, 32, 0, 0); /* the next one, first */
    row_touch(s, 0, SHADOW_WRITE, 0x2000, 32, 0, 0);
    ck_assert_uint_eq(row_touch(s, 33, 0, 0x2021, 1, 0, 0), 0);
    ck_assert_uint_eq(row_touch(s, 33, 0, 0x2020, 1, 0, 0), 1);
    ck_assert_uint_eq(row_touch(s, 31, 0, 0x201f, 1, 0, 0), 0);
    shadow_free(s);
    shadow_pool_free(pool);
}
END_TEST

/* Thread 5's load, in a row, stays beside that of a whole other warp. */
START_TEST(a_load_of_a_warp_keeps_those_of_others)
{
    struct shadow *s = shadow_new(NULL, 64, LIMIT);
    struct shadow_access a = access_by(32, 2u << SHADOW_SIZE_SHIFT);
    uint64_t base = now++;

    shadow_touch_same(s, &a, 0, 4, 2, 32); /* the line becomes words */
    base = now++;
    row_touch(s, 0, SHADOW_WRITE, 0, 64, 2, base);
    base = now++;
    row_touch(s, 0, 0, 0, 64, 2, base);
    a = access_by(32, 2u << SHADOW_SIZE_SHIFT);
    a.base = base;
    shadow_touch_same(s, &a, 20, 4, 2, 32);
    ck_assert_uint_eq(row_touch(s, 32, SHADOW_WRITE, 20, 4, 2, base), 2); /* threads 5 and 63 */
    shadow_free(s);
}
END_TEST

/* Half a warp stands for its own lanes: a store of thread 15 races with the load of thread 0 alone.
 */
START_TEST(a_load_of_half_a_warp_is_of_its_lanes)
{
    struct shadow *s = shadow_new(NULL, 64, LIMIT);
    struct shadow_access a = access_by(0, 2u << SHADOW_SIZE_SHIFT);
    uint64_t base;

    shadow_touch_same(s, &a, 0, 4, 2, 32); /* the line becomes words */
    base = now++;
    row_touch(s, 64, SHADOW_WRITE, 0, 64, 2, base);
    base = now++;
    a = access_by(0, 2u << SHADOW_SIZE_SHIFT);
    a.base = base;
    shadow_touch_same(s, &a, 20, 4, 2, 16);
    ck_assert_uint_eq(row_touch(s, 15, SHADOW_WRITE, 20, 4, 2, base), 1);
    shadow_free(s);
}
END_TEST

/* Words of a warp at once, and a place that many of its lanes load, race as one after the other. */
START_TEST(lanes_at_once_race_as_one_by_one)
{
    static const uint32_t kinds[] = { 0,       SHADOW_WRITE,
                                      0,       SHADOW_WRITE | SHADOW_ATOMIC | 2u << 1,
                                      2u << 1, SHADOW_WRITE | 1u << 1 };
    static const struct shadow_judge barriers = { by_barriers, not_observed, count, NULL };
    struct shadow_pool *pool = shadow_pool_new();
    GRand *r = g_rand_new_with_seed(1);
    unsigned found = 0;

    for (unsigned run = 0; run < 400; run++) { /* of two blocks, and of one in its shared memory */
        struct shadow *one = shadow_new(run % 2 ? pool : NULL, 512, LIMIT);
        struct shadow *all = shadow_new(run % 2 ? pool : NULL, 512, LIMIT);
        bool settled = g_rand_boolean(r);
        uint64_t base = 0;

        for (unsigned i = 0; i < 60; i++) {
            uint32_t kind = kinds[g_rand_int_range(r, 0, G_N_ELEMENTS(kinds))];
            uint64_t warp = (uint64_t)g_rand_int_range(r, 0, 3) << KNOW_WARP_BITS;
            uint64_t of = (uint64_t)g_rand_int_range(r, 0, 8) / 7 * (run % 2) << KNOW_THREAD_BITS;
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
    shadow_pool_free(pool);
    g_rand_free(r);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("race_shadow");
    TCase *t = tcase_create("shadow");
    SRunner *r;
    int failed;

    tcase_add_test(t, bytes_that_do_not_overlap_do_not_conflict);
    tcase_add_test(t, a_row_becomes_cells_when_lanes_mix);
    tcase_add_test(t, two_stores_of_one_value_are_marked);
    tcase_add_test(t, strong_accesses_do_not_race_with_each_other);
    tcase_add_test(t, a_shadow_stops_at_its_limit);
    tcase_add_test(t, lanes_at_once_race_as_one_by_one);
    tcase_add_test(t, rows_race_as_one_by_one);
    tcase_add_test(t, a_record_stands_for_threads_in_a_row_only);
    tcase_add_test(t, a_load_of_a_warp_keeps_those_of_others);
    tcase_add_test(t, a_load_of_half_a_warp_is_of_its_lanes);
    suite_add_tcase(s, t);
    r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
