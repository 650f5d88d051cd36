/* SPDX-License-Identifier: MIT */
/* What NvBufSurface and NvBufSurfTransform answer to arguments that are none: -1 or the error's
 * name, and nothing has changed. */
#include <fcntl.h>
#include <unistd.h>

#include "include/cuda.h"
#define VTEGRA_NO_EGL_HEADERS
#include "include/cudaEGL.h"
#include "tests/nvbuf_rig.h"
#include "tests/suite.h"

#define BAD(call) ck_assert_int_eq(call, -1)
#define GIVES(code, call) ck_assert_int_eq(call, NvBufSurfTransformError_##code)

static NvBufSurface *s, *stale, foreign;
static NvBufSurfaceParams foreign_params[2];

static void setup(void)
{
    board("xavier", "lazy");
    s = surfaces(2, NVBUF_COLOR_FORMAT_NV12, 32, 16);
    stale = surface(NVBUF_COLOR_FORMAT_NV12, 32, 16);
    OK(NvBufSurfaceDestroy(stale));
    foreign.batchSize = foreign.numFilled = 1;
    foreign.surfaceList = foreign_params;
}

static void teardown(void)
{
    OK(NvBufSurfaceDestroy(s));
}

/* Pointers that are no surface: a list of the program's own, one that was destroyed, no memory. */
static NvBufSurface *none(int i)
{
    NvBufSurface *list[] = { NULL, &foreign, stale, (NvBufSurface *)(uintptr_t)0x1230,
                             (NvBufSurface *)(uintptr_t)3 };

    return list[i];
}
enum { NONES = 5 };

START_TEST(a_surface_that_is_none)
{
    NvBufSurface *x = none(_i);
    NvBufSurfaceMapParams params;
    uint8_t bytes[32 * 16];

    BAD(NvBufSurfaceDestroy(x));
    BAD(NvBufSurfaceMap(x, 0, 0, NVBUF_MAP_READ));
    BAD(NvBufSurfaceUnMap(x, 0, 0));
    BAD(NvBufSurfaceSyncForCpu(x, 0, 0));
    BAD(NvBufSurfaceSyncForDevice(x, 0, 0));
    BAD(NvBufSurfaceCopy(x, s));
    BAD(NvBufSurfaceCopy(s, x));
    BAD(NvBufSurface2Raw(x, 0, 0, 32, 16, bytes));
    BAD(Raw2NvBufSurface(bytes, 0, 0, 32, 16, x));
    BAD(NvBufSurfaceMemSet(x, 0, 0, 1));
    BAD(NvBufSurfaceMapEglImage(x, 0));
    BAD(NvBufSurfaceUnMapEglImage(x, 0));
    BAD(NvBufSurfaceGetMapParams(x, 0, &params));
}
END_TEST

START_TEST(a_transform_of_a_surface_that_is_none)
{
    NvBufSurfTransformRect rect[1] = { { 0, 0, 32, 16 } };
    NvBufSurfTransformCompositeParams composite = { .input_buf_count = 1,
                                                    .src_comp_rect = rect,
                                                    .dst_comp_rect = rect };
    NvBufSurfTransformCompositeBlendParamsEx multi = { .params = { .input_buf_count = 1 } };
    NvBufSurfTransformParams p = { 0 };
    NvBufSurface *x = none(_i), *list[] = { x }, *good[] = { s };
    NvBufSurfTransformSyncObj_t sync = NULL;

    GIVES(Invalid_Params, NvBufSurfTransform(x, s, &p));
    GIVES(Invalid_Params, NvBufSurfTransform(s, x, &p));
    GIVES(Invalid_Params, NvBufSurfTransformAsync(x, s, &p, &sync));
    GIVES(Invalid_Params, NvBufSurfTransformComposite(x, s, &composite));
    GIVES(Invalid_Params, NvBufSurfTransformComposite(s, x, &composite));
    GIVES(Invalid_Params, NvBufSurfTransformCompositeAsync(x, s, &composite, &sync));
    GIVES(Invalid_Params, NvBufSurfTransformMultiInputBufCompositeBlend(list, s, &multi));
    GIVES(Invalid_Params,
          NvBufSurfTransformMultiInputBufCompositeBlendAsync(good, x, &multi, &sync));
    ck_assert_ptr_null(sync);
}
END_TEST

