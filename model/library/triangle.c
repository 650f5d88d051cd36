/* SPDX-License-Identifier: MIT */
/* Triangles: op(A) X = alpha B, and alpha op(A) B. All in double precision, rounded once; rows are
 * added in ascending order, side by side over their columns. From the right, both are the same of
 * the transposes.
 */
#include <glib.h>
#include <math.h>

#include "model/library/element.h"
#include "model/library/kernel.h"
#include "model/library/work.h"

/**
 * struct triangle - a call as @order rows of @width numbers
 * @x: planes of B, real and imaginary; the latter NULL
 * @lower: of the matrix that multiplies from the left
 */
struct triangle {
    const struct library_work *w;
    uint64_t order, width;
    double *x[2], *out[2];
    bool right, turned, lower, is_complex;
    double sign;
};

static const char *triangle_check(const struct library_call *c, unsigned b)
{
    const struct library_operand *a = &c->operand[0];
    int64_t m = c->n[0], n = c->n[1], order = c->mode[2] ? n : m;
    uint64_t want;

    if (m < 0 || n < 0 || a->rows != (uint64_t)order || a->columns != a->rows ||
        !(a->flags & (LIBRARY_UPPER | LIBRARY_LOWER)) ||
        __builtin_mul_overflow((uint64_t)m, (uint64_t)n, &want)) {
        return "library call: a triangle of another size";
    }
    for (unsigned i = 1; i <= b; i++) {
        if (library_operand_count(&c->operand[i]) != want ||
            c->operand[i].flags & (LIBRARY_UPPER | LIBRARY_LOWER)) {
            return "library call: a matrix of another size";
        }
        if (c->operand[i].type != a->type) {
            return "library call: a triangle of another type";
        }
    }
    return library_type_float(a->type) ? NULL : "library call: a triangle of this type";
}

const char *library_trsm_check(const struct library_call *c)
{
    return triangle_check(c, 1);
}

const char *library_trmm_check(const struct library_call *c)
{
    return triangle_check(c, 2);
}

static void triangle_begin(struct triangle *t, const struct library_work *w)
{
    const struct library_call *c = w->call;
    uint64_t m = (uint64_t)c->n[0], n = (uint64_t)c->n[1];
    double ar = w->scalar[0][0], ai = w->scalar[0][1];

    t->w = w;
    t->right = c->mode[2] != 0;
    t->order = t->right ? n : m;
    t->width = t->right ? m : n;
    t->turned = ((c->mode[1] & LIBRARY_TRANSPOSED) != 0) != t->right;
    t->lower = ((c->operand[0].flags & LIBRARY_LOWER) != 0) != t->turned;
    t->sign = c->mode[1] & LIBRARY_CONJUGATED ? -1 : 1;
    t->is_complex = library_type_complex(c->operand[0].type);
    for (unsigned part = 0; part < 2; part++) {
        bool there = part == 0 || t->is_complex;

        t->x[part] = there ? g_new(double, t->order * t->width + 1) : NULL;
        t->out[part] = there ? g_new0(double, t->order * t->width + 1) : NULL;
    }
    for (uint64_t i = 0; i < t->order; i++) {
        for (uint64_t j = 0; j < t->width; j++) {
            uint64_t at = t->right ? j + i * m : i + j * m;
            double re = library_element_get(w->data[1], c->operand[1].type, at, 0);
            double im = library_element_get(w->data[1], c->operand[1].type, at, 1);

            t->x[0][i * t->width + j] = t->is_complex ? fma(-ai, im, ar * re) : ar * re;
            if (t->is_complex) {
                t->x[1][i * t->width + j] = fma(ai, re, ar * im);
            }
        }
    }
}

static void triangle_end(struct triangle *t, double *const plane[2], unsigned operand)
{
    const struct library_call *c = t->w->call;
    uint64_t m = (uint64_t)c->n[0];

    for (uint64_t i = 0; i < t->order; i++) {
        for (uint64_t j = 0; j < t->width; j++) {
            library_element_put(t->w->data[operand], c->operand[operand].type,
                                t->right ? j + i * m : i + j * m, plane[0][i * t->width + j],
                                plane[1] ? plane[1][i * t->width + j] : 0);
        }
    }
    for (unsigned part = 0; part < 2; part++) {
        g_free(t->x[part]);
        g_free(t->out[part]);
    }
}

