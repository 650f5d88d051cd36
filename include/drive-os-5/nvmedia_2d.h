/* SPDX-License-Identifier: MIT */
/*
 * NvMedia 2D of DRIVE OS 5. Names, values and layouts are those of NVIDIA's DRIVE OS 5.2 (NvMedia
 * 2D 3.7). docs/nvmedia.md: what each function does here.
 */
#ifndef NVMEDIA_2D_H
#define NVMEDIA_2D_H

#include "nvmedia_core.h"
#include "nvmedia_image.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NVMEDIA_2D_VERSION_MAJOR 3
#define NVMEDIA_2D_VERSION_MINOR 7

typedef enum {
    NVMEDIA_2D_STRETCH_FILTER_OFF = 0x1, /* the nearest pixel */
    NVMEDIA_2D_STRETCH_FILTER_LOW,       /* bilinear */
    NVMEDIA_2D_STRETCH_FILTER_MEDIUM,
    NVMEDIA_2D_STRETCH_FILTER_HIGH,
} NvMedia2DStretchFilter;

/* Rotations are anti-clockwise. */
typedef enum {
    NVMEDIA_TRANSFORM_NONE = 0x0,
    NVMEDIA_TRANSFORM_ROTATE_90,
    NVMEDIA_TRANSFORM_ROTATE_180,
    NVMEDIA_TRANSFORM_ROTATE_270,
    NVMEDIA_TRANSFORM_FLIP_HORIZONTAL, /* left becomes right */
    NVMEDIA_TRANSFORM_INV_TRANSPOSE,
    NVMEDIA_TRANSFORM_FLIP_VERTICAL,
    NVMEDIA_TRANSFORM_TRANSPOSE,
} NvMediaTransform;

/* Which members of the parameters are valid. */
typedef enum {
    NVMEDIA_2D_BLIT_PARAMS_FILTER = (1u << 0),
    NVMEDIA_2D_BLIT_PARAMS_FLAGS = (1u << 1),
    NVMEDIA_2D_BLIT_PARAMS_DST_TRANSFORM = (1u << 2),
    NVMEDIA_2D_BLIT_PARAMS_COLOR_STD = (1u << 3),
} NvMedia2DBlitParamField;

typedef struct {
    uint32_t validFields;
    NvMedia2DStretchFilter filter; /* without: LOW */
    uint32_t flags;
    NvMediaTransform dstTransform;
    NvMediaColorStandard colorStandard;
} NvMedia2DBlitParameters;

typedef struct {
    uint32_t reserved[8];
} NvMedia2DBlitParametersOut;

typedef struct NvMedia2D NvMedia2D;

NVMEDIA_API NvMediaStatus NvMedia2DGetVersion(NvMediaVersion *version);
NVMEDIA_API NvMedia2D *NvMedia2DCreate(NvMediaDevice *device);
NVMEDIA_API void NvMedia2DDestroy(NvMedia2D *i2d);
/* A NULL rectangle is the whole image. */
NVMEDIA_API NvMediaStatus NvMedia2DBlitEx(const NvMedia2D *i2d, NvMediaImage *dstSurface,
                                          const NvMediaRect *dstRect, NvMediaImage *srcSurface,
                                          const NvMediaRect *srcRect,
                                          const NvMedia2DBlitParameters *params,
                                          NvMedia2DBlitParametersOut *paramsOut);
NVMEDIA_API NvMediaStatus NvMedia2DImageRegister(const NvMedia2D *i2d, NvMediaImage *image,
                                                 NvMediaAccessMode accessMode);
NVMEDIA_API NvMediaStatus NvMedia2DImageUnRegister(const NvMedia2D *i2d, NvMediaImage *image);

#ifdef __cplusplus
}
#endif

#endif
