/* SPDX-License-Identifier: MIT */
/*
 * NvMedia 2D: images scaled, converted and copied by the video image compositor (VIC).
 * libnvmedia2d.so.1 implements it.
 *
 * Names, values and layouts are those of NVIDIA's DRIVE OS API reference (6.0.10). docs/nvmedia.md:
 * what each function does here.
 */
#ifndef NVMEDIA_2D_H
#define NVMEDIA_2D_H

#include <stdint.h>

#include "nvmedia_core.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NVMEDIA_2D_VERSION_MAJOR 8
#define NVMEDIA_2D_VERSION_MINOR 0
#define NVMEDIA_2D_VERSION_PATCH 0

typedef enum {
    NVMEDIA_2D_FILTER_OFF = 0x1, /* the nearest pixel */
    NVMEDIA_2D_FILTER_LOW,       /* bilinear */
    NVMEDIA_2D_FILTER_MEDIUM,    /* 5 taps */
    NVMEDIA_2D_FILTER_HIGH,      /* 10 taps */
} NvMedia2DFilter;

/* Rotations are anti-clockwise. */
typedef enum {
    NVMEDIA_2D_TRANSFORM_NONE = 0x0,
    NVMEDIA_2D_TRANSFORM_ROTATE_90,
    NVMEDIA_2D_TRANSFORM_ROTATE_180,
    NVMEDIA_2D_TRANSFORM_ROTATE_270,
    NVMEDIA_2D_TRANSFORM_FLIP_HORIZONTAL, /* left becomes right */
    NVMEDIA_2D_TRANSFORM_INV_TRANSPOSE,
    NVMEDIA_2D_TRANSFORM_FLIP_VERTICAL,
    NVMEDIA_2D_TRANSFORM_TRANSPOSE,
} NvMedia2DTransform;

typedef enum {
    NVMEDIA_2D_BLEND_MODE_DISABLED,
    NVMEDIA_2D_BLEND_MODE_CONSTANT_ALPHA,
    NVMEDIA_2D_BLEND_MODE_STRAIGHT_ALPHA,
    NVMEDIA_2D_BLEND_MODE_PREMULTIPLIED_ALPHA,
} NvMedia2DBlendMode;

/* Limits of a context. Without: 1, 64, 16, 0. */
typedef struct {
    uint32_t numComposeParameters; /* 1 to 16 */
    uint32_t maxRegisteredBuffers; /* 1 to 1024 */
    uint32_t maxRegisteredSyncs;   /* 1 to 256 */
    uint32_t maxFilterBuffers;     /* 0 to 16 */
    uint32_t flags;                /* NVIDIA's own */
} NvMedia2DAttributes;

/* One operation's description, from NvMedia2DGetComposeParameters() until NvMedia2DCompose() has
 * taken it; of its context alone. 0 is none. */
typedef uint32_t NvMedia2DComposeParameters;
typedef uint32_t NvMedia2DFilterBuffer;

typedef struct {
    uint64_t operationId; /* 0: none */
} NvMedia2DComposeResult;

/* By phase, then by tap: 10 bits, two's complement, 8 of them a fraction. */
typedef struct {
    int16_t coeffs[32][5];
} NvMedia2DFilterCoefficients5Tap;

typedef struct {
    int16_t coeffs[32][10];
} NvMedia2DFilterCoefficients10Tap;

typedef struct NvMedia2D NvMedia2D;

NVMEDIA_API NvMediaStatus NvMedia2DGetVersion(NvMediaVersion *const version);
NVMEDIA_API NvMediaStatus NvMedia2DCreate(NvMedia2D **const handle,
                                          NvMedia2DAttributes const *const attr);
NVMEDIA_API NvMediaStatus NvMedia2DDestroy(NvMedia2D const *const handle);
NVMEDIA_API NvMediaStatus NvMedia2DGetComposeParameters(NvMedia2D const *const handle,
                                                        NvMedia2DComposeParameters *const params);
NVMEDIA_API NvMediaStatus NvMedia2DCompose(NvMedia2D const *const handle,
                                           NvMedia2DComposeParameters const params,
                                           NvMedia2DComposeResult *const result);
/* A NULL rectangle is the whole surface. */
NVMEDIA_API NvMediaStatus NvMedia2DSetSrcGeometry(NvMedia2D const *const handle,
                                                  NvMedia2DComposeParameters const params,
                                                  uint32_t const index,
                                                  NvMediaRect const *const srcRect,
                                                  NvMediaRect const *const dstRect,
                                                  NvMedia2DTransform const transform);
NVMEDIA_API NvMediaStatus NvMedia2DSetSrcFilter(NvMedia2D const *const handle,
                                                NvMedia2DComposeParameters const params,
                                                uint32_t const index, NvMedia2DFilter const filter);
NVMEDIA_API NvMediaStatus NvMedia2DSetSrcBlendMode(NvMedia2D const *const handle,
                                                   NvMedia2DComposeParameters const params,
                                                   uint32_t const index,
                                                   NvMedia2DBlendMode const blendMode,
                                                   float const constantAlpha);
NVMEDIA_API NvMediaStatus NvMedia2DCreateFilterBuffer(NvMedia2D const *const handle,
                                                      NvMedia2DFilterBuffer *const filterBuffer);
NVMEDIA_API NvMediaStatus NvMedia2DDestroyFilterBuffer(NvMedia2D const *const handle,
                                                       NvMedia2DFilterBuffer const filterBuffer);
NVMEDIA_API NvMediaStatus NvMedia2DSetFilterBuffer(NvMedia2D const *const handle,
                                                   NvMedia2DComposeParameters const params,
                                                   NvMedia2DFilterBuffer const filterBuffer);
NVMEDIA_API NvMediaStatus NvMedia2DComputeFilterCoefficients5Tap(
    NvMedia2D const *const handle, NvMedia2DFilterBuffer const filterBuffer, uint32_t const index,
    NvMedia2DFilterCoefficients5Tap const *const lumaX,
    NvMedia2DFilterCoefficients5Tap const *const lumaY,
    NvMedia2DFilterCoefficients5Tap const *const chromaX,
    NvMedia2DFilterCoefficients5Tap const *const chromaY);
NVMEDIA_API NvMediaStatus NvMedia2DComputeFilterCoefficients10Tap(
    NvMedia2D const *const handle, NvMedia2DFilterBuffer const filterBuffer, uint32_t const index,
    NvMedia2DFilterCoefficients10Tap const *const lumaX,
    NvMedia2DFilterCoefficients10Tap const *const lumaY,
    NvMedia2DFilterCoefficients10Tap const *const chromaX,
    NvMedia2DFilterCoefficients10Tap const *const chromaY);

#ifdef __cplusplus
}
#endif

#endif
