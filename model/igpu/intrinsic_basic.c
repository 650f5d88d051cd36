/* SPDX-License-Identifier: MIT */
/* libdevice's arithmetic with a rounding in its name, integer functions, classification and
 * conversion. All are exact: IEEE 754, or defined bit by bit. */
#include "model/igpu/intrinsic.h"
#include "model/igpu/sm_half.h"
#include <fenv.h>

/* The operands pass through volatile memory so that nothing is computed in another rounding. */
#define ROUND_TO(mode, type, out, expr) \
    do {                                \
        int old_ = fegetround();        \
        volatile type v_;               \
        fesetround(mode);               \
        v_ = (type)(expr);              \
        fesetround(old_);               \
        out = v_;                       \
    } while (0)

#define ROUNDED_F(name, mode, expr)                  \
    NV(name)                                         \
    {                                                \
        volatile float x = F(0), y = F(1), z = F(2); \
        float out;                                   \
        (void)x, (void)y, (void)z;                   \
        ROUND_TO(mode, float, out, expr);            \
        return ret_f(r, out);                        \
    }
#define ROUNDED_D(name, mode, expr)                   \
    NV(name)                                          \
    {                                                 \
        volatile double x = D(0), y = D(1), z = D(2); \
        double out;                                   \
        (void)x, (void)y, (void)z;                    \
        ROUND_TO(mode, double, out, expr);            \
        return ret_d(r, out);                         \
    }

