/* SPDX-License-Identifier: MIT */
/* The .approx and .full functions: PTX ISA 9.7.3. The hardware has tables whose bits are not
 * published; the manual gives error bounds. Here quotients and square roots are those of IEEE 754,
 * and the others are computed in double precision, far inside their bounds, and rounded once, with
 * arithmetic of our own so that no libm version changes a bit.
 *
 * Bounds of the manual: rcp, div.full 1 and 2 ulp, div.approx 2 ulp for |b| in [2^-126, 2^126],
 * sqrt 1 ulp (relative 2^-23), rsqrt relative 2^-22.9, ex2 2 ulp, lg2 absolute 2^-22 about 1, sin
 * and cos absolute 2^-20.5 within [-2pi, 2pi], tanh relative 2^-11.
 */
#include "model/igpu/sm_lanes.h"
#include "model/igpu/sm_math.h"

static f32 exec_approx_input(f32 v, unsigned flags)
{
    return flags & PTX_FLOAT_FTZ ? f32_ftz(v) : v;
}

static f32 exec_approx_finish(f64 v, unsigned flags)
{
    f32 r = (f32)v;

    r = F32_CANON(r);
    return flags & PTX_FLOAT_FTZ ? f32_ftz(r) : r;
}

/* In two loops, each over lanes of one size: that is vector code. */
#define APPROX(type, name, operands, expr)                                    \
    HANDLER(name)                                                             \
    {                                                                         \
        f32 *d = SLOT(f32, u->d);                                             \
        const f32 *as = SLOT(const f32, u->a);                                \
        __attribute__((unused)) const f32 *bs = operands;                     \
        unsigned flags = u->sub;                                              \
        type v[32] __attribute__((aligned(64)));                              \
                                                                              \
        LANES                                                                 \
        {                                                                     \
            type a = exec_approx_input(as[l], flags);                         \
            __attribute__((unused)) type b = exec_approx_input(bs[l], flags); \
            v[l] = (expr);                                                    \
        }                                                                     \
        LANES                                                                 \
        {                                                                     \
            f32 r = exec_approx_finish(v[l], flags);                          \
            d[l] = m & lane_bit[l] ? r : d[l];                                \
        }                                                                     \
        return u + 1;                                                         \
    }

#define APPROX1_AS(type, name, expr) APPROX(type, name, as, expr)
#define APPROX2_AS(type, name, expr) APPROX(type, name, SLOT(const f32, u->b), expr)
#define APPROX1(name, expr) APPROX1_AS(f64, name, expr)

/* 9.7.3.8: beyond 2^126 the reciprocal of b is lost; infinity times that is NaN. */
static f32 div_approx(f32 a, f32 b)
{
    f32 zero = copysignf(0.0f, a) * copysignf(1.0f, b), lost = fabsf(a) < INFINITY ? zero : NAN;

    return (fabsf(b) > 0x1p126f) & (fabsf(b) < INFINITY) ? lost : a / b;
}

/* Quotients and roots of floats, worked out as floats: rounding a double's once more would give the
 * same, since 53 bits are more than twice 24 and two. */
APPROX2_AS(f32, DIV_APPROX_F32, div_approx(a, b))
APPROX2_AS(f32, DIV_FULL_F32, a / b)
APPROX1_AS(f32, RCP_APPROX_F32, 1.0f / a)
APPROX1_AS(f32, SQRT_APPROX_F32, __builtin_sqrtf(a))
APPROX1(RSQRT_APPROX_F32, 1.0 / sqrt(a))
APPROX1(SIN_APPROX_F32, sm_sin(a))
APPROX1(COS_APPROX_F32, sm_cos(a))
APPROX1(LG2_APPROX_F32, sm_log2(a))
APPROX1(EX2_APPROX_F32, sm_exp2(a))
APPROX1(TANH_APPROX_F32, sm_tanh(a))

/* f64: .ftz forms take and deliver the upper 32 bits only, a first guess for an iteration
 * (9.7.3.14) */
static f64 f64_flush(f64 v)
{
    v = f64_from(f64_bits(v) & ~(u64)UINT32_MAX);
    return fabs(v) < 0x1p-1022 ? copysign(0.0, v) : v;
}

static f64 upper_half(f64 v)
{
    u64 b = f64_bits(v);

    if (v != v) {
        return f64_from(UINT64_C(0x7fffffff00000000));
    }
    return f64_from(fabs(v) == INFINITY ? b : b & ~(u64)UINT32_MAX);
}

EACH1(RCP_APPROX_F64, f64, f64, f64, upper_half(f64_flush(1.0 / f64_flush(a))))

/* One Newton step in twice the precision brings 1/sqrt to within an ulp. */
static f64 rsqrt_f64(f64 a)
{
    f64 r = 1.0 / sqrt(a), e;

    if (!(a > 0) || a == INFINITY) {
        return F64_NAN2(r, a, a);
    }
    e = __builtin_fma(-a * r, r, 1.0);
    return __builtin_fma(r * 0.5, e, r);
}

HANDLER(RSQRT_APPROX_F64)
{
    LANES_OF(m)
    {
        f64 a = SLOT(f64, u->a)[l];

        SLOT(f64, u->d)
        [l] = u->sub & PTX_FLOAT_FTZ ? upper_half(rsqrt_f64(f64_flush(a))) : rsqrt_f64(a);
    }
    return u + 1;
}
