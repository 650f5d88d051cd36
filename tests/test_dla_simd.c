/* SPDX-License-Identifier: MIT */
/* Loops with fast versions: every version gives the numbers that plain arithmetic gives. */
#include "model/dla/conv.h"
#include "model/dla/vec.h"

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

static void compare(dla_mac_block *mac)
{
    const int16_t *const at[] = { data, data + STEP, data + 2 * STEP, data + 3 * STEP };

    enum { APART = DLA_BLOCK_KERNELS + 5 };
    int32_t acc[DLA_BLOCK_PIXELS][DLA_BLOCK_KERNELS], apart[DLA_BLOCK_PIXELS][APART];

    for (unsigned p = 0; p < DLA_BLOCK_PIXELS; p++) {
        for (unsigned k = 0; k < DLA_BLOCK_KERNELS; k++) {
            acc[p][k] = (int32_t)(p * 1000 + k);
        }
    }
    mac(at, &weights[0][0][0], PAIRS, &acc[0][0], DLA_BLOCK_KERNELS, true);
    for (unsigned p = 0; p < DLA_BLOCK_PIXELS; p++) {
        for (unsigned k = 0; k < DLA_BLOCK_KERNELS; k++) {
            ck_assert_int_eq(acc[p][k], expect[p][k]);
        }
    }
    mac(at, &weights[0][0][0], PAIRS, &apart[0][0], APART, false);
    for (unsigned p = 0; p < DLA_BLOCK_PIXELS; p++) {
        for (unsigned k = 0; k < DLA_BLOCK_KERNELS; k++) {
            ck_assert_int_eq(apart[p][k], expect[p][k] - (int32_t)(p * 1000 + k));
        }
    }
}

START_TEST(every_version_gives_the_same_sums)
{
    dla_mac_block *mac;

    fill(_i);
    ck_assert_ptr_nonnull(dla_mac_block_at(0));
    for (unsigned v = 0; (mac = dla_mac_block_at(v)); v++) {
        compare(mac);
    }
}
END_TEST

/* --- fp16 sums as fixed-point numbers of 64 bits --- */
enum { IN = 9, CHANNELS = 5, KERNELS = 11, OUT = 4, SIZE = 3 };

static const struct fixed_case {
    const char *name;
    uint32_t data_most, weight_most; /* exponents of fp16: 30 is up to 65504 */
    uint32_t data_least, weight_least;
    bool ready, split, depthwise;
} fixed_cases[] = {
    { "usual numbers", 17, 14, 0, 0, true, false, false },
    { "large but coarse numbers", 30, 30, 20, 20, true, false, false },
    { "large data: two halves", 30, 14, 0, 0, true, true, false },
    { "sums beyond 64 bits: two halves", 21, 21, 0, 0, true, true, false },
    { "weights beyond 32 bits", 17, 30, 0, 0, false, false, false },
    { "depthwise: most weights are zero", 17, 14, 0, 0, true, false, true },
};

/* fp16 numbers with exponents of @least .. @most, as fixed-point numbers. */
static int64_t *fixed_numbers(size_t n, uint32_t least, uint32_t most, uint32_t *x)
{
    int64_t *v = calloc(n + 1, sizeof(*v));

    for (size_t i = 0; i < n; i++) {
        *x = *x * 1664525 + 1013904223;
        v[i] = fp16_to_fixed((least + (*x >> 8) % (most - least + 1)) << 10 | *x >> 22 |
                             (*x >> 7 & 1) << 15);
    }
    return v;
}

START_TEST(sums_in_64_bits_are_the_exact_sums)
{
    static const struct dla_port_ops none = { 0 };
    const struct fixed_case *t = &fixed_cases[_i];
    struct dla_port port = { .ops = &none };
    struct dla_conv_op op = { .precision = DLA_FP16,
                              .kernels = KERNELS,
                              .out_width = OUT,
                              .out_height = OUT,
                              .stride_x = 1,
                              .stride_y = 1,
                              .dilation_x = 2,
                              .dilation_y = 2 };
    struct dla_conv c = { .port = &port,
                          .op = &op,
                          .kernel_width = SIZE,
                          .kernel_height = SIZE,
                          .channels = CHANNELS,
                          .width = IN,
                          .height = IN,
                          .band_lines = OUT,
                          .band_count = OUT };
    int32_t got[OUT * OUT * KERNELS], want[OUT * OUT * KERNELS];
    uint32_t x = 99;

    c.wide_data = fixed_numbers(IN * IN * CHANNELS, t->data_least, t->data_most, &x);
    c.wide_weights =
        fixed_numbers(KERNELS * SIZE * SIZE * CHANNELS, t->weight_least, t->weight_most, &x);
    for (size_t i = 0; t->depthwise && i < KERNELS * SIZE * SIZE * CHANNELS; i++) {
        c.wide_weights[i] *= i % CHANNELS == i / (SIZE * SIZE * CHANNELS) % CHANNELS;
    }
    ck_assert_int_eq(dla_conv_pixels_init(&c), DLA_OK);
    ck_assert_int_eq(dla_fixed_init(&c), DLA_OK);
    ck_assert_int_eq(dla_fixed_load(&c), DLA_OK);
    ck_assert_msg(c.fixed.ready == t->ready && (!t->ready || c.fixed.split == t->split), "%s",
                  t->name);
    for (uint32_t y = 0; y < OUT; y++) {
        ck_assert_int_eq(dla_conv_mac_wide(&c, y, want + y * OUT * KERNELS), DLA_OK);
    }
    if (t->ready) {
        ck_assert_int_eq(dla_conv_mac_fixed(&c, 0, got), DLA_OK);
        ck_assert_mem_eq(got, want, sizeof(got));
    }
    dla_conv_free(&c);
}
END_TEST

