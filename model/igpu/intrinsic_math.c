/* SPDX-License-Identifier: MIT */
/* libdevice's elementary and special functions. CUDA documents error bounds of 0 to 8 ulp (CUDA C++
 * programming guide, "Mathematical Functions"); here the single-precision ones are computed in
 * double and rounded once, the double-precision ones are the host libm's, which stays inside the
 * bounds. The fast_ ones are the sequences of .approx instructions that the guide names. */
#include "model/igpu/intrinsic.h"
#include "model/igpu/sm_math.h"

#define PI 0x1.921fb54442d18p+1

/* A function in both precisions: the host's, on doubles */
#define BOTH1(name, fn) NV_F(name##f, fn((double)F(0))) NV_D(name, fn(D(0)))
#define BOTH2(name, fn) NV_F(name##f, fn((double)F(0), (double)F(1))) NV_D(name, fn(D(0), D(1)))

BOTH1(acos, acos)
BOTH1(acosh, acosh)
BOTH1(asin, asin)
BOTH1(asinh, asinh)
BOTH1(atan, atan)
BOTH2(atan2, atan2)
BOTH1(atanh, atanh)
BOTH1(cbrt, cbrt)
BOTH1(cos, cos)
BOTH1(cosh, cosh)
BOTH1(erf, erf)
BOTH1(erfc, erfc)
BOTH1(exp, exp)
BOTH1(exp10, exp10)
BOTH1(exp2, exp2)
BOTH1(expm1, expm1)
BOTH1(j0, j0)
BOTH1(j1, j1)
BOTH1(lgamma, lgamma)
BOTH1(log, log)
BOTH1(log10, log10)
BOTH1(log1p, log1p)
BOTH1(log2, log2)
BOTH2(pow, pow)
BOTH1(sin, sin)
BOTH1(sinh, sinh)
BOTH1(tan, tan)
BOTH1(tanh, tanh)
BOTH1(tgamma, tgamma)
BOTH1(y0, y0)
BOTH1(y1, y1)

NV_F(jnf, jn(I(0), (double)F(1)))
NV_D(jn, jn(I(0), D(1)))
NV_F(ynf, yn(I(0), (double)F(1)))
NV_D(yn, yn(I(0), D(1)))
NV_F(powif, pow((double)F(0), I(1)))
NV_D(powi, pow(D(0), I(1)))

/* Multiples of pi: the argument is reduced exactly first, so integers give exact zeros. */
static double sin_pi(double x)
{
    double r = remainder(x, 2.0); /* [-1, 1] */

    if (r == 0.0 || fabs(r) == 1.0) {
        return copysign(0.0, x);
    }
    r = r > 0.5 ? 1.0 - r : r < -0.5 ? -1.0 - r : r;
    return sin(r * PI);
}

static double cos_pi(double x)
{
    double r = fabs(remainder(x, 2.0));

    return r == 0.5 ? 0.0 : r < 0.25 ? cos(r * PI) : sin_pi(0.5 - r);
}

BOTH1(sinpi, sin_pi)
BOTH1(cospi, cos_pi)

static double intrinsic_rcbrt(double x)
{
    return 1.0 / cbrt(x);
}

static double root_inverse(double x)
{
    return (double)(1.0L / sqrtl(x));
}

BOTH1(rcbrt, intrinsic_rcbrt)
BOTH1(rsqrt, root_inverse)

/* erfcx = e^(x^2) erfc(x); its continued fraction where erfc would be too small */
static double intrinsic_erfcx(double x)
{
    double v = 0.0;

    if (x < 10.0) {
        return x < -26.7 ? INFINITY : exp(x * x) * erfc(x);
    }
    for (int k = 30; k > 0; k--) {
        v = k * 0.5 / (x + v);
    }
    return 0x1.20dd750429b6dp-1 / (x + v); /* 1/sqrt(pi) */
}

BOTH1(erfcx, intrinsic_erfcx)

/* Inverse of erfc on (0, 1]: a rational first guess (Hastings), then Halley's iteration */
static double erfcinv_small(double y)
{
    double t = sqrt(-2.0 * log(y * 0.5)), x;

    x = -0.70711 * ((2.30753 + t * 0.27061) / (1.0 + t * (0.99229 + t * 0.04481)) - t);
    for (int i = 0; i < 4; i++) {
        double e = erfc(x) - y;

        x += e / (0x1.20dd750429b6dp+0 * exp(-x * x) - x * e);
    }
    return x;
}

static double intrinsic_erfcinv(double y)
{
    if (!(y >= 0.0 && y <= 2.0)) {
        return NAN;
    }
    return y == 0.0   ? INFINITY
           : y == 2.0 ? -INFINITY
           : y == 1.0 ? 0.0
           : y < 1.0  ? erfcinv_small(y)
                      : -erfcinv_small(2.0 - y);
}

