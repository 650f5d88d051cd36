/* SPDX-License-Identifier: MIT */
/*
 * Numbers of 16 bits, IEEE 754 binary16: type, conversions, arithmetic (CUDA Math API, "Half
 * Precision Intrinsics"). nvcc has its own header, which is taken instead.
 */
#if defined(__NVCC__) || defined(__CUDA_INTERNAL_COMPILATION__)
#include_next <cuda_fp16.h>
#else
#ifndef VTEGRA_CUDA_FP16_H
#define VTEGRA_CUDA_FP16_H

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
} __half_raw;
typedef struct {
    unsigned short x, y;
} __half2_raw;

#ifndef __cplusplus

typedef struct {
    unsigned short vtegra_bits;
} __half;
typedef struct {
    __half x, y;
} __half2;

#else

/* On a GPU the instruction does it, from sm_53 on. */
VTEGRA_BOTH unsigned short vtegra_f16_narrow(double value, enum vtegra_round mode)
{
#ifdef __CUDA_ARCH__
    unsigned short bits;

    if (mode == VTEGRA_RN) {
        __asm__("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(value));
    } else if (mode == VTEGRA_RZ) {
        __asm__("cvt.rz.f16.f64 %0, %1;" : "=h"(bits) : "d"(value));
    } else if (mode == VTEGRA_RD) {
        __asm__("cvt.rm.f16.f64 %0, %1;" : "=h"(bits) : "d"(value));
    } else {
        __asm__("cvt.rp.f16.f64 %0, %1;" : "=h"(bits) : "d"(value));
    }
    return value != value ? 0x7fff : bits;
#else
    return vtegra_narrow(value, 5, 10, mode);
#endif
}

VTEGRA_BOTH float vtegra_f16_widen(unsigned short bits)
{
#ifdef __CUDA_ARCH__
    float value;

    __asm__("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
#else
    return vtegra_half_widen(bits);
#endif
}

VTEGRA_BOTH unsigned short vtegra_f16_fma(unsigned short a, unsigned short b, unsigned short c)
{
#ifdef __CUDA_ARCH__
    unsigned short bits;

    __asm__("fma.rn.f16 %0, %1, %2, %3;" : "=h"(bits) : "h"(a), "h"(b), "h"(c));
    return bits;
#else
    return vtegra_f16_narrow(
        vtegra_sum_odd((double)vtegra_f16_widen(a) * (double)vtegra_f16_widen(b),
                       (double)vtegra_f16_widen(c)),
        VTEGRA_RN);
#endif
}

struct __half {
    unsigned short vtegra_bits;

    __half() = default;
    __host__ __device__ __half(const __half_raw &raw) : vtegra_bits(raw.x)
    {
    }
#define VTEGRA_NUMBER(type)                                        \
    __host__ __device__ __half(const type value)                   \
        : vtegra_bits(vtegra_f16_narrow((double)value, VTEGRA_RN)) \
    {                                                              \
    }                                                              \
    __host__ __device__ __half &operator=(const type value)        \
    {                                                              \
        vtegra_bits = vtegra_f16_narrow((double)value, VTEGRA_RN); \
        return *this;                                              \
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
    __host__ __device__ operator __half_raw() const
    {
        __half_raw raw;
        raw.x = vtegra_bits;
        return raw;
    }
    __host__ __device__ operator float() const
    {
        return vtegra_f16_widen(vtegra_bits);
    }
    __host__ __device__ operator bool() const
    {
        return (vtegra_bits & 0x7fff) != 0;
    }
/* To integers: towards zero. */
#define VTEGRA_NUMBER(type)                         \
    __host__ __device__ operator type() const       \
    {                                               \
        return (type)vtegra_f16_widen(vtegra_bits); \
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

struct __attribute__((aligned(4))) __half2 {
    __half x, y;

    __half2() = default;
    __host__ __device__ __half2(const __half &low, const __half &high) : x(low), y(high)
    {
    }
    __host__ __device__ __half2(const __half2_raw &raw)
    {
        x.vtegra_bits = raw.x;
        y.vtegra_bits = raw.y;
    }
    __host__ __device__ operator __half2_raw() const
    {
        __half2_raw raw;
        raw.x = x.vtegra_bits;
        raw.y = y.vtegra_bits;
        return raw;
    }
};

#define VTEGRA_F half
#define VTEGRA_T __half
#define VTEGRA_T2 __half2
#define VTEGRA_NARROW(value, mode) vtegra_f16_narrow(value, mode)
#define VTEGRA_WIDEN(bits) vtegra_f16_widen(bits)
#define VTEGRA_FMA(a, b, c) vtegra_f16_fma((a).vtegra_bits, (b).vtegra_bits, (c).vtegra_bits)
#include "vtegra/small_float_ops.h"

#endif

#ifdef __cplusplus
typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
#endif

#endif
#endif
