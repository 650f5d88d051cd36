/* SPDX-License-Identifier: MIT */
/* Operations on vectors: BLAS, level 1. Sums are kept in double precision, LIBRARY_CHAINS side by
 * side. */
#include <math.h>

#include "model/library/element.h"
#include "model/library/kernel.h"
#include "model/library/work.h"

static uint32_t type_of(const struct library_work *w, unsigned operand)
{
    return w->call->operand[operand].type;
}

static void cost_add(struct library_work *w, uint64_t fmas)
{
    *(library_type_double(w->call->mode[0]) ? &w->cost.twice : &w->cost.single) += fmas;
}

/* A product and a sum in the precision that the call names. */
static double fma_of(const struct library_work *w, double a, double b, double c)
{
    return library_type_double(w->call->mode[0]) ? fma(a, b, c)
                                                 : (double)fmaf((float)a, (float)b, (float)c);
}

const char *library_copy_check(const struct library_call *c)
{
    return c->operand[0].type != c->operand[1].type ? "library call: a copy between types"
                                                    : library_vector_check(c);
}

void library_copy_run(struct library_work *w)
{
    memcpy(w->data[1], w->data[0], w->count * library_type_bytes(type_of(w, 0)));
}

const char *library_swap_check(const struct library_call *c)
{
    return library_copy_check(c);
}

void library_swap_run(struct library_work *w)
{
    void *x = w->data[0];

    /* The same room, and each is written where it belongs. */
    w->data[0] = w->data[1];
    w->data[1] = x;
}

/* alpha x of one element */
static void element_scale(const struct library_work *w, double re, double im, double out[2])
{
    const double *a = w->scalar[0];
    bool both = im != 0 || a[1] != 0;

    out[0] = both ? fma_of(w, -a[1], im, fma_of(w, a[0], re, 0)) : fma_of(w, a[0], re, 0);
    out[1] = both ? fma_of(w, a[1], re, fma_of(w, a[0], im, 0)) : 0;
}

const char *library_scal_check(const struct library_call *c)
{
    return library_vector_check(c);
}

void library_scal_run(struct library_work *w)
{
    uint32_t type = type_of(w, 0);

    for (uint64_t i = 0; i < w->count; i++) {
        double v[2];

        element_scale(w, library_element_get(w->data[0], type, i, 0),
                      library_element_get(w->data[0], type, i, 1), v);
        library_element_put(w->data[0], type, i, v[0], v[1]);
    }
    cost_add(w, w->count);
}

const char *library_axpy_check(const struct library_call *c)
{
    return library_vector_check(c);
}

static void axpy_any(struct library_work *w)
{
    uint32_t tx = type_of(w, 0), ty = type_of(w, 1);
    const double *a = w->scalar[0];

    for (uint64_t i = 0; i < w->count; i++) {
        double re = library_element_get(w->data[0], tx, i, 0);
        double im = library_element_get(w->data[0], tx, i, 1);
        double yr = fma_of(w, a[0], re, library_element_get(w->data[1], ty, i, 0));
        double yi = fma_of(w, a[0], im, library_element_get(w->data[1], ty, i, 1));

        if (library_type_complex(ty)) {
            yr = fma_of(w, -a[1], im, yr);
            yi = fma_of(w, a[1], re, yi);
        }
        library_element_put(w->data[1], ty, i, yr, yi);
    }
}

/* One form of a NaN, whichever the host made. */
static void nans_unify(void *data, uint32_t type, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        double v = library_element_get(data, type, i, 0);

        if (v != v) {
            library_element_put(data, type, i, v, 0);
        }
    }
}

