/* SPDX-License-Identifier: MIT */
/* NvBufSurfTransform of Jetson Linux R36.2: scaling, conversion, rotation and composition of
 * NvBufSurface's buffers.
 *
 * Names, values and layouts are those of NVIDIA's nvbufsurftransform.h; the text is our own
 * (docs/frames.md). */
#ifndef NVBUFSURFTRANSFORM_H_
#define NVBUFSURFTRANSFORM_H_

#include "nvbufsurface.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CUstream_st *cudaStream_t;

/* Which engine works; Default: the VIC. */
typedef enum {
    NvBufSurfTransformCompute_Default,
    NvBufSurfTransformCompute_GPU,
    NvBufSurfTransformCompute_VIC
} NvBufSurfTransform_Compute;

/* Rotations are clockwise; FlipX mirrors left and right, FlipY top and bottom. */
typedef enum {
    NvBufSurfTransform_None,
    NvBufSurfTransform_Rotate90,
    NvBufSurfTransform_Rotate180,
    NvBufSurfTransform_Rotate270,
    NvBufSurfTransform_FlipX,
    NvBufSurfTransform_FlipY,
    NvBufSurfTransform_Transpose,
    NvBufSurfTransform_InvTranspose,
} NvBufSurfTransform_Flip;

/* Of the VIC: Algo1 has 5 taps, Algo2 10, Algo3 is smart, Algo4 nicest, Default nearest. */
typedef enum {
    NvBufSurfTransformInter_Nearest = 0,
    NvBufSurfTransformInter_Bilinear,
    NvBufSurfTransformInter_Algo1,
    NvBufSurfTransformInter_Algo2,
    NvBufSurfTransformInter_Algo3,
    NvBufSurfTransformInter_Algo4,
    NvBufSurfTransformInter_Default
} NvBufSurfTransform_Inter;

typedef enum {
    NvBufSurfTransformError_ROI_Error = -4,
    NvBufSurfTransformError_Invalid_Params = -3,
    NvBufSurfTransformError_Execution_Error = -2,
    NvBufSurfTransformError_Unsupported = -1,
    NvBufSurfTransformError_Success = 0
} NvBufSurfTransform_Error;

/* Which members of NvBufSurfTransformParams count. */
typedef enum {
    NVBUFSURF_TRANSFORM_CROP_SRC = 1,
    NVBUFSURF_TRANSFORM_CROP_DST = 1 << 1,
    NVBUFSURF_TRANSFORM_FILTER = 1 << 2,
    NVBUFSURF_TRANSFORM_FLIP = 1 << 3,
    NVBUFSURF_TRANSFORM_NORMALIZE = 1 << 4,
    NVBUFSURF_TRANSFORM_ALLOW_ODD_CROP = 1 << 5
} NvBufSurfTransform_Transform_Flag;

typedef enum {
    NVBUFSURF_TRANSFORM_COMPOSITE = 1,
    NVBUFSURF_TRANSFORM_BLEND = 1 << 1,
    NVBUFSURF_TRANSFORM_COMPOSITE_FILTER = 1 << 2,
} NvBufSurfTransform_Composite_Flag;

typedef struct {
    uint32_t top;
    uint32_t left;
    uint32_t width;
    uint32_t height;
} NvBufSurfTransformRect;

/* Of the calling thread. @gpu_id, @cuda_stream: of the GPU. */
typedef struct _NvBufSurfTransformConfigParams {
    NvBufSurfTransform_Compute compute_mode;
    int32_t gpu_id;
    cudaStream_t cuda_stream;
} NvBufSurfTransformConfigParams;

/* Rectangles: one for each buffer of the batch. */
typedef struct _NvBufSurfaceTransformParams {
    uint32_t transform_flag;
    NvBufSurfTransform_Flip transform_flip;
    NvBufSurfTransform_Inter transform_filter;
    NvBufSurfTransformRect *src_rect;
    NvBufSurfTransformRect *dst_rect;
} NvBufSurfTransformParams;

typedef struct _NvBufSurfTransformCompositeParams {
    uint32_t composite_flag;
    uint32_t input_buf_count;
    NvBufSurfTransformRect *src_comp_rect;
    NvBufSurfTransformRect *dst_comp_rect;
    NvBufSurfTransform_Inter composite_filter;
} NvBufSurfTransformCompositeParams;