START_TEST(indices_and_planes_that_are_none)
{
    static const int rows[][2] = { { 2, 0 }, { -2, 0 }, { 0, 2 }, { 0, -2 }, { 1000000, 0 } };
    int index = rows[_i][0], plane = rows[_i][1];
    uint8_t bytes[32 * 16];

    BAD(NvBufSurfaceMap(s, index, plane, NVBUF_MAP_READ));
    BAD(NvBufSurfaceUnMap(s, index, plane));
    BAD(NvBufSurfaceSyncForCpu(s, index, plane));
    BAD(NvBufSurfaceSyncForDevice(s, index, plane));
    BAD(NvBufSurfaceMemSet(s, index, plane, 1));
    BAD(NvBufSurface2Raw(s, (unsigned)index, (unsigned)plane, 32, 16, bytes));
    BAD(Raw2NvBufSurface(bytes, (unsigned)index, (unsigned)plane, 32, 16, s));
    ck_assert_ptr_null(s->surfaceList[0].mappedAddr.addr[0]);
}
END_TEST

START_TEST(allocations_that_cannot_be)
{
    static const NvBufSurfaceCreateParams rows[] = {
        { .width = 0, .height = 16, .colorFormat = NVBUF_COLOR_FORMAT_NV12 },
        { .width = 32, .height = 40000, .colorFormat = NVBUF_COLOR_FORMAT_NV12 },
        { .width = 32, .height = 16, .colorFormat = NVBUF_COLOR_FORMAT_INVALID },
        { .width = 32, .height = 16, .colorFormat = (NvBufSurfaceColorFormat)500 },
        { .width = 32,
          .height = 16,
          .colorFormat = NVBUF_COLOR_FORMAT_NV12,
          .memType = (NvBufSurfaceMemType)7 },
        { .width = 32,
          .height = 16,
          .colorFormat = NVBUF_COLOR_FORMAT_NV12,
          .layout = (NvBufSurfaceLayout)2 },
        { .width = 32,
          .height = 16,
          .colorFormat = NVBUF_COLOR_FORMAT_NV12,
          .layout = NVBUF_LAYOUT_BLOCK_LINEAR,
          .memType = NVBUF_MEM_CUDA_DEVICE },
        { .size = UINT32_MAX },
        { .width = 32,
          .height = 16,
          .colorFormat = NVBUF_COLOR_FORMAT_NV12,
          .memType = NVBUF_MEM_CUDA_DEVICE,
          .gpuId = 9 },
    };
    NvBufSurfaceCreateParams p = rows[_i];
    NvBufSurfaceAllocateParams more = { .params = rows[_i] };
    NvBufSurface *out = NULL;

    BAD(NvBufSurfaceCreate(&out, 1, &p));
    BAD(NvBufSurfaceAllocate(&out, 1, &more));
    ck_assert_ptr_null(out);
}
END_TEST

START_TEST(arguments_that_are_missing)
{
    NvBufSurfaceCreateParams p = { .width = 32,
                                   .height = 16,
                                   .colorFormat = NVBUF_COLOR_FORMAT_NV12 };
    NvBufSurfaceAllocateParams more = { .params = p,
                                        .displayscanformat = NVBUF_DISPLAYSCANFORMAT_INTERLACED };
    NvBufSurface *out = NULL;
    void *any = NULL;

    BAD(NvBufSurfaceCreate(NULL, 1, &p));
    BAD(NvBufSurfaceCreate(&out, 1, NULL));
    BAD(NvBufSurfaceCreate(&out, 0, &p));
    BAD(NvBufSurfaceCreate(&out, 5000, &p));
    BAD(NvBufSurfaceAllocate(&out, 1, NULL));
    BAD(NvBufSurfaceAllocate(&out, 1, &more));
    BAD(NvBufSurfaceFromFd(0, NULL));
    BAD(NvBufSurfaceImport(NULL, NULL));
    BAD(NvBufSurfaceImport(&out, NULL));
    BAD(NvBufSurfaceGetMapParams(s, 0, NULL));
    BAD(NvBufSurface2Raw(s, 0, 0, 32, 16, NULL));
    BAD(NvBufSurface2Raw(s, 0, 0, 33, 16, (unsigned char *)&p));
    BAD(NvBufSurface2Raw(s, 0, 1, 16, 9, (unsigned char *)&p));
    BAD(NvBufSurface2Raw(s, 0, 0, 0, 16, (unsigned char *)&p));
    BAD(NvBufSurfaceMap(s, 0, 0, (NvBufSurfaceMemMapFlags)3));
    BAD(NvBufSurfaceUnMap(s, 0, 0));
    BAD(NvBufSurfaceSyncForCpu(s, 0, 0));
    BAD(NvBufSurfaceUnMapEglImage(s, 0));
    ck_assert_ptr_null(out);
    ck_assert_ptr_null(any);
}
END_TEST

