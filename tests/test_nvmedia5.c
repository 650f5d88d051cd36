/* SPDX-License-Identifier: MIT */
/* NvMedia of DRIVE OS 5: values and sizes of its headers against NVIDIA's DRIVE OS 5.2, written
 * here by hand, and what calls answer to arguments that are none. */
#include <check.h>
#include <nvmedia_2d_nvscisync.h>
#include <nvmedia_eglstream.h>
#include <nvmedia_image_nvscibuf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "tests/suite.h"

#define GIVES(code, call) ck_assert_uint_eq(call, NVMEDIA_STATUS_##code)

static const struct value {
    const char *name;
    long long is, should;
} values[] = {
#define V(name, number) { #name, (long long)(name), (number) }
    V(NVMEDIA_STATUS_PFSD_ERROR, 14),
    V(NVMEDIA_COLOR_STANDARD_ITUR_BT_709_ER, 4),
    V(NVMEDIA_SOF_PRESYNCOBJ, 4),
    V(NVM_SURF_ATTR_COMPONENT_ORDER, 6),
    V(NVM_SURF_FMT_ATTR_MAX, 7),
    V(NVM_SURF_ATTR_SURF_TYPE_RAW, 3),
    V(NVM_SURF_ATTR_LAYOUT_PL, 2),
    V(NVM_SURF_ATTR_MEMORY_PACKED, 3),
    V(NVM_SURF_ATTR_SUB_SAMPLING_TYPE_422R, 4),
    V(NVM_SURF_ATTR_BITS_PER_COMPONENT_20, 10),
    V(NVM_SURF_ATTR_COMPONENT_ORDER_VUYX, 10),
    V(NVM_SURF_ATTR_COMPONENT_ORDER_RGBA, 0x12),
    V(NVM_SURF_ATTR_COMPONENT_ORDER_CCCC, 0x2d),
    V(NVM_SURF_ATTR_COLOR_STD_TYPE, 8),
    V(NVM_SURF_ALLOC_ATTR_MAX, 9),
    V(NVM_SURF_ATTR_CPU_ACCESS_UNMAPPED, 3),
    V(NVM_SURF_ATTR_COLOR_STD_REC2020PQ_ER, 12),
    V(NvMediaSurfaceType_Unsupported, 99999),
    V(NVMEDIA_2D_STRETCH_FILTER_HIGH, 4),
    V(NVMEDIA_TRANSFORM_TRANSPOSE, 7),
    V(NVMEDIA_2D_BLIT_PARAMS_COLOR_STD, 8),
    V(NVMEDIA_2D_MAX_PRENVSCISYNCFENCES, 3),
    V(sizeof(NvMediaVersion), 2),
    V(sizeof(NvMediaRect), 8),
    V(sizeof(NvMediaSurfAllocAttr), 8),
    V(sizeof(NvMediaImage), 72),
    V(offsetof(NvMediaImage, tag), 24),
    V(offsetof(NvMediaImage, captureTimeStamp), 48),
    V(offsetof(NvMediaImage, imgPriv), 64),
    V(sizeof(NvMediaImageSurfaceMap), 120),
    V(offsetof(NvMediaImageSurfaceMap, metaData), 112),
    V(sizeof(NvMedia2DBlitParameters), 20),
    V(sizeof(NvMediaEGLStreamProducer), 12),
};

START_TEST(value_is_nvidias)
{
    ck_assert_msg(values[_i].is == values[_i].should, "%s is %lld, not %lld", values[_i].name,
                  values[_i].is, values[_i].should);
}
END_TEST

/* --- arguments that are none ------------------------------------------------------------------ */

static NvMediaDevice *device;
static NvMedia2D *i2d;
static NvMediaImage *image;
static NvMediaSurfaceType rgba;

static NvMediaImage *image_new(uint32_t width, uint32_t height)
{
    NvMediaSurfAllocAttr alloc[] = { { NVM_SURF_ATTR_WIDTH, width },
                                     { NVM_SURF_ATTR_HEIGHT, height } };

    return NvMediaImageCreateNew(device, rgba, alloc, 2, 0);
}

