/* SPDX-License-Identifier: MIT */
/* Logic, shifts, comparison, selection, permutation: PTX ISA 9.7.6 to 9.7.9. */
#include "model/igpu/sm_half.h"
#include "model/igpu/sm_lanes.h"

#define W1(name, av, expr) OP1(name, u32, u32, av, expr)
#define W2(name, av, expr) OP2(name, u32, u32, av, u32, av, expr)
#define W3(name, av, expr) OP3(name, u32, u32, av, u32, av, u32, av, expr)
#define L1(name, av, expr) OP1(name, u64, u64, av, expr)
#define L2(name, av, expr) OP2(name, u64, u64, av, u64, av, expr)

W2(AND_B32, u32, a &b)
L2(AND_B64, u64, a &b)
W2(OR_B32, u32, a | b)
L2(OR_B64, u64, a | b)
W2(XOR_B32, u32, a ^ b)
L2(XOR_B64, u64, a ^ b)
W1(NOT_B32, u32, ~a)
L1(NOT_B64, u64, ~a)
W1(CNOT_B16, u16, a == 0)
W1(CNOT_B32, u32, a == 0)
L1(CNOT_B64, u64, a == 0)

/* Predicates: 32 lanes at once */
#define MASK2(name, expr)                   \
    HANDLER(name)                           \
    {                                       \
        u32 a = PRED(u->a), b = PRED(u->b); \
        pred_write(rf, u->d, m, (expr));    \
        return u + 1;                       \
    }

MASK2(AND_PRED, a &b)
MASK2(OR_PRED, a | b)
MASK2(XOR_PRED, a ^ b)

HANDLER(NOT_PRED)
{
    pred_write(rf, u->d, m, ~PRED(u->a));
    return u + 1;
}

HANDLER(MOV_PRED)
{
    pred_write(rf, u->d, m, PRED(u->a));
    return u + 1;
}

/* 9.7.8.6: result bit = bit (a:b:c) of the table */
HANDLER(LOP3_B32)
{
    const u32 *as = SLOT(const u32, u->a), *bs = SLOT(const u32, u->b), *cs = SLOT(const u32, u->c);
    u32 *d = SLOT(u32, u->d);
    u32 t[8];

    for (int i = 0; i < 8; i++) {
        t[i] = u->sub >> i & 1 ? UINT32_MAX : 0;
    }
    LANES
    {
        u32 a = as[l], b = bs[l], c = cs[l];
        u32 v = (~a & ~b & ~c & t[0]) | (~a & ~b & c & t[1]) | (~a & b & ~c & t[2]) |
                (~a & b & c & t[3]) | (a & ~b & ~c & t[4]) | (a & ~b & c & t[5]) |
                (a & b & ~c & t[6]) | (a & b & c & t[7]);
        d[l] = m & lane_bit[l] ? v : d[l];
    }
    return u + 1;
}

/* Shifts by more than the width clamp, 9.7.8.8 */
W2(SHL_B16, u32, b > 15 ? 0 : (u32)(u16)a << (b & 15))
W2(SHL_B32, u32, b > 31 ? 0 : a << (b & 31))
OP2(SHL_B64, u64, u64, u64, u32, u32, b > 63 ? 0 : a << (b & 63))
W2(SHR_U16, u32, b > 15 ? 0 : (u32)(u16)a >> (b & 15))
W2(SHR_S16, u32, (s32)(s16)a >> (b > 15 ? 15 : b))
W2(SHR_U32, u32, b > 31 ? 0 : a >> (b & 31))
W2(SHR_S32, u32, (s32)a >> (b > 31 ? 31 : b))
OP2(SHR_U64, u64, u64, u64, u32, u32, b > 63 ? 0 : a >> (b & 63))
OP2(SHR_S64, u64, s64, s64, u32, u32, a >> (b > 63 ? 63 : b))

/* Funnel shift of [b:a]: the upper word of a left, the lower of a right shift, 9.7.8.7 */
#define PAIR ((u64)b << 32 | a)
W3(SHF_L_CLAMP_B32, u32, (PAIR << (c > 32 ? 32 : c)) >> 32)
W3(SHF_L_WRAP_B32, u32, (PAIR << (c & 31)) >> 32)
W3(SHF_R_CLAMP_B32, u32, PAIR >> (c > 32 ? 32 : c))
W3(SHF_R_WRAP_B32, u32, PAIR >> (c & 31))

/* prmt, 9.7.9.7: bytes of {b, a}, with the sign of a byte spread when bit 3 of its selector is set
 */
