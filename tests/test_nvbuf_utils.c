/* SPDX-License-Identifier: MIT */
/* nvbuf_utils of R32 by file descriptor, on Xavier, whose VIC does not look into the CPU's caches.
 */
#define VTEGRA_NO_EGL_HEADERS
#include "include/nvbuf_utils.h"

#include <stddef.h>

#include "tests/nvbuf_rig.h"
#include "tests/suite.h"

#define BAD(call) ck_assert_int_eq(call, -1)

enum { W = 32, H = 16 };

static int a, b;

static int buffer(NvBufferColorFormat format, int width, int height)
{
    NvBufferCreateParams p = { .width = width, .height = height, .colorFormat = format };
    int fd = -1;

    OK(NvBufferCreateEx(&fd, &p));
    return fd;
}

static void setup(void)
{
    board("xavier", "lazy");
    a = buffer(NvBufferColorFormat_GRAY8, W, H);
    b = buffer(NvBufferColorFormat_GRAY8, W, H);
}

static void teardown(void)
{
    OK(NvBufferDestroy(a));
    OK(NvBufferDestroy(b));
}

/* For 64 bits, counted by hand. */
START_TEST(structs_have_nvidias_sizes)
{
    ck_assert_uint_eq(NvBufferColorFormat_NV12, 5);
    ck_assert_uint_eq(NvBufferColorFormat_ABGR32, 17);
    ck_assert_uint_eq(NvBufferColorFormat_Invalid, 56);
    ck_assert_uint_eq(sizeof(NvBufferCreateParams), 28);
    ck_assert_uint_eq(sizeof(NvBufferParams), 136);
    ck_assert_uint_eq(offsetof(NvBufferParams, width), 36);
    ck_assert_uint_eq(sizeof(NvBufferSyncObj), 56);
    ck_assert_uint_eq(sizeof(NvBufferParamsEx), 320);
    ck_assert_uint_eq(sizeof(NvBufferTransformParams), 56);
    ck_assert_uint_eq(sizeof(NvBufferCompositeParams), 672);
}
END_TEST

START_TEST(a_buffer_is_synchronised_by_its_address)
{
    void *in = NULL, *out = NULL;
    bool sync = _i;

    OK(NvBufferMemMap(a, 0, NvBufferMem_Write, &in));
    OK(NvBufferMemMap(b, 0, NvBufferMem_Read, &out));
    memset(in, 9, W);
    OK(NvBufferMemSyncForDevice(a, 0, &in));
    OK(NvBufferTransform(a, b, &(NvBufferTransformParams){ 0 }));
    if (sync) {
        OK(NvBufferMemSyncForCpu(b, 0, &out));
    }
    ck_assert_uint_eq(*(uint8_t *)out, sync ? 9 : 0);
    OK(NvBufferMemUnMap(a, 0, &in));
    ck_assert_ptr_null(in);
    BAD(NvBufferMemUnMap(a, 0, &in));
}
END_TEST

/* Counter-clockwise: the right column becomes the top row. */
START_TEST(rotations_go_the_other_way_round)
{
    int turned = buffer(NvBufferColorFormat_GRAY8, H, W);
    NvBufferTransformParams p = { .transform_flag = NVBUFFER_TRANSFORM_FLIP,
                                  .transform_flip = NvBufferTransform_Rotate90 };
    NvBufferSyncObj sync = { .use_outsyncobj = 1 };
    uint8_t in[W * H], out[W * H];

    for (unsigned i = 0; i < W * H; i++) {
        in[i] = (uint8_t)(i * 3);
    }
    OK(Raw2NvBuffer(in, 0, W, H, a));
    OK(NvBufferTransformAsync(a, turned, &p, &sync));
    OK(NvBufferSyncObjWait(&sync.outsyncobj, NVBUFFER_SYNCPOINT_WAIT_INFINITE));
    BAD(NvBufferSyncObjWait(&sync.outsyncobj, 0)); /* it has ended */
    OK(NvBuffer2Raw(turned, 0, H, W, out));
    for (unsigned i = 0; i < H; i++) {
        ck_assert_uint_eq(out[i], in[i * W + W - 1]);
    }
    OK(NvBufferDestroy(turned));
}
END_TEST

