/* SPDX-License-Identifier: MIT */
/* Integer arithmetic: PTX ISA 9.7.1, 9.7.2. Where the manual leaves a result open, the comment says
 * what was chosen. */
#include "model/igpu/sm_lanes.h"

#define W1(name, av, expr) OP1(name, u32, u32, av, expr)
#define W2(name, av, expr) OP2(name, u32, u32, av, u32, av, expr)
#define W3(name, av, expr) OP3(name, u32, u32, av, u32, av, u32, av, expr)
#define L1(name, av, expr) OP1(name, u64, u64, av, expr)
#define L2(name, av, expr) OP2(name, u64, u64, av, u64, av, expr)
#define L3(name, av, expr) OP3(name, u64, u64, av, u64, av, u64, av, expr)

static inline s32 sat_s32(s64 v)
{
    return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (s32)v;
}

W2(ADD_B32, u32, a + b)
L2(ADD_B64, u64, a + b)
W2(ADD_SAT_S32, s32, sat_s32((s64)a + b))
W2(SUB_B32, u32, a - b)
L2(SUB_B64, u64, a - b)
W2(SUB_SAT_S32, s32, sat_s32((s64)a - b))

W2(MUL_LO_B32, u32, a *b)
L2(MUL_LO_B64, u64, a *b)
W2(MUL_HI_U16, u16, ((u32)a * b) >> 16)
W2(MUL_HI_S16, s16, ((s32)a * b) >> 16)
W2(MUL_HI_U32, u32, (u64)a *b >> 32)
W2(MUL_HI_S32, s32, (s64)a *b >> 32)
EACH2(MUL_HI_U64, u64, u64, u64, u64, u64, (u128)a *b >> 64)
EACH2(MUL_HI_S64, u64, u64, s64, u64, s64, (s128)a *b >> 64)
W2(MUL_WIDE_U16, u16, (u32)a *b)
W2(MUL_WIDE_S16, s16, (s32)a *b)
OP2(MUL_WIDE_U32, u64, u32, u32, u32, u32, (u64)a *b)
HANDLER(MUL_WIDE_S32) /* what every index into an array needs */
{
    lanes_mul_wide(SLOT(s64, u->d), SLOT(const s32, u->a), SLOT(const s32, u->b), m);
    return u + 1;
}
W3(MAD_LO_B32, u32, a *b + c)
L3(MAD_LO_B64, u64, a *b + c)
W3(MAD_HI_U16, u16, (((u32)a * b) >> 16) + c)
W3(MAD_HI_S16, s16, (((s32)a * b) >> 16) + c)
W3(MAD_HI_U32, u32, (u32)((u64)a *b >> 32) + c)
W3(MAD_HI_S32, s32, (u32)((s64)a *b >> 32) + (u32)c)
W3(MAD_HI_SAT_S32, s32, sat_s32(((s64)a * b >> 32) + c))
EACH3(MAD_HI_U64, u64, u64, u64, u64, u64, u64, u64, (u64)((u128)a *b >> 64) + c)
EACH3(MAD_HI_S64, u64, u64, s64, u64, s64, u64, u64, (u64)((s128)a *b >> 64) + c)
OP3(MAD_WIDE_U16, u32, u32, u16, u32, u16, u32, u32, (u32)a *b + c)
OP3(MAD_WIDE_S16, u32, u32, s16, u32, s16, u32, u32, (u32)((s32)a *b) + c)
OP3(MAD_WIDE_U32, u64, u32, u32, u32, u32, u64, u64, (u64)a *b + c)
OP3(MAD_WIDE_S32, u64, s32, s32, s32, s32, u64, u64, (u64)((s64)a *b) + c)

/* 24-bit: bits 0..31 and 16..47 of the 48-bit product, 9.7.1.5 */
static inline u64 exec_mul24u(u32 a, u32 b)
{
    return (u64)(a & 0xffffffu) * (b & 0xffffffu);
}

static inline s64 exec_mul24s(u32 a, u32 b)
{
    return (s64)((s32)(a << 8) >> 8) * ((s32)(b << 8) >> 8);
}

