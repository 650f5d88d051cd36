/* SPDX-License-Identifier: MIT */
/* How a handler is written: once for a lane, done for 32.
 *
 * The exec_*.c files are compiled once for each instruction set of the host (SM_ISA), and every
 * result is the same bits in each: no contraction, no host NaN, no libm where PTX gives a bound.
 * A loop over all 32 lanes is what the compiler can vectorise; with lanes missing, every lane is
 * computed and the old value kept where the mask is zero. Handlers that are slow or could fail for
 * a lane that is not there take the active lanes one by one.
 *
 * Compile with -fno-strict-aliasing: a slot is read as the type the instruction names.
 */
#ifndef MODEL_IGPU_SM_LANES_H
#define MODEL_IGPU_SM_LANES_H

#include "model/igpu/sm.h"
#include "model/igpu/sm_vec.h"
#include <math.h>
#include <string.h>

#ifndef SM_ISA
#define SM_ISA base
#endif
#define SM_PASTE2(isa, name) sm_##isa##_##name
#define SM_PASTE(isa, name) SM_PASTE2(isa, name)
#define SM_NAME(name) SM_PASTE(SM_ISA, name)

#ifndef MODEL_IGPU_NATIVE_BODY_H /* there they are inlined */
#define PTX_UOP(name, operands, spellings) sm_handler SM_NAME(name);
#include "ptx/uop.def"
#undef PTX_UOP
#endif

typedef int8_t s8;
typedef uint8_t u8;
typedef int16_t s16;
typedef uint16_t u16;
typedef int32_t s32;
typedef uint32_t u32;
typedef int64_t s64;
typedef uint64_t u64;
typedef float f32;
typedef double f64;
__extension__ typedef __int128 s128;
__extension__ typedef unsigned __int128 u128;

#define HANDLER(name)                                                     \
    const struct ptx_uop *SM_NAME(name)(                                  \
        __attribute__((unused)) struct warp * w, const struct ptx_uop *u, \
        __attribute__((unused)) uint8_t *rf, __attribute__((unused)) uint32_t m)

/* A slot as an array of lanes */
#define SLOT(type, offset) ((type *)__builtin_assume_aligned(rf + (offset), 64))
#define PRED(offset) (*(u32 *)__builtin_assume_aligned(rf + (offset), 4))

#if defined(__clang__)
#define LANES \
    _Pragma("clang loop vectorize(assume_safety) interleave(disable)") for (int l = 0; l < 32; l++)
#else
#define LANES _Pragma("GCC ivdep") for (int l = 0; l < 32; l++)
#endif
#define LANES_OF(mask) \
    for (u32 l_todo = (mask), l; l_todo && (l = lane_first(l_todo), 1); l_todo &= l_todo - 1)

/* Bit l of lane l: a vector of these turns a mask into lanes and back. */
#define BITS_4(i) 1u << (i), 1u << ((i) + 1), 1u << ((i) + 2), 1u << ((i) + 3)
static const u32 lane_bit[32]
    __attribute__((aligned(64), unused)) = { BITS_4(0),  BITS_4(4),  BITS_4(8),  BITS_4(12),
                                             BITS_4(16), BITS_4(20), BITS_4(24), BITS_4(28) };

/* One, two, three sources. dt: lanes of d; at, bt, ct: lanes; a, b, c in @expr have the types av,
 * bv, cv, to which the lanes are converted first. */
#define OP1(name, dt, at, av, expr)                \
    HANDLER(name)                                  \
    {                                              \
        dt *d = SLOT(dt, u->d);                    \
        const at *as = SLOT(const at, u->a);       \
        if (m == LANES_ALL) {                      \
            LANES                                  \
            {                                      \
                av a = (av)as[l];                  \
                d[l] = (dt)(expr);                 \
            }                                      \
        } else {                                   \
            LANES                                  \
            {                                      \
                av a = (av)as[l];                  \
                dt v = (dt)(expr);                 \
                d[l] = m & lane_bit[l] ? v : d[l]; \
            }                                      \
        }                                          \
        return u + 1;                              \
    }

#define OP2(name, dt, at, av, bt, bv, expr)        \
    HANDLER(name)                                  \
    {                                              \
        dt *d = SLOT(dt, u->d);                    \
        const at *as = SLOT(const at, u->a);       \
        const bt *bs = SLOT(const bt, u->b);       \
        if (m == LANES_ALL) {                      \
            LANES                                  \
            {                                      \
                av a = (av)as[l];                  \
                bv b = (bv)bs[l];                  \
                d[l] = (dt)(expr);                 \
            }                                      \
        } else {                                   \
            LANES                                  \
            {                                      \
                av a = (av)as[l];                  \
                bv b = (bv)bs[l];                  \
                dt v = (dt)(expr);                 \
                d[l] = m & lane_bit[l] ? v : d[l]; \
            }                                      \
        }                                          \
        return u + 1;                              \
    }

