/* SPDX-License-Identifier: MIT */
/*
 * Part of cuda_runtime.h; include that. min() and max() of the arithmetic types and of two
 * different ones, on both sides: CUDA Math API, "Integer Mathematical Functions"; the result has
 * the type that C++ converts both to.
 */
#ifndef VTEGRA_DEVICE_MINMAX_H
#define VTEGRA_DEVICE_MINMAX_H

#define VTEGRA_MINMAX(where, result, a_type, b_type)                        \
    static where __forceinline__ result min(const a_type a, const b_type b) \
    {                                                                       \
        return (result)a < (result)b ? (result)a : (result)b;               \
    }                                                                       \
    static where __forceinline__ result max(const a_type a, const b_type b) \
    {                                                                       \
        return (result)a > (result)b ? (result)a : (result)b;               \
    }
#define VTEGRA_MINMAX_2(word)                                                       \
    VTEGRA_MINMAX(__host__ __device__, word, word, word)                            \
    VTEGRA_MINMAX(__host__ __device__, unsigned word, unsigned word, unsigned word) \
    VTEGRA_MINMAX(__host__ __device__, unsigned word, unsigned word, word)          \
    VTEGRA_MINMAX(__host__ __device__, unsigned word, word, unsigned word)
VTEGRA_MINMAX(__host__, int, int, int) /* clang has the device's */
VTEGRA_MINMAX(__host__ __device__, unsigned int, unsigned int, unsigned int)
VTEGRA_MINMAX(__host__ __device__, unsigned int, unsigned int, int)
VTEGRA_MINMAX(__host__ __device__, unsigned int, int, unsigned int)
VTEGRA_MINMAX_2(long)
VTEGRA_MINMAX_2(long long)
#undef VTEGRA_MINMAX_2
#undef VTEGRA_MINMAX

/* Of a number and NaN: the number. */
#define VTEGRA_MINMAX_FLOAT(result, a_type, b_type, word)                                 \
    static __host__ __device__ __forceinline__ result min(const a_type a, const b_type b) \
    {                                                                                     \
        return fmin##word((result)a, (result)b);                                          \
    }                                                                                     \
    static __host__ __device__ __forceinline__ result max(const a_type a, const b_type b) \
    {                                                                                     \
        return fmax##word((result)a, (result)b);                                          \
    }
VTEGRA_MINMAX_FLOAT(float, float, float, f)
VTEGRA_MINMAX_FLOAT(double, double, double, )
VTEGRA_MINMAX_FLOAT(double, float, double, )
VTEGRA_MINMAX_FLOAT(double, double, float, )
#undef VTEGRA_MINMAX_FLOAT

#endif
