/* SPDX-License-Identifier: MIT */
/*
 * Part of cuda_fp16.h and cuda_bf16.h, which include it once each, with
 *
 * - VTEGRA_F: half or bfloat16, the word in the functions' names
 * - VTEGRA_T: the type of one number, with .vtegra_bits; VTEGRA_T2: of two, .x and .y
 * - VTEGRA_NARROW(value, mode): a double to the type's bits
 * - VTEGRA_WIDEN(bits): back to a float
 * - VTEGRA_FMA(a, b, c): the bits of the sum, rounded once
 *
 * Names, rounding and special values: CUDA Math API, "Half Precision Intrinsics" and "Bfloat16
 * Precision Intrinsics". A float has more than twice the bits of either type plus two, so
 * + - * / and sqrt in float, rounded again, are those that round once.
 */
#define VTEGRA_JOIN_(a, b, c) a##b##c
#define VTEGRA_JOIN(a, b, c) VTEGRA_JOIN_(a, b, c)
#define VTEGRA_N(before, after) VTEGRA_JOIN(before, VTEGRA_F, after)

VTEGRA_BOTH VTEGRA_T VTEGRA_N(vtegra_, _make)(double value, enum vtegra_round mode)
{
    VTEGRA_T t;

    t.vtegra_bits = VTEGRA_NARROW(value, mode);
    return t;
}
#define VTEGRA_NUM(value) VTEGRA_N(vtegra_, _make)(value, VTEGRA_RN)
#define VTEGRA_VALUE(t) VTEGRA_WIDEN((t).vtegra_bits)

/* Conversions. */
#define VTEGRA_FROM(name, type, mode)                         \
    VTEGRA_BOTH VTEGRA_T name(const type value)               \
    {                                                         \
        return VTEGRA_N(vtegra_, _make)((double)value, mode); \
    }
/* An integer of 64 bits does not fit a double: the bits below its 53 are gathered in the lowest
 * (sticky). */
VTEGRA_BOTH double VTEGRA_N(vtegra_, _sticky)(unsigned long long value)
{
    int shift = 0;

    while (value >> 52) {
        value = value >> 1 | (value & 1);
        shift++;
    }
    return (double)value * (double)(1ull << shift);
}
#define VTEGRA_FROM_LONG(name, type, mode)                                                         \
    VTEGRA_BOTH VTEGRA_T name(const type value)                                                    \
    {                                                                                              \
        double wide = value > 0 ? VTEGRA_N(vtegra_, _sticky)((unsigned long long)value)            \
                                : 0.0 - VTEGRA_N(vtegra_, _sticky)(0 - (unsigned long long)value); \
        return VTEGRA_N(vtegra_, _make)(wide, mode);                                               \
    }