W2(MUL24_LO_U32, u32, exec_mul24u(a, b))
W2(MUL24_LO_S32, u32, exec_mul24s(a, b))
W2(MUL24_HI_U32, u32, exec_mul24u(a, b) >> 16)
W2(MUL24_HI_S32, u32, exec_mul24s(a, b) >> 16)
W3(MAD24_LO_U32, u32, (u32)exec_mul24u(a, b) + c)
W3(MAD24_LO_S32, u32, (u32)exec_mul24s(a, b) + c)
W3(MAD24_HI_U32, u32, (u32)(exec_mul24u(a, b) >> 16) + c)
W3(MAD24_HI_S32, u32, (u32)(exec_mul24s(a, b) >> 16) + c)
W3(MAD24_HI_SAT_S32, u32, sat_s32((s64)(s32)(exec_mul24s(a, b) >> 16) + (s32)c))

W3(SAD_U16, u16, c + (a < b ? b - a : a - b))
W3(SAD_S16, s16, c + (a < b ? b - a : a - b))
W3(SAD_U32, u32, c + (a < b ? b - a : a - b))
W3(SAD_S32, s32, (u32)c + (a < b ? (u32)b - (u32)a : (u32)a - (u32)b))
L3(SAD_U64, u64, c + (a < b ? b - a : a - b))
L3(SAD_S64, s64, (u64)c + (a < b ? (u64)b - (u64)a : (u64)a - (u64)b))

/* 9.7.1.8: division by zero gives an unspecified machine-specific value. Chosen: what an
 * H200 gives, all ones, and as remainder all ones too. The smallest
 * number divided by -1 stays itself, remainder 0. */
#define DIV_U(a, b, ones) ((b) ? (a) / (b) : (ones))
#define REM_U(a, b, none) ((b) ? (a) % (b) : (none))

static inline s32 div_s32(s32 a, s32 b)
{
    return b == 0 ? -1 : b == -1 ? (s32)(0u - (u32)a) : a / b;
}

static inline s32 rem_s32(s32 a, s32 b)
{
    return b == 0 ? -1 : b == -1 ? 0 : a % b;
}

static inline s64 div_s64(s64 a, s64 b)
{
    return b == 0 ? -1 : b == -1 ? (s64)(0u - (u64)a) : a / b;
}

static inline s64 rem_s64(s64 a, s64 b)
{
    return b == 0 ? -1 : b == -1 ? 0 : a % b;
}

#define EW2(name, av, expr) EACH2(name, u32, u32, av, u32, av, expr)
#define EL2(name, av, expr) EACH2(name, u64, u64, av, u64, av, expr)

EW2(DIV_U16, u16, DIV_U(a, b, 0xffff))
EW2(DIV_S16, s16, div_s32(a, b))
EW2(DIV_U32, u32, DIV_U(a, b, UINT32_MAX))
EW2(DIV_S32, s32, div_s32(a, b))
EL2(DIV_U64, u64, DIV_U(a, b, UINT64_MAX))
EL2(DIV_S64, s64, div_s64(a, b))
EW2(REM_U16, u16, REM_U(a, b, 0xffff))
EW2(REM_S16, s16, rem_s32(a, b))
EW2(REM_U32, u32, REM_U(a, b, UINT32_MAX))
EW2(REM_S32, s32, rem_s32(a, b))
EL2(REM_U64, u64, REM_U(a, b, UINT64_MAX))
EL2(REM_S64, s64, rem_s64(a, b))

W1(ABS_S16, s16, a < 0 ? -a : a)
W1(ABS_S32, s32, a < 0 ? 0u - (u32)a : (u32)a)
L1(ABS_S64, s64, a < 0 ? 0u - (u64)a : (u64)a)
W1(NEG_B32, u32, 0u - a)
L1(NEG_B64, u64, 0u - a)
W2(MIN_U16, u16, a < b ? a : b)
W2(MIN_S16, s16, a < b ? a : b)
W2(MIN_U32, u32, a < b ? a : b)
W2(MIN_S32, s32, a < b ? a : b)
L2(MIN_U64, u64, a < b ? a : b)
L2(MIN_S64, s64, a < b ? a : b)
W2(MAX_U16, u16, a > b ? a : b)
W2(MAX_S16, s16, a > b ? a : b)
W2(MAX_U32, u32, a > b ? a : b)
W2(MAX_S32, s32, a > b ? a : b)
L2(MAX_U64, u64, a > b ? a : b)
L2(MAX_S64, s64, a > b ? a : b)

