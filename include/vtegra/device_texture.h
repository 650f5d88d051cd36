/* SPDX-License-Identifier: MIT */
/*
 * Part of cuda_runtime.h; include that. Texture and surface functions on objects (CUDA Programming
 * Guide, texture functions, surface functions), each one instruction of PTX ISA 9.7.10 and 9.7.11.
 */
#ifndef VTEGRA_DEVICE_TEXTURE_H
#define VTEGRA_DEVICE_TEXTURE_H

/* What a fetch for elements of T returns in registers, and T made of it. */
template <class T> struct vtegra_texel;

#define VTEGRA_TEXEL(type, carrier, value)                            \
    template <> struct vtegra_texel<type> {                           \
        typedef carrier raw;                                          \
        static __device__ __forceinline__ type make(const carrier *r) \
        {                                                             \
            return value;                                             \
        }                                                             \
    };
#define VTEGRA_TEXELS(name, part, carrier)                                 \
    VTEGRA_TEXEL(part, carrier, (part)r[0])                                \
    VTEGRA_TEXEL(name##1, carrier, make_##name##1((part)r[0]))             \
    VTEGRA_TEXEL(name##2, carrier, make_##name##2((part)r[0], (part)r[1])) \
    VTEGRA_TEXEL(name##4, carrier, make_##name##4((part)r[0], (part)r[1], (part)r[2], (part)r[3]))
VTEGRA_TEXELS(char, signed char, int)
VTEGRA_TEXELS(uchar, unsigned char, unsigned int)
VTEGRA_TEXELS(short, short, int)
VTEGRA_TEXELS(ushort, unsigned short, unsigned int)
VTEGRA_TEXELS(int, int, int)
VTEGRA_TEXELS(uint, unsigned int, unsigned int)
VTEGRA_TEXELS(float, float, float)
VTEGRA_TEXEL(char, int, (char)r[0])

#define VTEGRA_LIST(...) __VA_ARGS__
#define VTEGRA_FETCH_1(ptx, type, letter, carrier, at, inputs)                                    \
    __asm__ __volatile__(ptx type at                                                              \
                         : "=" letter(r[0]), "=" letter(r[1]), "=" letter(r[2]), "=" letter(r[3]) \
                         : inputs)
/* NAME<T>(texture, parameters), and the form that stores. @ptx: up to the result's type; @at:
 * behind it; @inputs: "l"(texObject) first */
#define VTEGRA_FETCH(name, ptx, coordinate, at, parameters, arguments, inputs)                     \
    static __device__ __forceinline__ void vtegra_##name(float *r, cudaTextureObject_t texObject,  \
                                                         parameters)                               \
    {                                                                                              \
        VTEGRA_FETCH_1(ptx ".v4", ".f32", "f", float, coordinate " {%0,%1,%2,%3}, " at,            \
                       VTEGRA_LIST(inputs));                                                       \
    }                                                                                              \
    static __device__ __forceinline__ void vtegra_##name(int *r, cudaTextureObject_t texObject,    \
                                                         parameters)                               \
    {                                                                                              \
        VTEGRA_FETCH_1(ptx ".v4", ".s32", "r", int, coordinate " {%0,%1,%2,%3}, " at,              \
                       VTEGRA_LIST(inputs));                                                       \
    }                                                                                              \
    static __device__ __forceinline__ void vtegra_##name(                                          \
        unsigned int *r, cudaTextureObject_t texObject, parameters)                                \
    {                                                                                              \
        VTEGRA_FETCH_1(ptx ".v4", ".u32", "r", unsigned int, coordinate " {%0,%1,%2,%3}, " at,     \
                       VTEGRA_LIST(inputs));                                                       \
    }                                                                                              \
    template <class T>                                                                             \
    static __device__ __forceinline__ T name(cudaTextureObject_t texObject, parameters)            \
    {                                                                                              \
        typename vtegra_texel<T>::raw r[4];                                                        \
        vtegra_##name(r, texObject, arguments);                                                    \
        return vtegra_texel<T>::make(r);                                                           \
    }                                                                                              \
    template <class T>                                                                             \
    static __device__ __forceinline__ void name(T *ptr, cudaTextureObject_t texObject, parameters) \
    {                                                                                              \
        *ptr = name<T>(texObject, arguments);                                                      \
    }

VTEGRA_FETCH(tex1Dfetch, "tex.1d", ".s32", "[%4, {%5}];", VTEGRA_LIST(int x), VTEGRA_LIST(x),
             VTEGRA_LIST("l"(texObject), "r"(x)))
