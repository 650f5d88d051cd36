/* SPDX-License-Identifier: MIT */
/* Sparse systems solved directly. Expected: by the matrix itself (residuals, inverse orders), and
 * by systems that were solved by hand. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "model/library/direct/direct.h"
#include "tests/suite.h"

#define N 60u

static uint32_t state;

static double random_next(void)
{
    state = state * 1664525u + 1013904223u;
    return (double)(int32_t)(state >> 8) * 0x1p-23 - 1.0;
}

/* A sparse matrix of order N; @symmetric: Hermitian and positive definite */
static struct direct_matrix matrix_random(bool symmetric, bool complex_too)
{
    static struct number dense[N][N];
    static int32_t begin[N + 1], column[N * N];
    static struct number value[N * N];
    struct direct_matrix m;
    int32_t count = 0;

    memset(dense, 0, sizeof(dense));
    for (unsigned k = 0; k < 2 * N; k++) {
        unsigned i = (unsigned)((random_next() + 1) / 2 * N), j = (k * 7 + i) % N;
        struct number v = { random_next(), complex_too ? random_next() : 0 };

        dense[i][j] = v;
        if (symmetric) {
            dense[j][i] = number_conjugate(v);
        }
    }
    for (unsigned i = 0; i < N; i++) {
        dense[i][i] = (struct number){ symmetric ? 20 : 0.01 * i + 1, 0 };
        begin[i] = count + 1;
        for (unsigned j = 0; j < N; j++) {
            if (!number_zero(dense[i][j])) {
                column[count] = (int32_t)j + 1;
                value[count++] = dense[i][j];
            }
        }
    }
    begin[N] = count + 1;
    ck_assert(direct_matrix_init(&m, N, N, begin, column, 1, value));
    return m;
}

/* |A x - b| at most, x solved by a method */
static double residual(const struct direct_matrix *a, enum direct_method method, double threshold)
{
    struct number b[N], scratch[N], x[N], y[N];
    struct direct_factors f;
    double most = 0;

    for (unsigned i = 0; i < N; i++) {
        b[i] = scratch[i] = (struct number){ random_next(), 0 };
    }
    direct_factor(&f, method, a, threshold);
    ck_assert_int_eq(direct_zero_pivot(&f, 1e-12), -1);
    direct_solve(&f, scratch, x);
    direct_matrix_multiply(a, x, y);
    for (unsigned i = 0; i < N; i++) {
        most = fmax(most, direct_length(y[i].re - b[i].re, y[i].im - b[i].im));
    }
    direct_factors_free(&f);
    return most;
}

START_TEST(each_method_solves_its_systems)
{
    for (unsigned i = 0; i < 20; i++) {
        struct direct_matrix any = matrix_random(false, i % 2),
                             positive = matrix_random(true, i % 2);

        ck_assert_double_lt(residual(&any, DIRECT_LU, 1), 1e-10);
        ck_assert_double_lt(residual(&any, DIRECT_LU, 0.1), 1e-9);
        ck_assert_double_lt(residual(&any, DIRECT_QR, 0), 1e-10);
        ck_assert_double_lt(residual(&positive, DIRECT_CHOLESKY, 0), 1e-13);
        direct_matrix_free(&any);
        direct_matrix_free(&positive);
    }
}
END_TEST

/* LU of A Q: the product of the factors is the matrix, and the pivots are the largest of their
 * rows. */