#define FOUR_F(name, expr)                    \
    ROUNDED_F(name##_rn, FE_TONEAREST, expr)  \
    ROUNDED_F(name##_rz, FE_TOWARDZERO, expr) \
    ROUNDED_F(name##_rd, FE_DOWNWARD, expr)   \
    ROUNDED_F(name##_ru, FE_UPWARD, expr)
#define FOUR_D(name, expr)                    \
    ROUNDED_D(name##_rn, FE_TONEAREST, expr)  \
    ROUNDED_D(name##_rz, FE_TOWARDZERO, expr) \
    ROUNDED_D(name##_rd, FE_DOWNWARD, expr)   \
    ROUNDED_D(name##_ru, FE_UPWARD, expr)

FOUR_F(fadd, x + y)
FOUR_F(fsub, x - y)
FOUR_F(fmul, x *y)
FOUR_F(fdiv, x / y)
FOUR_F(frcp, 1.0f / x)
FOUR_F(fsqrt, sqrtf(x))
FOUR_F(fmaf, fmaf(x, y, z))
FOUR_F(fmaf_ieee, fmaf(x, y, z))
FOUR_D(dadd, x + y)
FOUR_D(dsub, x - y)
FOUR_D(dmul, x *y)
FOUR_D(ddiv, x / y)
FOUR_D(drcp, 1.0 / x)
FOUR_D(dsqrt, sqrt(x))
FOUR_D(fma, fma(x, y, z))
NV_F(fmaf, fmaf(F(0), F(1), F(2)))
NV_D(fma, fma(D(0), D(1), D(2)))
NV_F(sqrtf, sqrtf(F(0)))
NV_D(sqrt, sqrt(D(0)))
NV_F(frsqrt_rn, 1.0L / sqrtl(F(0)))

/* Between number types. The argument is read as the letter says and rounded on the way. */
#define FROM(name, mode, ret, type, from)   \
    NV(name)                                \
    {                                       \
        volatile __typeof__(from) x = from; \
        type out;                           \
        ROUND_TO(mode, type, out, x);       \
        return ret(r, out);                 \
    }
#define FROM_FOUR(name, ret, type, from)            \
    FROM(name##_rn, FE_TONEAREST, ret, type, from)  \
    FROM(name##_rz, FE_TOWARDZERO, ret, type, from) \
    FROM(name##_rd, FE_DOWNWARD, ret, type, from)   \
    FROM(name##_ru, FE_UPWARD, ret, type, from)

FROM_FOUR(int2float, ret_f, float, I(0))
FROM_FOUR(uint2float, ret_f, float, U(0))
FROM_FOUR(ll2float, ret_f, float, L(0))
FROM_FOUR(ull2float, ret_f, float, UL(0))
FROM_FOUR(ll2double, ret_d, double, L(0))
FROM_FOUR(ull2double, ret_d, double, UL(0))
FROM_FOUR(double2float, ret_f, float, D(0))
NV_D(int2double_rn, I(0))
NV_D(uint2double_rn, U(0))

#define TO_FOUR(name, ret, to, from)                                                               \
    ret(name##_rn, to(rint(from))) ret(name##_rz, to(trunc(from))) ret(name##_rd, to(floor(from))) \
        ret(name##_ru, to(ceil(from)))

TO_FOUR(float2int, NV_I, to_s32, F(0))
TO_FOUR(float2uint, NV_I, to_u32, F(0))
TO_FOUR(float2ll, NV_L, to_s64, F(0))
TO_FOUR(float2ull, NV_L, to_u64, F(0))
TO_FOUR(double2int, NV_I, to_s32, D(0))
TO_FOUR(double2uint, NV_I, to_u32, D(0))
TO_FOUR(double2ll, NV_L, to_s64, D(0))
TO_FOUR(double2ull, NV_L, to_u64, D(0))
NV_L(llrintf, to_s64(rint(F(0))))
NV_L(llrint, to_s64(rint(D(0))))
NV_L(llroundf, to_s64(round(F(0))))
NV_L(llround, to_s64(round(D(0))))

NV_L(float2half_rn, half_put(F(0), PTX_HALF_F16))
NV_F(half2float, half_get((uint16_t)a[0], PTX_HALF_F16, false))

/* The same bits as another type */
NV_I(float_as_int, U(0))
NV_I(float_as_uint, U(0))
NV_L(double_as_longlong, UL(0))
NV_I(double2hiint, UL(0) >> 32)
NV_I(double2loint, U(0))

NV(int_as_float)
{
    return ret_i(r, U(0));
}

NV(uint_as_float)
{
    return ret_i(r, U(0));
}

NV(longlong_as_double)
{
    return ret_i(r, UL(0));
}

NV(hiloint2double)
{
    return ret_i(r, (uint64_t)U(0) << 32 | U(1));
}

/* Rounding to integral values, sign, order */
NV_F(ceilf, ceilf(F(0)))
NV_D(ceil, ceil(D(0)))
NV_F(floorf, floorf(F(0)))
NV_D(floor, floor(D(0)))
NV_F(truncf, truncf(F(0)))
NV_D(trunc, trunc(D(0)))
NV_F(roundf, roundf(F(0)))
NV_D(round, round(D(0)))
NV_F(rintf, rintf(F(0)))
NV_D(rint, rint(D(0)))
NV_F(nearbyintf, rintf(F(0)))
NV_D(nearbyint, rint(D(0)))
NV_F(nextafterf, nextafterf(F(0), F(1)))
NV_D(nextafter, nextafter(D(0), D(1)))
NV_F(copysignf, copysignf(F(0), F(1)))
NV_D(copysign, copysign(D(0), D(1)))
NV_F(fabsf, fabsf(F(0)))
NV_D(fabs, fabs(D(0)))
NV_F(fdimf, fdimf(F(0), F(1)))
NV_D(fdim, fdim(D(0), D(1)))
NV_F(fmodf, fmodf(F(0), F(1)))
NV_D(fmod, fmod(D(0), D(1)))
NV_F(remainderf, remainderf(F(0), F(1)))
NV_D(remainder, remainder(D(0), D(1)))

/* A NaN gives way to a number; -0 is below +0. */
static double intrinsic_larger(double x, double y, bool max)
{
    if (x != x || y != y) {
        return x != x ? y : x;
    }
    if (x == y) {
        return (signbit(x) != 0) == max ? y : x;
    }
    return (x > y) == max ? x : y;
}

NV_F(fmaxf, intrinsic_larger(F(0), F(1), true))
NV_D(fmax, intrinsic_larger(D(0), D(1), true))
NV_F(fminf, intrinsic_larger(F(0), F(1), false))
NV_D(fmin, intrinsic_larger(D(0), D(1), false))
NV_F(saturatef, F(0) > 0.0f ? (F(0) < 1.0f ? F(0) : 1.0f) : 0.0f)

/* Classification, 0 or 1 */
NV_I(isnanf, F(0) != F(0))
NV_I(isnand, D(0) != D(0))
NV_I(isinff, fabsf(F(0)) == INFINITY)
NV_I(isinfd, fabs(D(0)) == INFINITY)
NV_I(finitef, fabsf(F(0)) < INFINITY)
NV_I(isfinited, fabs(D(0)) < INFINITY)
NV_I(signbitf, U(0) >> 31)
NV_I(signbitd, UL(0) >> 63)

/* The tag of a NaN is not looked at. */
NV_F(nanf, NAN)
NV_D(nan, NAN)

/* The upper half of 1/x, a first guess (rcp.approx.ftz.f64) */
NV(rcp64h)
{
    double x = D(0), v = 1.0 / (fabs(x) < 0x1p-1022 ? copysign(0.0, x) : x);

    ret_d(r, fabs(v) < 0x1p-1022 ? copysign(0.0, v) : v);
    *r &= ~(uint64_t)UINT32_MAX;
    return true;
}

/* Integers */
static uint32_t intrinsic_brev(uint32_t v)
{
    uint32_t out = 0;

    for (int i = 0; i < 32; i++) {
        out |= (v >> i & 1) << (31 - i);
    }
    return out;
}

static uint32_t byte_perm(uint32_t x, uint32_t y, uint32_t s)
{
    uint64_t both = (uint64_t)y << 32 | x;
    uint32_t out = 0;

    for (int i = 0; i < 4; i++) {
        out |= (uint32_t)(both >> (s >> (4 * i) & 7) * 8 & 0xff) << (8 * i);
    }
    return out;
}

static int64_t intrinsic_s24(uint32_t v)
{
    return (int32_t)(v << 8) >> 8;
}

NV_I(abs, I(0) < 0 ? 0u - U(0) : U(0))
NV_L(llabs, L(0) < 0 ? 0u - UL(0) : UL(0))
NV_I(max, I(0) > I(1) ? I(0) : I(1))
NV_I(min, I(0) < I(1) ? I(0) : I(1))
NV_I(umax, U(0) > U(1) ? U(0) : U(1))
NV_I(umin, U(0) < U(1) ? U(0) : U(1))
NV_L(llmax, L(0) > L(1) ? L(0) : L(1))
NV_L(llmin, L(0) < L(1) ? L(0) : L(1))
NV_I(mul24, intrinsic_s24(U(0)) * intrinsic_s24(U(1)))
NV_I(umul24, (uint64_t)(U(0) & 0xffffff) * (U(1) & 0xffffff))
NV_I(mulhi, (int64_t)I(0) * I(1) >> 32)
NV_I(umulhi, (uint64_t)U(0) * U(1) >> 32)
NV_L(mul64hi, __extension__((__int128)L(0) * L(1) >> 64))
NV_I(sad, U(2) + (I(0) < I(1) ? U(1) - U(0) : U(0) - U(1)))
NV_I(hadd, ((int64_t)I(0) + I(1)) >> 1)
NV_I(rhadd, ((int64_t)I(0) + I(1) + 1) >> 1)
NV_I(uhadd, ((uint64_t)U(0) + U(1)) >> 1)
NV_I(urhadd, ((uint64_t)U(0) + U(1) + 1) >> 1)
NV_I(brev, intrinsic_brev(U(0)))
NV_L(brevll, (uint64_t)intrinsic_brev(U(0)) << 32 | intrinsic_brev((uint32_t)(UL(0) >> 32)))
NV_I(clz, U(0) ? __builtin_clz(U(0)) : 32)
NV_I(clzll, UL(0) ? __builtin_clzll(UL(0)) : 64)
NV_I(ffs, __builtin_ffs(I(0)))
NV_I(ffsll, __builtin_ffsll(L(0)))
NV_I(popc, __builtin_popcount(U(0)))
NV_I(popcll, __builtin_popcountll(UL(0)))
NV_I(byte_perm, byte_perm(U(0), U(1), U(2)))
NV_L(ullmax, UL(0) > UL(1) ? UL(0) : UL(1))
NV_L(ullmin, UL(0) < UL(1) ? UL(0) : UL(1))
NV_L(umul64hi, __extension__((unsigned __int128)UL(0) * UL(1) >> 64))
NV_I(usad, U(2) + (U(0) < U(1) ? U(1) - U(0) : U(0) - U(1)))