static void setup(void)
{
    NVM_SURF_FMT_DEFINE_ATTR(attr)

    setenv("VTEGRA_SOC", "xavier", 1);
    setenv("VTEGRA_REPORT", "nvmedia5.report", 1);
    NVM_SURF_FMT_SET_ATTR_RGBA(attr, RGBA, UINT, 8, PL)
    rgba = NvMediaSurfaceFormatGetType(attr, NVM_SURF_FMT_ATTR_MAX);
    device = NvMediaDeviceCreate();
    i2d = NvMedia2DCreate(device);
    image = image_new(32, 16);
    ck_assert_ptr_nonnull(i2d);
    ck_assert_ptr_nonnull(image);
}

static void teardown(void)
{
    NvMediaImageDestroy(image);
    NvMedia2DDestroy(i2d);
    NvMediaDeviceDestroy(device);
}

START_TEST(formats_are_checked)
{
    NVM_SURF_FMT_DEFINE_ATTR(attr)
    NVM_SURF_FMT_DEFINE_ATTR(back)

    NVM_SURF_FMT_SET_ATTR_YUV(attr, YVU, 420, PLANAR, UINT, 8, BL)
    GIVES(OK, NvMediaSurfaceFormatGetAttrs(NvMediaSurfaceFormatGetType(attr, NVM_SURF_FMT_ATTR_MAX),
                                           back, NVM_SURF_FMT_ATTR_MAX));
    ck_assert_mem_eq(attr, back, sizeof(attr));
    ck_assert_uint_eq(NvMediaSurfaceFormatGetType(attr, 6), NvMediaSurfaceType_Unsupported);
    ck_assert_uint_eq(NvMediaSurfaceFormatGetType(NULL, 7), NvMediaSurfaceType_Unsupported);
    attr[0].value = 4;
    ck_assert_uint_eq(NvMediaSurfaceFormatGetType(attr, 7), NvMediaSurfaceType_Unsupported);
    GIVES(BAD_PARAMETER, NvMediaSurfaceFormatGetAttrs(7, back, 7));
    GIVES(BAD_PARAMETER, NvMediaSurfaceFormatGetAttrs(rgba, NULL, 7));
}
END_TEST

START_TEST(images_are_checked)
{
    NvMediaSurfAllocAttr alloc[] = { { NVM_SURF_ATTR_WIDTH, 32 }, { NVM_SURF_ATTR_HEIGHT, 16 } };
    NvMediaImageSurfaceMap map;
    NvMediaTaskStatus status;
    uint8_t bytes[32 * 16 * 4] = { 0 };
    void *planes[] = { bytes, NULL, NULL };
    uint32_t pitch[] = { 128, 0, 0 };
    const NvMediaRect outside = { 0, 0, 33, 16 };
    NvMediaImage *stale = image_new(32, 16);

    NvMediaImageDestroy(stale);
    ck_assert_ptr_null(image_new(15, 16));
    ck_assert_ptr_null(image_new(32, 16385));
    ck_assert_ptr_null(NvMediaImageCreateNew(NULL, rgba, alloc, 2, 0));
    ck_assert_ptr_null(NvMediaImageCreateNew(device, 5, alloc, 2, 0));
    ck_assert_ptr_null(NvMediaImageCreateNew(device, rgba, NULL, 2, 0));
    GIVES(BAD_PARAMETER, NvMediaImageLock(NULL, NVMEDIA_IMAGE_ACCESS_READ, &map));
    GIVES(BAD_PARAMETER, NvMediaImageLock(stale, NVMEDIA_IMAGE_ACCESS_READ, &map));
    GIVES(BAD_PARAMETER, NvMediaImageLock(image, NVMEDIA_IMAGE_ACCESS_READ, NULL));
    GIVES(BAD_PARAMETER, NvMediaImageLock(image, (NvMediaImageLockAccess)4, &map));
    GIVES(ERROR, NvMediaImagePutBits(image, NULL, planes, pitch)); /* not locked */
    GIVES(OK, NvMediaImageLock(image, NVMEDIA_IMAGE_ACCESS_WRITE, &map));
    GIVES(BAD_PARAMETER, NvMediaImagePutBits(image, &outside, planes, pitch));
    GIVES(BAD_PARAMETER, NvMediaImagePutBits(image, NULL, planes + 1, pitch));
    GIVES(BAD_PARAMETER, NvMediaImageGetBits(image, NULL, planes, NULL));
    GIVES(OK, NvMediaImagePutBits(image, NULL, planes, pitch));
    NvMediaImageUnlock(image);
    GIVES(BAD_PARAMETER, NvMediaImageGetStatus(image, 0, NULL));
    GIVES(OK, NvMediaImageGetStatus(image, 0, &status));
    GIVES(BAD_PARAMETER, NvMediaImageCreateFromNvSciBuf(device, NULL, &stale));
}
END_TEST

