/* SPDX-License-Identifier: MIT */
/*
 * Short vectors: type name, then number of parts. Two and four parts are aligned so that one load
 * moves them all; three parts are not. The _16a and _32a forms name their alignment.
 */
/* nvcc reads its own; the second name is that of its last pass. */
#if defined(__NVCC__) || defined(__CUDA_INTERNAL_COMPILATION__)
#include_next <vector_types.h>
#else
#ifndef __VECTOR_TYPES_H__
#define __VECTOR_TYPES_H__

#include "host_defines.h"

#define VTEGRA_VECTOR_1(name, type) \
    struct name##1                  \
    {                               \
        type x;                     \
    };                              \
    typedef struct name##1 name##1;
#define VTEGRA_VECTOR_2(name, type, bytes) \
    struct __align__(bytes) name##2        \
    {                                      \
        type x, y;                         \
    };                                     \
    typedef struct name##2 name##2;
#define VTEGRA_VECTOR_3(name, type) \
    struct name##3                  \
    {                               \
        type x, y, z;               \
    };                              \
    typedef struct name##3 name##3;
#define VTEGRA_VECTOR_4(name, suffix, type, bytes) \
    struct __align__(bytes) name##4##suffix        \
    {                                              \
        type x, y, z, w;                           \
    };                                             \
    typedef struct name##4##suffix name##4##suffix;
#define VTEGRA_VECTORS(name, type, bytes2, bytes4) \
    VTEGRA_VECTOR_1(name, type)                    \
    VTEGRA_VECTOR_2(name, type, bytes2)            \
    VTEGRA_VECTOR_3(name, type)                    \
    VTEGRA_VECTOR_4(name, , type, bytes4)
#define VTEGRA_VECTORS_64(name, type)     \
    VTEGRA_VECTORS(name, type, 16, 16)    \
    VTEGRA_VECTOR_4(name, _16a, type, 16) \
    VTEGRA_VECTOR_4(name, _32a, type, 32)

VTEGRA_VECTORS(char, signed char, 2, 4)
VTEGRA_VECTORS(uchar, unsigned char, 2, 4)
VTEGRA_VECTORS(short, short, 4, 8)
VTEGRA_VECTORS(ushort, unsigned short, 4, 8)
VTEGRA_VECTORS(int, int, 8, 16)
VTEGRA_VECTORS(uint, unsigned int, 8, 16)
VTEGRA_VECTORS(float, float, 8, 16)
VTEGRA_VECTORS_64(long, long)
VTEGRA_VECTORS_64(ulong, unsigned long)
VTEGRA_VECTORS_64(longlong, long long)
VTEGRA_VECTORS_64(ulonglong, unsigned long long)
VTEGRA_VECTORS_64(double, double)

/* Size of a grid or a block: what is not given is 1. */
struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus
    __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1,
                                       unsigned int vz = 1)
        : x(vx), y(vy), z(vz)
    {
    }
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z)
    {
    }
    __host__ __device__ constexpr operator uint3() const
    {
        return uint3{ x, y, z };
    }
#endif
};
typedef struct dim3 dim3;

#endif
#endif