/* Counting and finding bits */

static inline u32 exec_clz32(u32 a)
{
    return a ? (u32)__builtin_clz(a) : 32;
}

static inline u32 exec_clz64(u64 a)
{
    return a ? (u32)__builtin_clzll(a) : 64;
}

/* Highest set bit; for signed numbers the highest bit that differs from the sign, 9.7.1.15 */
static inline u32 exec_bfind32(u32 a)
{
    return a ? 31 - exec_clz32(a) : UINT32_MAX;
}

static inline u32 exec_bfind64(u64 a)
{
    return a ? 63 - exec_clz64(a) : UINT32_MAX;
}

static inline u32 shift_of(u32 bit, u32 top)
{
    return bit == UINT32_MAX ? UINT32_MAX : top - bit;
}

#define FLIP(a) ((a) < 0 ? ~(a) : (a))

OP1(POPC_B32, u32, u32, u32, bus_bits_count(a)) /* which is arithmetic, and so has a vector form */
OP1(POPC_B64, u32, u64, u64, bus_bits_count(a))
EACH1(CLZ_B32, u32, u32, u32, exec_clz32(a))
EACH1(CLZ_B64, u32, u64, u64, exec_clz64(a))
EACH1(BFIND_U32, u32, u32, u32, exec_bfind32(a))
EACH1(BFIND_S32, u32, u32, s32, exec_bfind32((u32)FLIP(a)))
EACH1(BFIND_U64, u32, u64, u64, exec_bfind64(a))
EACH1(BFIND_S64, u32, u64, s64, exec_bfind64((u64)FLIP(a)))
EACH1(BFIND_SHIFT_U32, u32, u32, u32, shift_of(exec_bfind32(a), 31))
EACH1(BFIND_SHIFT_S32, u32, u32, s32, shift_of(exec_bfind32((u32)FLIP(a)), 31))
EACH1(BFIND_SHIFT_U64, u32, u64, u64, shift_of(exec_bfind64(a), 63))
EACH1(BFIND_SHIFT_S64, u32, u64, s64, shift_of(exec_bfind64((u64)FLIP(a)), 63))

/* 9.7.1.16: the offset-th set bit of mask from base on, upwards or downwards */
static inline u32 exec_fns(u32 mask, u32 base, s32 offset)
{
    s32 step = offset < 0 ? -1 : 1;
    s64 left = offset < 0 ? -(s64)offset : offset;

    if (offset == INT32_MIN) {
        return 0; /* has no negative; measured */
    }
    if (base > 31) {
        return UINT32_MAX;
    }
    if (offset == 0) {
        return mask >> base & 1 ? base : UINT32_MAX;
    }
    for (s32 i = (s32)base; i >= 0 && i < 32; i += step) {
        if ((mask >> i & 1) && --left == 0) {
            return (u32)i;
        }
    }
    return UINT32_MAX;
}

EACH3(FNS_B32, u32, u32, u32, u32, u32, u32, s32, exec_fns(a, b, c))

static inline u32 exec_brev32(u32 a)
{
    a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
    a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
    a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
    a = (a >> 8 & 0x00ff00ffu) | (a & 0x00ff00ffu) << 8;
    return a >> 16 | a << 16;
}

W1(BREV_B32, u32, exec_brev32(a))
L1(BREV_B64, u64, (u64)exec_brev32((u32)a) << 32 | exec_brev32((u32)(a >> 32)))

/* Bit fields, 9.7.1.18: position and length are 0 to 255. The 32-bit instruction takes eight bits
 * of each; the 64-bit one is a sequence that takes them whole (measured, H200). */