VTEGRA_FETCH(tex1D, "tex.1d", ".f32", "[%4, {%5}];", VTEGRA_LIST(float x), VTEGRA_LIST(x),
             VTEGRA_LIST("l"(texObject), "f"(x)))
VTEGRA_FETCH(tex1DLod, "tex.level.1d", ".f32", "[%4, {%5}], %6;", VTEGRA_LIST(float x, float level),
             VTEGRA_LIST(x, level), VTEGRA_LIST("l"(texObject), "f"(x), "f"(level)))
VTEGRA_FETCH(tex2D, "tex.2d", ".f32", "[%4, {%5, %6}];", VTEGRA_LIST(float x, float y),
             VTEGRA_LIST(x, y), VTEGRA_LIST("l"(texObject), "f"(x), "f"(y)))
VTEGRA_FETCH(tex2DLod, "tex.level.2d", ".f32", "[%4, {%5, %6}], %7;",
             VTEGRA_LIST(float x, float y, float level), VTEGRA_LIST(x, y, level),
             VTEGRA_LIST("l"(texObject), "f"(x), "f"(y), "f"(level)))
VTEGRA_FETCH(tex2DGrad, "tex.grad.2d", ".f32", "[%4, {%5, %6}], {%7, %8}, {%9, %10};",
             VTEGRA_LIST(float x, float y, float2 dPdx, float2 dPdy), VTEGRA_LIST(x, y, dPdx, dPdy),
             VTEGRA_LIST("l"(texObject), "f"(x), "f"(y), "f"(dPdx.x), "f"(dPdx.y), "f"(dPdy.x),
                         "f"(dPdy.y)))
VTEGRA_FETCH(tex3D, "tex.3d", ".f32", "[%4, {%5, %6, %7, %7}];",
             VTEGRA_LIST(float x, float y, float z), VTEGRA_LIST(x, y, z),
             VTEGRA_LIST("l"(texObject), "f"(x), "f"(y), "f"(z)))
VTEGRA_FETCH(tex3DLod, "tex.level.3d", ".f32", "[%4, {%5, %6, %7, %7}], %8;",
             VTEGRA_LIST(float x, float y, float z, float level), VTEGRA_LIST(x, y, z, level),
             VTEGRA_LIST("l"(texObject), "f"(x), "f"(y), "f"(z), "f"(level)))
VTEGRA_FETCH(tex1DLayered, "tex.a1d", ".f32", "[%4, {%6, %5}];", VTEGRA_LIST(float x, int layer),
             VTEGRA_LIST(x, layer), VTEGRA_LIST("l"(texObject), "f"(x), "r"(layer)))
VTEGRA_FETCH(tex2DLayered, "tex.a2d", ".f32", "[%4, {%7, %5, %6, %6}];",
             VTEGRA_LIST(float x, float y, int layer), VTEGRA_LIST(x, y, layer),
             VTEGRA_LIST("l"(texObject), "f"(x), "f"(y), "r"(layer)))
VTEGRA_FETCH(tex2DLayeredLod, "tex.level.a2d", ".f32", "[%4, {%7, %5, %6, %6}], %8;",
             VTEGRA_LIST(float x, float y, int layer, float level), VTEGRA_LIST(x, y, layer, level),
             VTEGRA_LIST("l"(texObject), "f"(x), "f"(y), "r"(layer), "f"(level)))
VTEGRA_FETCH(texCubemap, "tex.cube", ".f32", "[%4, {%5, %6, %7, %7}];",
             VTEGRA_LIST(float x, float y, float z), VTEGRA_LIST(x, y, z),
             VTEGRA_LIST("l"(texObject), "f"(x), "f"(y), "f"(z)))
VTEGRA_FETCH(texCubemapLod, "tex.level.cube", ".f32", "[%4, {%5, %6, %7, %7}], %8;",
             VTEGRA_LIST(float x, float y, float z, float level), VTEGRA_LIST(x, y, z, level),
             VTEGRA_LIST("l"(texObject), "f"(x), "f"(y), "f"(z), "f"(level)))
VTEGRA_FETCH(texCubemapLayered, "tex.acube", ".f32", "[%4, {%8, %5, %6, %7}];",
             VTEGRA_LIST(float x, float y, float z, int layer), VTEGRA_LIST(x, y, z, layer),
             VTEGRA_LIST("l"(texObject), "f"(x), "f"(y), "f"(z), "r"(layer)))
VTEGRA_FETCH(vtegra_gather_0, "tld4.r.2d", ".f32", "[%4, {%5, %6}];", VTEGRA_LIST(float x, float y),
             VTEGRA_LIST(x, y), VTEGRA_LIST("l"(texObject), "f"(x), "f"(y)))
