/* SPDX-License-Identifier: MIT */
/* Part of cuda_runtime.h; include that. Which memory a pointer names, and pointers of one memory.
 */
#ifndef VTEGRA_DEVICE_SPACES_H
#define VTEGRA_DEVICE_SPACES_H

#include <stddef.h>

#define VTEGRA_DEVICE static __device__ __forceinline__

VTEGRA_DEVICE unsigned int __isGlobal(const void *p)
{
    return __nvvm_isspacep_global(p);
}

VTEGRA_DEVICE unsigned int __isShared(const void *p)
{
    return __nvvm_isspacep_shared(p);
}

VTEGRA_DEVICE unsigned int __isConstant(const void *p)
{
    return __nvvm_isspacep_const(p);
}

VTEGRA_DEVICE unsigned int __isLocal(const void *p)
{
    return __nvvm_isspacep_local(p);
}

/* Address spaces of the NVPTX back end: 1 global, 3 shared, 4 constant, 5 local. */
#define VTEGRA_CVTA(name, space)                                        \
    VTEGRA_DEVICE size_t __cvta_generic_to_##name(const void *p)        \
    {                                                                   \
        return (size_t)(void __attribute__((address_space(space))) *)p; \
    }                                                                   \
    VTEGRA_DEVICE void *__cvta_##name##_to_generic(size_t p)            \
    {                                                                   \
        return (void *)(void __attribute__((address_space(space))) *)p; \
    }
VTEGRA_CVTA(global, 1)
VTEGRA_CVTA(shared, 3)
VTEGRA_CVTA(constant, 4)
VTEGRA_CVTA(local, 5)

#endif
