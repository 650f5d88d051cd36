/* SPDX-License-Identifier: MIT */
/* Singular values: A = U S V^H, by rotations of A's columns until they are orthogonal (M. Hestenes'
 * one-sided Jacobi method). n[]: m, n. Operands: A, S, U, V, info; U has all m columns or the first
 * of them, or there is none; so has V, which is V^H if mode[1].
 */
#include <glib.h>

#include "model/library/dense.h"

#define SWEEPS 60
#define EPS 0x1p-52

struct svd {
    uint64_t m, n;        /* m >= n */
    struct number *a, *v; /* becomes U S; V */
    double *s;
};

/* x^H y */
static struct number columns_dot(const struct number *x, const struct number *y, uint64_t n)
{
    struct number sum = { 0, 0 };

    for (uint64_t i = 0; i < n; i++) {
        sum = number_add(sum, number_conjugate(x[i]), y[i]);
    }
    return sum;
}

/* x := c x - s f y, y := s x + c f y; f is a phase */
static void columns_rotate(struct number *x, struct number *y, uint64_t n, double c, double s,
                           struct number f)
{
    for (uint64_t i = 0; i < n; i++) {
        struct number u = x[i], v = number_product(f, y[i]);

        x[i] = (struct number){ fma(c, u.re, -s * v.re), fma(c, u.im, -s * v.im) };
        y[i] = (struct number){ fma(s, u.re, c * v.re), fma(s, u.im, c * v.im) };
    }
}

/* Return: they were not orthogonal */
static bool pair_rotate(struct svd *d, uint64_t p, uint64_t q)
{
    struct number *x = d->a + p * d->m, *y = d->a + q * d->m;
    double xx = columns_dot(x, x, d->m).re, yy = columns_dot(y, y, d->m).re, r, z, t, c;
    struct number xy = columns_dot(x, y, d->m), phase;

    r = dense_length(xy.re, xy.im);
    if (!(r > EPS * sqrt(xx) * sqrt(yy))) {
        return false;
    }
    phase = (struct number){ xy.re / r, -xy.im / r };
    z = (yy - xx) / (2 * r);
    t = copysign(1, z) / (fabs(z) + dense_length(1, z));
    c = 1 / dense_length(1, t);
    columns_rotate(x, y, d->m, c, c * t, phase);
    columns_rotate(d->v + p * d->n, d->v + q * d->n, d->n, c, c * t, phase);
    return true;
}

static int32_t columns_orthogonalise(struct svd *d)
{
    for (unsigned sweep = 0; sweep < SWEEPS; sweep++) {
        bool any = false;

        for (uint64_t p = 0; p + 1 < d->n; p++) {
            for (uint64_t q = p + 1; q < d->n; q++) {
                any |= pair_rotate(d, p, q);
            }
        }
        if (!any) {
            return 0;
        }
    }
    return 1;
}

static void columns_swap(struct number *a, uint64_t m, uint64_t i, uint64_t j)
{
    for (uint64_t k = 0; k < m; k++) {
        struct number v = a[k + i * m];

        a[k + i * m] = a[k + j * m];
        a[k + j * m] = v;
    }
}

/* Descending values */
static void values_sort(struct svd *d)
{
    for (uint64_t i = 0; i < d->n; i++) {
        d->s[i] = sqrt(columns_dot(d->a + i * d->m, d->a + i * d->m, d->m).re);
    }
    for (uint64_t i = 0; i < d->n; i++) {
        uint64_t most = i;
        double v = d->s[i];

        for (uint64_t j = i + 1; j < d->n; j++) {
            most = d->s[j] > d->s[most] ? j : most;
        }
        if (most != i) {
            d->s[i] = d->s[most];
            d->s[most] = v;
            columns_swap(d->a, d->m, i, most);
            columns_swap(d->v, d->n, i, most);
        }
    }
}

/* Column @k of U, orthonormal to those before it: out of the first unit vector that leaves enough.
 */