VTEGRA_FETCH(vtegra_gather_1, "tld4.g.2d", ".f32", "[%4, {%5, %6}];", VTEGRA_LIST(float x, float y),
             VTEGRA_LIST(x, y), VTEGRA_LIST("l"(texObject), "f"(x), "f"(y)))
VTEGRA_FETCH(vtegra_gather_2, "tld4.b.2d", ".f32", "[%4, {%5, %6}];", VTEGRA_LIST(float x, float y),
             VTEGRA_LIST(x, y), VTEGRA_LIST("l"(texObject), "f"(x), "f"(y)))
VTEGRA_FETCH(vtegra_gather_3, "tld4.a.2d", ".f32", "[%4, {%5, %6}];", VTEGRA_LIST(float x, float y),
             VTEGRA_LIST(x, y), VTEGRA_LIST("l"(texObject), "f"(x), "f"(y)))

template <class T>
static __device__ __forceinline__ T tex2Dgather(cudaTextureObject_t texObject, float x, float y,
                                                int comp = 0)
{
    return comp == 1   ? vtegra_gather_1<T>(texObject, x, y)
           : comp == 2 ? vtegra_gather_2<T>(texObject, x, y)
           : comp == 3 ? vtegra_gather_3<T>(texObject, x, y)
                       : vtegra_gather_0<T>(texObject, x, y);
}

/* Surfaces: an access of 1 to 16 bytes. */
#define VTEGRA_SULD(geometry, mode, at, inputs)                                                    \
    if (bytes == 1) {                                                                              \
        unsigned short part;                                                                       \
        __asm__ __volatile__("suld.b." geometry ".b8" mode " %0, " at ";" : "=h"(part) : inputs);  \
        v[0] = part;                                                                               \
    } else if (bytes == 2) {                                                                       \
        unsigned short part;                                                                       \
        __asm__ __volatile__("suld.b." geometry ".b16" mode " %0, " at ";" : "=h"(part) : inputs); \
        v[0] = part;                                                                               \
    } else if (bytes == 4) {                                                                       \
        __asm__ __volatile__("suld.b." geometry ".b32" mode " %0, " at ";" : "=r"(v[0]) : inputs); \
    } else if (bytes == 8) {                                                                       \
        __asm__ __volatile__("suld.b." geometry ".v2.b32" mode " {%0, %1}, " at ";"                \
                             : "=r"(v[0]), "=r"(v[1])                                              \
                             : inputs);                                                            \
    } else {                                                                                       \
        __asm__ __volatile__("suld.b." geometry ".v4.b32" mode " {%0, %1, %2, %3}, " at ";"        \
                             : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])                      \
                             : inputs);                                                            \
    }
#define VTEGRA_SUST(geometry, mode, at, inputs)                                                   \
    if (bytes == 1) {                                                                             \
        __asm__ __volatile__("sust.b." geometry ".b8" mode " " at ", %[a];"                       \
                             :                                                                    \
                             : inputs, [a] "h"((unsigned short)v[0])                              \
                             : "memory");                                                         \
    } else if (bytes == 2) {                                                                      \
        __asm__ __volatile__("sust.b." geometry ".b16" mode " " at ", %[a];"                      \
                             :                                                                    \
                             : inputs, [a] "h"((unsigned short)v[0])                              \
                             : "memory");                                                         \
    } else if (bytes == 4) {                                                                      \
        __asm__ __volatile__("sust.b." geometry ".b32" mode " " at ", %[a];"                      \
                             :                                                                    \
                             : inputs, [a] "r"(v[0])                                              \
                             : "memory");                                                         \
    } else if (bytes == 8) {                                                                      \
        __asm__ __volatile__("sust.b." geometry ".v2.b32" mode " " at ", {%[a], %[b]};"           \
                             :                                                                    \
                             : inputs, [a] "r"(v[0]), [b] "r"(v[1])                               \
                             : "memory");                                                         \
    } else {                                                                                      \
        __asm__ __volatile__("sust.b." geometry ".v4.b32" mode " " at                             \
                             ", {%[a], %[b], %[c], %[d]};"                                        \
                             :                                                                    \
                             : inputs, [a] "r"(v[0]), [b] "r"(v[1]), [c] "r"(v[2]), [d] "r"(v[3]) \
                             : "memory");                                                         \
    }