void library_axpy_run(struct library_work *w)
{
    uint32_t tx = type_of(w, 0), ty = type_of(w, 1);

    if (w->scalar[0][0] == 0 && w->scalar[0][1] == 0) {
        return; /* x was not read */
    }
    if (tx == LIBRARY_R_32F && ty == tx && w->call->mode[0] == LIBRARY_R_32F) {
        library_kernels_get()->axpy32(w->count, (float)w->scalar[0][0], w->data[0], w->data[1]);
        nans_unify(w->data[1], ty, w->count);
    } else if (tx == LIBRARY_R_64F && ty == tx) {
        library_kernels_get()->axpy64(w->count, w->scalar[0][0], w->data[0], w->data[1]);
        nans_unify(w->data[1], ty, w->count);
    } else {
        axpy_any(w);
    }
    cost_add(w, w->count);
}

const char *library_rot_check(const struct library_call *c)
{
    return library_vector_check(c);
}

/* x = c x + s y, y = c y - conj(s) x */
void library_rot_run(struct library_work *w)
{
    uint32_t type = type_of(w, 0);
    double c = w->scalar[0][0], sr = w->scalar[1][0], si = w->scalar[1][1];

    for (uint64_t i = 0; i < w->count; i++) {
        double xr = library_element_get(w->data[0], type, i, 0);
        double xi = library_element_get(w->data[0], type, i, 1);
        double yr = library_element_get(w->data[1], type, i, 0);
        double yi = library_element_get(w->data[1], type, i, 1);
        double ar = fma_of(w, sr, yr, fma_of(w, c, xr, 0)), ai = 0, br, bi = 0;

        br = fma_of(w, -sr, xr, fma_of(w, c, yr, 0));
        if (library_type_complex(type)) {
            ar = fma_of(w, -si, yi, ar);
            ai = fma_of(w, si, yr, fma_of(w, sr, yi, fma_of(w, c, xi, 0)));
            br = fma_of(w, -si, xi, br);
            bi = fma_of(w, si, xr, fma_of(w, -sr, xi, fma_of(w, c, yi, 0)));
        }
        library_element_put(w->data[0], type, i, ar, ai);
        library_element_put(w->data[1], type, i, br, bi);
    }
    cost_add(w, 4 * w->count);
}

/* Chains in pairs, always the same ones. */
static double chains_add(double *sums)
{
    for (unsigned width = LIBRARY_CHAINS / 2; width > 0; width /= 2) {
        for (unsigned i = 0; i < width; i++) {
            sums[i] += sums[i + width];
        }
    }
    return sums[0];
}

const char *library_dot_check(const struct library_call *c)
{
    return library_vector_check(c);
}

static void dot_any(struct library_work *w, double *re, double *im)
{
    uint32_t tx = type_of(w, 0), ty = type_of(w, 1);
    double sign = w->call->mode[1] ? -1 : 1;

    for (uint64_t i = 0; i < w->count; i++) {
        unsigned c = i % LIBRARY_CHAINS;
        double xr = library_element_get(w->data[0], tx, i, 0);
        double xi = library_element_get(w->data[0], tx, i, 1) * sign;
        double yr = library_element_get(w->data[1], ty, i, 0);
        double yi = library_element_get(w->data[1], ty, i, 1);

        re[c] = fma(xr, yr, re[c]);
        if (library_type_complex(tx) || library_type_complex(ty)) {
            re[c] = fma(-xi, yi, re[c]);
            im[c] = fma(xi, yr, fma(xr, yi, im[c]));
        }
    }
}

void library_dot_run(struct library_work *w)
{
    uint32_t tx = type_of(w, 0), ty = type_of(w, 1);
    double *re = w->scratch, *im = re + LIBRARY_CHAINS;

    if (tx == LIBRARY_R_32F && ty == tx) {
        library_kernels_get()->dot32(w->count, w->data[0], w->data[1], re);
    } else if (tx == LIBRARY_R_64F && ty == tx) {
        library_kernels_get()->dot64(w->count, w->data[0], w->data[1], re);
    } else {
        dot_any(w, re, im);
    }
    cost_add(w, w->count);
    if (w->last) {
        double sum = chains_add(re);

        library_element_put(w->data[2], type_of(w, 2), 0, sum, chains_add(im));
    }
}