static inline u32 bfe_u32(u32 a, u32 pos, u32 len)
{
    u32 v = pos > 31 ? 0 : a >> pos;

    return len > 31 ? v : v & ((1u << len) - 1);
}

static inline u64 bfe_u64(u64 a, u32 pos, u32 len)
{
    u64 v = pos > 63 ? 0 : a >> pos;

    return len > 63 ? v : v & ((UINT64_C(1) << len) - 1);
}

/* The sign comes from bit min(pos + len - 1, msb); nothing to extract gives 0. */
static inline u64 bfe_sign(s64 a, u32 pos, u32 len, u32 msb)
{
    u32 top = pos > msb || len > msb || pos + len - 1 > msb ? msb : pos + len - 1;
    u64 sign = len && (a >> top & 1) ? UINT64_MAX : 0, v = 0;
    u32 have = pos > msb ? 0 : msb - pos + 1 < len ? msb - pos + 1 : len;

    if (len == 0) {
        return 0;
    }
    v = have ? (u64)(a >> pos) : 0;
    return have > 63 ? v : (v & ((UINT64_C(1) << have) - 1)) | sign << have;
}

OP3(BFE_U32, u32, u32, u32, u32, u8, u32, u8, bfe_u32(a, b, c))
EACH3(BFE_S32, u32, u32, s32, u32, u8, u32, u8, bfe_sign(a, b, c, 31))
EACH3(BFE_U64, u64, u64, u64, u32, u32, u32, u32, bfe_u64(a, b, c))
EACH3(BFE_S64, u64, u64, s64, u32, u32, u32, u32, bfe_sign(a, b, c, 63))

static inline u64 exec_bfi(u64 a, u64 b, u32 pos, u32 len, u32 bits)
{
    u64 field;

    if (pos >= bits || len == 0) {
        return b;
    }
    field = len > 63 ? UINT64_MAX : (UINT64_C(1) << len) - 1;
    field <<= pos;
    return (b & ~field) | (a << pos & field);
}

HANDLER(BFI_B32)
{
    LANES_OF(m)
    {
        SLOT(u32, u->d)
        [l] = (u32)exec_bfi(SLOT(u32, u->a)[l], SLOT(u32, u->b)[l], (u8)SLOT(u32, u->c)[l],
                            (u8)SLOT(u32, u->e)[l], 32);
    }
    return u + 1;
}

HANDLER(BFI_B64)
{
    LANES_OF(m)
    {
        SLOT(u64, u->d)
        [l] = exec_bfi(SLOT(u64, u->a)[l], SLOT(u64, u->b)[l], SLOT(u32, u->c)[l],
                       SLOT(u32, u->e)[l], 64);
    }
    return u + 1;
}

/* 9.7.1.20, 9.7.1.21: a width or position beyond 32 is clamped, or taken modulo 32 */
static inline u32 exec_clamp32(u32 n)
{
    return n > 32 ? 32 : n;
}

static inline u32 low_bits(u32 n)
{
    return n > 31 ? UINT32_MAX : (1u << n) - 1;
}

static inline u32 sext_to(u32 a, u32 n)
{
    u32 v = a & low_bits(n);

    return n == 0 ? 0 : n < 32 && (v >> (n - 1) & 1) ? v | ~low_bits(n) : v;
}

W2(SZEXT_CLAMP_U32, u32, a &low_bits(exec_clamp32(b)))
EW2(SZEXT_CLAMP_S32, u32, sext_to(a, exec_clamp32(b)))
W2(SZEXT_WRAP_U32, u32, a &low_bits(b & 31))
EW2(SZEXT_WRAP_S32, u32, sext_to(a, b & 31))

static inline u32 exec_bmsk(u32 pos, u32 width)
{
    return pos > 31 ? 0 : low_bits(width) << pos;
}

EW2(BMSK_CLAMP_B32, u32, exec_bmsk(a, exec_clamp32(b)))
EW2(BMSK_WRAP_B32, u32, exec_bmsk(a & 31, b & 31))

