/* SPDX-License-Identifier: MIT */
/* Eigenvalues of Hermitian matrices: reflectors to a real tridiagonal one, then QL steps with
 * implicit shifts. n[0]: order; operands: A's triangle, the vectors (or none), the values, info.
 */
#include <glib.h>

#include "model/library/dense.h"

#define SWEEPS 60 /* of a value: LAPACK's limit is 30 */
#define EPS 0x1p-52

/* A := H^H A H for the reflector of column @k: a product, a rank-2 update (LAPACK, hetd2) */
static void column_reduce(struct number *a, uint64_t n, uint64_t k, struct number tau,
                          struct number *p)
{
    uint64_t m = n - k - 1, ld = n;
    const struct number *v = a + k + 1 + k * ld;
    struct number *b = a + (k + 1) * (ld + 1), dot = { 0, 0 }, half;

    for (uint64_t i = 0; i < m; i++) {
        struct number sum = b[i]; /* v[0] is 1 */

        for (uint64_t j = 1; j < m; j++) {
            sum = number_add(sum, b[i + j * ld], v[j]);
        }
        p[i] = number_product(tau, sum);
        dot = i ? number_add(dot, number_conjugate(p[i]), v[i]) : number_conjugate(p[0]);
    }
    half = number_product(number_scaled(tau, -0.5), dot);
    for (uint64_t i = 0; i < m; i++) {
        p[i] = number_add(p[i], half, i ? v[i] : (struct number){ 1, 0 });
    }
    for (uint64_t j = 0; j < m; j++) {
        struct number vj = number_conjugate(j ? v[j] : (struct number){ 1, 0 });
        struct number pj = number_conjugate(p[j]);

        for (uint64_t i = 0; i < m; i++) {
            struct number vi = i ? v[i] : (struct number){ 1, 0 };

            b[i + j * ld] = number_subtract(b[i + j * ld], vi, pj);
            b[i + j * ld] = number_subtract(b[i + j * ld], p[i], vj);
        }
        b[j + j * ld].im = 0;
    }
}

/* @d, @e: the tridiagonal matrix; @a becomes Q of Q^H A Q */
static void matrix_reduce(struct number *a, uint64_t n, double *d, double *e)
{
    struct number *tau = g_new0(struct number, n + 1), *p = g_new0(struct number, n + 1);
    struct number *q = g_new0(struct number, n * n + 1);

    for (uint64_t k = 0; k + 1 < n; k++) {
        tau[k] = dense_reflector(a + k + 1 + k * n, n - k - 1);
        e[k] = a[k + 1 + k * n].re;
        if (!number_zero(tau[k])) {
            column_reduce(a, n, k, tau[k], p);
        }
    }
    for (uint64_t i = 0; i < n; i++) {
        d[i] = a[i + i * n].re;
        q[i + i * n].re = 1;
    }
    for (uint64_t s = 1; s < n; s++) {
        uint64_t k = n - 1 - s;

        dense_reflect(a + k + 1 + k * n, tau[k], q + (k + 1) * (n + 1), n - k - 1, n - k - 1, n);
    }
    for (uint64_t i = 0; i < n * n; i++) {
        a[i] = q[i];
    }
    g_free(tau);
    g_free(p);
    g_free(q);
}

static void columns_turn(struct number *z, uint64_t n, uint64_t i, double c, double s)
{
    struct number *x = z + i * n, *y = x + n;

    for (uint64_t k = 0; k < n; k++) {
        struct number v = y[k], u = x[k];

        y[k] = (struct number){ fma(s, u.re, c * v.re), fma(s, u.im, c * v.im) };
        x[k] = (struct number){ fma(c, u.re, -s * v.re), fma(c, u.im, -s * v.im) };
    }
}

/* One QL step on rows l to m, whose off-diagonals are not zero: a chase of the bulge upwards */
static void rows_step(double *d, double *e, uint64_t l, uint64_t m, struct number *z, uint64_t n)
{
    double g = (d[l + 1] - d[l]) / (2 * e[l]), r = dense_length(g, 1), s = 1, c = 1, p = 0;
    uint64_t i = m;

    g = d[m] - d[l] + e[l] / (g + copysign(r, g));
    while (i > l) {
        double f, b;

        i--;
        f = s * e[i];
        b = c * e[i];
        r = dense_length(f, g);
        e[i + 1] = r;
        if (r == 0) { /* the matrix falls apart here */
            d[i + 1] -= p;
            e[m] = 0;
            return;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        columns_turn(z, n, i, c, s);
    }
    d[l] -= p;
    e[l] = g;
    e[m] = 0;
}

/* Return: how many values did not converge */
static int32_t rows_solve(double *d, double *e, uint64_t n, struct number *z)
{
    int32_t lost = 0;

    for (uint64_t l = 0; l < n; l++) {
        for (unsigned sweep = 0;; sweep++) {
            uint64_t m = l;

            while (m + 1 < n && fabs(e[m]) > EPS * (fabs(d[m]) + fabs(d[m + 1]))) {
                m++;
            }
            if (m == l) {
                break;
            }
            if (sweep == SWEEPS) {
                lost++;
                break;
            }
            rows_step(d, e, l, m, z, n);
        }
    }
    return lost;
}

static void pairs_sort(double *d, struct number *z, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        uint64_t least = i;

        for (uint64_t j = i + 1; j < n; j++) {
            least = d[j] < d[least] ? j : least;
        }
        if (least != i) {
            double v = d[i];

            d[i] = d[least];
            d[least] = v;
            for (uint64_t k = 0; k < n; k++) {
                struct number u = z[k + i * n];

                z[k + i * n] = z[k + least * n];
                z[k + least * n] = u;
            }
        }
    }
}

