/* SPDX-License-Identifier: MIT */
/*
 * Part of cuda_runtime.h; include that. Atomic functions: the plain name is atomic for the whole
 * GPU, _block for the block, _system also for CPU and other engines. Scopes other than the GPU's
 * need sm_60; so does the addition of doubles.
 */
#ifndef VTEGRA_DEVICE_ATOMICS_H
#define VTEGRA_DEVICE_ATOMICS_H

#define VTEGRA_ATOMIC_1(name, type, scope, impl)                                \
    static __device__ __forceinline__ type name##scope(type *address, type val) \
    {                                                                           \
        return impl##scope(address, val);                                       \
    }
#define VTEGRA_CAS_1(type, carrier, scope, impl)                                                   \
    static __device__ __forceinline__ type atomicCAS##scope(type *address, type compare, type val) \
    {                                                                                              \
        return (type)impl##scope((carrier *)address, (carrier)compare, (carrier)val);              \
    }

#if __CUDA_ARCH__ >= 600
#define VTEGRA_ATOMIC(name, type, impl)       \
    VTEGRA_ATOMIC_1(name, type, , impl)       \
    VTEGRA_ATOMIC_1(name, type, _block, impl) \
    VTEGRA_ATOMIC_1(name, type, _system, impl)
#define VTEGRA_CAS(type, carrier, impl)       \
    VTEGRA_CAS_1(type, carrier, , impl)       \
    VTEGRA_CAS_1(type, carrier, _block, impl) \
    VTEGRA_CAS_1(type, carrier, _system, impl)
#else
#define VTEGRA_ATOMIC(name, type, impl) VTEGRA_ATOMIC_1(name, type, , impl)
#define VTEGRA_CAS(type, carrier, impl) VTEGRA_CAS_1(type, carrier, , impl)
#endif

VTEGRA_ATOMIC(atomicAdd, int, __iAtomicAdd)
VTEGRA_ATOMIC(atomicAdd, unsigned int, __uAtomicAdd)
VTEGRA_ATOMIC(atomicAdd, unsigned long long, __ullAtomicAdd)
VTEGRA_ATOMIC(atomicAdd, float, __fAtomicAdd)
#if __CUDA_ARCH__ >= 600
VTEGRA_ATOMIC(atomicAdd, double, __dAtomicAdd)
#endif

VTEGRA_ATOMIC(atomicExch, int, __iAtomicExch)
VTEGRA_ATOMIC(atomicExch, unsigned int, __uAtomicExch)
VTEGRA_ATOMIC(atomicExch, unsigned long long, __ullAtomicExch)
VTEGRA_ATOMIC(atomicExch, float, __fAtomicExch)

VTEGRA_ATOMIC(atomicMin, int, __iAtomicMin)
VTEGRA_ATOMIC(atomicMin, unsigned int, __uAtomicMin)
VTEGRA_ATOMIC(atomicMin, long long, __illAtomicMin)
VTEGRA_ATOMIC(atomicMin, unsigned long long, __ullAtomicMin)
VTEGRA_ATOMIC(atomicMax, int, __iAtomicMax)
VTEGRA_ATOMIC(atomicMax, unsigned int, __uAtomicMax)
VTEGRA_ATOMIC(atomicMax, long long, __illAtomicMax)
VTEGRA_ATOMIC(atomicMax, unsigned long long, __ullAtomicMax)

VTEGRA_ATOMIC(atomicInc, unsigned int, __uAtomicInc)
VTEGRA_ATOMIC(atomicDec, unsigned int, __uAtomicDec)

#define VTEGRA_ATOMIC_BITS(name, op)                 \
    VTEGRA_ATOMIC(name, int, __iAtomic##op)          \
    VTEGRA_ATOMIC(name, unsigned int, __uAtomic##op) \
    VTEGRA_ATOMIC(name, unsigned long long, __ullAtomic##op)
VTEGRA_ATOMIC_BITS(atomicAnd, And)
VTEGRA_ATOMIC_BITS(atomicOr, Or)
VTEGRA_ATOMIC_BITS(atomicXor, Xor)

VTEGRA_CAS(int, int, __iAtomicCAS)
VTEGRA_CAS(unsigned int, unsigned int, __uAtomicCAS)
VTEGRA_CAS(unsigned long long, unsigned long long, __ullAtomicCAS)

/* Differences: addition of the negative value, in two's complement. */
#define VTEGRA_ATOMIC_SUB(scope)                                                           \
    static __device__ __forceinline__ int atomicSub##scope(int *address, int val)          \
    {                                                                                      \
        return atomicAdd##scope(address, (int)(0u - (unsigned int)val));                   \
    }                                                                                      \
    static __device__ __forceinline__ unsigned int atomicSub##scope(unsigned int *address, \
                                                                    unsigned int val)      \
    {                                                                                      \
        return atomicAdd##scope(address, 0u - val);                                        \
    }
VTEGRA_ATOMIC_SUB()
#if __CUDA_ARCH__ >= 600
VTEGRA_ATOMIC_SUB(_block)
VTEGRA_ATOMIC_SUB(_system)
#endif

#endif