const char *library_norm_check(const struct library_call *c)
{
    return library_vector_check(c);
}

/* A sum of squares without overflow: each chain has its scale, J. Blue's sums in spirit: single
 * precision needs none, as a double holds its squares. */
static void square_add(double *scale, double *sum, double v)
{
    v = fabs(v);
    if (v == 0) {
        return;
    }
    if (v > *scale) {
        double r = *scale / v;

        *sum = fma(*sum, r * r, 1);
        *scale = v;
    } else if (v == *scale) { /* infinities, too */
        *sum += 1;
    } else {
        double r = v / *scale;

        *sum = v != v ? v : fma(r, r, *sum);
    }
}

static double squares_root(double *scale, double *sum)
{
    double most = 0, total = 0;

    for (unsigned c = 0; c < LIBRARY_CHAINS; c++) {
        most = scale[c] > most ? scale[c] : most;
    }
    if (most == INFINITY) {
        for (unsigned c = 0; c < LIBRARY_CHAINS; c++) {
            total += sum[c]; /* a NaN stays one */
        }
        return total != total ? total : most;
    }
    for (unsigned c = 0; c < LIBRARY_CHAINS; c++) {
        double r = most > 0 ? scale[c] / most : 0;

        sum[c] = sum[c] != sum[c] ? sum[c] : sum[c] * (r * r);
    }
    return most * sqrt(chains_add(sum));
}

static void norm_sum(struct library_work *w, double *sum)
{
    uint32_t type = type_of(w, 0);
    bool both = library_type_complex(type);

    for (uint64_t i = 0; i < w->count; i++) {
        unsigned c = i % LIBRARY_CHAINS;

        sum[c] += fabs(library_element_get(w->data[0], type, i, 0));
        sum[c] += both ? fabs(library_element_get(w->data[0], type, i, 1)) : 0;
    }
}

void library_norm_run(struct library_work *w)
{
    uint32_t type = type_of(w, 0);
    double *sum = w->scratch, *scale = sum + LIBRARY_CHAINS;

    if (w->call->mode[1] == 0) {
        norm_sum(w, sum);
    } else {
        for (uint64_t i = 0; i < w->count; i++) {
            unsigned c = i % LIBRARY_CHAINS;

            square_add(&scale[c], &sum[c], library_element_get(w->data[0], type, i, 0));
            if (library_type_complex(type)) {
                square_add(&scale[c], &sum[c], library_element_get(w->data[0], type, i, 1));
            }
        }
    }
    cost_add(w, w->count);
    if (w->last) {
        library_element_put(w->data[1], type_of(w, 1), 0,
                            w->call->mode[1] ? squares_root(scale, sum) : chains_add(sum), 0);
    }
}

const char *library_extreme_check(const struct library_call *c)
{
    return c->n[0] > INT64_MAX - 1 ? "library call: too many elements" : library_vector_check(c);
}

/* The first of the largest, or smallest, |re| + |im|; 0 where there is none. A NaN is never it, but
 * as the first. */
void library_extreme_run(struct library_work *w)
{
    struct {
        double value;
        uint64_t at;
    } *best = w->scratch;
    uint32_t type = type_of(w, 0);

    for (uint64_t i = 0; i < w->count; i++) {
        double v = fabs(library_element_get(w->data[0], type, i, 0)) +
                   fabs(library_element_get(w->data[0], type, i, 1));

        if (best->at == 0 || (w->call->mode[1] ? v < best->value : v > best->value)) {
            best->value = v;
            best->at = w->first + i + 1;
        }
    }
    cost_add(w, w->count);
    if (w->last) {
        uint32_t to = type_of(w, 1);

        if (to == LIBRARY_R_64I) {
            memcpy(w->data[1], &best->at, 8);
        } else {
            library_element_put(w->data[1], to, 0, (double)best->at, 0);
        }
    }
}