START_TEST(descriptors_that_are_none)
{
    int null = open("/dev/null", O_RDWR), closed = (int)s->surfaceList[1].bufferDesc;
    void *out = NULL;

    BAD(NvBufSurfaceFromFd(-1, &out));
    BAD(NvBufSurfaceFromFd(null, &out));
    BAD(NvBufSurfaceFromFd(null + 500, &out));
    close(closed);
    BAD(NvBufSurfaceFromFd(closed, &out));
    ck_assert_ptr_null(out);
    close(null);
}
END_TEST

/* A descriptor and its duplicate are the surface; the parameters of another may lie. */
START_TEST(descriptors_are_their_surface)
{
    int fd = (int)s->surfaceList[0].bufferDesc, other = dup(fd);
    NvBufSurfaceMapParams params, wrong;
    NvBufSurface *out = NULL;
    void *same = NULL;

    OK(NvBufSurfaceFromFd(fd, &same));
    ck_assert_ptr_eq(same, s);
    OK(NvBufSurfaceFromFd(other, &same));
    ck_assert_ptr_eq(same, s);
    OK(NvBufSurfaceGetMapParams(s, 0, &params));
    ck_assert_uint_eq(params.num_planes, 2);
    OK(NvBufSurfaceImport(&out, &params));
    ck_assert_ptr_ne(out, s);
    ck_assert_uint_eq(out->surfaceList[0].planeParams.offset[1], params.planes[1].offset);
    OK(NvBufSurfaceDestroy(out));
    for (unsigned i = 0; i < 7; i++) {
        wrong = params;
        wrong.num_planes = i == 0 ? 5 : i == 1 ? 0 : 2;
        wrong.planes[1].offset = i == 2 ? UINT32_MAX - 4095 : wrong.planes[1].offset;
        wrong.planes[1].psize = i == 3 ? UINT32_MAX - 4095 : wrong.planes[1].psize;
        wrong.planes[0].pitch = i == 4 ? UINT32_MAX : wrong.planes[0].pitch;
        wrong.fd = i == 5 ? UINT64_MAX : wrong.fd;
        wrong.memType = i == 6 ? NVBUF_MEM_SYSTEM : wrong.memType;
        BAD(NvBufSurfaceImport(&out, &wrong));
    }
    close(other);
}
END_TEST

START_TEST(rectangles_and_formats_that_cannot_be)
{
    static const NvBufSurfTransformRect rows[] = {
        { 0, 0, 0, 16 }, { 0, 0, 33, 16 },        { 16, 0, 32, 1 },
        { 0, 31, 2, 2 }, { 0, UINT32_MAX, 2, 2 }, { 2, 2, UINT32_MAX, 4 },
    };
    NvBufSurface *rgb = surface(NVBUF_COLOR_FORMAT_RGB, 32, 16);
    NvBufSurface *tiny = surface(NVBUF_COLOR_FORMAT_RGBA, 8, 8);
    NvBufSurface *one = surface(NVBUF_COLOR_FORMAT_NV12, 32, 16);
    NvBufSurfTransformParams p = { .transform_flag = NVBUFSURF_TRANSFORM_CROP_SRC }, plain = { 0 };
    NvBufSurfTransformRect rect;
    NvBufSurfTransformSyncObj_t sync = NULL;

    GIVES(Invalid_Params, NvBufSurfTransform(one, one, &p)); /* no list */
    for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        rect = rows[i];
        p.src_rect = p.dst_rect = &rect;
        p.transform_flag = NVBUFSURF_TRANSFORM_CROP_SRC;
        GIVES(ROI_Error, NvBufSurfTransform(one, s, &p));
        p.transform_flag = NVBUFSURF_TRANSFORM_CROP_DST;
        GIVES(ROI_Error, NvBufSurfTransform(one, s, &p));
    }
    GIVES(Unsupported, NvBufSurfTransform(rgb, s, &plain));
    GIVES(Invalid_Params, NvBufSurfTransform(tiny, s, &plain));
    GIVES(Invalid_Params, NvBufSurfTransform(s, one, &plain)); /* two into one */
    GIVES(Invalid_Params, NvBufSurfTransform(one, s, NULL));
    p = (NvBufSurfTransformParams){ .transform_flag = NVBUFSURF_TRANSFORM_FILTER,
                                    .transform_filter = (NvBufSurfTransform_Inter)9 };
    GIVES(Invalid_Params, NvBufSurfTransform(one, s, &p));
    p = (NvBufSurfTransformParams){ .transform_flag = NVBUFSURF_TRANSFORM_FLIP,
                                    .transform_flip = (NvBufSurfTransform_Flip)8 };
    GIVES(Invalid_Params, NvBufSurfTransform(one, s, &p));
    p = (NvBufSurfTransformParams){ .transform_flag = NVBUFSURF_TRANSFORM_NORMALIZE };
    GIVES(Unsupported, NvBufSurfTransform(one, s, &p));
    GIVES(Invalid_Params, NvBufSurfTransformComposite(one, s, NULL));
    GIVES(Invalid_Params, NvBufSurfTransformCompositeAsync(one, s, NULL, &sync));
    GIVES(Invalid_Params, NvBufSurfTransformCompositeBlend(one, one, one, s, NULL));
    GIVES(Unsupported, NvBufSurfTransformCompositeBlend(
                           one, one, one, s, &(NvBufSurfTransformCompositeBlendParams){ 0 }));
    GIVES(Invalid_Params, NvBufSurfTransformMultiInputBufCompositeBlend(&one, s, NULL));
    GIVES(Invalid_Params, NvBufSurfTransformMultiInputBufCompositeBlend(
                              &one, s, &(NvBufSurfTransformCompositeBlendParamsEx){ 0 }));
    OK(NvBufSurfaceDestroy(rgb));
    OK(NvBufSurfaceDestroy(tiny));
    OK(NvBufSurfaceDestroy(one));
}
END_TEST