static inline u32 prmt_byte(u64 ab, u32 selector)
{
    u32 byte = (u32)(ab >> (selector & 7) * 8) & 0xff;

    return selector & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
}

static inline u32 exec_prmt(u32 a, u32 b, u32 s)
{
    u64 ab = (u64)b << 32 | a;

    return prmt_byte(ab, s & 15) | prmt_byte(ab, s >> 4 & 15) << 8 |
           prmt_byte(ab, s >> 8 & 15) << 16 | prmt_byte(ab, s >> 12 & 15) << 24;
}

static const u16 prmt_f4e[4] = { 0x3210, 0x4321, 0x5432, 0x6543 };
static const u16 prmt_b4e[4] = { 0x5670, 0x6701, 0x7012, 0x0123 };
static const u16 prmt_rc8[4] = { 0x0000, 0x1111, 0x2222, 0x3333 };
static const u16 prmt_ecl[4] = { 0x3210, 0x3211, 0x3222, 0x3333 };
static const u16 prmt_ecr[4] = { 0x0000, 0x1110, 0x2210, 0x3210 };
static const u16 prmt_rc16[4] = { 0x1010, 0x3232, 0x1010, 0x3232 };

#define EW3(name, expr) EACH3(name, u32, u32, u32, u32, u32, u32, u32, expr)
EW3(PRMT_B32, exec_prmt(a, b, c))
EW3(PRMT_F4E, exec_prmt(a, b, prmt_f4e[c & 3]))
EW3(PRMT_B4E, exec_prmt(a, b, prmt_b4e[c & 3]))
EW3(PRMT_RC8, exec_prmt(a, b, prmt_rc8[c & 3]))
EW3(PRMT_ECL, exec_prmt(a, b, prmt_ecl[c & 3]))
EW3(PRMT_ECR, exec_prmt(a, b, prmt_ecr[c & 3]))
EW3(PRMT_RC16, exec_prmt(a, b, prmt_rc16[c & 3]))

