/* SPDX-License-Identifier: MIT */
/* Matrices element by element: BLAS-like extensions. */
#include <math.h>

#include "model/library/element.h"
#include "model/library/work.h"

static bool matrix_has(const struct library_operand *o, int64_t m, int64_t n)
{
    uint64_t want;

    return m >= 0 && n >= 0 && !__builtin_mul_overflow((uint64_t)m, (uint64_t)n, &want) &&
           library_operand_count(o) == want && library_type_float(o->type) &&
           !(o->flags & (LIBRARY_UPPER | LIBRARY_LOWER));
}

static void cost_add(struct library_work *w, uint64_t fmas)
{
    *(library_type_double(w->call->mode[0]) ? &w->cost.twice : &w->cost.single) += fmas;
}

/* A product and a sum in the call's precision */
static double sum_of(const struct library_work *w, double a, double b, double c)
{
    return library_type_double(w->call->mode[0]) ? fma(a, b, c)
                                                 : (double)fmaf((float)a, (float)b, (float)c);
}

const char *library_geam_check(const struct library_call *c)
{
    for (unsigned i = 0; i < 3; i++) {
        if (!matrix_has(&c->operand[i], c->n[0], c->n[1]) ||
            c->operand[i].type != c->operand[2].type) {
            return "library call: a matrix of another size";
        }
    }
    return NULL;
}

/* to += factor op(M), element (i, j); nothing if the factor is zero: M was not read then */
static void part_add(const struct library_work *w, unsigned o, uint64_t i, uint64_t j, double to[2])
{
    const struct library_call *c = w->call;
    uint32_t type = c->operand[o].type;
    bool turned = c->mode[1 + o] & LIBRARY_TRANSPOSED;
    uint64_t at = turned ? j + i * (uint64_t)c->n[1] : i + j * (uint64_t)c->n[0];
    const double *f = w->scalar[o];
    double re = library_element_get(w->data[o], type, at, 0);
    double im = library_element_get(w->data[o], type, at, 1);

    if (f[0] == 0 && f[1] == 0) {
        return;
    }
    im = c->mode[1 + o] & LIBRARY_CONJUGATED ? -im : im;
    to[0] = sum_of(w, f[0], re, to[0]);
    if (library_type_complex(type)) {
        to[0] = sum_of(w, -f[1], im, to[0]);
        to[1] = sum_of(w, f[1], re, sum_of(w, f[0], im, to[1]));
    }
}

void library_geam_run(struct library_work *w)
{
    uint64_t m = (uint64_t)w->call->n[0], n = (uint64_t)w->call->n[1];

    for (uint64_t j = 0; j < n; j++) {
        for (uint64_t i = 0; i < m; i++) {
            double v[2] = { 0, 0 };

            part_add(w, 0, i, j, v);
            part_add(w, 1, i, j, v);
            library_element_put(w->data[2], w->call->operand[2].type, i + j * m, v[0], v[1]);
        }
    }
    cost_add(w, 2 * m * n);
}

const char *library_dgmm_check(const struct library_call *c)
{
    bool right = c->mode[1];

    if (!matrix_has(&c->operand[0], c->n[0], c->n[1]) ||
        !matrix_has(&c->operand[2], c->n[0], c->n[1]) ||
        !matrix_has(&c->operand[1], right ? c->n[1] : c->n[0], 1) ||
        c->operand[0].type != c->operand[2].type || c->operand[0].type != c->operand[1].type) {
        return "library call: a matrix of another size";
    }
    return NULL;
}

void library_dgmm_run(struct library_work *w)
{
    uint64_t m = (uint64_t)w->call->n[0], n = (uint64_t)w->call->n[1];
    uint32_t type = w->call->operand[0].type;

    for (uint64_t j = 0; j < n; j++) {
        for (uint64_t i = 0; i < m; i++) {
            uint64_t at = w->call->mode[1] ? j : i;
            double ar = library_element_get(w->data[0], type, i + j * m, 0);
            double ai = library_element_get(w->data[0], type, i + j * m, 1);
            double xr = library_element_get(w->data[1], type, at, 0);
            double xi = library_element_get(w->data[1], type, at, 1);
            double re = sum_of(w, ar, xr, 0), im = 0;

            if (library_type_complex(type)) {
                re = sum_of(w, -ai, xi, re);
                im = sum_of(w, ai, xr, sum_of(w, ar, xi, 0));
            }
            library_element_put(w->data[2], type, i + j * m, re, im);
        }
    }
    cost_add(w, m * n);
}