START_TEST(factors_multiply_to_the_matrix)
{
    struct direct_matrix a = matrix_random(false, true);
    struct direct_factors f;

    direct_factor(&f, DIRECT_LU, &a, 1);
    for (uint32_t i = 0; i < N; i++) {
        struct number row[N] = { 0 };

        for (uint32_t k = f.lower.begin[i]; k <= f.lower.begin[i + 1]; k++) {
            bool last = k == f.lower.begin[i + 1];
            uint32_t u = last ? i : f.lower.column[k];
            struct number l = last ? (struct number){ 1, 0 } : f.lower.value[k];

            for (uint32_t p = f.upper.begin[u]; p < f.upper.begin[u + 1]; p++) {
                row[f.upper.column[p]] = number_add(row[f.upper.column[p]], l, f.upper.value[p]);
            }
        }
        for (uint32_t k = a.begin[i]; k < a.begin[i + 1]; k++) {
            ck_assert_double_lt(fabs(row[a.column[k]].re - a.value[k].re), 1e-12);
            ck_assert_double_lt(fabs(row[a.column[k]].im - a.value[k].im), 1e-12);
            row[a.column[k]] = (struct number){ 0, 0 };
        }
        for (uint32_t j = 0; j < N; j++) {
            ck_assert_double_lt(number_square(row[j]), 1e-24);
        }
        for (uint32_t p = f.upper.begin[i]; p < f.upper.begin[i + 1]; p++) {
            ck_assert_double_le(number_square(f.upper.value[p]), number_square(f.diagonal[i]));
        }
    }
    direct_factors_free(&f);
    direct_matrix_free(&a);
}
END_TEST

/* Rows (1 0), (1 1), (1 2) and b = (6, 0, 0): x = (5, -3), by the normal equations (3 3; 3 5) x =
 * (6, 0). */
START_TEST(qr_minimizes)
{
    static const int32_t begin[] = { 0, 2, 4, 6 }, column[] = { 0, 1, 0, 1, 0, 1 };
    static const struct number value[] = { { 1, 0 }, { 0, 0 }, { 1, 0 },
                                           { 1, 0 }, { 1, 0 }, { 2, 0 } };
    struct number b[] = { { 6, 0 }, { 0, 0 }, { 0, 0 } }, x[2];
    struct direct_matrix a;
    struct direct_factors f;

    ck_assert(direct_matrix_init(&a, 3, 2, begin, column, 0, value));
    direct_factor(&f, DIRECT_QR, &a, 0);
    direct_solve(&f, b, x);
    ck_assert_double_eq_tol(x[0].re, 5, 1e-14);
    ck_assert_double_eq_tol(x[1].re, -3, 1e-14);
    direct_factors_free(&f);
    direct_matrix_free(&a);
}
END_TEST

/* (1 2; 2 4): the second pivot is zero, the second leading block not positive definite. */
START_TEST(zero_pivots_are_found)
{
    static const int32_t begin[] = { 0, 2, 4 }, column[] = { 0, 1, 0, 1 };
    static const struct number value[] = { { 1, 0 }, { 2, 0 }, { 2, 0 }, { 4, 0 } };
    struct direct_matrix a;

    ck_assert(direct_matrix_init(&a, 2, 2, begin, column, 0, value));
    for (unsigned method = DIRECT_LU; method <= DIRECT_CHOLESKY; method++) {
        struct direct_factors f;

        direct_factor(&f, (enum direct_method)method, &a, 1);
        ck_assert_int_eq(direct_zero_pivot(&f, 1e-14), 1);
        ck_assert_int_eq(direct_zero_pivot(&f, 100), 0);
        direct_factors_free(&f);
    }
    direct_matrix_free(&a);
}
END_TEST

START_TEST(orders_are_choices_that_keep_factors_sparse)
{
    struct direct_matrix a = matrix_random(true, false);
    uint32_t natural = 0;

    for (unsigned kind = DIRECT_NATURAL; kind <= DIRECT_METISND; kind++) {
        uint32_t order[N], seen[N] = { 0 };
        struct direct_matrix moved;
        struct direct_factors f;

        direct_order_find((enum direct_order)kind, &a, order);
        for (uint32_t i = 0; i < N; i++) {
            ck_assert_uint_lt(order[i], N);
            ck_assert_uint_eq(seen[order[i]]++, 0);
        }
        moved = direct_matrix_permuted(&a, order, order, NULL);
        direct_factor(&f, DIRECT_CHOLESKY, &moved, 0);
        natural = kind == DIRECT_NATURAL ? f.lower.begin[N] : natural;
        ck_assert_uint_le(f.lower.begin[N], natural);
        direct_factors_free(&f);
        direct_matrix_free(&moved);
    }
    direct_matrix_free(&a);
}
END_TEST

