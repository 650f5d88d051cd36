/* SPDX-License-Identifier: MIT */
/* f32 and f64 arithmetic with IEEE 754 results: PTX ISA 9.7.3, 9.7.4. */
#include "model/igpu/sm_lanes.h"
#include <fenv.h>

/* The hot ones: to nearest even, subnormals kept */
#define F2(name, expr) OP2(name, f32, f32, f32, f32, f32, F32_CANON(expr))
#define F3(name, expr) OP3(name, f32, f32, f32, f32, f32, f32, f32, F32_CANON(expr))

F2(ADD_F32, a + b)
F2(SUB_F32, a - b)
F2(MUL_F32, a *b)
F3(FMA_F32, __builtin_fmaf(a, b, c))

/* .ftz: subnormal inputs and results are zero of the same sign */
#define FTZ2(name, expr)                        \
    static inline f32 name##_lane(f32 a, f32 b) \
    {                                           \
        return f32_ftz(F32_CANON(expr));        \
    }                                           \
    OP2(name, f32, f32, f32, f32, f32, name##_lane(f32_ftz(a), f32_ftz(b)))

FTZ2(ADD_FTZ_F32, a + b)
FTZ2(SUB_FTZ_F32, a - b)
FTZ2(MUL_FTZ_F32, a *b)

static inline f32 fma_ftz(f32 a, f32 b, f32 c)
{
    f32 v = __builtin_fmaf(f32_ftz(a), f32_ftz(b), f32_ftz(c));

    return f32_ftz(F32_CANON(v));
}

OP3(FMA_FTZ_F32, f32, f32, f32, f32, f32, f32, f32, fma_ftz(a, b, c))

#define D2(name, expr) OP2(name, f64, f64, f64, f64, f64, F64_NAN2(expr, a, b))

static inline f64 fma_f64(f64 a, f64 b, f64 c)
{
    f64 v = __builtin_fma(a, b, c);

    return F64_NAN3(v, a, b, c);
}

D2(ADD_F64, (a + b))
D2(SUB_F64, (a - b))
D2(MUL_F64, (a * b))
OP3(FMA_F64, f64, f64, f64, f64, f64, f64, f64, fma_f64(a, b, c))

/* The other roundings. The compiler does not know of the rounding mode, so values go through memory
 * between the changes of it: volatile arrays are the fence. */
static inline int round_mode(unsigned flags)
{
    static const int mode[] = { FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD };

    return mode[flags & PTX_FLOAT_ROUND];
}

static inline f32 f32_finish(f32 v, f32 a, f32 b, f32 c, unsigned flags, int n)
{
    (void)a, (void)b, (void)c, (void)n;
    v = F32_CANON(v);
    if (flags & PTX_FLOAT_FTZ) {
        v = f32_ftz(v);
    }
    if (flags & PTX_FLOAT_SAT) { /* NaN becomes +0 */
        v = v > 0.0f ? (v < 1.0f ? v : 1.0f) : 0.0f;
    }
    return v;
}

static inline f32 f32_input(f32 v, unsigned flags)
{
    return flags & PTX_FLOAT_FTZ ? f32_ftz(v) : v;
}

/* To nearest is what the host does anyway: all lanes at once. @flags: 0, as
 * nearly always, is known to the compiler, and the checks for the others are gone. */
#define NEAREST(name, type, n, input, finish, expr)                                        \
    static inline __attribute__((always_inline)) void name##_nearest(                      \
        const struct ptx_uop *u, uint8_t *rf, u32 m, unsigned flags)                       \
    {                                                                                      \
        type *d = SLOT(type, u->d);                                                        \
        const type *as = SLOT(const type, u->a);                                           \
        const type *bs = n > 1 ? SLOT(const type, u->b) : as;                              \
        const type *cs = n > 2 ? SLOT(const type, u->c) : as;                              \
        LANES                                                                              \
        {                                                                                  \
            type a = input(as[l], flags);                                                  \
            __attribute__((unused)) type b = input(bs[l], flags), c = input(cs[l], flags); \
            type v = finish(expr, a, b, c, flags, n);                                      \
            d[l] = m & lane_bit[l] ? v : d[l];                                             \
        }                                                                                  \
    }

