/* SPDX-License-Identifier: MIT */
/*
 * Part of cuda_fp16.h and cuda_bf16.h; include those. Conversion of IEEE 754 numbers to and from 16
 * bits, in integers, for the host and for GPUs that lack the instruction: CUDA Math API, "Half
 * Precision Conversion", names the rounding.
 */
#ifndef VTEGRA_SMALL_FLOAT_H
#define VTEGRA_SMALL_FLOAT_H

#include <string.h>

#include "../host_defines.h"

#define VTEGRA_BOTH static __host__ __device__ __inline__ __attribute__((always_inline, unused))

enum vtegra_round {
    VTEGRA_RN, /* to nearest, ties to even */
    VTEGRA_RZ, /* towards zero */
    VTEGRA_RD, /* down */
    VTEGRA_RU  /* up */
};

/* Is 1 added to the last place that is kept? @odd: its lowest bit; @rest: the bits cut off, of
 * which @half is the top. */
VTEGRA_BOTH int vtegra_round_up(enum vtegra_round mode, int negative, int odd,
                                unsigned long long rest, unsigned long long half)
{
    if (mode == VTEGRA_RN) {
        return rest > half || (rest == half && odd);
    }
    return rest != 0 && mode == (negative ? VTEGRA_RD : VTEGRA_RU);
}

/*
 * A double to a sign, @exponent_bits and @fraction_bits, 16 in all. NaN: 0x7fff, which is what the
 * cvt instruction gives (PTX ISA, "cvt", canonical NaN).
 */
VTEGRA_BOTH unsigned short vtegra_narrow(double value, int exponent_bits, int fraction_bits,
                                         enum vtegra_round mode)
{
    unsigned long long bits, fraction, half;
    int bias = (1 << (exponent_bits - 1)) - 1, negative, exponent, cut;
    unsigned int largest = ((1u << exponent_bits) - 1) << fraction_bits, result; /* infinity */

    memcpy(&bits, &value, sizeof(bits));
    negative = (int)(bits >> 63);
    exponent = (int)(bits >> 52 & 0x7ff);
    fraction = bits & ((1ull << 52) - 1);
    if (exponent == 0x7ff && fraction) {
        return 0x7fff;
    }
    if (exponent == 0x7ff) {
        result = largest;
    } else if (exponent - 1023 > bias) {
        result =
            mode == VTEGRA_RN || mode == (negative ? VTEGRA_RD : VTEGRA_RU) ? largest : largest - 1;
    } else if (exponent == 0) {
        /* Zero, or below all that 16 bits have. */
        result = (unsigned int)vtegra_round_up(mode, negative, 0, fraction != 0, 1ull << 52);
    } else {
        exponent += bias - 1023;
        fraction |= 1ull << 52;
        cut =
            52 - fraction_bits + (exponent < 1 ? 1 - exponent : 0); /* denormal: fewer bits stay */
        if (cut > 62) {
            cut = 62;
        }
        half = 1ull << (cut - 1);
        result = (unsigned int)(fraction >> cut);
        result += (unsigned int)vtegra_round_up(mode, negative, (int)(result & 1),
                                                fraction & ((half << 1) - 1), half);
        if (exponent >= 1) {
            result += (unsigned int)(exponent - 1)
                      << fraction_bits; /* the leading bit adds the missing 1 */
        }
    }
    return (unsigned short)(result | (unsigned int)negative << 15);
}

/* 16 bits of IEEE 754 binary16 to a float, exactly. */
VTEGRA_BOTH float vtegra_half_widen(unsigned short bits)
{
    unsigned int sign = (unsigned int)(bits & 0x8000) << 16, rest = bits & 0x7fff, word;
    float value;

    if (rest >= 0x7c00) {
        word = rest > 0x7c00 ? 0x7fffffff : sign | 0x7f800000;
    } else if (rest >= 0x0400) {
        word = sign | ((rest << 13) + (112u << 23));
    } else {
        value = (float)rest * 5.9604644775390625e-8f; /* 2^-24 */
        memcpy(&word, &value, sizeof(word));
        word |= sign;
    }
    memcpy(&value, &word, sizeof(value));
    return value;
}

/* a * b + c rounded to odd: a second rounding, to 16 bits, is then that of the exact sum. @product
 * is exact. */
VTEGRA_BOTH double vtegra_sum_odd(double product, double c)
{
    double sum = product + c, part = sum - product, error = (product - (sum - part)) + (c - part);
    unsigned long long bits;

    if (error != 0 && error - error == 0) { /* neither exact nor infinite nor NaN */
        memcpy(&bits, &sum, sizeof(bits));
        if (!(bits & 1)) {
            bits += (error > 0) == (sum > 0) ? 1 : -1ull;
        }
        memcpy(&sum, &bits, sizeof(sum));
    }
    return sum;
}

#if defined(__clang__) && defined(__CUDA__)
/* The same bytes as another type of that size. */
template <class To, class From>
static __device__ __forceinline__ To vtegra_bits_copy(const From from)
{
    To to;

    __builtin_memcpy(&to, &from, sizeof(to));
    return to;
}
#endif

#endif