#define VTEGRA_SURFACE(name, geometry, parameters, arguments, at, inputs)                       \
    template <class V>                                                                          \
    static __device__ __forceinline__ void vtegra_read_##name(                                  \
        V *v, int bytes, cudaSurfaceObject_t s, parameters, cudaSurfaceBoundaryMode mode)       \
    {                                                                                           \
        if (mode == cudaBoundaryModeZero) {                                                     \
            VTEGRA_SULD(geometry, ".zero", at, VTEGRA_LIST(inputs))                             \
        } else if (mode == cudaBoundaryModeClamp) {                                             \
            VTEGRA_SULD(geometry, ".clamp", at, VTEGRA_LIST(inputs))                            \
        } else {                                                                                \
            VTEGRA_SULD(geometry, ".trap", at, VTEGRA_LIST(inputs))                             \
        }                                                                                       \
    }                                                                                           \
    template <class V>                                                                          \
    static __device__ __forceinline__ void vtegra_write_##name(                                 \
        const V *v, int bytes, cudaSurfaceObject_t s, parameters, cudaSurfaceBoundaryMode mode) \
    {                                                                                           \
        if (mode == cudaBoundaryModeZero) {                                                     \
            VTEGRA_SUST(geometry, ".zero", at, VTEGRA_LIST(inputs))                             \
        } else if (mode == cudaBoundaryModeClamp) {                                             \
            VTEGRA_SUST(geometry, ".clamp", at, VTEGRA_LIST(inputs))                            \
        } else {                                                                                \
            VTEGRA_SUST(geometry, ".trap", at, VTEGRA_LIST(inputs))                             \
        }                                                                                       \
    }                                                                                           \
    template <class T>                                                                          \
    static __device__ __forceinline__ T surf##name##read(                                       \
        cudaSurfaceObject_t s, parameters, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) \
    {                                                                                           \
        unsigned int v[4];                                                                      \
        T t;                                                                                    \
        vtegra_read_##name(v, (int)sizeof(T), s, arguments, mode);                              \
        __builtin_memcpy(&t, v, sizeof(T));                                                     \
        return t;                                                                               \
    }                                                                                           \
    template <class T>                                                                          \
    static __device__ __forceinline__ void surf##name##read(                                    \
        T *to, cudaSurfaceObject_t s, parameters,                                               \
        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                                    \
    {                                                                                           \
        *to = surf##name##read<T>(s, arguments, mode);                                          \
    }                                                                                           \
    template <class T>                                                                          \
    static __device__ __forceinline__ void surf##name##write(                                   \
        T t, cudaSurfaceObject_t s, parameters,                                                 \
        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                                    \
    {                                                                                           \
        unsigned int v[4] = { 0, 0, 0, 0 };                                                     \
        __builtin_memcpy(v, &t, sizeof(T));                                                     \
        vtegra_write_##name(v, (int)sizeof(T), s, arguments, mode);                             \
    }

VTEGRA_SURFACE(1D, "1d", VTEGRA_LIST(int x), VTEGRA_LIST(x), "[%[s], {%[x]}]",
               VTEGRA_LIST([s] "l"(s), [x] "r"(x)))
VTEGRA_SURFACE(2D, "2d", VTEGRA_LIST(int x, int y), VTEGRA_LIST(x, y), "[%[s], {%[x], %[y]}]",
               VTEGRA_LIST([s] "l"(s), [x] "r"(x), [y] "r"(y)))
VTEGRA_SURFACE(3D, "3d", VTEGRA_LIST(int x, int y, int z), VTEGRA_LIST(x, y, z),
               "[%[s], {%[x], %[y], %[z], %[z]}]",
               VTEGRA_LIST([s] "l"(s), [x] "r"(x), [y] "r"(y), [z] "r"(z)))
VTEGRA_SURFACE(1DLayered, "a1d", VTEGRA_LIST(int x, int layer), VTEGRA_LIST(x, layer),
               "[%[s], {%[l], %[x]}]", VTEGRA_LIST([s] "l"(s), [x] "r"(x), [l] "r"(layer)))
VTEGRA_SURFACE(2DLayered, "a2d", VTEGRA_LIST(int x, int y, int layer), VTEGRA_LIST(x, y, layer),
               "[%[s], {%[l], %[x], %[y], %[y]}]",
               VTEGRA_LIST([s] "l"(s), [x] "r"(x), [y] "r"(y), [l] "r"(layer)))

#undef VTEGRA_TEXEL
#undef VTEGRA_TEXELS
#undef VTEGRA_FETCH
#undef VTEGRA_FETCH_1
#undef VTEGRA_SURFACE
#undef VTEGRA_SULD
#undef VTEGRA_SUST
#undef VTEGRA_LIST

#endif
