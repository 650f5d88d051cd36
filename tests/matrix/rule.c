/* SPDX-License-Identifier: MIT */
/* See rule.h. Floating point other than f64 is as measured and published (docs of exec_mma.c's
 * rule: arXiv 2511.10909, arXiv 2512.07004, golden/mma_oracle.cu): the addends of a block are cut
 * to @frac bits below the highest exponent, added exactly, and rounded once. */
#include "tests/matrix/rule.h"

#include <math.h>
#include <string.h>

unsigned kind_bits(enum kind k)
{
    static const unsigned bits[] = { 16, 16, 32, 64, 8, 8, 4, 4, 1, 32, 32 };

    return bits[k];
}

struct place fragment_rule(const struct product *p, unsigned part, unsigned i, unsigned l)
{
    unsigned bits = kind_bits(part == 0 ? p->a : p->b), run = part == 2   ? 2
                                                              : bits < 32 ? 32 / bits
                                                                          : 1;
    unsigned core = i / run, group = l / 4, inner = l % 4 * run + i % run;

    if (part == 1) {
        unsigned cores = p->k / (4 * run);

        return (struct place){ inner + core % cores * 4 * run, group + core / cores * 8 };
    }
    return (struct place){ group + core % (p->m / 8) * 8, inner + core / (p->m / 8) * 4 * run };
}

static double from_bits(enum kind k, uint64_t e)
{
    uint32_t w = (uint32_t)e;
    double v;
    float f;

    switch (k) {
    case F64:
        memcpy(&v, &e, 8);
        return v;
    case F16:
        v = (e & 0x7c00) == 0x7c00 ? (e & 0x3ff ? (double)NAN : (double)INFINITY)
            : e & 0x7c00           ? ldexp((double)((e & 0x3ff) | 0x400), (int)(e >> 10 & 31) - 25)
                                   : ldexp((double)(e & 0x3ff), -24);
        return e & 0x8000 ? -v : v;
    case BF16:
        w <<= 16;
        break;
    case TF32:
        w &= 0xffffe000u;
        break;
    default:
        break;
    }
    memcpy(&f, &w, 4);
    return f;
}

static int64_t integer(enum kind k, uint64_t e)
{
    switch (k) {
    case S8:
        return (int8_t)e;
    case S4:
        return (int64_t)(e ^ 8) - 8;
    case S32:
        return (int32_t)e;
    default:
        return (int64_t)e;
    }
}

/* To nearest even, once */
static uint64_t to_f16(double v)
{
    uint64_t sign = signbit(v) ? 0x8000 : 0, n;
    double a = fabs(v);
    int e;

    if (isnan(v)) {
        return 0x7fff;
    }
    if (a >= 65520) {
        return sign | 0x7c00;
    }
    e = a < 0x1p-14 ? -14 : ilogb(a);
    n = (uint64_t)nearbyint(
        ldexp(a, 10 - e)); /* with the leading bit, which carries into the exponent */
    return sign | (n + ((uint64_t)(e + 14) << 10));
}

static uint64_t f32_bits_of(float f)
{
    uint32_t w;

    memcpy(&w, &f, 4);
    return f != f ? 0x7fffffff : w;
}

/* Towards zero */
static double cut_f32(double v)
{
    int e = v == 0 ? 0 : ilogb(v) < -126 ? -126 : ilogb(v);
    double t = ldexp(trunc(ldexp(v, 23 - e)), e - 23);

    return fabs(t) >= 0x1p128 ? copysign((double)INFINITY, t) : t + 0.0; /* no -0 */
}

static int exponent(double v, int least)
{
    return ilogb(v) < least ? least : ilogb(v);
}

/* What infinities and NaNs make, without anything else; 0: nothing */
static double special(const double *a, const double *b, double c, unsigned k)
{
    double s = c;

    for (unsigned i = 0; i < k; i++) {
        s += a[i] * b[i];
    }
    return isfinite(s) ? 0 : s;
}

