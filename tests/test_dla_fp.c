/* SPDX-License-Identifier: MIT */
/* Numbers: expected values by hand from IEEE 754 and NVDLA's format.rst, "FP16 Supporting". */
#include "model/dla/fp.h"
#include "model/dla/num.h"

#include <check.h>
#include <stdlib.h>

START_TEST(shifts_round_half_away_from_zero_and_saturate)
{
    ck_assert_int_eq(dla_shr(5, 1, 32), 3);
    ck_assert_int_eq(dla_shr(-5, 1, 32), -3);
    ck_assert_int_eq(dla_shr(-4, 1, 32), -2);
    ck_assert_int_eq(dla_shr(1000, 1, 8), 127);
    ck_assert_int_eq(dla_shr(-1000, 1, 8), -128);
    ck_assert_int_eq(dla_shr(1, 200, 8), 0);
    /* a half goes away from zero, however far it comes down; less than a half is nothing */
    ck_assert_int_eq(dla_shr(INT64_C(1) << 61, 62, 32), 1);
    ck_assert_int_eq(dla_shr(-(INT64_C(1) << 61), 62, 32), -1);
    ck_assert_int_eq(dla_shr(INT64_C(1) << 61, 63, 32), 0);
    ck_assert_int_eq(dla_shr(INT64_C(1) << 61, 64, 32), 0);
    ck_assert_int_eq(dla_shr(-1, 64, 32), 0);
    ck_assert_int_eq(dla_shl(-3, 63, 32), INT32_MIN);
    ck_assert_int_eq(dla_shr_signed(-3, -2, 32), -12);
}
END_TEST

START_TEST(fp16_rounds_to_even)
{
    ck_assert_uint_eq(fp32_to_fp16(0x3f801000), 0x3c00); /* 1 + 2^-11 */
    ck_assert_uint_eq(fp32_to_fp16(0x3f803000), 0x3c02); /* 1 + 3 * 2^-11 */
    ck_assert_uint_eq(fp32_to_fp16(0x3f801001), 0x3c01);
}
END_TEST

START_TEST(overflow_is_the_largest_number)
{
    ck_assert_uint_eq(fp32_to_fp16(0x477ff000), 0x7bff); /* 65520 */
    ck_assert_uint_eq(fp32_to_fp16(0xff7fffff), 0xfbff);
    ck_assert_uint_eq(fp32_mul(0x7f000000, 0x7f000000), 0x7f7fffff);
    ck_assert_uint_eq(fp32_add(0x7f7fffff, 0x7f000000), 0x7f7fffff);
    ck_assert_uint_eq(fp32_sub(0xff000000, 0x7f000001), 0xff7fffff);
    ck_assert_uint_eq(fp17_mul(0xfbff, 0xfbff), 0xfbff);
    ck_assert_uint_eq(fp16_from_int(65535), 0x7bff);
}
END_TEST

START_TEST(infinity_comes_in_as_the_largest_number)
{
    ck_assert_uint_eq(fp16_to_fp32(0x7c00), 0x7f7fffff);  /* 3.40282e+38 */
    ck_assert_uint_eq(fp16_to_fp17(0xfc00), 0x1fbff);     /* -4292870144 */
    ck_assert_int_eq(fp16_to_fixed(0x7c00) >> 24, 65536); /* convolution */
}
END_TEST

START_TEST(only_fp16_has_denormals)
{
    ck_assert_uint_eq(fp32_to_fp16(0x33800000), 0x0001); /* 2^-24 */
    ck_assert_uint_eq(fp32_to_fp16(0x33000000), 0x0000); /* 2^-25: tie to even */
    ck_assert_uint_eq(fp32_to_fp16(0x33000001), 0x0001);
    ck_assert_uint_eq(fp16_to_fp32(0x0001), 0x33800000);
    ck_assert_uint_eq(fp32_mul(0x00800000, 0x3f000000), 0); /* 2^-127 */
    ck_assert_uint_eq(fp17_to_fp16(fp16_to_fp17(0x83ff)), 0x83ff);
}
END_TEST

START_TEST(a_nan_passes_through)
{
    ck_assert_uint_eq(fp32_to_fp16(fp16_to_fp32(0x7e01)), 0x7e01);
    ck_assert_uint_eq(fp17_to_fp16(fp16_to_fp17(0xfd55)), 0xfd55);
    ck_assert(fp32_is_nan(fp32_add(fp16_to_fp32(0x7c01), 0x3f800000)));
    ck_assert(fp16_is_nan(fp16_max(0x3c00, 0x7e00)));
    ck_assert_int_eq(fp16_to_int16(0x7e00), -32768);
}
END_TEST

START_TEST(fp16_to_int16_rounds_half_away_from_zero)
{
    ck_assert_int_eq(fp16_to_int16(0x4100), 3); /* 2.5 */
    ck_assert_int_eq(fp16_to_int16(0xc100), -3);
    ck_assert_int_eq(fp16_to_int16(0x7bff), 32767);
    ck_assert_int_eq(fp16_to_int16(0xfbff), -32768);
}
END_TEST

START_TEST(opposite_numbers_give_a_zero_with_the_sign_of_the_first)
{
    ck_assert_uint_eq(fp32_add(0x3f800000, 0xbf800000), 0);
    ck_assert_uint_eq(fp32_add(0xbf800000, 0x3f800000), 0x80000000);
    ck_assert_uint_eq(fp16_max(0x8000, 0x0000), 0x0000);
}
END_TEST

START_TEST(an_exact_sum_is_rounded_once)
{
    __extension__ __int128 one = (__int128)1 << 48;

    ck_assert_uint_eq(fp32_from_fixed(one), 0x3f800000);
    ck_assert_uint_eq(fp32_from_fixed(one + (one >> 24)), 0x3f800000);     /* tie to even */
    ck_assert_uint_eq(fp32_from_fixed(one + (one >> 24) + 1), 0x3f800001); /* just above it */
    ck_assert_uint_eq(fp32_from_fixed((one << 60) + (one << 36) + 1), 0x5d800001);
    ck_assert_uint_eq(fp32_from_fixed(-(one << 60) - (one << 36)), 0xdd800000);
    ck_assert_uint_eq(fp32_from_fixed(0), 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dla_fp");
    TCase *t = tcase_create("numbers");
    SRunner *r = srunner_create(s);
    int failed;

    tcase_add_test(t, shifts_round_half_away_from_zero_and_saturate);
    tcase_add_test(t, fp16_rounds_to_even);
    tcase_add_test(t, overflow_is_the_largest_number);
    tcase_add_test(t, infinity_comes_in_as_the_largest_number);
    tcase_add_test(t, only_fp16_has_denormals);
    tcase_add_test(t, a_nan_passes_through);
    tcase_add_test(t, fp16_to_int16_rounds_half_away_from_zero);
    tcase_add_test(t, opposite_numbers_give_a_zero_with_the_sign_of_the_first);
    tcase_add_test(t, an_exact_sum_is_rounded_once);
    suite_add_tcase(s, t);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
