/* SPDX-License-Identifier: MIT */
/* The DLA's floating point: fp16 in memory, fp17 (6-bit exponent, 10-bit mantissa) and fp32 inside.
 *
 * Source: NVDLA in-memory data formats, "FP16 Supporting": round to nearest even, overflow gives
 * the largest number and never infinity, denormals exist in fp16 only (fp17 and fp32 flush them to
 * zero), an infinity that comes in is the largest number of the format it is widened to, NaN passes
 * through. Chosen where it is silent: a NaN keeps its low ten mantissa bits; the sum of two
 * opposite numbers is a zero with the sign of the first.
 */
#ifndef MODEL_DLA_FP_H
#define MODEL_DLA_FP_H

#include <stdbool.h>
#include <stdint.h>

#define FP16_MAX 0x7bffu
#define FP16_ONE 0x3c00u
#define FP17_ONE 0x7c00u

static inline bool fp16_is_nan(uint32_t v)
{
    return (v & 0x7c00) == 0x7c00 && (v & 0x3ff);
}

static inline bool fp16_is_inf(uint32_t v)
{
    return (v & 0x7fff) == 0x7c00;
}

static inline bool fp32_is_nan(uint32_t v)
{
    return (v & 0x7f800000) == 0x7f800000 && (v & 0x7fffff);
}

uint32_t fp16_to_fp32(uint32_t v);
uint32_t fp16_to_fp17(uint32_t v);
uint32_t fp17_to_fp16(uint32_t v);
uint32_t fp17_to_fp32(uint32_t v);
uint32_t fp32_to_fp16(uint32_t v);
uint32_t fp32_to_fp17(uint32_t v);
uint32_t fp16_from_int(int32_t v); /* |v| < 2^17 */
int32_t fp16_to_int16(uint32_t v); /* half away from zero, saturated; NaN gives -32768 */
uint32_t fp17_from_fraction(uint64_t fraction, unsigned bits); /* fraction / 2^bits, below 1 */

uint32_t fp32_add(uint32_t a, uint32_t b);
uint32_t fp32_sub(uint32_t a, uint32_t b);
uint32_t fp32_mul(uint32_t a, uint32_t b);
uint32_t fp17_add(uint32_t a, uint32_t b);
uint32_t fp17_mul(uint32_t a, uint32_t b);
/* Compare by value; -0 is below +0; a NaN wins, the first one first. */
uint32_t fp32_max(uint32_t a, uint32_t b);
uint32_t fp32_min(uint32_t a, uint32_t b);
uint32_t fp16_max(uint32_t a, uint32_t b);
uint32_t fp16_min(uint32_t a, uint32_t b);

/* fp16 as a multiple of 2^-24, exactly: infinity is 65536. Not for a NaN. */
int64_t fp16_to_fixed(uint32_t v);
/* @sum * 2^-48 as fp32. */
__extension__ uint32_t fp32_from_fixed(__int128 sum);
uint32_t fp32_from_fixed64(int64_t sum);

double fp32_to_double(uint32_t v);

#endif