int32_t dense_eigen(struct number *a, uint64_t n, double *values)
{
    double *e = g_new0(double, n + 1);
    int32_t lost;

    matrix_reduce(a, n, values, e);
    lost = rows_solve(values, e, n, a);
    pairs_sort(values, a, n);
    g_free(e);
    return lost;
}

const char *library_syevd_check(const struct library_call *c)
{
    return dense_has(&c->operand[0], c->n[0], c->n[0], true) &&
                   dense_optional_has(&c->operand[1], c->n[0], c->n[0]) &&
                   dense_real_has(&c->operand[2], c->n[0]) && dense_info_has(&c->operand[3])
               ? NULL
               : dense_wrong_size;
}

static void values_put(struct library_work *w, unsigned o, const double *values, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        number_put(w, o, i, (struct number){ values[i], 0 });
    }
}

void library_syevd_run(struct library_work *w)
{
    uint64_t n = (uint64_t)w->call->n[0];
    struct number *a = dense_hermitian_new(w, 0, n);
    double *values = g_new0(double, n + 1);
    int32_t info = dense_eigen(a, n, values);

    if (dense_asked(w, 1)) {
        number_array_put(w, 1, a, n * n);
    }
    values_put(w, 2, values, n);
    dense_info_put(w, 3, info);
    number_cost(w, 9 * n * n * n);
    g_free(a);
    g_free(values);
}

/* --- A x = lambda B x, A B x = lambda x, B A x = lambda x: n[1] is 1, 2, 3. Operands: A's and B's
 * triangles, the vectors (or none), B's factor, values, info --- */

const char *library_sygvd_check(const struct library_call *c)
{
    int64_t n = c->n[0];

    return c->n[1] >= 1 && c->n[1] <= 3 && dense_has(&c->operand[0], n, n, true) &&
                   dense_has(&c->operand[1], n, n, true) &&
                   dense_optional_has(&c->operand[2], n, n) &&
                   dense_has(&c->operand[3], n, n, true) && dense_real_has(&c->operand[4], n) &&
                   dense_info_has(&c->operand[5])
               ? NULL
               : dense_wrong_size;
}

static void dense_eigen_adjoint(struct number *a, uint64_t n)
{
    for (uint64_t j = 0; j < n; j++) {
        for (uint64_t i = 0; i <= j; i++) {
            struct number v = number_conjugate(a[i + j * n]);

            a[i + j * n] = number_conjugate(a[j + i * n]);
            a[j + i * n] = v;
        }
    }
}

/* B := L B, or L^H B */
static void lower_multiply(const struct number *l, uint64_t n, struct number *b, bool adjoint_too)
{
    for (uint64_t j = 0; j < n; j++) {
        struct number *x = b + j * n;

        for (uint64_t s = 0; s < n; s++) { /* a row needs those that are not written yet */
            uint64_t i = adjoint_too ? s : n - 1 - s;
            struct number sum = { 0, 0 };

            for (uint64_t p = adjoint_too ? i : 0; p < (adjoint_too ? n : i + 1); p++) {
                sum = number_add(sum, adjoint_too ? number_conjugate(l[p + i * n]) : l[i + p * n],
                                 x[p]);
            }
            x[i] = sum;
        }
    }
}

/* L^-1 A L^-H, or L^H A L: each from the left, twice */
static void matrix_transform(const struct number *l, uint64_t n, struct number *a, bool inverse)
{
    for (unsigned i = 0; i < 2; i++) {
        if (inverse) {
            dense_lower_solve(l, n, a, n, false);
        } else {
            lower_multiply(l, n, a, true);
        }
        dense_eigen_adjoint(a, n);
    }
}

static int32_t pencil_solve(struct library_work *w, struct number *a, const struct number *l,
                            double *values)
{
    uint64_t n = (uint64_t)w->call->n[0];
    int64_t type = w->call->n[1];
    int32_t info;

    matrix_transform(l, n, a, type == 1);
    info = dense_eigen(a, n, values);
    if (type == 3) {
        lower_multiply(l, n, a, false);
    } else {
        dense_lower_solve(l, n, a, n, true);
    }
    return info;
}

void library_sygvd_run(struct library_work *w)
{
    uint64_t n = (uint64_t)w->call->n[0];
    struct number *a = dense_hermitian_new(w, 0, n), *l = dense_hermitian_new(w, 1, n);
    double *values = g_new0(double, n + 1);
    int32_t info = dense_cholesky(l, n);

    info = info ? (int32_t)n + info : pencil_solve(w, a, l, values);
    if (dense_asked(w, 2)) {
        number_array_put(w, 2, a, n * n);
    }
    if (w->call->operand[3].flags & LIBRARY_UPPER) {
        dense_eigen_adjoint(l, n);
    }
    number_array_put(w, 3, l, n * n);
    values_put(w, 4, values, n);
    dense_info_put(w, 5, info);
    number_cost(w, 12 * n * n * n);
    g_free(a);
    g_free(l);
    g_free(values);
}