/* Dot products of bytes, and of halves with bytes, 9.7.1.22 */
#define BYTE(type, v, i) ((s32)(type)((v) >> (8 * (i))))
#define HALF(type, v, i) ((s32)(type)((v) >> (16 * (i))))
#define DP4(at, bt)                                                                \
    (c + (u32)(BYTE(at, a, 0) * BYTE(bt, b, 0) + BYTE(at, a, 1) * BYTE(bt, b, 1) + \
               BYTE(at, a, 2) * BYTE(bt, b, 2) + BYTE(at, a, 3) * BYTE(bt, b, 3)))
#define DP2(at, bt, i) \
    (c + (u32)(HALF(at, a, 0) * BYTE(bt, b, i)) + (u32)(HALF(at, a, 1) * BYTE(bt, b, (i) + 1)))

W3(DP4A_UU, u32, DP4(u8, u8))
W3(DP4A_US, u32, DP4(u8, s8))
W3(DP4A_SU, u32, DP4(s8, u8))
W3(DP4A_SS, u32, DP4(s8, s8))
W3(DP2A_LO_UU, u32, DP2(u16, u8, 0))
W3(DP2A_LO_US, u32, DP2(u16, s8, 0))
W3(DP2A_LO_SU, u32, DP2(s16, u8, 0))
W3(DP2A_LO_SS, u32, DP2(s16, s8, 0))
W3(DP2A_HI_UU, u32, DP2(u16, u8, 2))
W3(DP2A_HI_US, u32, DP2(u16, s8, 2))
W3(DP2A_HI_SU, u32, DP2(s16, u8, 2))
W3(DP2A_HI_SS, u32, DP2(s16, s8, 2))

/* vabsdiff4: |a - b| of each byte, and with .add their sum on c. Signed differences above 127 wrap.
 */
#define ABSDIFF(t, i) \
    (BYTE(t, a, i) < BYTE(t, b, i) ? BYTE(t, b, i) - BYTE(t, a, i) : BYTE(t, a, i) - BYTE(t, b, i))
#define ABSDIFF4(t)                                                                        \
    ((u32)(u8)ABSDIFF(t, 0) | (u32)(u8)ABSDIFF(t, 1) << 8 | (u32)(u8)ABSDIFF(t, 2) << 16 | \
     (u32)(u8)ABSDIFF(t, 3) << 24)
#define ABSDIFF_SUM(t) (ABSDIFF(t, 0) + ABSDIFF(t, 1) + ABSDIFF(t, 2) + ABSDIFF(t, 3))

W2(VABSDIFF4_U, u32, ABSDIFF4(u8))
W2(VABSDIFF4_S, u32, ABSDIFF4(s8))
W3(VABSDIFF4_ADD_U, u32, c + (u32)ABSDIFF_SUM(u8))
W3(VABSDIFF4_ADD_S, u32, c + (u32)ABSDIFF_SUM(s8))

/* 9.7.2: u->sub bit 0 takes the carry in, bit 1 writes it; c is the flag. The manual does not say
 * what a subtraction leaves for an addition and the reverse. A GPU has one adder: a - b is a + ~b +
 * 1, the flag is that sum's carry, set when nothing was borrowed (measured). */
#define CARRY(name, type, second, alone)                                         \
    HANDLER(name)                                                                \
    {                                                                            \
        u32 flag = PRED(u->c), carry = 0;                                        \
        LANES_OF(m)                                                              \
        {                                                                        \
            type a = SLOT(type, u->a)[l], b = SLOT(type, u->b)[l], x = (second); \
            type in = u->sub & 1 ? flag >> l & 1 : (alone);                      \
            type v = a + x + in;                                                 \
            carry |= (u32)(v < a || (in && v == a)) << l;                        \
            SLOT(type, u->d)[l] = v;                                             \
        }                                                                        \
        if (u->sub & 2) {                                                        \
            pred_write(rf, u->c, m, carry);                                      \
        }                                                                        \
        return u + 1;                                                            \
    }

CARRY(ADDC_B32, u32, b, 0)
CARRY(ADDC_B64, u64, b, 0)
CARRY(SUBC_B32, u32, ~b, 1)
CARRY(SUBC_B64, u64, ~b, 1)
