/* SPDX-License-Identifier: MIT */
/* Fourier transforms against the sums of the definition in long double. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/library/fft/fft.h"
#include "suite.h"

#define PI 3.14159265358979323846264338327950288L

static uint64_t chance;

static double chance_next(void)
{
    chance = chance * UINT64_C(6364136223846793005) + 1442695040888963407u; /* Knuth, MMIX */
    return (double)(chance >> 40) / 0x1p24 - 0.5;
}

/* @count numbers, the same of both types */
static void *numbers_new(size_t count, bool twice)
{
    void *data = malloc((count + 1) * (twice ? 8 : 4));

    chance = count;
    for (size_t i = 0; i < count; i++) {
        double x = chance_next();

        if (twice) {
            ((double *)data)[i] = x;
        } else {
            ((float *)data)[i] = (float)x;
        }
    }
    return data;
}

static long double number(const void *data, bool twice, size_t i)
{
    return twice ? ((const double *)data)[i] : (long double)((const float *)data)[i];
}

/* cos and sin of 2 pi k / n for each k */
static long double *roots_new(size_t n)
{
    long double *roots = malloc(2 * n * sizeof(*roots));

    for (size_t k = 0; k < n; k++) {
        roots[2 * k] = cosl(2 * PI * (long double)k / (long double)n);
        roots[2 * k + 1] = sinl(2 * PI * (long double)k / (long double)n);
    }
    return roots;
}

/* The definition, one dimension after the other: @data has re, im of each element. */
static void definition_line(long double *data, size_t n, size_t stride, int sign)
{
    long double *roots = roots_new(n), *sum = malloc(2 * n * sizeof(*sum));

    for (size_t j = 0; j < n; j++) {
        long double re = 0, im = 0;

        for (size_t k = 0; k < n; k++) {
            long double c = roots[2 * (j * k % n)], s = sign * roots[2 * (j * k % n) + 1];
            long double a = data[2 * k * stride], b = data[2 * k * stride + 1];

            re += a * c - b * s;
            im += a * s + b * c;
        }
        sum[2 * j] = re;
        sum[2 * j + 1] = im;
    }
    for (size_t j = 0; j < n; j++) {
        memcpy(data + 2 * j * stride, sum + 2 * j, 2 * sizeof(*sum));
    }
    free(sum);
    free(roots);
}

static void definition(const struct fft_shape *s, long double *data)
{
    size_t total = 1, stride = 1;

    for (unsigned d = 0; d < s->rank; d++) {
        total *= s->n[d];
    }
    for (unsigned d = s->rank; d-- > 0; stride *= s->n[d]) {
        for (size_t i = 0; i < total; i++) {
            if (i / stride % s->n[d] == 0) {
                definition_line(data + 2 * i, s->n[d], stride, s->sign);
            }
        }
    }
}

/* The whole complex array that an input of complex or of real numbers stands for */
static long double *array_new(const struct fft_shape *s, const void *in)
{
    size_t count = (size_t)fft_input_count(s);
    long double *a = calloc(2 * count, sizeof(*a));

    for (size_t i = 0; i < count; i++) {
        if (s->kind == FFT_R2C) {
            a[2 * i] = number(in, s->twice, i);
        } else {
            a[2 * i] = number(in, s->twice, 2 * i);
            a[2 * i + 1] = number(in, s->twice, 2 * i + 1);
        }
    }
    return a;
}

static double rms_error(const struct fft_shape *s, const void *out, const long double *want,
                        size_t columns)
{
    size_t last = s->n[s->rank - 1], rows = (size_t)fft_output_count(s) / columns;
    long double error = 0, size = 0;

    for (size_t r = 0; r < rows; r++) {
        for (size_t k = 0; k < columns; k++) {
            const long double *w = want + 2 * (r * last + k);
            long double re = number(out, s->twice, 2 * (r * columns + k));
            long double im = number(out, s->twice, 2 * (r * columns + k) + 1);

            error += (re - w[0]) * (re - w[0]) + (im - w[1]) * (im - w[1]);
            size += w[0] * w[0] + w[1] * w[1];
        }
    }
    return (double)sqrtl(error / size);
}

/* Forward and inverse, out of place and in place; of real numbers there and back. */
static void shape_check(struct fft_shape s)
{
    double limit = s.twice ? 4e-15 : 2e-7;
    size_t last = s.n[s.rank - 1], columns = s.kind == FFT_R2C ? last / 2 + 1 : last;
    size_t in_numbers = (size_t)fft_input_count(&s) * (s.kind == FFT_R2C ? 1 : 2);
    size_t out_bytes = (size_t)fft_output_count(&s) * (s.twice ? 16 : 8);
    void *in = numbers_new(in_numbers, s.twice), *out = malloc(out_bytes);
    long double *want = array_new(&s, in);

    definition(&s, want);
    ck_assert(fft_run(&s, in, out));
    ck_assert_double_le(rms_error(&s, out, want, columns), limit);
    if (s.kind == FFT_C2C) {
        ck_assert(fft_run(&s, in, in));
        ck_assert_mem_eq(in, out, out_bytes);
    } else {
        struct fft_shape back = s;
        double error = 0, total = (double)in_numbers;

        back.kind = FFT_C2R;
        back.sign = -s.sign;
        ck_assert(fft_run(&back, out, out));
        for (size_t i = 0; i < in_numbers; i++) {
            double e = (double)(number(out, s.twice, i) / total - number(in, s.twice, i));

            error += e * e;
        }
        ck_assert_double_le(sqrt(error / total), limit);
    }
    free(in);
    free(out);
    free(want);
}