START_TEST(every_version_gives_the_same_fixed_sums)
{
    enum { ROWS = 29 };
    int32_t d[DLA_FIXED_PIXELS][ROWS * 2], w[ROWS][DLA_FIXED_KERNELS];
    int64_t acc[DLA_FIXED_PIXELS][DLA_FIXED_KERNELS];
    const int32_t *at[DLA_FIXED_PIXELS];
    uint32_t x = 4321, offset[ROWS];
    dla_fixed_mac *mac;

    for (uint32_t i = 0; i < ROWS; i++) {
        offset[i] = (i * 7 + 3) % (2 * ROWS);
        for (uint32_t k = 0; k < DLA_FIXED_KERNELS; k++) {
            w[i][k] = i == 0 ? INT32_MIN + 1 : (int32_t)(x = x * 1664525 + 1013904223);
        }
    }
    for (uint32_t p = 0; p < DLA_FIXED_PIXELS; p++) {
        at[p] = d[p];
        for (uint32_t i = 0; i < 2 * ROWS; i++) {
            d[p][i] = (int32_t)(x = x * 1664525 + 1013904223) / 32;
        }
    }
    for (unsigned v = 0; (mac = dla_fixed_mac_at(v)); v++) {
        mac(at, offset, &w[0][0], ROWS, &acc[0][0]);
        for (uint32_t p = 0; p < DLA_FIXED_PIXELS; p++) {
            for (uint32_t k = 0; k < DLA_FIXED_KERNELS; k++) {
                static const unsigned place[] = { 0, 2, 4, 6, 1, 3, 5, 7 };
                int64_t sum = 0;

                for (uint32_t i = 0; i < ROWS; i++) {
                    sum += (int64_t)d[p][offset[i]] * w[i][place[k]];
                }
                ck_assert_int_eq(acc[p][k], sum);
            }
        }
    }
}
END_TEST

enum { LEN = 43 }; /* no multiple of anything, so that fast versions have a rest */

/* Near every edge: halves of the roundings, ends of the ranges, and anything. */
static int32_t edgy(uint32_t *x, unsigned bits)
{
    static const int32_t low[] = { 0, 1, -1, 2, -2, 3, -3, 24, -24, 40, -40 };
    int64_t max = (INT64_C(1) << (bits - 1)) - 1;

    *x = *x * 1664525 + 1013904223;
    switch (*x >> 29) {
    case 0:
        return (int32_t)max - (int32_t)(*x >> 20 & 3);
    case 1:
        return (int32_t)(-max - 1) + (int32_t)(*x >> 20 & 3);
    case 2:
    case 3:
        return low[(*x >> 16) % (sizeof(low) / sizeof(low[0]))];
    default:
        return (int32_t)dla_sext((uint64_t)*x * 2654435761u >> 7, bits);
    }
}

static int64_t halves_away(dla_wide v, unsigned shift)
{
    dla_wide half = shift ? (dla_wide)1 << (shift - 1) : 0;

    return (int64_t)(v < 0 ? -((-v + half) >> shift) : (v + half) >> shift);
}

