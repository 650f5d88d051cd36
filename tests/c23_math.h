/* SPDX-License-Identifier: MIT */
/* Functions that <math.h> of C23 declares (ISO/IEC 9899:2024, 7.12) and glibc 2.36, Debian 12's, does not; glibc 2.41
 * of Debian 13 has most of them, 2.42 all. Read before a source: names of ours must differ (tests/c23_names.sh). */
#define ONE(name)            \
    double name(double);     \
    float name##f(float);    \
    long double name##l(long double);
#define TWO(name)                 \
    double name(double, double);  \
    float name##f(float, float);  \
    long double name##l(long double, long double);
#define POWER(name)                       \
    double name(double, long long int);   \
    float name##f(float, long long int);  \
    long double name##l(long double, long long int);

ONE(acospi) ONE(asinpi) ONE(atanpi) ONE(cospi) ONE(sinpi) ONE(tanpi)
ONE(exp10) ONE(exp10m1) ONE(exp2m1) ONE(log10p1) ONE(log2p1) ONE(logp1) ONE(rsqrt)
TWO(atan2pi) TWO(powr)
POWER(compoundn) POWER(pown) POWER(rootn)