static void column_complete(struct number *u, uint64_t m, uint64_t k)
{
    struct number *x = u + k * m;

    for (uint64_t unit = 0; unit < m; unit++) {
        double left;

        for (uint64_t i = 0; i < m; i++) {
            x[i] = (struct number){ i == unit, 0 };
        }
        for (unsigned twice = 0; twice < 2; twice++) {
            for (uint64_t j = 0; j < k; j++) {
                struct number f = columns_dot(u + j * m, x, m);

                for (uint64_t i = 0; i < m; i++) {
                    x[i] = number_subtract(x[i], f, u[i + j * m]);
                }
            }
        }
        left = sqrt(columns_dot(x, x, m).re);
        if (left * left * (double)m >= 0.5) {
            for (uint64_t i = 0; i < m; i++) {
                x[i] = number_scaled(x[i], 1 / left);
            }
            return;
        }
    }
}

/* @columns of U; a value that is nothing beside the first leaves no direction */
static struct number *left_new(const struct svd *d, uint64_t columns)
{
    struct number *u = g_new0(struct number, d->m * MAX(columns, d->n) + 1);

    for (uint64_t j = 0; j < columns; j++) {
        if (j < d->n && d->s[j] > d->s[0] * EPS * (double)d->m) {
            for (uint64_t i = 0; i < d->m; i++) {
                u[i + j * d->m] = number_scaled(d->a[i + j * d->m], 1 / d->s[j]);
            }
        } else {
            column_complete(u, d->m, j);
        }
    }
    return u;
}

static uint64_t columns_of(const struct library_operand *o, uint64_t rows)
{
    return rows ? library_operand_count(o) / rows : 0;
}

/* @from: rows x columns; put as it is, or its adjoint */
static void factor_put(struct library_work *w, unsigned o, const struct number *from, uint64_t rows,
                       uint64_t columns, bool adjoint)
{
    for (uint64_t j = 0; j < columns; j++) {
        for (uint64_t i = 0; i < rows; i++) {
            struct number v = from[i + j * rows];

            if (adjoint) {
                number_put(w, o, j + i * columns, number_conjugate(v));
            } else {
                number_put(w, o, i + j * rows, v);
            }
        }
    }
}

static bool factor_has(const struct library_operand *o, int64_t rows, int64_t least)
{
    return dense_optional_has(o, rows, rows) || dense_has(o, rows, least, false) ||
           dense_has(o, least, rows, false);
}

const char *library_gesvd_check(const struct library_call *c)
{
    int64_t m = c->n[0], n = c->n[1], k = m < n ? m : n;

    return dense_has(&c->operand[0], m, n, false) && dense_real_has(&c->operand[1], k) &&
                   factor_has(&c->operand[2], m, k) && factor_has(&c->operand[3], n, k) &&
                   dense_info_has(&c->operand[4])
               ? NULL
               : dense_wrong_size;
}

/* A, or its adjoint if it is wide */
static struct svd svd_new(const struct library_work *w, bool wide)
{
    uint64_t m = (uint64_t)w->call->n[0], n = (uint64_t)w->call->n[1];
    struct svd d = { .m = wide ? n : m, .n = wide ? m : n };

    d.a = g_new(struct number, m * n + 1);
    d.v = g_new0(struct number, d.n * d.n + 1);
    d.s = g_new0(double, d.n + 1);
    for (uint64_t j = 0; j < n; j++) {
        for (uint64_t i = 0; i < m; i++) {
            struct number v = number_get(w, 0, i + j * m);

            d.a[wide ? j + i * n : i + j * m] = wide ? number_conjugate(v) : v;
        }
    }
    for (uint64_t i = 0; i < d.n; i++) {
        d.v[i + i * d.n].re = 1;
    }
    return d;
}

void library_gesvd_run(struct library_work *w)
{
    bool wide = w->call->n[0] < w->call->n[1], adjoint = w->call->mode[1];
    struct svd d = svd_new(w, wide);
    unsigned left = wide ? 3 : 2, right = wide ? 2 : 3; /* of the tall matrix */
    uint64_t columns = columns_of(&w->call->operand[left], d.m);
    int32_t info = columns_orthogonalise(&d);
    struct number *u;

    values_sort(&d);
    for (uint64_t i = 0; i < d.n; i++) {
        number_put(w, 1, i, (struct number){ d.s[i], 0 });
    }
    u = left_new(&d, columns);
    factor_put(w, left, u, d.m, columns, left == 3 && adjoint);
    if (dense_asked(w, right)) {
        factor_put(w, right, d.v, d.n, d.n, right == 3 && adjoint);
    }
    dense_info_put(w, 4, info);
    number_cost(w, 20 * d.m * d.n * d.n);
    g_free(u);
    g_free(d.a);
    g_free(d.v);
    g_free(d.s);
}
