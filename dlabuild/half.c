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

/* The bits of a double. */
static uint64_t double_bits(double v)
{
    union {
        double d;
        uint64_t u;
    } bits = { .d = v };

    return bits.u;
}

int32_t half_from_double(double v)
{
    double a = fabs(v);
    int sign = signbit(v) ? 0x8000 : 0;
    uint64_t u;

    if (isnan(v)) {
        return 0x7e00;
    }
    if (a < 0x1p-14) { /* denormal: steps of 2^-24, the last bit of a double of 2^28 */
        return sign | (int)(double_bits(a + 0x1p28) & 0x7ff);
    }
    if (a >= 65504) {
        return sign | 0x7bff;
    }
    u = double_bits(a);
    u += (UINT64_C(1) << 41) - 1 + (u >> 42 & 1); /* to nearest, ties to even */
    return sign | (int)((u >> 42) - ((1023 - 15) << 10));
}