static void all_types_check(unsigned rank, const uint32_t n[3])
{
    for (unsigned i = 0; i < 6; i++) {
        struct fft_shape s = {
            .kind = i % 3 == 2 ? FFT_R2C : FFT_C2C,
            .sign = i % 3 == 1 ? 1 : -1,
            .twice = i >= 3,
            .rank = rank,
        };

        memcpy(s.n, n, sizeof(s.n));
        shape_check(s);
    }
}

START_TEST(every_small_size_is_right)
{
    all_types_check(1, (uint32_t[]){ (uint32_t)_i, 0, 0 });
}
END_TEST

/* Powers of each factor, products, primes */
START_TEST(larger_sizes_are_right)
{
    static const uint32_t sizes[] = { 243, 256, 343, 512, 625, 720, 1000, 1009, 1024, 1210, 2039 };

    all_types_check(1, (uint32_t[]){ sizes[_i], 0, 0 });
}
END_TEST

START_TEST(several_dimensions_are_right)
{
    static const uint32_t n[][3] = { { 4, 6, 0 },   { 5, 7, 0 },  { 1, 9, 0 }, { 9, 1, 0 },
                                     { 16, 33, 0 }, { 11, 8, 0 }, { 3, 4, 5 }, { 2, 3, 8 },
                                     { 7, 1, 9 },   { 4, 13, 2 }, { 8, 8, 8 }, { 1, 1, 1 } };

    all_types_check(n[_i][2] ? 3 : 2, n[_i]);
}
END_TEST

/* Spikes' transforms are waves: nothing of them is lost among many numbers. Sizes that are divided
 * into equal and unequal factors, and a prime */
START_TEST(long_lines_are_right)
{
    static const uint32_t sizes[] = { 1 << 20, 1 << 15, 20000, 65537, 823543 };
    uint32_t n = sizes[_i];
    struct fft_shape s = { .kind = FFT_C2C, .sign = -1, .rank = 1, .n = { n } };
    float *data = calloc(2 * (size_t)n, sizeof(*data));

    data[2 * 12345] = 1;
    data[2 * (n - 17) + 1] = 2;
    ck_assert(fft_run(&s, data, data));
    for (uint64_t k = 0; k < n; k += 97) {
        long double a = -2 * PI * (long double)(k * 12345 % n) / n;
        long double b = -2 * PI * (long double)(k * (n - 17) % n) / n;

        ck_assert_double_le(fabs((double)(cosl(a) - 2 * sinl(b) - data[2 * k])), 4e-7);
        ck_assert_double_le(fabs((double)(sinl(a) + 2 * cosl(b) - data[2 * k + 1])), 4e-7);
    }
    free(data);
}
END_TEST

/* cuFFT, "Multidimensional Transforms": of complex to real the missing half is the conjugate,
 * so imaginary parts that have no partner have no effect. */
START_TEST(imaginary_parts_without_partner_have_no_effect)
{
    struct fft_shape s = { .kind = FFT_C2R, .sign = 1, .rank = 1, .n = { 8 } };
    float a[10] = { 1, 0, 2, 3, 4, 5, 6, 7, 8, 0 }, b[10], x[8], y[8];

    memcpy(b, a, sizeof(b));
    b[1] = 100;
    b[9] = 100;
    ck_assert(fft_run(&s, a, x) && fft_run(&s, b, y));
    ck_assert_mem_eq(x, y, sizeof(x));
}
END_TEST

START_TEST(wrong_shapes_have_no_elements)
{
    static const struct fft_shape wrong[] = {
        { .kind = FFT_C2C, .rank = 0, .n = { 4 } },
        { .kind = FFT_C2C, .rank = 4, .n = { 4, 4, 4 } },
        { .kind = FFT_R2C, .rank = 2, .n = { 4, 0 } },
        { .kind = FFT_C2R, .rank = 2, .n = { 0, 4 } },
        { .kind = FFT_C2C, .rank = 3, .n = { UINT32_MAX, UINT32_MAX, UINT32_MAX } },
    };

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        ck_assert_uint_eq(fft_input_count(&wrong[i]), 0);
        ck_assert_uint_eq(fft_output_count(&wrong[i]), 0);
    }
}
END_TEST

static uint64_t hash_add(uint64_t hash, const void *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        hash = (hash ^ ((const uint8_t *)data)[i]) * UINT64_C(0x100000001b3); /* FNV-1a */
    }
    return hash;
}

/* Recorded: another host, compiler or instruction set must give the same. */
START_TEST(results_are_the_same_on_every_host)
{
    static const uint32_t sizes[] = { 1024, 945, 1009, 32768 };
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (unsigned i = 0; i < 4; i++) {
        struct fft_shape s = {
            .kind = FFT_C2C, .sign = -1, .twice = i % 2, .rank = 1, .n = { sizes[i] }
        };
        void *data = numbers_new(2 * sizes[i], s.twice);

        ck_assert(fft_run(&s, data, data));
        hash = hash_add(hash, data, sizes[i] * (s.twice ? 16 : 8));
        free(data);
    }
    ck_assert_uint_eq(hash, UINT64_C(8720441641917698227));
}
END_TEST

static Suite *fft_suite(void)
{
    Suite *s = suite_create("fft");
    TCase *tc = tcase_create("fft");

    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, every_small_size_is_right, 1, 68);
    tcase_add_loop_test(tc, larger_sizes_are_right, 0, 11);
    tcase_add_loop_test(tc, several_dimensions_are_right, 0, 12);
    tcase_add_loop_test(tc, long_lines_are_right, 0, 5);
    tcase_add_test(tc, imaginary_parts_without_partner_have_no_effect);
    tcase_add_test(tc, wrong_shapes_have_no_elements);
    tcase_add_test(tc, results_are_the_same_on_every_host);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return suite_main(fft_suite());
}