START_TEST(a_map_says_where_elements_were)
{
    struct direct_matrix a = matrix_random(false, true), moved;
    uint32_t p[N], q[N], *map = malloc(a.begin[N] * sizeof(*map));

    for (uint32_t i = 0; i < N; i++) {
        p[i] = (i * 7 + 3) % N;
        q[i] = (i * 11 + 5) % N;
    }
    moved = direct_matrix_permuted(&a, p, q, map);
    for (uint32_t i = 0; i < N; i++) {
        for (uint32_t k = moved.begin[i]; k < moved.begin[i + 1]; k++) {
            ck_assert_uint_ge(map[k], a.begin[p[i]]);
            ck_assert_uint_lt(map[k], a.begin[p[i] + 1]);
            ck_assert_uint_eq(a.column[map[k]], q[moved.column[k]]);
            ck_assert_double_eq(a.value[map[k]].re, moved.value[k].re);
            ck_assert(k == moved.begin[i] || moved.column[k] > moved.column[k - 1]);
        }
    }
    free(map);
    direct_matrix_free(&a);
    direct_matrix_free(&moved);
}
END_TEST

/* A cycle of three columns, each with one element off the diagonal: one choice of rows fits. */
START_TEST(rows_are_found_for_the_diagonal)
{
    static const int32_t begin[] = { 0, 2, 3, 4 }, column[] = { 1, 2, 2, 0 };
    struct direct_matrix a;
    uint32_t order[3];

    ck_assert(direct_matrix_init(&a, 3, 3, begin, column, 0, NULL));
    ck_assert_uint_eq(direct_order_diagonal(&a, order), 3);
    ck_assert_uint_eq(order[0], 2);
    ck_assert_uint_eq(order[1], 0);
    ck_assert_uint_eq(order[2], 1);
    direct_matrix_free(&a);
}
END_TEST

/* diag(1, 4, 9) and its neighbors */
START_TEST(inverse_iteration_finds_the_nearest_eigenvalue)
{
    static const int32_t begin[] = { 0, 1, 2, 3 }, column[] = { 0, 1, 2 };
    static const struct number value[] = { { 1, 0 }, { 4, 0 }, { 9, 0 } };
    struct number x[] = { { 1, 0 }, { 1, 0 }, { 1, 0 } }, mu;
    struct direct_matrix a;

    ck_assert(direct_matrix_init(&a, 3, 3, begin, column, 0, value));
    ck_assert(direct_eigen(&a, (struct number){ 5, 0 }, 100, 1e-14, x, &mu));
    ck_assert_double_eq_tol(mu.re, 4, 1e-13);
    ck_assert_double_eq_tol(fabs(x[1].re), 1, 1e-13);
    direct_matrix_free(&a);
}
END_TEST

START_TEST(wrong_indices_are_refused)
{
    static const int32_t good[] = { 0, 1, 2 }, falling[] = { 0, 1 << 30, 1 }, late[] = { 1, 2, 3 };
    static const int32_t in[] = { 0, 1 }, out[] = { 0, 2 }, below[] = { -1, 1 };
    struct direct_matrix a;

    ck_assert(!direct_matrix_init(&a, 2, 2, falling, in, 0, NULL));
    ck_assert(!direct_matrix_init(&a, 2, 2, late, in, 0, NULL));
    ck_assert(!direct_matrix_init(&a, 2, 2, good, out, 0, NULL));
    ck_assert(!direct_matrix_init(&a, 2, 2, good, below, 0, NULL));
    ck_assert(direct_matrix_init(&a, 2, 2, good, in, 0, NULL));
    direct_matrix_free(&a);
}
END_TEST

static void setup(void)
{
    state = 1;
}

int main(void)
{
    const TTest *const tests[] = { each_method_solves_its_systems,
                                   factors_multiply_to_the_matrix,
                                   qr_minimizes,
                                   zero_pivots_are_found,
                                   orders_are_choices_that_keep_factors_sparse,
                                   a_map_says_where_elements_were,
                                   rows_are_found_for_the_diagonal,
                                   inverse_iteration_finds_the_nearest_eigenvalue,
                                   wrong_indices_are_refused };
    Suite *s = suite_create("direct");
    TCase *t = tcase_create("direct");

    tcase_add_checked_fixture(t, setup, NULL);
    for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
        tcase_add_test(t, tests[i]);
    }
    suite_add_tcase(s, t);
    return suite_main(s);
}