#define VTEGRA_FROM_EACH(word, type)                         \
    VTEGRA_FROM(VTEGRA_N(__##word##2, _rn), type, VTEGRA_RN) \
    VTEGRA_FROM(VTEGRA_N(__##word##2, _rz), type, VTEGRA_RZ) \
    VTEGRA_FROM(VTEGRA_N(__##word##2, _rd), type, VTEGRA_RD) \
    VTEGRA_FROM(VTEGRA_N(__##word##2, _ru), type, VTEGRA_RU)
#define VTEGRA_FROM_LONGS(word, type)                             \
    VTEGRA_FROM_LONG(VTEGRA_N(__##word##2, _rn), type, VTEGRA_RN) \
    VTEGRA_FROM_LONG(VTEGRA_N(__##word##2, _rz), type, VTEGRA_RZ) \
    VTEGRA_FROM_LONG(VTEGRA_N(__##word##2, _rd), type, VTEGRA_RD) \
    VTEGRA_FROM_LONG(VTEGRA_N(__##word##2, _ru), type, VTEGRA_RU)
VTEGRA_FROM(VTEGRA_N(__float2, ), float, VTEGRA_RN)
VTEGRA_FROM(VTEGRA_N(__double2, ), double, VTEGRA_RN)
VTEGRA_FROM_EACH(float, float)
VTEGRA_FROM_EACH(int, int)
VTEGRA_FROM_EACH(uint, unsigned int)
VTEGRA_FROM_EACH(short, short)
VTEGRA_FROM_EACH(ushort, unsigned short)
VTEGRA_FROM_LONGS(ll, long long)
VTEGRA_FROM_LONGS(ull, unsigned long long)

VTEGRA_BOTH float VTEGRA_N(__, 2float)(const VTEGRA_T a)
{
    return VTEGRA_VALUE(a);
}

/* To an integer: NaN is 0 (for 64 bits the lowest number), what is out of range becomes the
 * nearest. */
VTEGRA_BOTH double VTEGRA_N(vtegra_, _whole)(VTEGRA_T a, enum vtegra_round mode)
{
    double value = (double)VTEGRA_VALUE(a);

    return mode == VTEGRA_RN   ? rint(value)
           : mode == VTEGRA_RZ ? trunc(value)
           : mode == VTEGRA_RD ? floor(value)
                               : ceil(value);
}
#define VTEGRA_TO(name, type, lowest, highest, nan, mode)     \
    VTEGRA_BOTH type name(const VTEGRA_T a)                   \
    {                                                         \
        double value = VTEGRA_N(vtegra_, _whole)(a, mode);    \
        return value != value               ? (type)(nan)     \
               : value <= (double)(lowest)  ? (type)(lowest)  \
               : value >= (double)(highest) ? (type)(highest) \
                                            : (type)value;    \
    }
#define VTEGRA_TO_EACH(word, type, lowest, highest, nan)                         \
    VTEGRA_TO(VTEGRA_N(__, 2##word##_rn), type, lowest, highest, nan, VTEGRA_RN) \
    VTEGRA_TO(VTEGRA_N(__, 2##word##_rz), type, lowest, highest, nan, VTEGRA_RZ) \
    VTEGRA_TO(VTEGRA_N(__, 2##word##_rd), type, lowest, highest, nan, VTEGRA_RD) \
    VTEGRA_TO(VTEGRA_N(__, 2##word##_ru), type, lowest, highest, nan, VTEGRA_RU)
VTEGRA_TO_EACH(int, int, INT_MIN, INT_MAX, 0)
VTEGRA_TO_EACH(uint, unsigned int, 0, UINT_MAX, 0)
VTEGRA_TO_EACH(short, short, SHRT_MIN, SHRT_MAX, 0)
VTEGRA_TO_EACH(ushort, unsigned short, 0, USHRT_MAX, 0)
VTEGRA_TO_EACH(ll, long long, LLONG_MIN, LLONG_MAX, LLONG_MIN)
VTEGRA_TO_EACH(ull, unsigned long long, 0, ULLONG_MAX, 1ull << 63)
VTEGRA_TO(VTEGRA_N(__, 2char_rz), signed char, SCHAR_MIN, SCHAR_MAX, 0, VTEGRA_RZ)
VTEGRA_TO(VTEGRA_N(__, 2uchar_rz), unsigned char, 0, UCHAR_MAX, 0, VTEGRA_RZ)

#define VTEGRA_AS(type, word)                                     \
    VTEGRA_BOTH type VTEGRA_N(__, _as_##word)(const VTEGRA_T a)   \
    {                                                             \
        return (type)a.vtegra_bits;                               \
    }                                                             \
    VTEGRA_BOTH VTEGRA_T VTEGRA_N(__##word##_as_, )(const type a) \
    {                                                             \
        VTEGRA_T t;                                               \
        t.vtegra_bits = (unsigned short)a;                        \
        return t;                                                 \
    }
VTEGRA_AS(short, short)
VTEGRA_AS(unsigned short, ushort)

/* Pairs. */
VTEGRA_BOTH VTEGRA_T2 VTEGRA_N(__halves2, 2)(const VTEGRA_T x, const VTEGRA_T y)
{
    VTEGRA_T2 t;

    t.x = x;
    t.y = y;
    return t;
}
#define VTEGRA_PAIR(x, y) VTEGRA_N(__halves2, 2)(x, y)
VTEGRA_BOTH VTEGRA_T2 VTEGRA_N(make_, 2)(const VTEGRA_T x, const VTEGRA_T y)
{
    return VTEGRA_PAIR(x, y);
}
VTEGRA_BOTH VTEGRA_T2 VTEGRA_JOIN(VTEGRA_N(__, 2), VTEGRA_F, 2)(const VTEGRA_T a)
{
    return VTEGRA_PAIR(a, a);
}
VTEGRA_BOTH VTEGRA_T2 VTEGRA_N(__float2, 2_rn)(const float a)
{
    return VTEGRA_PAIR(VTEGRA_NUM(a), VTEGRA_NUM(a));
}
VTEGRA_BOTH VTEGRA_T2 VTEGRA_N(__floats2, 2_rn)(const float a, const float b)
{
    return VTEGRA_PAIR(VTEGRA_NUM(a), VTEGRA_NUM(b));
}
VTEGRA_BOTH VTEGRA_T2 VTEGRA_N(__float22, 2_rn)(const float2 a)
{
    return VTEGRA_PAIR(VTEGRA_NUM(a.x), VTEGRA_NUM(a.y));
}
VTEGRA_BOTH float2 VTEGRA_N(__, 22float2)(const VTEGRA_T2 a)
{
    float2 f;

    f.x = VTEGRA_VALUE(a.x);
    f.y = VTEGRA_VALUE(a.y);
    return f;
}
VTEGRA_BOTH float __low2float(const VTEGRA_T2 a)
{
    return VTEGRA_VALUE(a.x);
}
VTEGRA_BOTH float __high2float(const VTEGRA_T2 a)
{
    return VTEGRA_VALUE(a.y);
}
VTEGRA_BOTH VTEGRA_T VTEGRA_N(__low2, )(const VTEGRA_T2 a)
{
    return a.x;
}
VTEGRA_BOTH VTEGRA_T VTEGRA_N(__high2, )(const VTEGRA_T2 a)
{
    return a.y;
}
VTEGRA_BOTH VTEGRA_T2 VTEGRA_N(__low2, 2)(const VTEGRA_T2 a)
{
    return VTEGRA_PAIR(a.x, a.x);
}
VTEGRA_BOTH VTEGRA_T2 VTEGRA_N(__high2, 2)(const VTEGRA_T2 a)
{
    return VTEGRA_PAIR(a.y, a.y);
}
VTEGRA_BOTH VTEGRA_T2 VTEGRA_N(__lows2, 2)(const VTEGRA_T2 a, const VTEGRA_T2 b)
{
    return VTEGRA_PAIR(a.x, b.x);
}
VTEGRA_BOTH VTEGRA_T2 VTEGRA_N(__highs2, 2)(const VTEGRA_T2 a, const VTEGRA_T2 b)
{
    return VTEGRA_PAIR(a.y, b.y);
}
VTEGRA_BOTH VTEGRA_T2 __lowhigh2highlow(const VTEGRA_T2 a)
{
    return VTEGRA_PAIR(a.y, a.x);
}

/* Arithmetic, of one number and of two. */
#define VTEGRA_1(name, name2, expression)          \
    VTEGRA_BOTH VTEGRA_T name(const VTEGRA_T a)    \
    {                                              \
        return expression;                         \
    }                                              \
    VTEGRA_BOTH VTEGRA_T2 name2(const VTEGRA_T2 a) \
    {                                              \
        return VTEGRA_PAIR(name(a.x), name(a.y));  \
    }
#define VTEGRA_2(name, name2, expression)                             \
    VTEGRA_BOTH VTEGRA_T name(const VTEGRA_T a, const VTEGRA_T b)     \
    {                                                                 \
        return expression;                                            \
    }                                                                 \
    VTEGRA_BOTH VTEGRA_T2 name2(const VTEGRA_T2 a, const VTEGRA_T2 b) \
    {                                                                 \
        return VTEGRA_PAIR(name(a.x, b.x), name(a.y, b.y));           \
    }
#define VTEGRA_3(name, name2, expression)                                                \
    VTEGRA_BOTH VTEGRA_T name(const VTEGRA_T a, const VTEGRA_T b, const VTEGRA_T c)      \
    {                                                                                    \
        return expression;                                                               \
    }                                                                                    \
    VTEGRA_BOTH VTEGRA_T2 name2(const VTEGRA_T2 a, const VTEGRA_T2 b, const VTEGRA_T2 c) \
    {                                                                                    \
        return VTEGRA_PAIR(name(a.x, b.x, c.x), name(a.y, b.y, c.y));                    \
    }
VTEGRA_BOTH VTEGRA_T VTEGRA_N(vtegra_, _bits)(unsigned short bits)
{
    VTEGRA_T t;

    t.vtegra_bits = bits;
    return t;
}
#define VTEGRA_OF(bits) VTEGRA_N(vtegra_, _bits)((unsigned short)(bits))
#define VTEGRA_ISNAN(a) (VTEGRA_VALUE(a) != VTEGRA_VALUE(a))
#define VTEGRA_FLOAT(op) VTEGRA_NUM(VTEGRA_VALUE(a) op VTEGRA_VALUE(b))
/* NaN becomes +0, as the PTX suffix .sat has it. */
VTEGRA_BOTH VTEGRA_T VTEGRA_N(vtegra_, _sat)(VTEGRA_T a)
{
    return !(VTEGRA_VALUE(a) > 0) ? VTEGRA_OF(0) : VTEGRA_VALUE(a) > 1 ? VTEGRA_NUM(1) : a;
}
VTEGRA_BOTH VTEGRA_T VTEGRA_N(vtegra_, _relu)(VTEGRA_T a)
{
    return VTEGRA_ISNAN(a) ? VTEGRA_OF(0x7fff) : a.vtegra_bits & 0x8000 ? VTEGRA_OF(0) : a;
}
VTEGRA_2(__hadd, __hadd2, VTEGRA_FLOAT(+))
VTEGRA_2(__hsub, __hsub2, VTEGRA_FLOAT(-))
VTEGRA_2(__hmul, __hmul2, VTEGRA_FLOAT(*))
VTEGRA_2(__hadd_rn, __hadd2_rn, VTEGRA_FLOAT(+))
VTEGRA_2(__hsub_rn, __hsub2_rn, VTEGRA_FLOAT(-))
VTEGRA_2(__hmul_rn, __hmul2_rn, VTEGRA_FLOAT(*))
VTEGRA_2(__hdiv, __h2div, VTEGRA_FLOAT(/))
VTEGRA_2(__hadd_sat, __hadd2_sat, VTEGRA_N(vtegra_, _sat)(VTEGRA_FLOAT(+)))
VTEGRA_2(__hsub_sat, __hsub2_sat, VTEGRA_N(vtegra_, _sat)(VTEGRA_FLOAT(-)))
VTEGRA_2(__hmul_sat, __hmul2_sat, VTEGRA_N(vtegra_, _sat)(VTEGRA_FLOAT(*)))
VTEGRA_3(__hfma, __hfma2, VTEGRA_OF(VTEGRA_FMA(a, b, c)))
VTEGRA_3(__hfma_sat, __hfma2_sat, VTEGRA_N(vtegra_, _sat)(VTEGRA_OF(VTEGRA_FMA(a, b, c))))
VTEGRA_3(__hfma_relu, __hfma2_relu, VTEGRA_N(vtegra_, _relu)(VTEGRA_OF(VTEGRA_FMA(a, b, c))))
VTEGRA_1(__hneg, __hneg2, VTEGRA_OF(VTEGRA_ISNAN(a) ? 0x7fff : a.vtegra_bits ^ 0x8000))
VTEGRA_1(__habs, __habs2, VTEGRA_OF(VTEGRA_ISNAN(a) ? 0x7fff : a.vtegra_bits & 0x7fff))

/* Comparisons: with NaN those of the plain names are false (but "not equal"), the unordered ones
 * (..u) true. */
#define VTEGRA_COMPARE(word, op, with_nan, unordered)                                              \
    VTEGRA_BOTH bool __h##word(const VTEGRA_T a, const VTEGRA_T b)                                 \
    {                                                                                              \
        return VTEGRA_ISNAN(a) || VTEGRA_ISNAN(b) ? with_nan : VTEGRA_VALUE(a) op VTEGRA_VALUE(b); \
    }                                                                                              \
    VTEGRA_BOTH bool __h##word##u(const VTEGRA_T a, const VTEGRA_T b)                              \
    {                                                                                              \
        return VTEGRA_ISNAN(a) || VTEGRA_ISNAN(b) ? unordered                                      \
                                                  : VTEGRA_VALUE(a) op VTEGRA_VALUE(b);            \
    }                                                                                              \
    VTEGRA_BOTH VTEGRA_T2 __h##word##2(const VTEGRA_T2 a, const VTEGRA_T2 b)                       \
    {                                                                                              \
        return VTEGRA_PAIR(VTEGRA_NUM(__h##word(a.x, b.x)), VTEGRA_NUM(__h##word(a.y, b.y)));      \
    }                                                                                              \
    VTEGRA_BOTH VTEGRA_T2 __h##word##u2(const VTEGRA_T2 a, const VTEGRA_T2 b)                      \
    {                                                                                              \
        return VTEGRA_PAIR(VTEGRA_NUM(__h##word##u(a.x, b.x)),                                     \
                           VTEGRA_NUM(__h##word##u(a.y, b.y)));                                    \
    }                                                                                              \
    VTEGRA_BOTH bool __hb##word##2(const VTEGRA_T2 a, const VTEGRA_T2 b)                           \
    {                                                                                              \
        return __h##word(a.x, b.x) && __h##word(a.y, b.y);                                         \
    }                                                                                              \
    VTEGRA_BOTH bool __hb##word##u2(const VTEGRA_T2 a, const VTEGRA_T2 b)                          \
    {                                                                                              \
        return __h##word##u(a.x, b.x) && __h##word##u(a.y, b.y);                                   \
    }                                                                                              \
    VTEGRA_BOTH unsigned int __h##word##2_mask(const VTEGRA_T2 a, const VTEGRA_T2 b)               \
    {                                                                                              \
        return (__h##word(a.x, b.x) ? 0xffffu : 0) | (__h##word(a.y, b.y) ? 0xffff0000u : 0);      \
    }                                                                                              \
    VTEGRA_BOTH unsigned int __h##word##u2_mask(const VTEGRA_T2 a, const VTEGRA_T2 b)              \
    {                                                                                              \
        return (__h##word##u(a.x, b.x) ? 0xffffu : 0) |                                            \
               (__h##word##u(a.y, b.y) ? 0xffff0000u : 0);                                         \
    }
VTEGRA_COMPARE(eq, ==, false, true)
VTEGRA_COMPARE(ne, !=, false, true)
VTEGRA_COMPARE(le, <=, false, true)
VTEGRA_COMPARE(ge, >=, false, true)
VTEGRA_COMPARE(lt, <, false, true)
VTEGRA_COMPARE(gt, >, false, true)

VTEGRA_BOTH bool __hisnan(const VTEGRA_T a)
{
    return VTEGRA_ISNAN(a);
}
VTEGRA_BOTH VTEGRA_T2 __hisnan2(const VTEGRA_T2 a)
{
    return VTEGRA_PAIR(VTEGRA_NUM(VTEGRA_ISNAN(a.x)), VTEGRA_NUM(VTEGRA_ISNAN(a.y)));
}
/* 1, -1 or 0 */
VTEGRA_BOTH int __hisinf(const VTEGRA_T a)
{
    float value = VTEGRA_VALUE(a);

    return value - value == 0 || value != value ? 0 : value > 0 ? 1 : -1;
}

/* The smaller and the larger; -0 is below +0. Of one NaN and a number: the number, _nan: the
 * canonical NaN. */
VTEGRA_BOTH VTEGRA_T VTEGRA_N(vtegra_, _choose)(VTEGRA_T a, VTEGRA_T b, bool larger, bool nan)
{
    if (VTEGRA_ISNAN(a) || VTEGRA_ISNAN(b)) {
        return nan || (VTEGRA_ISNAN(a) && VTEGRA_ISNAN(b)) ? VTEGRA_OF(0x7fff)
               : VTEGRA_ISNAN(a)                           ? b
                                                           : a;
    }
    if (VTEGRA_VALUE(a) == VTEGRA_VALUE(b)) {
        return (a.vtegra_bits >> 15 == 1) == larger ? b : a;
    }
    return (VTEGRA_VALUE(a) > VTEGRA_VALUE(b)) == larger ? a : b;
}
VTEGRA_2(__hmin, __hmin2, VTEGRA_N(vtegra_, _choose)(a, b, false, false))
VTEGRA_2(__hmax, __hmax2, VTEGRA_N(vtegra_, _choose)(a, b, true, false))
VTEGRA_2(__hmin_nan, __hmin2_nan, VTEGRA_N(vtegra_, _choose)(a, b, false, true))
VTEGRA_2(__hmax_nan, __hmax2_nan, VTEGRA_N(vtegra_, _choose)(a, b, true, true))

/* Mathematics: in float, then rounded. */
#define VTEGRA_MATH(name, expression) VTEGRA_1(h##name, h2##name, VTEGRA_NUM(expression))
VTEGRA_MATH(sqrt, sqrtf(VTEGRA_VALUE(a)))
VTEGRA_MATH(rsqrt, 1.0 / sqrt((double)VTEGRA_VALUE(a)))
VTEGRA_MATH(rcp, 1.0f / VTEGRA_VALUE(a))
VTEGRA_MATH(exp, expf(VTEGRA_VALUE(a)))
VTEGRA_MATH(exp2, exp2f(VTEGRA_VALUE(a)))
VTEGRA_MATH(exp10, pow(10.0, (double)VTEGRA_VALUE(a)))
VTEGRA_MATH(log, logf(VTEGRA_VALUE(a)))
VTEGRA_MATH(log2, log2f(VTEGRA_VALUE(a)))
VTEGRA_MATH(log10, log10f(VTEGRA_VALUE(a)))
VTEGRA_MATH(sin, sinf(VTEGRA_VALUE(a)))
VTEGRA_MATH(cos, cosf(VTEGRA_VALUE(a)))
VTEGRA_MATH(tanh, tanhf(VTEGRA_VALUE(a)))
VTEGRA_MATH(ceil, ceilf(VTEGRA_VALUE(a)))
VTEGRA_MATH(floor, floorf(VTEGRA_VALUE(a)))
VTEGRA_MATH(trunc, truncf(VTEGRA_VALUE(a)))
VTEGRA_MATH(rint, rintf(VTEGRA_VALUE(a)))

/* Operators. */
#define VTEGRA_OPERATOR(op, function)                                      \
    VTEGRA_BOTH VTEGRA_T operator op(const VTEGRA_T &a, const VTEGRA_T &b) \
    {                                                                      \
        return function(a, b);                                             \
    }                                                                      \
    VTEGRA_BOTH VTEGRA_T &operator op##=(VTEGRA_T & a, const VTEGRA_T & b) \
    {                                                                      \
        return a = function(a, b);                                         \
    }
#define VTEGRA_OPERATOR2(op, function)                                        \
    VTEGRA_BOTH VTEGRA_T2 operator op(const VTEGRA_T2 &a, const VTEGRA_T2 &b) \
    {                                                                         \
        return function(a, b);                                                \
    }                                                                         \
    VTEGRA_BOTH VTEGRA_T2 &operator op##=(VTEGRA_T2 & a, const VTEGRA_T2 & b) \
    {                                                                         \
        return a = function(a, b);                                            \
    }
VTEGRA_OPERATOR(+, __hadd)
VTEGRA_OPERATOR(-, __hsub)
VTEGRA_OPERATOR(*, __hmul)
VTEGRA_OPERATOR(/, __hdiv)
VTEGRA_OPERATOR2(+, __hadd2)
VTEGRA_OPERATOR2(-, __hsub2)
VTEGRA_OPERATOR2(*, __hmul2)
VTEGRA_OPERATOR2(/, __h2div)
#define VTEGRA_SIGNS(type, negative, add, one) \
    VTEGRA_BOTH type operator+(const type &a)  \
    {                                          \
        return a;                              \
    }                                          \
    VTEGRA_BOTH type operator-(const type &a)  \
    {                                          \
        return negative(a);                    \
    }                                          \
    VTEGRA_BOTH type &operator++(type &a)      \
    {                                          \
        return a = a + one;                    \
    }                                          \
    VTEGRA_BOTH type &operator--(type &a)      \
    {                                          \
        return a = a - one;                    \
    }                                          \
    VTEGRA_BOTH type operator++(type &a, int)  \
    {                                          \
        type before = a;                       \
        ++a;                                   \
        return before;                         \
    }                                          \
    VTEGRA_BOTH type operator--(type &a, int)  \
    {                                          \
        type before = a;                       \
        --a;                                   \
        return before;                         \
    }
VTEGRA_SIGNS(VTEGRA_T, __hneg, __hadd, VTEGRA_NUM(1))
VTEGRA_SIGNS(VTEGRA_T2, __hneg2, __hadd2, VTEGRA_N(__float2, 2_rn)(1.0f))
#define VTEGRA_RELATION(op, word)                                        \
    VTEGRA_BOTH bool operator op(const VTEGRA_T &a, const VTEGRA_T &b)   \
    {                                                                    \
        return __h##word(a, b);                                          \
    }                                                                    \
    VTEGRA_BOTH bool operator op(const VTEGRA_T2 &a, const VTEGRA_T2 &b) \
    {                                                                    \
        return __hb##word##2(a, b);                                      \
    }
VTEGRA_RELATION(==, eq)
VTEGRA_RELATION(!=, neu)
VTEGRA_RELATION(<=, le)
VTEGRA_RELATION(>=, ge)
VTEGRA_RELATION(<, lt)
VTEGRA_RELATION(>, gt)

/* Memory, lanes, atomics: kernels only. */
#if defined(__clang__) && defined(__CUDA__)
#define VTEGRA_LANES(type, carrier, copy)                                                          \
    VTEGRA_DEVICE type __shfl_sync(unsigned int mask, const type value, int lane, int width = 32)  \
    {                                                                                              \
        return copy<type>(                                                                         \
            (carrier)__shfl_sync(mask, (unsigned int)copy<carrier>(value), lane, width));          \
    }                                                                                              \
    VTEGRA_DEVICE type __shfl_up_sync(unsigned int mask, const type value, unsigned int n,         \
                                      int width = 32)                                              \
    {                                                                                              \
        return copy<type>(                                                                         \
            (carrier)__shfl_up_sync(mask, (unsigned int)copy<carrier>(value), n, width));          \
    }                                                                                              \
    VTEGRA_DEVICE type __shfl_down_sync(unsigned int mask, const type value, unsigned int n,       \
                                        int width = 32)                                            \
    {                                                                                              \
        return copy<type>(                                                                         \
            (carrier)__shfl_down_sync(mask, (unsigned int)copy<carrier>(value), n, width));        \
    }                                                                                              \
    VTEGRA_DEVICE type __shfl_xor_sync(unsigned int mask, const type value, int n, int width = 32) \
    {                                                                                              \
        return copy<type>(                                                                         \
            (carrier)__shfl_xor_sync(mask, (unsigned int)copy<carrier>(value), n, width));         \
    }                                                                                              \
    VTEGRA_DEVICE type __ldg(const type *p)                                                        \
    {                                                                                              \
        return copy<type>(__ldg((const carrier *)p));                                              \
    }                                                                                              \
    /* Compare and swap of the word around it: the sum of the instruction without a return value   \
     * is the same. */                                                                             \
    VTEGRA_DEVICE type atomicAdd(type *address, const type value)                                  \
    {                                                                                              \
        unsigned int *word = (unsigned int *)((size_t)address & ~(size_t)3), old = *word, seen;    \
        unsigned int shift = (unsigned int)((size_t)address & 3) * 8;                              \
        unsigned int mask = (unsigned int)(carrier) - 1 << shift;                                  \
        type before;                                                                               \
        do {                                                                                       \
            seen = old;                                                                            \
            before = copy<type>((carrier)(seen >> shift));                                         \
            unsigned int sum = (unsigned int)copy<carrier>(before + value);                        \
            old = atomicCAS(word, seen, (seen & ~mask) | sum << shift);                            \
        } while (old != seen);                                                                     \
        return before;                                                                             \
    }
VTEGRA_LANES(VTEGRA_T, unsigned short, vtegra_bits_copy)
VTEGRA_LANES(VTEGRA_T2, unsigned int, vtegra_bits_copy)
#undef VTEGRA_LANES
#endif

#undef VTEGRA_JOIN_
#undef VTEGRA_JOIN
#undef VTEGRA_N
#undef VTEGRA_NUM
#undef VTEGRA_VALUE
#undef VTEGRA_FROM
#undef VTEGRA_FROM_LONG
#undef VTEGRA_FROM_EACH
#undef VTEGRA_FROM_LONGS
#undef VTEGRA_TO
#undef VTEGRA_TO_EACH
#undef VTEGRA_AS
#undef VTEGRA_PAIR
#undef VTEGRA_1
#undef VTEGRA_2
#undef VTEGRA_3
#undef VTEGRA_OF
#undef VTEGRA_ISNAN
#undef VTEGRA_FLOAT
#undef VTEGRA_COMPARE
#undef VTEGRA_MATH
#undef VTEGRA_OPERATOR
#undef VTEGRA_OPERATOR2
#undef VTEGRA_SIGNS
#undef VTEGRA_RELATION
#undef VTEGRA_F
#undef VTEGRA_T
#undef VTEGRA_T2
#undef VTEGRA_NARROW
#undef VTEGRA_WIDEN
#undef VTEGRA_FMA