/* 0.0 to 1.0 */
typedef struct _NvBufSurfTransform_ColorParams {
    double red;
    double green;
    double blue;
    double alpha;
} NvBufSurfTransform_ColorParams;

/* @color_bg: below all buffers; NULL: what the destination has. @perform_blending: for each buffer
 * 0 or 1; NULL: all. */
typedef struct _NvBufSurfTransformCompositeBlendParams {
    uint32_t composite_blend_flag;
    uint32_t input_buf_count;
    NvBufSurfTransform_Inter composite_blend_filter;
    NvBufSurfTransform_ColorParams *color_bg;
    uint32_t *perform_blending;
} NvBufSurfTransformCompositeBlendParams;

typedef struct _NvBufSurfTransformCompositeBlendParamsEx {
    NvBufSurfTransformCompositeBlendParams params;
    NvBufSurfTransformRect *src_comp_rect;
    NvBufSurfTransformRect *dst_comp_rect;
    NvBufSurfTransform_Inter *composite_blend_filter;
    float *alpha; /* 0.0 to 1.0, of each buffer */
    void *reserved[STRUCTURE_PADDING];
} NvBufSurfTransformCompositeBlendParamsEx;

typedef struct NvBufSurfTransformSyncObj *NvBufSurfTransformSyncObj_t;

NvBufSurfTransform_Error
NvBufSurfTransformSetSessionParams(NvBufSurfTransformConfigParams *config_params);
NvBufSurfTransform_Error
NvBufSurfTransformGetSessionParams(NvBufSurfTransformConfigParams *config_params);
NvBufSurfTransform_Error NvBufSurfTransformSetDefaultSession(void);

/* Each filled buffer of @src into that of @dst. What lies outside of the destination's rectangle is
 * left as it is. */
NvBufSurfTransform_Error NvBufSurfTransform(NvBufSurface *src, NvBufSurface *dst,
                                            NvBufSurfTransformParams *transform_params);
/* The filled buffers of @src into rectangles of the one buffer of @dst. */
NvBufSurfTransform_Error
NvBufSurfTransformComposite(NvBufSurface *src, NvBufSurface *dst,
                            NvBufSurfTransformCompositeParams *composite_params);

/* These return before the work is done, if @sync_obj is not NULL: wait for *@sync_obj and destroy
 * it. */
NvBufSurfTransform_Error NvBufSurfTransformAsync(NvBufSurface *src, NvBufSurface *dst,
                                                 NvBufSurfTransformParams *transform_params,
                                                 NvBufSurfTransformSyncObj_t *sync_obj);
NvBufSurfTransform_Error
NvBufSurfTransformCompositeAsync(NvBufSurface *src, NvBufSurface *dst,
                                 NvBufSurfTransformCompositeParams *composite_params,
                                 NvBufSurfTransformSyncObj_t *sync_obj);

/* dst = (src0 * alpha + src1 * (255 - alpha)) / 255, pixel by pixel. */
NvBufSurfTransform_Error
NvBufSurfTransformCompositeBlend(NvBufSurface *src0, NvBufSurface *src1, NvBufSurface *alpha,
                                 NvBufSurface *dst,
                                 NvBufSurfTransformCompositeBlendParams *blend_params);

/* Batches of one buffer into one buffer, the later ones over the earlier ones. */
NvBufSurfTransform_Error NvBufSurfTransformMultiInputBufCompositeBlend(
    NvBufSurface **src, NvBufSurface *dst,
    NvBufSurfTransformCompositeBlendParamsEx *composite_blend_params);
NvBufSurfTransform_Error NvBufSurfTransformMultiInputBufCompositeBlendAsync(
    NvBufSurface **src, NvBufSurface *dst,
    NvBufSurfTransformCompositeBlendParamsEx *composite_blend_params,
    NvBufSurfTransformSyncObj_t *sync_obj);

/* @time_out: ms */
NvBufSurfTransform_Error NvBufSurfTransformSyncObjWait(NvBufSurfTransformSyncObj_t sync_obj,
                                                       uint32_t time_out);
NvBufSurfTransform_Error NvBufSurfTransformSyncObjDestroy(NvBufSurfTransformSyncObj_t *sync_obj);

#ifdef __cplusplus
}
#endif

#endif
