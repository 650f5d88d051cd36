/* SPDX-License-Identifier: MIT */
/* libdevice's SIMD-in-a-word functions: four bytes or two halves of a 32-bit value. Source: CUDA
 * math API, "SIMD intrinsics". */
#include "model/igpu/intrinsic.h"

/* @width: 8 or 16. Each element is taken signed (s) or unsigned (u), and put back modulo 2^width.
 */
static inline int32_t intrinsic_element(uint32_t v, unsigned width, unsigned i, bool is_signed)
{
    uint32_t e = v >> (width * i) & ((1u << width) - 1);

    return is_signed ? (int32_t)(e << (32 - width)) >> (32 - width) : (int32_t)e;
}

static inline int32_t intrinsic_clamp(int32_t v, int32_t low, int32_t high)
{
    return v < low ? low : v > high ? high : v;
}

#define SIMD(name, width, is_signed, expr)                                                    \
    NV(name)                                                                                  \
    {                                                                                         \
        uint32_t out = 0;                                                                     \
        for (unsigned i = 0; i < 32 / width; i++) {                                           \
            int32_t x = intrinsic_element(U(0), width, i, is_signed);                         \
            __attribute__((unused)) int32_t y = intrinsic_element(U(1), width, i, is_signed); \
            __attribute__((unused)) int32_t smax = (1 << (width - 1)) - 1,                    \
                                            umax = (1 << width) - 1;                          \
            out |= ((uint32_t)(expr) & (uint32_t)umax) << (width * i);                        \
        }                                                                                     \
        return ret_i(r, out);                                                                 \
    }
#define SIMD_BOTH(name, is_signed, expr) \
    SIMD(name##2, 16, is_signed, expr) SIMD(name##4, 8, is_signed, expr)

/* Absolute differences added up over the elements */
#define SUM(name, width, is_signed)                                   \
    NV(name)                                                          \
    {                                                                 \
        uint32_t out = 0;                                             \
        for (unsigned i = 0; i < 32 / width; i++) {                   \
            int32_t x = intrinsic_element(U(0), width, i, is_signed), \
                    y = intrinsic_element(U(1), width, i, is_signed); \
            out += (uint32_t)(x < y ? y - x : x - y);                 \
        }                                                             \
        return ret_i(r, out);                                         \
    }

#define ALL_ONES(c) ((c) ? -1 : 0)

SIMD_BOTH(vabs, true, x < 0 ? -x : x)
SIMD_BOTH(vabsss, true, x < 0 ? intrinsic_clamp(-x, 0, smax) : x)
SIMD_BOTH(vabsdiffs, true, x < y ? y - x : x - y)
SIMD_BOTH(vabsdiffu, false, x < y ? y - x : x - y)
SIMD_BOTH(vadd, false, x + y)
SIMD_BOTH(vaddss, true, intrinsic_clamp(x + y, -smax - 1, smax))
SIMD_BOTH(vaddus, false, intrinsic_clamp(x + y, 0, umax))
/* vavgs rounds half away from zero, vavgu upwards, vhaddu down */
SIMD_BOTH(vavgs, true, (x + y + (x + y >= 0)) >> 1)
SIMD_BOTH(vavgu, false, (x + y + 1) >> 1)
SIMD_BOTH(vhaddu, false, (x + y) >> 1)
SIMD_BOTH(vmaxs, true, x > y ? x : y)
SIMD_BOTH(vmaxu, false, x > y ? x : y)
SIMD_BOTH(vmins, true, x < y ? x : y)
SIMD_BOTH(vminu, false, x < y ? x : y)
SIMD_BOTH(vneg, true, -x)
SIMD_BOTH(vnegss, true, intrinsic_clamp(-x, -smax - 1, smax))
SIMD_BOTH(vsub, false, x - y)
SIMD_BOTH(vsubss, true, intrinsic_clamp(x - y, -smax - 1, smax))
SIMD_BOTH(vsubus, false, intrinsic_clamp(x - y, 0, umax))
SUM(vsads2, 16, true)
SUM(vsads4, 8, true)
SUM(vsadu2, 16, false)
SUM(vsadu4, 8, false)

SIMD_BOTH(vcmpeq, false, ALL_ONES(x == y))
SIMD_BOTH(vcmpne, false, ALL_ONES(x != y))
SIMD_BOTH(vcmpges, true, ALL_ONES(x >= y))
SIMD_BOTH(vcmpgeu, false, ALL_ONES(x >= y))
SIMD_BOTH(vcmpgts, true, ALL_ONES(x > y))
SIMD_BOTH(vcmpgtu, false, ALL_ONES(x > y))
SIMD_BOTH(vcmples, true, ALL_ONES(x <= y))
SIMD_BOTH(vcmpleu, false, ALL_ONES(x <= y))
SIMD_BOTH(vcmplts, true, ALL_ONES(x < y))
SIMD_BOTH(vcmpltu, false, ALL_ONES(x < y))
SIMD_BOTH(vseteq, false, x == y)
SIMD_BOTH(vsetne, false, x != y)
SIMD_BOTH(vsetges, true, x >= y)
SIMD_BOTH(vsetgeu, false, x >= y)
SIMD_BOTH(vsetgts, true, x > y)
SIMD_BOTH(vsetgtu, false, x > y)
SIMD_BOTH(vsetles, true, x <= y)
SIMD_BOTH(vsetleu, false, x <= y)
SIMD_BOTH(vsetlts, true, x < y)
SIMD_BOTH(vsetltu, false, x < y)
