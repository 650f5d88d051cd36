/* SPDX-License-Identifier: MIT */
/* Tables of functions (lut-programming.rst). */
#include <math.h>
#include <string.h>

#include "dlabuild/build.h"

static int32_t lut_value(double v, enum dla_precision precision, int frac)
{
    if (precision == DLA_FP16) {
        return half_from_double(v);
    }
    return (int32_t)CLAMP(round(ldexp(v, frac)), INT16_MIN, INT16_MAX);
}

static int64_t lut_edge(double v, enum dla_precision precision)
{
    union {
        float f;
        uint32_t u;
    } bits = { .f = (float)v };

    return precision == DLA_FP16 ? (int64_t)bits.u : (int64_t)v;
}

static double lut_line(const struct lut_function *l, double x)
{
    double v = l->f(ldexp(x, -l->in_frac), l->arg);

    return isfinite(v) ? v : v > 0 ? 65504 : -65504;
}

/* The slope at an end, from there to the entry before. */
static int64_t lut_slope(const struct lut_function *l, double x, double step)
{
    return half_from_double((lut_line(l, x) - lut_line(l, x - step)) / step);
}

static void lut_table(uint8_t *at, size_t entries, const struct lut_function *l, double start,
                      double step)
{
    for (size_t i = 0; i < entries; i++) {
        desc_put(at + 2 * i, 2,
                 lut_value(lut_line(l, start + (double)i * step), l->precision, l->out_frac));
    }
}

int lut_add_function(struct build *b, const struct lut_function *l)
{
    uint8_t lut[DESC_BYTES_LUT] = { 0 };
    int select = l->range - 7, le_select = l->range - 3;
    double start = -ldexp(1, l->range), le_start = -ldexp(1, l->range + 2);
    gboolean fp = l->precision == DLA_FP16;

    if (l->positive) { /* 2^(range-4) .. and on: below, and far above, octaves */
        start = ldexp(1, l->range - 4);
        le_start = 0;
        for (size_t i = 0; i < DESC_LUT_LE; i++) {
            desc_put(lut + 2 * i, 2,
                     lut_value(lut_line(l, ldexp(1, (int)i - 24 + l->in_frac)), l->precision,
                               l->out_frac));
        }
        DESC_PUT(lut, LUT, le_offset, fp ? -24 : 0);
        DESC_PUT(lut, LUT, le_end, lut_edge(ldexp(1, 40), l->precision));
    } else {
        lut_table(lut, DESC_LUT_LE, l, le_start, ldexp(1, le_select));
        DESC_PUT(lut, LUT, le_offset, le_select);
        DESC_PUT(lut, LUT, le_end, lut_edge(-le_start, l->precision));
        DESC_PUT(lut, LUT, method, 1);
    }
    lut_table(lut + 2 * (size_t)DESC_LUT_LE, DESC_LUT_LO, l, start, ldexp(1, select));
    DESC_PUT(lut, LUT, lo_select, select);
    DESC_PUT(lut, LUT, le_start, lut_edge(le_start, l->precision));
    DESC_PUT(lut, LUT, lo_start, lut_edge(start, l->precision));
    DESC_PUT(lut, LUT, lo_end, lut_edge(start + ldexp(256, select), l->precision));
    DESC_PUT(lut, LUT, hybrid_priority, 1);
    if (fp && !l->positive) {
        DESC_PUT(lut, LUT, le_underflow_scale, lut_slope(l, le_start, ldexp(1, le_select)));
        DESC_PUT(lut, LUT, le_overflow_scale, lut_slope(l, -le_start, ldexp(1, le_select)));
    }
    g_byte_array_append(b->luts, lut, sizeof(lut));
    return (int)(b->luts->len / DESC_BYTES_LUT) - 1;
}

int lut_add(struct build *b, double (*f)(double x, const double *arg), const double *arg,
            enum dla_precision precision, double start, int select, int le_select, int in_frac,
            int out_frac)
{
    uint8_t lut[DESC_BYTES_LUT] = { 0 };
    double end = start + ldexp(256, select), le_end = start + ldexp(64, le_select);

    for (size_t i = 0; i < DESC_LUT_LE; i++) {
        double x = start + ldexp((double)i, le_select);

        desc_put(lut + 2 * i, 2, lut_value(f(ldexp(x, -in_frac), arg), precision, out_frac));
    }
    for (size_t i = 0; i < DESC_LUT_LO; i++) {
        double x = start + ldexp((double)i, select);

        desc_put(lut + 2 * (DESC_LUT_LE + i), 2,
                 lut_value(f(ldexp(x, -in_frac), arg), precision, out_frac));
    }
    DESC_PUT(lut, LUT, le_offset, le_select);
    DESC_PUT(lut, LUT, lo_select, select);
    DESC_PUT(lut, LUT, le_start, lut_edge(start, precision));
    DESC_PUT(lut, LUT, le_end, lut_edge(le_end, precision));
    DESC_PUT(lut, LUT, lo_start, lut_edge(start, precision));
    DESC_PUT(lut, LUT, lo_end, lut_edge(end, precision));
    /* The finer table where both know the number, and below; the wider one above both. */
    DESC_PUT(lut, LUT, hybrid_priority, le_select >= select);
    DESC_PUT(lut, LUT, underflow_priority, le_select >= select);
    DESC_PUT(lut, LUT, overflow_priority, 1);
    DESC_PUT(lut, LUT, method, 1);
    g_byte_array_append(b->luts, lut, sizeof(lut));
    return (int)(b->luts->len / DESC_BYTES_LUT) - 1;
}