#define OP3(name, dt, at, av, bt, bv, ct, cv, expr) \
    HANDLER(name)                                   \
    {                                               \
        dt *d = SLOT(dt, u->d);                     \
        const at *as = SLOT(const at, u->a);        \
        const bt *bs = SLOT(const bt, u->b);        \
        const ct *cs = SLOT(const ct, u->c);        \
        if (m == LANES_ALL) {                       \
            LANES                                   \
            {                                       \
                av a = (av)as[l];                   \
                bv b = (bv)bs[l];                   \
                cv c = (cv)cs[l];                   \
                d[l] = (dt)(expr);                  \
            }                                       \
        } else {                                    \
            LANES                                   \
            {                                       \
                av a = (av)as[l];                   \
                bv b = (bv)bs[l];                   \
                cv c = (cv)cs[l];                   \
                dt v = (dt)(expr);                  \
                d[l] = m & lane_bit[l] ? v : d[l];  \
            }                                       \
        }                                           \
        return u + 1;                               \
    }

/* The active lanes one by one: @expr may branch, call, divide. */
#define EACH1(name, dt, at, av, expr)           \
    HANDLER(name)                               \
    {                                           \
        LANES_OF(m)                             \
        {                                       \
            av a = (av)SLOT(const at, u->a)[l]; \
            SLOT(dt, u->d)[l] = (dt)(expr);     \
        }                                       \
        return u + 1;                           \
    }

#define EACH2(name, dt, at, av, bt, bv, expr)   \
    HANDLER(name)                               \
    {                                           \
        LANES_OF(m)                             \
        {                                       \
            av a = (av)SLOT(const at, u->a)[l]; \
            bv b = (bv)SLOT(const bt, u->b)[l]; \
            SLOT(dt, u->d)[l] = (dt)(expr);     \
        }                                       \
        return u + 1;                           \
    }

#define EACH3(name, dt, at, av, bt, bv, ct, cv, expr) \
    HANDLER(name)                                     \
    {                                                 \
        LANES_OF(m)                                   \
        {                                             \
            av a = (av)SLOT(const at, u->a)[l];       \
            bv b = (bv)SLOT(const bt, u->b)[l];       \
            cv c = (cv)SLOT(const ct, u->c)[l];       \
            SLOT(dt, u->d)[l] = (dt)(expr);           \
        }                                             \
        return u + 1;                                 \
    }

/* A comparison of two sources into a predicate's mask */
#define COMPARE(name, at, av, expr)                 \
    HANDLER(name)                                   \
    {                                               \
        const at *as = SLOT(const at, u->a);        \
        const at *bs = SLOT(const at, u->b);        \
        u32 r[32] __attribute__((aligned(64)));     \
        LANES                                       \
        {                                           \
            av a = (av)as[l];                       \
            av b = (av)bs[l];                       \
            r[l] = (expr) ? UINT32_MAX : 0;         \
        }                                           \
        pred_write(rf, u->d, m, lanes_top_bits(r)); \
        return u + 1;                               \
    }

static inline __attribute__((unused)) void pred_write(uint8_t *rf, u32 offset, u32 m, u32 value)
{
    u32 *p = (u32 *)__builtin_assume_aligned(rf + offset, 4);

    *p = (*p & ~m) | (value & m);
}

/* Bits and floats */

static inline __attribute__((unused)) u32 f32_bits(f32 v)
{
    u32 b;

    memcpy(&b, &v, sizeof(b));
    return b;
}

static inline __attribute__((unused)) f32 f32_from(u32 b)
{
    f32 v;

    memcpy(&v, &b, sizeof(v));
    return v;
}

static inline __attribute__((unused)) u64 f64_bits(f64 v)
{
    u64 b;

    memcpy(&b, &v, sizeof(b));
    return b;
}

static inline __attribute__((unused)) f64 f64_from(u64 b)
{
    f64 v;

    memcpy(&v, &b, sizeof(v));
    return v;
}

/* PTX ISA 9.7.3: the NaN that a single-precision instruction gives is 0x7fffffff. */
#define F32_NAN __builtin_nanf("0x3fffff")
#define F32_CANON(v) ((v) != (v) ? F32_NAN : (v))

/* Double precision keeps the payload of a NaN operand, made quiet, the second operand's before the
 * third's before the first's, and makes 0xfff8000000000000 of what has no value (measured, H200).
 */
#define F64_QUIET(v) f64_from(f64_bits(v) | UINT64_C(1) << 51)
#define F64_NAN f64_from(UINT64_C(0xfff8000000000000))
#define F64_NAN2(v, a, b) \
    ((v) == (v) ? (v) : (b) != (b) ? F64_QUIET(b) : (a) != (a) ? F64_QUIET(a) : F64_NAN)
#define F64_NAN3(v, a, b, c)     \
    ((v) == (v)   ? (v)          \
     : (b) != (b) ? F64_QUIET(b) \
     : (c) != (c) ? F64_QUIET(c) \
     : (a) != (a) ? F64_QUIET(a) \
                  : F64_NAN)

/* Subnormal to zero of the same sign (.ftz) */
static inline __attribute__((unused)) f32 f32_ftz(f32 v)
{
    u32 b = f32_bits(v);

    return f32_from(b & 0x7f800000u ? b : b & 0x80000000u);
}

#endif
