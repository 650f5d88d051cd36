/* SPDX-License-Identifier: MIT */
/* Roots of unity: the octant by integers, then the Taylor series of an angle up to pi / 4. */
#include "model/library/fft/fft_internal.h"

#define TWO_PI 0x1.921fb54442d18p+2

/* 1 / k! alternating, from the highest power down */
static double root_series(const double *c, int terms, double z)
{
    double p = c[0];

    for (int i = 1; i < terms; i++) {
        p = p * z + c[i];
    }
    return p;
}

static double root_sin(double x)
{
    static const double c[] = {
        1.0 / 355687428096000., -1.0 / 1307674368000., 1.0 / 6227020800., -1.0 / 39916800.,
        1.0 / 362880.,          -1.0 / 5040.,          1.0 / 120.,        -1.0 / 6.
    };

    return x + x * (x * x * root_series(c, 8, x * x));
}

static double root_cos(double x)
{
    static const double c[] = {
        1.0 / 20922789888000., -1.0 / 87178291200., 1.0 / 479001600., -1.0 / 3628800.,
        1.0 / 40320.,          -1.0 / 720.,         1.0 / 24.,        -1.0 / 2.
    };

    return 1 + x * x * root_series(c, 8, x * x);
}

/* In the first octant of 8 k / n the rest is below n / 8; the others are mirror images of it. */
struct fft_complex fft_root(size_t k, size_t n, int sign)
{
    size_t octant = 8 * k / n, rest = 8 * k - octant * n; /* of an octant of n parts */
    double part = (double)(octant & 1 ? n - rest : rest) / (double)(8 * n);
    double s = root_sin(part * TWO_PI), c = root_cos(part * TWO_PI), t;

    if (octant == 1 || octant == 2 || octant == 5 || octant == 6) {
        t = s, s = c, c = t;
    }
    c = octant >= 2 && octant <= 5 ? -c : c;
    s = octant >= 4 ? -s : s;
    return (struct fft_complex){ c, sign < 0 ? -s : s };
}
