/* SPDX-License-Identifier: MIT */
/* make_<vector>(parts): for C and C++. */
/* nvcc reads its own; the second name is that of its last pass. */
#if defined(__NVCC__) || defined(__CUDA_INTERNAL_COMPILATION__)
#include_next <vector_functions.h>
#else
#ifndef __VECTOR_FUNCTIONS_H__
#define __VECTOR_FUNCTIONS_H__

#include "vector_types.h"

#define VTEGRA_MAKE_1(name, type)                                                \
    static __inline__ __host__ __device__ struct name##1 make_##name##1(type vx) \
    {                                                                            \
        struct name##1 v = { vx };                                               \
        return v;                                                                \
    }
#define VTEGRA_MAKE_2(name, type)                                                         \
    static __inline__ __host__ __device__ struct name##2 make_##name##2(type vx, type vy) \
    {                                                                                     \
        struct name##2 v = { vx, vy };                                                    \
        return v;                                                                         \
    }
#define VTEGRA_MAKE_3(name, type)                                                                  \
    static __inline__ __host__ __device__ struct name##3 make_##name##3(type vx, type vy, type vz) \
    {                                                                                              \
        struct name##3 v = { vx, vy, vz };                                                         \
        return v;                                                                                  \
    }
#define VTEGRA_MAKE_4(name, suffix, type)                                                \
    static __inline__ __host__ __device__ struct name##4##suffix make_##name##4##suffix( \
        type vx, type vy, type vz, type vw)                                              \
    {                                                                                    \
        struct name##4##suffix v = { vx, vy, vz, vw };                                   \
        return v;                                                                        \
    }
#define VTEGRA_MAKE(name, type) \
    VTEGRA_MAKE_1(name, type)   \
    VTEGRA_MAKE_2(name, type)   \
    VTEGRA_MAKE_3(name, type)   \
    VTEGRA_MAKE_4(name, , type)
#define VTEGRA_MAKE_64(name, type)  \
    VTEGRA_MAKE(name, type)         \
    VTEGRA_MAKE_4(name, _16a, type) \
    VTEGRA_MAKE_4(name, _32a, type)

VTEGRA_MAKE(char, signed char)
VTEGRA_MAKE(uchar, unsigned char)
VTEGRA_MAKE(short, short)
VTEGRA_MAKE(ushort, unsigned short)
VTEGRA_MAKE(int, int)
VTEGRA_MAKE(uint, unsigned int)
VTEGRA_MAKE(float, float)
VTEGRA_MAKE_64(long, long)
VTEGRA_MAKE_64(ulong, unsigned long)
VTEGRA_MAKE_64(longlong, long long)
VTEGRA_MAKE_64(ulonglong, unsigned long long)
VTEGRA_MAKE_64(double, double)

#endif
#endif
