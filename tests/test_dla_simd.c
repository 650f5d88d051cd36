/* SPDX-License-Identifier: MIT */
/* The int8 inner loop: every version gives the sums that plain arithmetic gives. */
#include "model/dla/conv.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 37, STEP = 10 };

static int16_t data[2 * PAIRS + 3 * STEP], weights[PAIRS][DLA_BLOCK_KERNELS][2];
static int32_t expect[DLA_BLOCK_PIXELS][DLA_BLOCK_KERNELS];

/* Numbers of int8 range; @extreme: only the largest ones. */
static void fill(bool extreme)
{
    uint32_t x = 12345;

    for (size_t i = 0; i < sizeof(data) / sizeof(data[0]); i++) {
        x = x * 1664525 + 1013904223;
        data[i] = extreme ? -128 : (int8_t)(x >> 24);
    }
    for (unsigned i = 0; i < PAIRS; i++) {
        for (unsigned k = 0; k < DLA_BLOCK_KERNELS; k++) {
            x = x * 1664525 + 1013904223;
            weights[i][k][0] = extreme ? -128 : (int8_t)(x >> 24);
            weights[i][k][1] = extreme ? -128 : (int8_t)(x >> 16);
        }
    }
    for (unsigned p = 0; p < DLA_BLOCK_PIXELS; p++) {
        for (unsigned k = 0; k < DLA_BLOCK_KERNELS; k++) {
            expect[p][k] = (int32_t)(p * 1000 + k); /* it adds to what is there */
            for (unsigned i = 0; i < 2 * PAIRS; i++) {
                expect[p][k] += data[p * STEP + i] * weights[i / 2][k][i % 2];
            }
        }
    }
}

static void compare(dla_mac_block *mac, unsigned pixels)
{
    int32_t acc[DLA_BLOCK_PIXELS][DLA_BLOCK_KERNELS];

    for (unsigned p = 0; p < DLA_BLOCK_PIXELS; p++) {
        for (unsigned k = 0; k < DLA_BLOCK_KERNELS; k++) {
            acc[p][k] = (int32_t)(p * 1000 + k);
        }
    }
    mac(data, STEP, pixels, &weights[0][0][0], PAIRS, &acc[0][0]);
    for (unsigned p = 0; p < DLA_BLOCK_PIXELS; p++) {
        for (unsigned k = 0; k < DLA_BLOCK_KERNELS; k++) {
            ck_assert_int_eq(acc[p][k], p < pixels ? expect[p][k] : (int32_t)(p * 1000 + k));
        }
    }
}

START_TEST(every_version_gives_the_same_sums)
{
    dla_mac_block *mac;

    fill(_i);
    ck_assert_ptr_nonnull(dla_mac_block_at(0));
    for (unsigned v = 0; (mac = dla_mac_block_at(v)); v++) {
        for (unsigned pixels = 1; pixels <= DLA_BLOCK_PIXELS; pixels++) {
            compare(mac, pixels);
        }
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dla_simd");
    TCase *t = tcase_create("int8");
    SRunner *r = srunner_create(s);
    int failed;

    tcase_add_loop_test(t, every_version_gives_the_same_sums, 0, 2);
    suite_add_tcase(s, t);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
