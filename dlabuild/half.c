/* SPDX-License-Identifier: MIT */
#include "dlabuild/half.h"

#include <math.h>

double half_to_double(int32_t bits)
{
    int e = bits >> 10 & 31, m = bits & 1023;
    double v = e == 0    ? ldexp(m, -24)
               : e == 31 ? (m ? (double)NAN : (double)INFINITY)
                         : ldexp(1024 + m, e - 25);

    return bits & 0x8000 ? -v : v;
}

int32_t half_from_double(double v)
{
    double a = fabs(v);
    int sign = signbit(v) ? 0x8000 : 0, e, m;

    if (isnan(v)) {
        return 0x7e00;
    }
    if (a < 0x1p-14) { /* denormal: steps of 2^-24 */
        return sign | (int)nearbyint(a * 0x1p24);
    }
    if (a >= 65504) {
        return sign | 0x7bff;
    }
    frexp(a, &e); /* a = 0.5..1 * 2^e */
    m = (int)nearbyint(ldexp(a, 11 - e));
    return sign | ((e + 13) * 1024 + m);
}