/* Comparison */
#define ORDER(type, lane, av)                 \
    COMPARE(SETP_LT_##type, lane, av, a < b)  \
    COMPARE(SETP_LE_##type, lane, av, a <= b) \
    COMPARE(SETP_GT_##type, lane, av, a > b)  \
    COMPARE(SETP_GE_##type, lane, av, a >= b)

COMPARE(SETP_EQ_B16, u32, u16, a == b)
COMPARE(SETP_NE_B16, u32, u16, a != b)
ORDER(U16, u32, u16)
ORDER(S16, u32, s16)
COMPARE(SETP_EQ_B32, u32, u32, a == b)
COMPARE(SETP_NE_B32, u32, u32, a != b)
ORDER(U32, u32, u32)
ORDER(S32, s32, s32)
COMPARE(SETP_EQ_B64, u64, u64, a == b)
COMPARE(SETP_NE_B64, u64, u64, a != b)
ORDER(U64, u64, u64)
ORDER(S64, s64, s64)

/* Floats: the plain ones are false, the ...u ones true when an operand is NaN, 9.3.2 */
#define UNORDERED (a != a || b != b)
#define FLOATS(type, lane)                                    \
    COMPARE(SETP_EQ_##type, lane, lane, a == b)               \
    COMPARE(SETP_NE_##type, lane, lane, !UNORDERED && a != b) \
    COMPARE(SETP_LT_##type, lane, lane, a < b)                \
    COMPARE(SETP_LE_##type, lane, lane, a <= b)               \
    COMPARE(SETP_GT_##type, lane, lane, a > b)                \
    COMPARE(SETP_GE_##type, lane, lane, a >= b)               \
    COMPARE(SETP_EQU_##type, lane, lane, a == b || UNORDERED) \
    COMPARE(SETP_NEU_##type, lane, lane, a != b)              \
    COMPARE(SETP_LTU_##type, lane, lane, !(a >= b))           \
    COMPARE(SETP_LEU_##type, lane, lane, !(a > b))            \
    COMPARE(SETP_GTU_##type, lane, lane, !(a <= b))           \
    COMPARE(SETP_GEU_##type, lane, lane, !(a < b))            \
    COMPARE(SETP_NUM_##type, lane, lane, !UNORDERED)          \
    COMPARE(SETP_NAN_##type, lane, lane, UNORDERED)

FLOATS(F32, f32)
FLOATS(F64, f64)

static inline bool compare_floats(unsigned cmp, f64 a, f64 b)
{
    bool unordered = a != a || b != b;

    switch (cmp) {
    case PTX_CMP_EQ:
        return a == b;
    case PTX_CMP_NE:
        return !unordered && a != b;
    case PTX_CMP_LT:
        return a < b;
    case PTX_CMP_LE:
        return a <= b;
    case PTX_CMP_GT:
        return a > b;
    case PTX_CMP_GE:
        return a >= b;
    case PTX_CMP_EQU:
        return unordered || a == b;
    case PTX_CMP_NEU:
        return a != b;
    case PTX_CMP_LTU:
        return !(a >= b);
    case PTX_CMP_LEU:
        return !(a > b);
    case PTX_CMP_GTU:
        return !(a <= b);
    case PTX_CMP_GEU:
        return !(a < b);
    case PTX_CMP_NUM:
        return !unordered;
    default:
        return unordered;
    }
}

HANDLER(SETP_FTZ_F32)
{
    u32 r = 0;

    LANES_OF(m)
    {
        f32 a = f32_ftz(SLOT(f32, u->a)[l]), b = f32_ftz(SLOT(f32, u->b)[l]);

        r |= (u32)compare_floats(u->sub, a, b) << l;
    }
    pred_write(rf, u->d, m, r);
    return u + 1;
}

HANDLER(SETP_HALF)
{
    bool x2 = half_is_pair(u->size), ftz = u->sub & 0x80;
    u32 lo = 0, hi = 0;

    LANES_OF(m)
    {
        u32 a = SLOT(u32, u->a)[l], b = SLOT(u32, u->b)[l];

        lo |= (u32)compare_floats(u->sub & 0x7f, half_get((u16)a, u->size, ftz),
                                  half_get((u16)b, u->size, ftz))
              << l;
        hi |= (u32)compare_floats(u->sub & 0x7f, half_get((u16)(a >> 16), u->size, ftz),
                                  half_get((u16)(b >> 16), u->size, ftz))
              << l;
    }
    pred_write(rf, u->d, m, lo);
    if (x2) {
        pred_write(rf, u->c, m, hi);
    }
    return u + 1;
}

/* Selection by a predicate mask */
#define SELECT(name, type)                                                     \
    HANDLER(name)                                                              \
    {                                                                          \
        const type *as = SLOT(const type, u->a), *bs = SLOT(const type, u->b); \
        type *d = SLOT(type, u->d);                                            \
        u32 p = PRED(u->c);                                                    \
        LANES                                                                  \
        {                                                                      \
            type v = p & lane_bit[l] ? as[l] : bs[l];                          \
            d[l] = m & lane_bit[l] ? v : d[l];                                 \
        }                                                                      \
        return u + 1;                                                          \
    }

SELECT(SELP_B32, u32)
SELECT(SELP_F32, u32)
SELECT(SELP_B64, u64)
SELECT(SELP_F64, u64)

/* slct: a if c >= 0; for float c, -0 counts as 0 and NaN chooses b, 9.7.7 */
OP3(SLCT_B32_S32, u32, u32, u32, u32, u32, s32, s32, c >= 0 ? a : b)
OP3(SLCT_F32_S32, u32, u32, u32, u32, u32, s32, s32, c >= 0 ? a : b)
OP3(SLCT_B64_S32, u64, u64, u64, u64, u64, s32, s32, c >= 0 ? a : b)
OP3(SLCT_F64_S32, u64, u64, u64, u64, u64, s32, s32, c >= 0 ? a : b)
OP3(SLCT_B32_F32, u32, u32, u32, u32, u32, f32, f32, c >= 0 ? a : b)
OP3(SLCT_F32_F32, u32, u32, u32, u32, u32, f32, f32, c >= 0 ? a : b)
OP3(SLCT_B64_F32, u64, u64, u64, u64, u64, f32, f32, c >= 0 ? a : b)
OP3(SLCT_F64_F32, u64, u64, u64, u64, u64, f32, f32, c >= 0 ? a : b)
OP3(SLCT_FTZ_B32, u32, u32, u32, u32, u32, f32, f32, f32_ftz(c) >= 0 ? a : b)
OP3(SLCT_FTZ_F32, u32, u32, u32, u32, u32, f32, f32, f32_ftz(c) >= 0 ? a : b)
OP3(SLCT_FTZ_B64, u64, u64, u64, u64, u64, f32, f32, f32_ftz(c) >= 0 ? a : b)
OP3(SLCT_FTZ_F64, u64, u64, u64, u64, u64, f32, f32, f32_ftz(c) >= 0 ? a : b)