static bool all_finite(const uint64_t *e, unsigned n, enum kind k)
{
    for (unsigned i = 0; i < n; i++) {
        if (!isfinite(from_bits(k, e[i]))) {
            return false;
        }
    }
    return true;
}

/* One element: a row of A, a column of B. Infinities and NaNs count apart, as 0 in the sums. */
static double float_rule(const struct product *p, const double *a, const double *b, double c,
                         double over)
{
    int least = p->a == F16 ? -14 : -126, least_c = p->d == F16 ? -14 : -126;

    c = isfinite(c) ? c : 0;
    for (unsigned from = 0; from < p->k; from += p->block) {
        unsigned end = from + p->block < p->k ? from + p->block : p->k;
        int top = c == 0 ? -100000 : exponent(c, least_c);
        double sum, v;

        for (unsigned k = from; k < end; k++) {
            if (a[k] != 0 && b[k] != 0 && isfinite(a[k]) && isfinite(b[k])) {
                int e = exponent(a[k], least) + exponent(b[k], least);

                top = e > top ? e : top;
            }
        }
        top = top == -100000 ? 0 : top;
        sum = trunc(ldexp(c, (int)p->frac - top)) + 0.0;
        for (unsigned k = from; k < end; k++) {
            if (isfinite(a[k]) && isfinite(b[k])) {
                sum += trunc(ldexp(a[k] * b[k], (int)p->frac - top)) + 0.0;
            }
        }
        v = ldexp(sum + 0.0, top - (int)p->frac);
        v = p->d == F16 ? from_bits(F16, to_f16(v)) : cut_f32(v);
        over += isfinite(v) ? 0 : v;
        c = isfinite(v) ? v : 0;
    }
    return over != 0 ? over : c;
}

static double f64_rule(const double *a, const double *b, double c, unsigned k)
{
    for (unsigned i = 0; i < k; i++) {
        double v = fma(a[i], b[i], c), from = isnan(b[i]) ? b[i] : isnan(c) ? c : a[i];
        uint64_t w = UINT64_C(0xfff8000000000000);

        if (isnan(v)) { /* the payload of B's, C's, A's, made quiet */
            if (isnan(from)) {
                memcpy(&w, &from, 8);
                w |= UINT64_C(1) << 51;
            }
            memcpy(&v, &w, 8);
        }
        c = v;
    }
    return c;
}

static uint64_t integer_rule(const struct product *p, const uint64_t *a, const uint64_t *b,
                             uint64_t c)
{
    int64_t s = integer(S32, c);

    for (unsigned k = 0; k < p->k; k++) {
        uint64_t x = a[k], y = b[k * p->n];

        s += p->a == B1 ? (int64_t)(p->xor ? x ^ y : x & y) : integer(p->a, x) * integer(p->b, y);
    }
    if (p->sat) {
        s = s > INT32_MAX ? INT32_MAX : s < INT32_MIN ? INT32_MIN : s;
    }
    return (uint32_t)s;
}

void product_rule(const struct product *p, const uint64_t *a, const uint64_t *b, const uint64_t *c,
                  uint64_t *d)
{
    bool finite =
        p->a >= F64 || (all_finite(a, p->m * p->k, p->a) && all_finite(b, p->k * p->n, p->b) &&
                        all_finite(c, p->m * p->n, p->c));

    for (unsigned i = 0; i < p->m * p->n; i++) {
        const uint64_t *row = a + i / p->n * p->k, *column = b + i % p->n;
        double x[256], y[256], v;

        if (p->a > F64) {
            d[i] = integer_rule(p, row, column, c[i]);
            continue;
        }
        for (unsigned k = 0; k < p->k; k++) {
            x[k] = from_bits(p->a, row[k]);
            y[k] = from_bits(p->b, column[k * p->n]);
        }
        v = from_bits(p->c, c[i]);
        if (p->a == F64) {
            v = f64_rule(x, y, v, p->k);
            memcpy(&d[i], &v, 8);
            continue;
        }
        v = float_rule(p, x, y, v, finite ? 0 : special(x, y, v, p->k));
        d[i] = p->d == F16 ? to_f16(v) : f32_bits_of((float)v);
    }
}
