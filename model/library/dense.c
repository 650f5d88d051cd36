/* SPDX-License-Identifier: MIT */
/* What operations on dense matrices share. */
#include "model/library/dense.h"

#include <glib.h>

const char dense_wrong_size[] = "library call: a matrix of another size";

static bool shape_has(const struct library_operand *o, int64_t m, int64_t n)
{
    uint64_t want;

    return m >= 0 && n >= 0 && m <= INT32_MAX && n <= INT32_MAX &&
           !__builtin_mul_overflow((uint64_t)m, (uint64_t)n, &want) &&
           library_operand_count(o) == want && library_type_float(o->type);
}

bool dense_has(const struct library_operand *o, int64_t m, int64_t n, bool triangle)
{
    return shape_has(o, m, n) && triangle == !!(o->flags & (LIBRARY_UPPER | LIBRARY_LOWER));
}

bool dense_real_has(const struct library_operand *o, int64_t n)
{
    return dense_has(o, n, 1, false) && !library_type_complex(o->type);
}

bool dense_info_has(const struct library_operand *o)
{
    return library_operand_count(o) == 0 ||
           (library_operand_count(o) == 1 && o->type == LIBRARY_R_32I);
}

bool dense_optional_has(const struct library_operand *o, int64_t m, int64_t n)
{
    return library_operand_count(o) == 0 || dense_has(o, m, n, false);
}

bool dense_asked(const struct library_work *w, unsigned o)
{
    return library_operand_count(&w->call->operand[o]) != 0;
}

void dense_info_put(struct library_work *w, unsigned o, int32_t info)
{
    if (dense_asked(w, o)) {
        *(int32_t *)w->data[o] = info;
    }
}

struct number *dense_triangle_new(const struct library_work *w, unsigned o, uint64_t n, bool unit)
{
    struct number *a = g_new0(struct number, n * n + 1);
    bool upper = w->call->operand[o].flags & LIBRARY_UPPER;

    for (uint64_t j = 0; j < n; j++) {
        for (uint64_t i = upper ? 0 : j; i < (upper ? j + 1 : n); i++) {
            a[i + j * n] = i == j && unit ? (struct number){ 1, 0 } : number_get(w, o, i + j * n);
        }
    }
    return a;
}

struct number *dense_hermitian_new(const struct library_work *w, unsigned o, uint64_t n)
{
    struct number *a = dense_triangle_new(w, o, n, false);
    bool upper = w->call->operand[o].flags & LIBRARY_UPPER;

    for (uint64_t j = 0; j < n; j++) {
        a[j + j * n].im = 0;
        for (uint64_t i = j + 1; i < n; i++) {
            if (upper) {
                a[i + j * n] = number_conjugate(a[j + i * n]);
            } else {
                a[j + i * n] = number_conjugate(a[i + j * n]);
            }
        }
    }
    return a;
}

/* A column at a time, each less the columns before it */
int32_t dense_cholesky(struct number *a, uint64_t n)
{
    for (uint64_t k = 0; k < n; k++) {
        double d = a[k + k * n].re;

        if (!(d > 0)) {
            return (int32_t)k + 1;
        }
        d = sqrt(d);
        a[k + k * n] = (struct number){ d, 0 };
        for (uint64_t i = k + 1; i < n; i++) {
            a[i + k * n] = (struct number){ a[i + k * n].re / d, a[i + k * n].im / d };
            a[k + i * n] = (struct number){ 0, 0 };
        }
        for (uint64_t j = k + 1; j < n; j++) {
            struct number f = number_conjugate(a[j + k * n]);

            for (uint64_t i = j; i < n; i++) {
                a[i + j * n] = number_subtract(a[i + j * n], a[i + k * n], f);
            }
            a[j + j * n].im = 0;
        }
    }
    return 0;
}

void dense_lower_solve(const struct number *l, uint64_t n, struct number *b, uint64_t columns,
                       bool adjoint)
{
    for (uint64_t j = 0; j < columns; j++) {
        struct number *x = b + j * n;

        for (uint64_t s = 0; s < n; s++) {
            uint64_t i = adjoint ? n - 1 - s : s;

            for (uint64_t p = adjoint ? i + 1 : 0; p < (adjoint ? n : i); p++) {
                struct number f = adjoint ? number_conjugate(l[p + i * n]) : l[i + p * n];

                x[i] = number_subtract(x[i], f, x[p]);
            }
            x[i] = number_divide(x[i], adjoint ? number_conjugate(l[i + i * n]) : l[i + i * n]);
        }
    }
}

double dense_length(double a, double b)
{
    double most = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
    double least = fabs(a) > fabs(b) ? fabs(b) : fabs(a);

    return most == 0 || isinf(most) ? most : most * sqrt(fma(least / most, least / most, 1));
}

static double vector_length(const struct number *x, uint64_t n)
{
    double most = 0, sum = 0;

    for (uint64_t i = 0; i < n; i++) {
        most = fmax(most, fmax(fabs(x[i].re), fabs(x[i].im)));
    }
    for (uint64_t i = 0; i < n && most > 0; i++) {
        sum += number_square(number_scaled(x[i], 1 / most));
    }
    return most > 0 ? most * sqrt(sum) : 0;
}

struct number dense_reflector(struct number *x, uint64_t n)
{
    double rest = n > 1 ? vector_length(x + 1, n - 1) : 0, beta;
    struct number alpha = x[0], tau;

    if (rest == 0 && alpha.im == 0) {
        return (struct number){ 0, 0 };
    }
    beta = -copysign(dense_length(dense_length(alpha.re, alpha.im), rest), alpha.re);
    tau = (struct number){ (beta - alpha.re) / beta, alpha.im == 0 ? 0 : -alpha.im / beta };
    alpha.re -= beta;
    for (uint64_t i = 1; i < n; i++) {
        x[i] = number_divide(x[i], alpha);
    }
    x[0] = (struct number){ beta, 0 };
    return tau;
}

void dense_reflect(const struct number *v, struct number tau, struct number *c, uint64_t n,
                   uint64_t columns, uint64_t ld)
{
    for (uint64_t j = 0; j < columns && !number_zero(tau); j++) {
        struct number *x = c + j * ld, sum = x[0];

        for (uint64_t i = 1; i < n; i++) {
            sum = number_add(sum, number_conjugate(v[i]), x[i]);
        }
        sum = number_product(tau, sum);
        x[0] = (struct number){ x[0].re - sum.re, x[0].im - sum.im };
        for (uint64_t i = 1; i < n; i++) {
            x[i] = number_subtract(x[i], v[i], sum);
        }
    }
}