START_TEST(buffers_are_composed_over_a_colour)
{
    int src[2] = { buffer(NvBufferColorFormat_ABGR32, 16, 16),
                   buffer(NvBufferColorFormat_ABGR32, 16, 16) };
    int dst = buffer(NvBufferColorFormat_ABGR32, W, H);
    NvBufferCompositeParams p = { .composite_flag = NVBUFFER_COMPOSITE, .input_buf_count = 1 };
    uint8_t in[16 * 16 * 4], out[W * H * 4];

    memset(in, 200, sizeof(in));
    OK(Raw2NvBuffer(in, 0, 16, 16, src[0]));
    p.src_comp_rect[0] = p.dst_comp_rect[0] = (NvBufferRect){ 0, 0, 16, 16 };
    p.dst_comp_rect_alpha[0] = 1;
    p.composite_bgcolor.r = 1;
    OK(NvBufferComposite(src, dst, &p));
    OK(NvBuffer2Raw(dst, 0, W, H, out));
    ck_assert_mem_eq(out, ((const uint8_t[]){ 200, 200, 200, 200 }), 4);
    ck_assert_mem_eq(out + 20 * 4, ((const uint8_t[]){ 255, 0, 0, 255 }), 4);
    OK(NvBufferDestroy(src[0]));
    OK(NvBufferDestroy(src[1]));
    OK(NvBufferDestroy(dst));
}
END_TEST

START_TEST(a_buffer_says_what_it_is)
{
    int nv12 = buffer(NvBufferColorFormat_NV12, W, H), fd = -1;
    NvBufferParamsEx p;
    EGLImageKHR image;

    OK(NvBufferGetParamsEx(nv12, &p));
    ck_assert_uint_eq(p.params.pixel_format, NvBufferColorFormat_NV12);
    ck_assert_uint_eq(p.params.num_planes, 2);
    ck_assert_uint_eq(p.params.height[1], H / 2);
    OK(ExtractFdFromNvBuffer(p.params.nv_buffer, &fd));
    ck_assert_int_eq(fd, nv12);
    image = NvEGLImageFromFd(NULL, nv12);
    ck_assert_ptr_nonnull(image);
    OK(NvDestroyEGLImage(NULL, image));
    BAD(NvDestroyEGLImage(NULL, image));
    OK(NvBufferDestroy(nv12));
    BAD(NvBufferDestroy(nv12));
    BAD(NvBufferGetParamsEx(nv12, &p));
}
END_TEST

START_TEST(arguments_that_are_none)
{
    NvBufferCreateParams p = { .width = -1, .height = 16 };
    NvBufferTransformParams t = { 0 };
    NvBufferSyncObj sync = { .num_insyncobj = 6 };
    NvBufferCompositeParams c = { .input_buf_count = 17 };
    void *address = &p;
    int fd = -1;

    BAD(NvBufferCreateEx(NULL, &p));
    BAD(NvBufferCreateEx(&fd, NULL));
    BAD(NvBufferCreateEx(&fd, &p));
    BAD(NvBufferCreate(&fd, 16, 16, NvBufferLayout_Pitch, NvBufferColorFormat_Invalid));
    BAD(NvBufferCreateInterlace(&fd, &p));
    BAD(NvBufferCreateWithChromaLoc(&fd, &p, NULL));
    BAD(NvBufferGetParams(a, NULL));
    BAD(NvBufferGetParams(-1, &(NvBufferParams){ 0 }));
    BAD(NvBufferMemMap(a, 0, NvBufferMem_Read, NULL));
    BAD(NvBufferMemMap(a, 7, NvBufferMem_Read, &address));
    BAD(NvBufferMemSyncForCpu(a, 0, &address));
    BAD(NvBufferMemSyncForDeviceEx(a, NULL, 0, &address));
    BAD(NvBufferTransform(a, -1, &t));
    BAD(NvBufferTransform(-1, b, &t));
    BAD(NvBufferTransform(a, b, NULL));
    BAD(NvBufferTransformEx(a, NULL, b, NULL, &t));
    BAD(NvBufferTransformAsync(a, b, &t, NULL));
    BAD(NvBufferTransformAsync(a, b, &t, &sync));
    BAD(NvBufferComposite(NULL, b, &c));
    BAD(NvBufferComposite(&a, b, &c));
    BAD(NvBufferSyncObjWait(NULL, 0));
    BAD(ExtractFdFromNvBuffer(&p, &fd));
    BAD(NvReleaseFd(-1));
    ck_assert_ptr_null(NvEGLImageFromFd(NULL, -1));
    ck_assert_int_eq(fd, -1);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("nvbuf_utils");
    TCase *t = tcase_create("nvbuf_utils");

    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, structs_have_nvidias_sizes);
    tcase_add_loop_test(t, a_buffer_is_synchronised_by_its_address, 0, 2);
    tcase_add_test(t, rotations_go_the_other_way_round);
    tcase_add_test(t, buffers_are_composed_over_a_colour);
    tcase_add_test(t, a_buffer_says_what_it_is);
    tcase_add_test(t, arguments_that_are_none);
    suite_add_tcase(s, t);
    return suite_main(s);
}
