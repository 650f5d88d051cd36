/* SPDX-License-Identifier: MIT */
/* Orders of blocks other than by number: each block runs once, in an order that the number alone
 * decides. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "model/igpu/race/block_order.h"
#include "tests/grid_rig.h"

static struct rig rig;
static const uint64_t out = RIG_BASE;

static void setup(void)
{
    rig_init(&rig);
}

static void teardown(void)
{
    rig_free(&rig);
}

/* out[1 + 2 * block + warp] becomes the ticket that its first lane has drawn from out[0]. */
static const char tickets[] =
    ".version 8.0\n.target sm_87\n.address_size 64\n"
    ".visible .entry k(.param .u64 out)\n{\n"
    ".reg .b32 %r<10>;\n.reg .b64 %d<4>;\n.reg .pred %p;\n"
    "ld.param.u64 %d0, [out];\nmov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %tid.x;\n"
    "and.b32 %r2, %r1, 31;\nsetp.ne.u32 %p, %r2, 0;\n@%p ret;\n"
    "atom.global.add.u32 %r3, [%d0], 1;\nshr.u32 %r4, %r1, 5;\nshl.b32 %r5, %r0, 1;\n"
    "add.u32 %r5, %r5, %r4;\nmul.wide.u32 %d1, %r5, 4;\nadd.u64 %d1, %d0, %d1;\n"
    "st.global.u32 [%d1+4], %r3;\nret;\n}\n";

#define BLOCKS 37u

static void tickets_take(uint32_t order, uint32_t ticket[2 * BLOCKS])
{
    struct rig_launch l = { .grid = { BLOCKS },
                            .block = { 64 },
                            .param = &out,
                            .param_bytes = 8,
                            .resident_blocks = 3,
                            .order = order };

    memset(rig_at(&rig, RIG_BASE), 0, 4 + 8 * BLOCKS);
    rig_launch(&rig, tickets, &l);
    memcpy(ticket, rig_at(&rig, RIG_BASE + 4), 8 * BLOCKS);
}

START_TEST(each_is_drawn_once)
{
    uint32_t ticket[2 * BLOCKS];
    unsigned drawn[2 * BLOCKS] = { 0 };

    tickets_take((uint32_t)_i, ticket);
    for (unsigned i = 0; i < 2 * BLOCKS; i++) {
        ck_assert_uint_lt(ticket[i], 2 * BLOCKS);
        drawn[ticket[i]]++;
    }
    for (unsigned i = 0; i < 2 * BLOCKS; i++) {
        ck_assert_uint_eq(drawn[i], 1);
    }
}
END_TEST

START_TEST(without_an_order_blocks_and_warps_go_by_number)
{
    uint32_t ticket[2 * BLOCKS];

    tickets_take(0, ticket);
    for (unsigned i = 0; i < 2 * BLOCKS; i++) {
        ck_assert_uint_eq(ticket[i], i);
    }
}
END_TEST

START_TEST(a_number_is_one_order)
{
    uint32_t one[2 * BLOCKS], again[2 * BLOCKS], other[2 * BLOCKS];

    tickets_take(7, one);
    tickets_take(7, again);
    tickets_take(8, other);
    ck_assert_int_eq(memcmp(one, again, sizeof(one)), 0);
    ck_assert_int_ne(memcmp(one, other, sizeof(one)), 0);
}
END_TEST

/* Of 64 orders some let the last block go first, and some the second warp of a block. */
START_TEST(any_may_be_first)
{
    unsigned late_block = 0, late_warp = 0, by_number = 0;

    for (uint32_t order = 1; order <= 64; order++) {
        uint32_t ticket[2 * BLOCKS];
        bool sorted = true;

        tickets_take(order, ticket);
        late_block += ticket[2 * BLOCKS - 2] < ticket[0];
        late_warp += ticket[1] < ticket[0];
        for (unsigned i = 1; i < 2 * BLOCKS; i++) {
            sorted = sorted && ticket[i] > ticket[i - 1];
        }
        by_number += sorted;
    }
    ck_assert_uint_ge(late_block, 16);
    ck_assert_uint_le(late_block, 48);
    ck_assert_uint_ge(late_warp, 16);
    ck_assert_uint_le(late_warp, 48);
    ck_assert_uint_eq(by_number, 0);
}
END_TEST

/* Sizes beside powers of four, and one that is all of a dimension */
static const uint64_t sizes[] = { 1, 2, 3, 4, 5, 15, 16, 17, 63, 64, 65, 1000, 65535 };

START_TEST(an_order_is_a_permutation)
{
    uint64_t n = sizes[_i];
    uint8_t *seen = calloc(n, 1);

    for (uint64_t i = 0; i < n; i++) {
        uint64_t at = block_order(12345, n, i);

        ck_assert_uint_lt(at, n);
        ck_assert_uint_eq(seen[at], 0);
        seen[at] = 1;
    }
    free(seen);
}
END_TEST

START_TEST(the_largest_grid_has_an_order)
{
    uint64_t n =
        UINT64_C(0x7fffffff) * 65535 * 65535; /* CUDA Programming Guide, technical specifications */

    for (uint64_t i = 0; i < 1000; i++) {
        ck_assert_uint_lt(block_order(1, n, i), n);
        ck_assert_uint_lt(block_order(1, n, n - 1 - i), n);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("block_order");
    TCase *t = tcase_create("orders");
    SRunner *r;
    int failed;

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, each_is_drawn_once, 0, 20);
    tcase_add_test(t, without_an_order_blocks_and_warps_go_by_number);
    tcase_add_test(t, a_number_is_one_order);
    tcase_add_test(t, any_may_be_first);
    tcase_add_loop_test(t, an_order_is_a_permutation, 0, (int)(sizeof(sizes) / sizeof(sizes[0])));
    tcase_add_test(t, the_largest_grid_has_an_order);
    suite_add_tcase(s, t);
    r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
