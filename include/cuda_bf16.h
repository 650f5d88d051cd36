/* SPDX-License-Identifier: MIT */
/*
 * Numbers of 16 bits with the exponent of a float (bfloat16): type, conversions, arithmetic (CUDA
 * Math API, "Bfloat16 Precision Intrinsics"). nvcc has its own header, which is taken instead.
 */
#if defined(__NVCC__) || defined(__CUDA_INTERNAL_COMPILATION__)
#include_next <cuda_bf16.h>
#else
#ifndef VTEGRA_CUDA_BF16_H
#define VTEGRA_CUDA_BF16_H

#include "vector_types.h"
#ifdef __cplusplus
#include <limits.h>
#include <math.h>

#if defined(__clang__) && defined(__CUDA__)
#include "cuda_runtime.h"
#endif
#include "vtegra/small_float.h"
#endif

typedef struct {
    unsigned short x;
} __nv_bfloat16_raw;
typedef struct {
    unsigned short x, y;
} __nv_bfloat162_raw;

#ifndef __cplusplus

typedef struct {
    unsigned short vtegra_bits;
} __nv_bfloat16;
typedef struct {
    __nv_bfloat16 x, y;
} __nv_bfloat162;

#else

VTEGRA_BOTH unsigned short vtegra_bf16_narrow(double value, enum vtegra_round mode)
{
    return vtegra_narrow(value, 8, 7, mode);
}

/* The upper half of a float. */
VTEGRA_BOTH float vtegra_bf16_widen(unsigned short bits)
{
    unsigned int word = (unsigned int)bits << 16;
    float value;

    memcpy(&value, &word, sizeof(value));
    return value;
}

VTEGRA_BOTH unsigned short vtegra_bf16_fma(unsigned short a, unsigned short b, unsigned short c)
{
    return vtegra_bf16_narrow(
        vtegra_sum_odd((double)vtegra_bf16_widen(a) * (double)vtegra_bf16_widen(b),
                       (double)vtegra_bf16_widen(c)),
        VTEGRA_RN);
}

struct __nv_bfloat16 {
    unsigned short vtegra_bits;

    __nv_bfloat16() = default;
    __host__ __device__ __nv_bfloat16(const __nv_bfloat16_raw &raw) : vtegra_bits(raw.x)
    {
    }
#define VTEGRA_NUMBER(type)                                         \
    __host__ __device__ __nv_bfloat16(const type value)             \
        : vtegra_bits(vtegra_bf16_narrow((double)value, VTEGRA_RN)) \
    {                                                               \
    }                                                               \
    __host__ __device__ __nv_bfloat16 &operator=(const type value)  \
    {                                                               \
        vtegra_bits = vtegra_bf16_narrow((double)value, VTEGRA_RN); \
        return *this;                                               \
    }
    VTEGRA_NUMBER(float)
    VTEGRA_NUMBER(double)
    VTEGRA_NUMBER(short)
    VTEGRA_NUMBER(unsigned short)
    VTEGRA_NUMBER(int)
    VTEGRA_NUMBER(unsigned int)
    VTEGRA_NUMBER(long)
    VTEGRA_NUMBER(unsigned long)
    VTEGRA_NUMBER(long long)
    VTEGRA_NUMBER(unsigned long long)
#undef VTEGRA_NUMBER
    __host__ __device__ operator __nv_bfloat16_raw() const
    {
        __nv_bfloat16_raw raw;
        raw.x = vtegra_bits;
        return raw;
    }
    __host__ __device__ operator float() const
    {
        return vtegra_bf16_widen(vtegra_bits);
    }
    __host__ __device__ operator bool() const
    {
        return (vtegra_bits & 0x7fff) != 0;
    }
/* To integers: towards zero. */
#define VTEGRA_NUMBER(type)                          \
    __host__ __device__ operator type() const        \
    {                                                \
        return (type)vtegra_bf16_widen(vtegra_bits); \
    }
    VTEGRA_NUMBER(char)
    VTEGRA_NUMBER(signed char)
    VTEGRA_NUMBER(unsigned char)
    VTEGRA_NUMBER(short)
    VTEGRA_NUMBER(unsigned short)
    VTEGRA_NUMBER(int)
    VTEGRA_NUMBER(unsigned int)
    VTEGRA_NUMBER(long)
    VTEGRA_NUMBER(unsigned long)
    VTEGRA_NUMBER(long long)
    VTEGRA_NUMBER(unsigned long long)
#undef VTEGRA_NUMBER
};

struct __attribute__((aligned(4))) __nv_bfloat162 {
    __nv_bfloat16 x, y;

    __nv_bfloat162() = default;
    __host__ __device__ __nv_bfloat162(const __nv_bfloat16 &low, const __nv_bfloat16 &high)
        : x(low), y(high)
    {
    }
    __host__ __device__ __nv_bfloat162(const __nv_bfloat162_raw &raw)
    {
        x.vtegra_bits = raw.x;
        y.vtegra_bits = raw.y;
    }
    __host__ __device__ operator __nv_bfloat162_raw() const
    {
        __nv_bfloat162_raw raw;
        raw.x = x.vtegra_bits;
        raw.y = y.vtegra_bits;
        return raw;
    }
};

#define VTEGRA_F bfloat16
#define VTEGRA_T __nv_bfloat16
#define VTEGRA_T2 __nv_bfloat162
#define VTEGRA_NARROW(value, mode) vtegra_bf16_narrow(value, mode)
#define VTEGRA_WIDEN(bits) vtegra_bf16_widen(bits)
#define VTEGRA_FMA(a, b, c) vtegra_bf16_fma((a).vtegra_bits, (b).vtegra_bits, (c).vtegra_bits)
#include "vtegra/small_float_ops.h"

#endif

#ifdef __cplusplus
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
#endif

#endif
#endif