#define ROUNDED(name, type, n, input, finish, expr)                                        \
    NEAREST(name, type, n, input, finish, expr)                                            \
    HANDLER(name)                                                                          \
    {                                                                                      \
        volatile type in[32][3], out[32];                                                  \
        int old = fegetround();                                                            \
        if (round_mode(u->sub) == FE_TONEAREST && old == FE_TONEAREST) {                   \
            if (u->sub == 0) {                                                             \
                name##_nearest(u, rf, m, 0);                                               \
            } else {                                                                       \
                name##_nearest(u, rf, m, u->sub);                                          \
            }                                                                              \
            return u + 1;                                                                  \
        }                                                                                  \
        LANES_OF(m)                                                                        \
        {                                                                                  \
            in[l][0] = input(SLOT(type, u->a)[l], u->sub);                                 \
            in[l][1] = n > 1 ? input(SLOT(type, u->b)[l], u->sub) : 0;                     \
            in[l][2] = n > 2 ? input(SLOT(type, u->c)[l], u->sub) : 0;                     \
        }                                                                                  \
        fesetround(round_mode(u->sub));                                                    \
        LANES_OF(m)                                                                        \
        {                                                                                  \
            type a = in[l][0];                                                             \
            __attribute__((unused)) type b = in[l][1], c = in[l][2];                       \
            out[l] = (expr);                                                               \
        }                                                                                  \
        fesetround(old);                                                                   \
        LANES_OF(m)                                                                        \
        {                                                                                  \
            SLOT(type, u->d)[l] = finish(out[l], in[l][0], in[l][1], in[l][2], u->sub, n); \
        }                                                                                  \
        return u + 1;                                                                      \
    }

#define F32_ROUNDED(name, n, expr) ROUNDED(name, f32, n, f32_input, f32_finish, expr)

static inline f64 f64_input(f64 v, unsigned flags)
{
    (void)flags;
    return v;
}

static inline f64 f64_finish(f64 v, f64 a, f64 b, f64 c, unsigned flags, int n)
{
    (void)flags;
    return n == 3 ? F64_NAN3(v, a, b, c) : F64_NAN2(v, a, n == 2 ? b : a);
}

/* div takes the first operand's NaN before the second's: it is a sequence, not an instruction. */
static inline f64 div_finish(f64 v, f64 a, f64 b, f64 c, unsigned flags, int n)
{
    (void)c, (void)flags, (void)n;
    return F64_NAN2(v, b, a);
}

#define F64_ROUNDED(name, n, expr) ROUNDED(name, f64, n, f64_input, f64_finish, expr)

F32_ROUNDED(ADD_F32_X, 2, a + b)
F32_ROUNDED(SUB_F32_X, 2, a - b)
F32_ROUNDED(MUL_F32_X, 2, a *b)
F32_ROUNDED(FMA_F32_X, 3, __builtin_fmaf(a, b, c))
F32_ROUNDED(DIV_F32_X, 2, a / b)
F32_ROUNDED(RCP_F32_X, 1, 1.0f / a)
F32_ROUNDED(SQRT_F32_X, 1, sqrtf(a))
F64_ROUNDED(ADD_F64_X, 2, a + b)
F64_ROUNDED(SUB_F64_X, 2, a - b)
F64_ROUNDED(MUL_F64_X, 2, a *b)
F64_ROUNDED(FMA_F64_X, 3, __builtin_fma(a, b, c))
ROUNDED(DIV_F64_X, f64, 2, f64_input, div_finish, a / b)
F64_ROUNDED(RCP_F64_X, 1, 1.0 / a)
F64_ROUNDED(SQRT_F64_X, 1, sqrt(a))

/* Sign and order. The manual leaves abs and neg of a NaN open; the H200 gives the canonical one in
 * single precision and keeps it, made quiet, in double. */
static inline f32 f32_sign(f32 v, unsigned flags, u32 keep, u32 flip)
{
    v = f32_input(v, flags);
    return v != v ? F32_NAN : f32_from((f32_bits(v) & keep) ^ flip);
}

OP1(ABS_F32, f32, f32, f32, f32_sign(a, u->sub, 0x7fffffffu, 0))
OP1(NEG_F32, f32, f32, f32, f32_sign(a, u->sub, UINT32_MAX, 0x80000000u))

OP1(ABS_F64, f64, f64, f64, a != a ? F64_QUIET(a) : f64_from(f64_bits(a) & INT64_MAX))
OP1(NEG_F64, f64, f64, f64, a != a ? F64_QUIET(a) : f64_from(f64_bits(a) ^ UINT64_C(1) << 63))
OP2(COPYSIGN_F32, u32, u32, u32, u32, u32, (a & 0x80000000u) | (b & 0x7fffffffu))
OP2(COPYSIGN_F64, u64, u64, u64, u64, u64, (a & (UINT64_C(1) << 63)) | (b & INT64_MAX))