/* Element (@i, @p) of the matrix from the left */
static double triangle_get(const struct triangle *t, uint64_t i, uint64_t p, unsigned part)
{
    const struct library_operand *o = &t->w->call->operand[0];
    double v;

    if (i == p && o->flags & LIBRARY_UNIT) {
        return part ? 0 : 1;
    }
    v = library_element_get(t->w->data[0], o->type, t->turned ? p + i * t->order : i + p * t->order,
                            part);
    return part ? t->sign * v : v;
}

/* Row @i of @to += factor times row @p of @from */
static void row_add(const struct triangle *t, double *const to[2], uint64_t i,
                    double *const from[2], uint64_t p, double re, double im)
{
    const struct library_kernels *k = library_kernels_get();
    uint64_t n = t->width;

    k->axpy64(n, re, from[0] + p * n, to[0] + i * n);
    if (t->is_complex) {
        k->axpy64(n, -im, from[1] + p * n, to[0] + i * n);
        k->axpy64(n, re, from[1] + p * n, to[1] + i * n);
        k->axpy64(n, im, from[0] + p * n, to[1] + i * n);
    }
}

/* Row @i divided by a number; complex: R. Smith, "Algorithm 116" (1962) */
static void row_divide(const struct triangle *t, uint64_t i, double re, double im)
{
    bool wide = fabs(re) >= fabs(im);
    double r = wide ? im / re : re / im, d = wide ? fma(im, r, re) : fma(re, r, im);

    for (uint64_t j = i * t->width; j < (i + 1) * t->width; j++) {
        double a = t->x[0][j], b = t->is_complex ? t->x[1][j] : 0;

        if (!t->is_complex) {
            t->x[0][j] = a / re;
        } else {
            t->x[0][j] = (wide ? fma(b, r, a) : fma(a, r, b)) / d;
            t->x[1][j] = (wide ? fma(-a, r, b) : fma(b, r, -a)) / d;
        }
    }
}

static void cost_add(struct library_work *w, const struct triangle *t)
{
    uint64_t fmas = t->order * t->order / 2 * t->width * (t->is_complex ? 4 : 1);

    *(library_type_double(w->call->mode[0]) ? &w->cost.twice : &w->cost.single) += fmas;
}

static bool alpha_is_zero(const struct library_work *w)
{
    return w->scalar[0][0] == 0 && w->scalar[0][1] == 0; /* A was not read */
}

void library_trsm_run(struct library_work *w)
{
    struct triangle t;

    if (alpha_is_zero(w)) {
        memset(w->data[1], 0,
               library_operand_count(&w->call->operand[1]) *
                   library_type_bytes(w->call->operand[1].type));
        return;
    }
    triangle_begin(&t, w);
    for (uint64_t step = 0; step < t.order; step++) {
        uint64_t i = t.lower ? step : t.order - 1 - step;

        for (uint64_t p = t.lower ? 0 : i + 1; p < (t.lower ? i : t.order); p++) {
            row_add(&t, t.x, i, t.x, p, -triangle_get(&t, i, p, 0), -triangle_get(&t, i, p, 1));
        }
        if (!(w->call->operand[0].flags & LIBRARY_UNIT)) {
            row_divide(&t, i, triangle_get(&t, i, i, 0), triangle_get(&t, i, i, 1));
        }
    }
    cost_add(w, &t);
    triangle_end(&t, t.x, 1);
}

void library_trmm_run(struct library_work *w)
{
    struct triangle t;

    if (alpha_is_zero(w)) {
        memset(w->data[2], 0,
               library_operand_count(&w->call->operand[2]) *
                   library_type_bytes(w->call->operand[2].type));
        return;
    }
    triangle_begin(&t, w);
    for (uint64_t i = 0; i < t.order; i++) {
        for (uint64_t p = t.lower ? 0 : i; p < (t.lower ? i + 1 : t.order); p++) {
            row_add(&t, t.out, i, t.x, p, triangle_get(&t, i, p, 0), triangle_get(&t, i, p, 1));
        }
    }
    cost_add(w, &t);
    triangle_end(&t, t.out, 2);
}