static double intrinsic_erfinv(double y)
{
    double a = fabs(y), x;

    if (!(a <= 1.0)) {
        return NAN;
    }
    if (a > 0.5) {
        return copysign(intrinsic_erfcinv(1.0 - a), y);
    }
    x = a * 0x1.c5bf891b4ef6ap-1; /* sqrt(pi)/2 */
    for (int i = 0; i < 5; i++) {
        double e = erf(x) - a;

        x -= e / (0x1.20dd750429b6dp+0 * exp(-x * x) + x * e);
    }
    return copysign(x, y);
}

BOTH1(erfinv, intrinsic_erfinv)
BOTH1(erfcinv, intrinsic_erfcinv)

#define SQRT1_2 0x1.6a09e667f3bcdp-1

static double intrinsic_normcdf(double x)
{
    return 0.5 * erfc(-x * SQRT1_2);
}

static double intrinsic_normcdfinv(double p)
{
    return -2.0 * SQRT1_2 * intrinsic_erfcinv(2.0 * p);
}

BOTH1(normcdf, intrinsic_normcdf)
BOTH1(normcdfinv, intrinsic_normcdfinv)

/* Modified Bessel functions: the series has positive terms only, so it loses nothing. */
static double bessel_i(double x, int order)
{
    double q = x * x * 0.25, term = order ? x * 0.5 : 1.0, sum = term;

    if (x != x || fabs(x) == INFINITY) {
        return order ? x : fabs(x);
    }
    for (int k = 1; k < 2000 && fabs(term) > fabs(sum) * 0x1p-60 && fabs(sum) < INFINITY; k++) {
        term *= q / ((double)k * (k + order));
        sum += term;
    }
    return sum;
}

static double bessel_i0(double x)
{
    return bessel_i(x, 0);
}

static double bessel_i1(double x)
{
    return bessel_i(x, 1);
}

BOTH1(cyl_bessel_i0, bessel_i0)
BOTH1(cyl_bessel_i1, bessel_i1)

/* Lengths. The products of long doubles do not overflow where the result does not. */
static double intrinsic_length(const double *v, int n, bool reciprocal)
{
    long double sum = 0.0L;

    for (int i = 0; i < n; i++) {
        if (fabs(v[i]) == INFINITY) {
            return reciprocal ? 0.0 : INFINITY;
        }
        sum += (long double)v[i] * v[i];
    }
    sum = sqrtl(sum);
    return (double)(reciprocal ? 1.0L / sum : sum);
}

#define LENGTH(n, conv, reciprocal)                                                       \
    intrinsic_length((const double[]){ conv(0), conv(n > 1 ? 1 : 0), conv(n > 2 ? 2 : 0), \
                                       conv(n > 3 ? 3 : 0) },                             \
                     n, reciprocal)

NV_F(hypotf, LENGTH(2, F, false))
NV_D(hypot, LENGTH(2, D, false))
NV_F(rhypotf, LENGTH(2, F, true))
NV_D(rhypot, LENGTH(2, D, true))
NV_F(norm3df, LENGTH(3, F, false))
NV_D(norm3d, LENGTH(3, D, false))
NV_F(rnorm3df, LENGTH(3, F, true))
NV_D(rnorm3d, LENGTH(3, D, true))
NV_F(norm4df, LENGTH(4, F, false))
NV_D(norm4d, LENGTH(4, D, false))
NV_F(rnorm4df, LENGTH(4, F, true))
NV_D(rnorm4d, LENGTH(4, D, true))

static bool vector_length(const struct lane_call *c, const uint64_t *a, bool is_float,
                          bool reciprocal, double *out)
{
    int n = (int32_t)a[0];
    long double sum = 0.0L;
    uint32_t size = is_float ? 4 : 8;

    for (int i = 0; i < n; i++) {
        uint64_t bits = 0;
        double v;

        if (!sm_read(c->w, c->u, c->lane, a[1] + (uint64_t)i * size, &bits, size)) {
            return false;
        }
        v = is_float ? arg_f(bits) : arg_d(bits);
        sum += (long double)v * v;
    }
    sum = sqrtl(sum);
    *out = (double)(reciprocal ? 1.0L / sum : sum);
    return true;
}

static bool ret_f_of_d(uint64_t *r, double v)
{
    return ret_f(r, (float)v);
}

#define VECTOR(name, is_float, reciprocal, ret)                            \
    NV(name)                                                               \
    {                                                                      \
        double v;                                                          \
        return vector_length(c, a, is_float, reciprocal, &v) && ret(r, v); \
    }

