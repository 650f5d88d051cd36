/* SPDX-License-Identifier: MIT */
/* The headers of NvBufSurface against those of Jetson Linux R36.2: values and, for 64 bits, sizes
 * and offsets that were counted by hand. */
#include <check.h>
#include <nvbufsurftransform.h>
#include <stddef.h>

#include "tests/suite.h"

static const struct value {
    const char *name;
    long long is, should;
} values[] = {
#define V(name, number) { #name, (long long)(name), (number) }
#define SIZE(type, bytes) { "sizeof " #type, (long long)sizeof(type), (bytes) }
#define AT(type, field, offset) { #type "." #field, (long long)offsetof(type, field), (offset) }
    V(NVBUF_MAX_PLANES, 4),
    V(STRUCTURE_PADDING, 4),
    V(NVBUF_MAP_READ_WRITE, 2),
    V(NVBUF_COLOR_FORMAT_YUV420, 2),
    V(NVBUF_COLOR_FORMAT_NV12, 6),
    V(NVBUF_COLOR_FORMAT_YUYV, 14),
    V(NVBUF_COLOR_FORMAT_RGBA, 19),
    V(NVBUF_COLOR_FORMAT_xBGR, 26),
    V(NVBUF_COLOR_FORMAT_NV12_10LE, 29),
    V(NVBUF_COLOR_FORMAT_NV12_2020, 36),
    V(NVBUF_COLOR_FORMAT_NV16, 50),
    V(NVBUF_COLOR_FORMAT_A32, 68),
    V(NVBUF_COLOR_FORMAT_YUV444_ER, 71),
    V(NVBUF_COLOR_FORMAT_GRAY8_ER, 88),
    V(NVBUF_COLOR_FORMAT_LAST, 89),
    V(NVBUF_LAYOUT_BLOCK_LINEAR, 1),
    V(NVBUF_MEM_CUDA_PINNED, 1),
    V(NVBUF_MEM_SURFACE_ARRAY, 4),
    V(NVBUF_MEM_SYSTEM, 6),
    V(NvBufSurfaceTag_VIDEO_CONVERT, 0xf01),
    V(NvBufSurfTransformCompute_VIC, 2),
    V(NvBufSurfTransform_Rotate90, 1),
    V(NvBufSurfTransform_InvTranspose, 7),
    V(NvBufSurfTransformInter_Default, 6),
    V(NvBufSurfTransformError_ROI_Error, -4),
    V(NvBufSurfTransformError_Unsupported, -1),
    V(NVBUFSURF_TRANSFORM_FLIP, 8),
    V(NVBUFSURF_TRANSFORM_ALLOW_ODD_CROP, 32),
    V(NVBUFSURF_TRANSFORM_COMPOSITE_FILTER, 4),
    SIZE(NvBufSurface, 64),
    AT(NvBufSurface, memType, 16),
    AT(NvBufSurface, surfaceList, 24),
    SIZE(NvBufSurfacePlaneParams, 232),
    SIZE(NvBufSurfaceMappedAddr, 72),
    SIZE(NvBufSurfaceParams, 384),
    AT(NvBufSurfaceParams, bufferDesc, 24),
    AT(NvBufSurfaceParams, dataPtr, 40),
    AT(NvBufSurfaceParams, planeParams, 48),
    AT(NvBufSurfaceParams, mappedAddr, 280),
    AT(NvBufSurfaceParams, paramex, 352),
    SIZE(NvBufSurfaceCreateParams, 32),
    AT(NvBufSurfaceCreateParams, memType, 28),
    SIZE(NvBufSurfaceAllocateParams, 80),
    AT(NvBufSurfaceAllocateParams, memtag, 40),
    SIZE(NvBufSurfacePlaneParamsEx, 224),
    SIZE(NvBufSurfaceParamsEx, 272),
    SIZE(NvBufSurfaceMapPlaneParams, 104),
    SIZE(NvBufSurfaceMapParams, 520),
    AT(NvBufSurfaceMapParams, planes, 40),
    SIZE(NvBufSurfTransformRect, 16),
    SIZE(NvBufSurfTransformConfigParams, 16),
    SIZE(NvBufSurfTransformParams, 32),
    SIZE(NvBufSurfTransformCompositeParams, 32),
    SIZE(NvBufSurfTransformCompositeBlendParams, 32),
    SIZE(NvBufSurfTransformCompositeBlendParamsEx, 96),
};

START_TEST(values_and_sizes_are_nvidias)
{
    for (unsigned i = 0; i < sizeof(values) / sizeof(*values); i++) {
        ck_assert_msg(values[i].is == values[i].should, "%s is %lld, not %lld", values[i].name,
                      values[i].is, values[i].should);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("nvbuf_header");
    TCase *t = tcase_create("nvbuf_header");

    tcase_add_test(t, values_and_sizes_are_nvidias);
    suite_add_tcase(s, t);
    return suite_main(s);
}