static int64_t clamped(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

/* unit_description.rst, precision.rst: shift the operand left, add, multiply, shift, saturate. */
static int32_t x_stage(const struct dla_stage *s, int32_t in, int32_t alu, int32_t mul)
{
    int64_t v = in, o = clamped((int64_t)alu * (INT64_C(1) << s->alu_shift), INT32_MIN, INT32_MAX);
    dla_wide product;

    if (s->alu) {
        v = s->algo == DLA_ALU_MAX   ? (v > o ? v : o)
            : s->algo == DLA_ALU_MIN ? (v < o ? v : o)
                                     : v + o;
    }
    product = s->mul ? (dla_wide)v * mul : v;
    if (!(s->mul && s->prelu && v >= 0)) {
        v = halves_away(product, s->truncate);
    }
    return (int32_t)clamped(v, s->relu ? 0 : INT32_MIN, INT32_MAX);
}

START_TEST(every_version_of_an_x_stage_gives_the_same_numbers)
{
    static const uint8_t shifts[] = { 0, 0, 0, 0, 0, 0, 1, 2, 7, 15, 16, 30, 31, 46, 47, 48, 63 };
    unsigned m = (unsigned)_i;
    uint32_t x = 1 + m;
    dla_vec_x *run;

    for (unsigned t = 0; t < sizeof(shifts); t++) {
        struct dla_stage s = { .alu = m & 1,
                               .mul = m >> 1 & 1,
                               .relu = m >> 2 & 1,
                               .prelu = m >> 3 & 1,
                               .algo = (enum dla_alu)(m >> 4 & 3),
                               .alu_from_memory = m >> 6 & 1,
                               .mul_from_memory = m >> 7 & 1,
                               .truncate = shifts[t],
                               .alu_shift = t * 3 % 32,
                               .alu_value = edgy(&x, 16),
                               .mul_value = edgy(&x, 16) };

        for (unsigned v = 0; (run = dla_vec_x_at(v)); v++) {
            int32_t in[LEN], alu[LEN], mul[LEN], got[LEN];

            for (unsigned i = 0; i < LEN; i++) {
                got[i] = in[i] = edgy(&x, 32);
                alu[i] = edgy(&x, 16);
                mul[i] = edgy(&x, 16);
            }
            run(&s, got, LEN, alu, mul);
            for (unsigned i = 0; i < LEN; i++) {
                ck_assert_int_eq(got[i],
                                 x_stage(&s, in[i], s.alu_from_memory ? alu[i] : s.alu_value,
                                         s.mul_from_memory ? mul[i] : s.mul_value));
            }
        }
    }
}
END_TEST

START_TEST(every_version_of_the_output_converter_gives_the_same_numbers)
{
    static const unsigned bits[] = { 8, 16, 17 };
    dla_vec_c *run;
    uint32_t x = 99;

    for (unsigned t = 0; t < 64; t++) {
        struct dla_cvt cvt = { _i ? 0 : edgy(&x, 32), (int16_t)(_i ? 1 : edgy(&x, 16)),
                               (uint8_t)t };
        int64_t max = (INT64_C(1) << (bits[t % 3] - 1)) - 1;

        for (unsigned v = 0; (run = dla_vec_c_at(v)); v++) {
            int32_t in[LEN], got[LEN];
            uint32_t saturated = 0, told;

            for (unsigned i = 0; i < LEN; i++) {
                got[i] = in[i] = edgy(&x, 32);
            }
            told = run(&cvt, bits[t % 3], got, LEN);
            for (unsigned i = 0; i < LEN; i++) {
                int64_t e = halves_away((dla_wide)((int64_t)in[i] - cvt.offset) * cvt.scale, t);

                ck_assert_int_eq(got[i], clamped(e, -max - 1, max));
                saturated += e < -max - 1 || e > max;
            }
            ck_assert_uint_eq(told, saturated);
        }
    }
}
END_TEST

START_TEST(bytes_become_numbers_and_back)
{
    uint8_t in[LEN], back[LEN + 1];
    int32_t wide[LEN + 1], best[LEN];
    int16_t half[LEN + 1];
    unsigned n = (unsigned)_i;

    for (unsigned i = 0; i < LEN; i++) {
        in[i] = (uint8_t)(i * 83 + n);
        best[i] = (int)(i * 7 % 50) - 25;
    }
    wide[n] = 77;
    half[n] = 77;
    back[n] = 77;
    dla_vec_widen8(in, n, wide);
    dla_vec_widen8_16(in, n, half);
    dla_vec_narrow8(wide, n, back);
    ck_assert(wide[n] == 77 && half[n] == 77 && back[n] == 77); /* not one too many */
    for (unsigned i = 0; i < n; i++) {
        int v = in[i] < 128 ? in[i] : in[i] - 256, was = (int)(i * 7 % 50) - 25;

        ck_assert(wide[i] == v && half[i] == v && back[i] == in[i]);
        dla_vec_max(best + i, wide + i, 1);
        ck_assert_int_eq(best[i], v > was ? v : was);
    }
    dla_vec_min(best, wide, n);
    dla_vec_max(best, wide, n);
    for (unsigned i = 0; i < n; i++) {
        ck_assert_int_eq(best[i], wide[i]);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dla_simd");
    TCase *t = tcase_create("int8");
    SRunner *r = srunner_create(s);
    int failed;

    tcase_add_loop_test(t, sums_in_64_bits_are_the_exact_sums, 0,
                        sizeof(fixed_cases) / sizeof(fixed_cases[0]));
    tcase_add_test(t, every_version_gives_the_same_fixed_sums);
    tcase_add_loop_test(t, every_version_gives_the_same_sums, 0, 2);
    tcase_add_loop_test(t, every_version_of_an_x_stage_gives_the_same_numbers, 0, 256);
    tcase_add_loop_test(t, every_version_of_the_output_converter_gives_the_same_numbers, 0, 2);
    tcase_add_loop_test(t, bytes_become_numbers_and_back, 0, LEN);
    suite_add_tcase(s, t);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