VECTOR(norm, false, false, ret_d)
VECTOR(rnorm, false, true, ret_d)
VECTOR(normf, true, false, ret_f_of_d)
VECTOR(rnormf, true, true, ret_f_of_d)

/* Results through pointers */
static bool store_f(const struct lane_call *c, uint64_t va, double v)
{
    uint64_t bits;

    ret_f(&bits, (float)v);
    return sm_write(c->w, c->u, c->lane, va, &bits, 4);
}

static bool store_d(const struct lane_call *c, uint64_t va, double v)
{
    uint64_t bits;

    ret_d(&bits, v);
    return sm_write(c->w, c->u, c->lane, va, &bits, 8);
}

static bool store_i(const struct lane_call *c, uint64_t va, int v)
{
    return sm_write(c->w, c->u, c->lane, va, &v, 4);
}

NV(sincosf)
{
    return store_f(c, a[1], sin(F(0))) && store_f(c, a[2], cos(F(0)));
}

NV(sincos)
{
    return store_d(c, a[1], sin(D(0))) && store_d(c, a[2], cos(D(0)));
}

NV(sincospif)
{
    return store_f(c, a[1], sin_pi(F(0))) && store_f(c, a[2], cos_pi(F(0)));
}

NV(sincospi)
{
    return store_d(c, a[1], sin_pi(D(0))) && store_d(c, a[2], cos_pi(D(0)));
}

NV(frexpf)
{
    int e = 0;

    ret_f(r, frexpf(F(0), &e));
    return store_i(c, a[1], isfinite(F(0)) ? e : 0);
}

NV(frexp)
{
    int e = 0;

    ret_d(r, frexp(D(0), &e));
    return store_i(c, a[1], isfinite(D(0)) ? e : 0);
}

NV(modff)
{
    float whole;

    ret_f(r, modff(F(0), &whole));
    return store_f(c, a[1], whole);
}

NV(modf)
{
    double whole;

    ret_d(r, modf(D(0), &whole));
    return store_d(c, a[1], whole);
}

NV(remquof)
{
    int q = 0;

    ret_f(r, remquof(F(0), F(1), &q));
    return store_i(c, a[2], q);
}

NV(remquo)
{
    int q = 0;

    ret_d(r, remquo(D(0), D(1), &q));
    return store_i(c, a[2], q);
}

/* Exponents */
static int ilogb_device(double x)
{
    return x == 0.0 || x != x ? INT32_MIN : fabs(x) == INFINITY ? INT32_MAX : ilogb(x);
}

NV_I(ilogbf, ilogb_device(F(0)))
NV_I(ilogb, ilogb_device(D(0)))
NV_F(logbf, logbf(F(0)))
NV_D(logb, logb(D(0)))
NV_F(ldexpf, ldexpf(F(0), I(1)))
NV_D(ldexp, ldexp(D(0), I(1)))
NV_F(scalbnf, scalbnf(F(0), I(1)))
NV_D(scalbn, scalbn(D(0), I(1)))

/* fast_: 1.4426950 = log2(e), 3.3219280 = log2(10), in single precision as the compiler has them */
static float intrinsic_lg2f(float x)
{
    return (float)sm_log2(x);
}

static float intrinsic_ex2f(float x)
{
    return (float)sm_exp2(x);
}

static float fast_div(float x, float y)
{
    if (fabsf(y) > 0x1p126f && fabsf(y) < INFINITY) {
        return !(fabsf(x) < INFINITY) ? NAN : 0.0f;
    }
    return x / y;
}

NV_F(fast_sinf, sm_sin(F(0)))
NV_F(fast_cosf, sm_cos(F(0)))
NV_F(fast_tanf, fast_div((float)sm_sin(F(0)), (float)sm_cos(F(0))))
NV_F(fast_expf, intrinsic_ex2f(F(0) * 0x1.715476p+0f))
NV_F(fast_exp10f, intrinsic_ex2f(F(0) * 0x1.a934fp+1f))
NV_F(fast_log2f, intrinsic_lg2f(F(0)))
NV_F(fast_logf, intrinsic_lg2f(F(0)) * 0x1.62e43p-1f)
NV_F(fast_log10f, intrinsic_lg2f(F(0)) * 0x1.344136p-2f)
NV_F(fast_powf, intrinsic_ex2f(F(1) * intrinsic_lg2f(F(0))))
NV_F(fast_fdividef, fast_div(F(0), F(1)))

NV(fast_sincosf)
{
    return store_f(c, a[1], sm_sin(F(0))) && store_f(c, a[2], sm_cos(F(0)));
}