START_TEST(blits_are_checked)
{
    NvMedia2DBlitParameters params = { .validFields = NVMEDIA_2D_BLIT_PARAMS_DST_TRANSFORM,
                                       .dstTransform = NVMEDIA_TRANSFORM_ROTATE_90 };
    const NvMediaRect outside = { 0, 0, 33, 16 };
    NvMediaImage *other = image_new(32, 16), *stale = image_new(32, 16);
    NvSciSyncFence fence;

    NvMediaImageDestroy(stale);
    ck_assert_ptr_null(NvMedia2DCreate(NULL));
    GIVES(BAD_PARAMETER, NvMedia2DBlitEx(NULL, other, NULL, image, NULL, NULL, NULL));
    GIVES(BAD_PARAMETER, NvMedia2DBlitEx(i2d, other, NULL, stale, NULL, NULL, NULL));
    GIVES(BAD_PARAMETER, NvMedia2DBlitEx(i2d, other, NULL, image, &outside, NULL, NULL));
    GIVES(NOT_SUPPORTED, NvMedia2DBlitEx(i2d, other, NULL, image, NULL, &params, NULL));
    GIVES(OK, NvMedia2DBlitEx(i2d, other, NULL, image, NULL, NULL, NULL));
    GIVES(ERROR, NvMedia2DGetEOFNvSciSyncFence(i2d, NULL, &fence)); /* it had no object */
    GIVES(BAD_PARAMETER, NvMedia2DInsertPreNvSciSyncFence(i2d, NULL));
    GIVES(BAD_PARAMETER, NvMedia2DSetNvSciSyncObjforEOF(i2d, NULL));
    GIVES(OK, NvMedia2DImageRegister(i2d, other, NVMEDIA_ACCESS_MODE_READ));
    GIVES(ERROR, NvMedia2DImageRegister(i2d, other, NVMEDIA_ACCESS_MODE_READ_WRITE));
    GIVES(OK, NvMedia2DImageUnRegister(i2d, other));
    GIVES(BAD_PARAMETER, NvMedia2DImageUnRegister(i2d, other));
    NvMediaImageDestroy(other);
}
END_TEST

/* More blits than the driver keeps: each waits for room. */
START_TEST(many_blits_wait)
{
    NvMediaImage *other = image_new(32, 16);
    NvMediaTaskStatus status;

    for (unsigned i = 0; i < 100; i++) {
        GIVES(OK, NvMedia2DBlitEx(i2d, other, NULL, image, NULL, NULL, NULL));
    }
    GIVES(OK, NvMediaImageGetStatus(other, NVMEDIA_IMAGE_TIMEOUT_INFINITE, &status));
    NvMediaImageDestroy(other);
}
END_TEST

START_TEST(ends_are_checked)
{
    NvMediaImage *got = image;

    ck_assert_ptr_null(NvMediaEglStreamProducerCreate(device, NULL, NULL, rgba, 32, 16));
    ck_assert_ptr_null(NvMediaEglStreamProducerCreate(NULL, NULL, NULL, rgba, 32, 16));
    ck_assert_ptr_null(NvMediaEglStreamConsumerCreate(device, NULL, NULL, 3));
    GIVES(BAD_PARAMETER, NvMediaEglStreamProducerPostImage(NULL, image, NULL));
    GIVES(BAD_PARAMETER, NvMediaEglStreamProducerGetImage(NULL, &got, 0));
    GIVES(BAD_PARAMETER, NvMediaEglStreamConsumerAcquireImage(NULL, &got, 0, NULL));
    GIVES(BAD_PARAMETER, NvMediaEglStreamConsumerReleaseImage(NULL, image));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("nvmedia5");
    TCase *headers = tcase_create("headers"), *codes = tcase_create("codes");

    tcase_add_loop_test(headers, value_is_nvidias, 0, sizeof(values) / sizeof(values[0]));
    tcase_add_checked_fixture(codes, setup, teardown);
    tcase_set_timeout(codes, 60);
    tcase_add_test(codes, formats_are_checked);
    tcase_add_test(codes, images_are_checked);
    tcase_add_test(codes, blits_are_checked);
    tcase_add_test(codes, many_blits_wait);
    tcase_add_test(codes, ends_are_checked);
    suite_add_tcase(s, headers);
    suite_add_tcase(s, codes);
    return suite_main(s);
}