START_TEST(sessions_and_sync_objects_that_are_none)
{
    NvBufSurfTransformConfigParams c = { .compute_mode = (NvBufSurfTransform_Compute)3 };
    NvBufSurfTransformSyncObj_t none_at_all = NULL;
    NvBufSurface *one = surface(NVBUF_COLOR_FORMAT_NV12, 32, 16);

    GIVES(Invalid_Params, NvBufSurfTransformSetSessionParams(NULL));
    GIVES(Invalid_Params, NvBufSurfTransformSetSessionParams(&c));
    GIVES(Invalid_Params, NvBufSurfTransformGetSessionParams(NULL));
    GIVES(Invalid_Params, NvBufSurfTransformSyncObjWait(NULL, 0));
    GIVES(Invalid_Params, NvBufSurfTransformSyncObjDestroy(NULL));
    GIVES(Invalid_Params, NvBufSurfTransformSyncObjDestroy(&none_at_all));
    c.compute_mode = NvBufSurfTransformCompute_GPU;
    OK(NvBufSurfTransformSetSessionParams(&c));
    OK(NvBufSurfTransform(one, s, &(NvBufSurfTransformParams){ 0 }));
    OK(NvBufSurfTransformSetDefaultSession());
    OK(NvBufSurfTransformGetSessionParams(&c));
    ck_assert_int_eq(c.compute_mode, NvBufSurfTransformCompute_Default);
    OK(NvBufSurfTransform(one, s, &(NvBufSurfTransformParams){ 0 }));
    OK(NvBufSurfaceDestroy(one));
}
END_TEST

START_TEST(eglimages_that_are_none)
{
    CUgraphicsResource resource;
    CUcontext context;
    void *image;

    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    OK(NvBufSurfaceMapEglImage(s, 0));
    BAD(NvBufSurfaceMapEglImage(s, 0)); /* it has one */
    image = s->surfaceList[0].mappedAddr.eglImage;
    ck_assert_int_eq(cuGraphicsEGLRegisterImage(&resource, image, 1), CUDA_ERROR_INVALID_VALUE);
    OK(NvBufSurfaceUnMapEglImage(s, -1));
    ck_assert_ptr_null(s->surfaceList[0].mappedAddr.eglImage);
    ck_assert_int_eq(cuGraphicsEGLRegisterImage(&resource, image, 0), CUDA_ERROR_INVALID_HANDLE);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("nvbuf_codes");
    TCase *t = tcase_create("nvbuf_codes");

    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, a_surface_that_is_none, 0, NONES);
    tcase_add_loop_test(t, a_transform_of_a_surface_that_is_none, 0, NONES);
    tcase_add_loop_test(t, indices_and_planes_that_are_none, 0, 5);
    tcase_add_loop_test(t, allocations_that_cannot_be, 0, 9);
    tcase_add_test(t, arguments_that_are_missing);
    tcase_add_test(t, descriptors_that_are_none);
    tcase_add_test(t, descriptors_are_their_surface);
    tcase_add_test(t, rectangles_and_formats_that_cannot_be);
    tcase_add_test(t, sessions_and_sync_objects_that_are_none);
    tcase_add_test(t, eglimages_that_are_none);
    suite_add_tcase(suite, t);
    return suite_main(suite);
}