/* 9.7.3.13: a NaN gives way to a number unless .NaN; -0 is below +0. Selections alone, as vectors
 * have them. */
static inline f32 minmax_f32(f32 a, f32 b, unsigned flags, bool max)
{
    u32 keep = flags & PTX_FLOAT_XORSIGN ? 0x7fffffffu : UINT32_MAX;
    u32 sign = (f32_bits(a) ^ f32_bits(b)) & ~keep, x = f32_bits(a) & keep, y = f32_bits(b) & keep;
    f32 v, more, less;
    bool none;

    a = f32_from(x);
    b = f32_from(y);
    more = a > b ? a : b;
    less = a > b ? b : a;
    v = max ? more : less;
    v = a == b ? f32_from(max ? x & y : x | y) : v;
    v = b != b ? a : v;
    v = a != a ? b : v;
    none = flags & PTX_FLOAT_NAN ? (a != a) | (b != b) : v != v;
    return none ? F32_NAN : f32_from(f32_bits(v) | sign);
}

static inline f64 minmax_f64(f64 a, f64 b, bool max)
{
    u64 x = f64_bits(a), y = f64_bits(b);
    f64 more = a > b ? a : b, less = a > b ? b : a, v = max ? more : less;

    v = a == b ? f64_from(max ? x & y : x | y) : v;
    v = b != b ? a : v;
    v = a != a ? b : v;
    return (a != a) & (b != b) ? F64_QUIET(b) : v;
}

static inline __attribute__((always_inline)) void minmax_lanes(const struct ptx_uop *u, uint8_t *rf,
                                                               u32 m, unsigned flags, bool max)
{
    const f32 *as = SLOT(const f32, u->a), *bs = SLOT(const f32, u->b);
    f32 *d = SLOT(f32, u->d);

    LANES
    {
        f32 v = minmax_f32(f32_input(as[l], flags), f32_input(bs[l], flags), flags, max);

        d[l] = m & lane_bit[l] ? v : d[l];
    }
}

#define F32_MINMAX(name, max)                    \
    HANDLER(name)                                \
    {                                            \
        if (u->sub == 0) { /* nearly always */   \
            minmax_lanes(u, rf, m, 0, max);      \
        } else {                                 \
            minmax_lanes(u, rf, m, u->sub, max); \
        }                                        \
        return u + 1;                            \
    }

F32_MINMAX(MIN_F32, false)
F32_MINMAX(MAX_F32, true)
OP2(MIN_F64, f64, f64, f64, f64, f64, minmax_f64(a, b, false))
OP2(MAX_F64, f64, f64, f64, f64, f64, minmax_f64(a, b, true))

/* testp, 9.7.3.1: by exponent and fraction; zero counts as normal */
static bool exec_testp(unsigned what, bool exp_ones, bool exp_zero, bool fraction)
{
    switch (what) {
    case PTX_TESTP_FINITE:
        return !exp_ones;
    case PTX_TESTP_INFINITE:
        return exp_ones && !fraction;
    case PTX_TESTP_NUMBER:
        return !(exp_ones && fraction);
    case PTX_TESTP_NOTANUMBER:
        return exp_ones && fraction;
    case PTX_TESTP_NORMAL:
        return !exp_ones && !(exp_zero && fraction);
    default:
        return exp_zero && fraction;
    }
}

HANDLER(TESTP_F32)
{
    u32 r = 0;

    LANES_OF(m)
    {
        u32 v = SLOT(u32, u->a)[l], e = v >> 23 & 0xff;

        r |= (u32)exec_testp(u->sub, e == 0xff, e == 0, v & 0x7fffff) << l;
    }
    pred_write(rf, u->d, m, r);
    return u + 1;
}

HANDLER(TESTP_F64)
{
    u32 r = 0;

    LANES_OF(m)
    {
        u64 v = SLOT(u64, u->a)[l];
        u32 e = (u32)(v >> 52) & 0x7ff;

        r |= (u32)exec_testp(u->sub, e == 0x7ff, e == 0, v & ((UINT64_C(1) << 52) - 1)) << l;
    }
    pred_write(rf, u->d, m, r);
    return u + 1;
}
